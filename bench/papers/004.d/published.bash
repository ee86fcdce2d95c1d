# The report of bench/papers/004 on the published parameters, which sources it.
for network in frodo boba; do
    "$models" map "$data/$network.json" 3 32 8589934592 >"$work/$network"
    decisions "$network" 2 "$work/$network" hockney Hockney loggp LogGP plogp PLogP
    awk -f "$data/claims.awk" "$work/$network" >"$work/claims-$network"
done
"$models" printed "$data/frodo.json" 3 32 8589934592 >"$work/printed"
awk -f "$data/claims.awk" "$work/printed" >"$work/claims-printed"

"$models" figures "$data/boba.json" >"$work/figures"
# shellcheck source=bench/papers/004.d/figures.bash
. "$data/figures.bash"
barriers 32 | plot figure-2 1000,380
reductions paper 8 24 | plot figure-3 1000,760
RANKS=24
{
    echo "set multiplot layout 1,2; $(exchange)"
    echo "set title 'LogGP, 2 to 24 ranks'; plot $(for n in 2 4 8 16 24; do
        echo "'< grep -P \"^alltoall\\tpairwise\\t0\\tloggp\\t$n\\t\" $work/figures' using 6:(1e3*\$7) with lines lw 2 title '$n ranks'"
    done | paste -sd ,)"
    echo 'unset multiplot'
} | plot figure-4 1000,380
awk -f "$data/curves.awk" "$work/figures" >"$work/claims-figures"

cat <<MARKDOWN
# 004: Performance Analysis of MPI Collective Operations

Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra 2007: Figures 2 to 4, curves of barriers, reductions and all-to-all, and
Figure 5, the fastest broadcast method by each model, from the LogGP parameters of Table 5.

$(provenance none)
Message sizes 2^k and 3 2^(k-1) bytes from 1 B to 8 GiB, 3 to 32 ranks; KB is read as KiB. The parameters are in
\`bench/papers/004.d/frodo.json\` and \`boba.json\`, ready for \`planbcast predict --network\`, with which every algorithm of Tables 1 to 4 is
predicted. [004-emulated.md](004-emulated.md) has the same for a cluster that was measured, and Figure 6.

| the paper | here | why |
| --- | --- | --- |
| Tables 1 to 4: formulas | reproduced, but for misprints | steps of recursive doubling (Table 1), and two broadcasts (below) are corrected; said beside each in \`planner/literature\` |
| Table 5: LogGP's parameters | taken as they are | |
| Figure 1: parameters of Hockney and PLogP | not possible | measured curves, shown as pictures that we do not have |
| Figures 2 to 4: model curves of barrier, reduce, all-to-all | reproduced from Table 5 | what the text says of them holds in $(grep -cP '\tholds$' "$work/claims-figures") of $(grep -vcP '\tconsistent$' "$work/claims-figures") cases |
| Figures 2 to 4: measurements | not possible | Boba's: pictures; the one number in the text, around 40 ms, is in the figure. On an emulated cluster: [004-collectives.md](004-collectives.md) |
| Figure 5 (b) to (d): the fastest broadcast by model | partly | the maps of Hockney and PLogP depend on Figure 1's curves |
| Figure 5 (a), Figure 6: measured broadcasts | differs | Frodo's: pictures; measured on emulated hosts with cards of the same rate, beside tau-Lop and the planner's simulation, in [004-emulated.md](004-emulated.md) |

## Figure 2: barriers, Boba (Gigabit)

![barriers](004-figure-2.svg)

## Figure 3: reductions, Boba

![reductions](004-figure-3.svg)

## Figure 4: pairwise exchange, Boba

![all-to-all](004-figure-4.svg)

## What the paper says of these figures

Section 6.2 describes them. The time to combine a byte is not printed, and 0 here.

| the paper, of Boba | from Table 5 | |
| --- | --- | --- |
$(awk -F '\t' '{ printf "| %s | %s | %s |\n", $1, $2, $3 }' "$work/claims-figures")

$(cat "$data/curves.md")

## Figure 5: Frodo (100 Mbit/s)

![Frodo](004-frodo.svg)

## The same for Boba (Gigabit), of which the paper has no map

![Boba](004-boba.svg)

## What the paper says of its figure

Its maps are pictures that we do not have; section 6.2 describes them. What came out, as share of the cells concerned where it is a
percentage:

| the paper, of Frodo | Frodo | | split-binary as printed | | Boba | |
| --- | --- | --- | --- | --- | --- | --- |
$(paste "$work/claims-frodo" "$work/claims-printed" "$work/claims-boba" |
    awk -F '\t' '{ printf "| %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $5, $6, $8, $9 }')

MARKDOWN
cat "$data/differences.md"
