# The report of bench/papers/000, which sources it.
solution() { awk -F '\t' -v f="$1" '$1 == "solution" { print $f }' "$work/equation20"; }
"$(program bench_selection)" "$top/bench/results/papers/000-emulated.times" | grep '^time' >"$work/decisions"
took() { awk -F '\t' -v what="$1" '$2 == what { if ($3 > 1000) printf "%.0f us", $3 / 1000; else printf "%.1f ns", $3 }' "$work/decisions"; }
cat <<MARKDOWN
# 000: Model-based selection of optimal MPI broadcast algorithms

Nuriyev, Rico-Gallego, Lastovetsky 2022: the stage models (1) to (13), equation (20) and Table 3, from their published parameters.

$(provenance "$seed for the draws")
Their Tables 1 and 2 are in \`bench/papers/000.d/CLUSTER/ALGORITHM.json\`, ready for \`planbcast predict --taulop\`. Names: linear is
their flat tree, pipeline their chain, chain their K-chain.

| the paper | here | why |
| --- | --- | --- |
| Equation (20): its coefficients | reproduced, all digits printed | with the transfers that (20) has, which are not those of the text (below) |
| Equation (20): its solution | differs | L0 is that of Table 2, o = L1 five times Table 2's; its eighth time is printed equal to the seventh |
| Tables 1 and 2: parameters | taken as they are | measured on clusters that we do not have |
| Table 3, "best" | not possible | measured there |
| Table 3, "Open MPI": Listing 1 | reproduced, 54 of 54 cells | a test of \`planbcast select\` |
| Table 3, "model-based" | differs: $(agreement 0) of 54 cells as printed, $(agreement "$best") by the best of all readings | not by rounding; Table 2's binomial tree is the main cause ("Where ours differ", at the end) |
| Section 6.3: counts in Table 3 | the same, but for two | [below](#what-section-63-says-of-table-3) |
| Section 6.3: selecting takes little time | $(took 'choosing by parameters') by the models, $(took 'looking up in the rules') by rules made from them | the paper has no number; \`bench_selection\` on \`000-emulated.times\`, Listing 1 $(took 'Listing 1') |
| Figures 1, 2, 9 and 10: times of selections | not possible | pictures of measurements on clusters that we do not have |
| Figures 3 to 7: trees and their stages | as models | drawings of what (1) to (13) describe |
| Figure 8: the system of equations | solved | (20) is one of them; \`planbcast select\` sets it up and solves it |
| Sections 5 and 6: the method itself | on an emulated cluster | [000-emulated.md](000-emulated.md); on a real machine's times: [selection.md](../selection.md) |

## Equation (20)

Gros, 1000 ranks of 18 per host, binomial tree in segments of 8 KB, then the gather.

$(equation)

![equation (20)](000-equation20.svg)

- The coefficients agree to all digits printed.
- They are those of T_p2p^1 = o + L0 + L1 with a gather of o + 999 L0 + L1. By the text it would be 2 L0 in each transfer of the
  broadcast, and (17) gives the gather more: its 982 transfers through the network also cost o and L1 each.
- The columns of o and L1 are equal, so that only o + L1 is determined; o = L1 all over Table 2 shows that the authors' solver split it
  evenly. Huber regression (GSL) gives L0 = $(solution 3) s, Table 2 $(solution 5) s; but o = L1 = $(solution 2) s, where
  Table 2 has $(solution 4) s: too little by a factor of five to give back the times in (20), and within 2% of what Table 2
  gives for the same algorithm on Grisou.
- The eighth time is printed equal to the seventh. The line through the others gives 84.7 ms there.

## Table 3, model-based column

Each cell: what has the least predicted time. Printed as the text has it, $(agreement 0) of 54 cells agree; by the best of
$(wc -l <"$work/ranked") readings, number $best, $(agreement "$best"):

$(answers "$best")

(*) other than printed. That many readings were tried against 54 cells: the best one says which changes help, not that they are
what the authors computed. Chosen on two of the clusters, readings agree in the third's cells, in the order of the table, in
$(awk -f "$data/held_out.awk" "$work/readings") that had no part in the choice.

$(table3)

**Bold** agrees; the share is that of $draws draws of parameters that round to the printed ones (o, L0, L1 to two digits, Q to whole
numbers).

## What section 6.3 says of Table 3

| the paper | in the text | by Table 3 | |
| --- | --- | --- | --- |
$(awk -f "$data/claims.awk" "$data/table3.tsv" | awk -F '\t' '{ printf "| %s | %s | %s | %s |\n", $1, $2, $3, $4 }')

The text's 1106% are those of 256 KB and 450 ranks; at 16, 32 and 128 KB the table has more. 7 of 18 are 38.9%.

## What each answer brings

$(questions)

## Sensitivity to rounding

![rounding](000-rounding.svg)

| reading | cells that agree | in all draws | in some | in none |
| --- | --- | ---: | ---: | ---: |
| as printed | $(spread 0) | $(count 0 1 1) | $(count 0 0.0001 0.9999) | $(count 0 0 0) |
| best | $(spread "$best") | $(count "$best" 1 1) | $(count "$best" 0.0001 0.9999) | $(count "$best" 0 0) |

MARKDOWN
cat "$data/differences.md"
