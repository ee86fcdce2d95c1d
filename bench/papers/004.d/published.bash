# The report of bench/papers/004 on the published parameters, which sources it.
for network in frodo boba; do
    "$models" map "$data/$network.json" 3 32 8589934592 >"$work/$network"
    decisions "$network" 2 "$work/$network" hockney Hockney loggp LogGP plogp PLogP
    awk -f "$data/claims.awk" "$work/$network" >"$work/claims-$network"
done
"$models" printed "$data/frodo.json" 3 32 8589934592 >"$work/printed"
awk -f "$data/claims.awk" "$work/printed" >"$work/claims-printed"

cat <<MARKDOWN
# 004: Performance Analysis of MPI Collective Operations

Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra 2007: Figure 5, the fastest broadcast method by each model, from the
LogGP parameters of Table 5.

$(provenance none)
Message sizes 2^k and 3 2^(k-1) bytes from 1 B to 8 GiB, 3 to 32 ranks; KB is read as KiB. The parameters are in
\`bench/papers/004.d/frodo.json\` and \`boba.json\`, ready for \`planbcast predict --network\`, with which every algorithm of Tables 1 to 4 is
predicted. [004-emulated.md](004-emulated.md) has the same for a cluster that was measured, and Figure 6.

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
