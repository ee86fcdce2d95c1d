# The report of bench/papers/004 --collectives; bench/papers/004 sources it.
for file in profile.json collectives cluster.json; do [ -e "$raw/$file" ] || fail "$raw/$file: nothing was measured yet; leave out --seconds 0"; done
ranks=$(cut -f 5 "$raw/collectives" | sort -n | tail -n 1)
{ "$models" figures "$raw/profile.json" | awk -F '\t' -v p="$ranks" '$5 == p || $1 == "barrier" && $5 < p' && cat "$raw/collectives"; } >"$work/figures"
# shellcheck source=bench/papers/004.d/figures.bash
. "$data/figures.bash"
barriers "$ranks" | plot collectives-2 1000,380
reductions '' "$ranks" | plot collectives-3 700,760
RANKS=$ranks
exchange | plot collectives-4 560,420

cat <<MARKDOWN
# 004: barriers, reductions and all-to-all on an emulated cluster

Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra 2007, Figures 2 to 4, for \`$(sed -n 's/.*"name": "\([^"]*\)".*/\1/p' "$raw/cluster.json" | head -n 1)\`.

$(provenance none)
The machine is measured by \`planbcast-mpi measure\`; parameters of all models come from its class "network" with
\`lit_network_from_channel\`, and none is fitted to what they are judged by. The collectives are those of Open MPI's coll/tuned, which grew out of
the authors' library; times are from rank 0's start to the last rank's end, medians of up to 15. All hosts share the processors of one
machine. Combining takes no time in the curves.

## Figure 2: barriers

![barriers](004-collectives-2.svg)

## Figure 3: reductions

![reductions](004-collectives-3.svg)

## Figure 4: pairwise exchange

![all-to-all](004-collectives-4.svg)

## Predicted over measured

The median over message sizes (barriers: over numbers of ranks), and least and most.

| collective | algorithm | segments | Hockney | LogGP | PLogP |
| --- | --- | --- | --- | --- | --- |
$(awk -F '\t' -f "$data/ratios.awk" "$work/figures")

MARKDOWN
cat "$data/collectives.md"
