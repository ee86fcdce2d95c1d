# The report of bench/papers/002, which sources it.
cat <<MARKDOWN
# 002: Point-to-point messages with contention

Thune, Reinemo, Skeie, Cai 2023: the postal, max-rate and staircase models, from the published values of their Table I
(\`bench/papers/002.d/table1.tsv\`). What was measured here: [002-measured.md](002-measured.md).

$(provenance none)

| the paper | here | why |
| --- | --- | --- |
| Table I: parameters | taken as they are | measured on machines that we do not have |
| The postal, max-rate and staircase models, the error (11) | reproduced | tests compare them with values worked out by hand, and with a simulation in small steps |
| Figure 1: rates do not follow (3) | reproduced | from Table I |
| Figure 3 | reproduced from 8 KB on | Table I lacks the other protocols |
| Figure 4, Table II | not possible | sizes and neighbours are in the figure only, and the times were measured there |
| Figure 5(a) | partly: the order on and off the socket | sizes are in the figure only |
| Figure 5(b) to (d), Tables III and IV | not possible | patterns and meshes are not published |
| The measurements themselves | on this machine and emulated hosts | [002-measured.md](002-measured.md); what they are worth in choosing plans: [002-scoring.md](002-scoring.md) |

## Figure 1: BW_MP(N) beside formula (3)

![Figure 1](002-figure-1.svg)

Solid: Table I. Dashed: min(N BW_SP, BW_max). How many times as much as Table I formula (3) gives:

| machine | level | N = 1 | 2 | 4 | 8 | 16 | cores |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
$(awk -F '\t' '{ if ($1 FS $2 != last) { if (NR > 1) print ""; printf "| %s | %s |", $1, $2 } last = $1 FS $2; printf " %.2f |", $5 / $4 } END { print "" }' "$work/bandwidth")

The text's "do not follow the formula (3)" comes out: up to $(awk -F '\t' '{ r = $5 / $4; if (r > most) most = r } END { printf "%.1f", most }' "$work/bandwidth") times too much.
Between the sockets of the ThunderX2 it is the other way round at N = 2: 13.7 GB/s are more than twice 6.5, with which (3) gives 13.0; so do
two receivers on a Kunpeng socket, 10.5 for 2 x 5.0.

## Figure 3: three pairs that exchange 2 s, s and s / 2

![Figure 3](002-figure-3.svg)

The models of the rendezvous protocol, whose values Table I has. With s = 1 MiB, in us:

| machine, within a socket | 2 s: staircase | max-rate | s: staircase | max-rate | s / 2: staircase | max-rate |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
$(awk -F '\t' '$2 == 1048576 { printf "| %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.1f |\n", $1, 1e6 * $3, 1e6 * $6, 1e6 * $4, 1e6 * $7, 1e6 * $5, 1e6 * $8 }' "$work/pairs")

BW_MP(6), which Table I lacks, is taken halfway between BW_MP(4) and BW_MP(8).

## Figure 5(a): 16 receivers on and 8 off the socket

48 processes on two sockets; on each, 16 exchange with their own and 8 with the other socket. All messages of 1 MB, us:

| machine | on the socket: staircase | off: staircase | on: max-rate | off: max-rate |
| --- | ---: | ---: | ---: | ---: |
$(awk -F '\t' '{ printf "| %s | %.0f | %.0f | %.0f | %.0f |\n", $1, 1e6 * $4, 1e6 * $5, 1e6 * $6, 1e6 * $7 }' "$work/mixed")

The text says of the ThunderX2 that the model "correctly predicts that the off-socket processes complete after the on-socket processes": it
does. Levels apart, the max-rate model turns the order round on the other three machines.

## The error (11)

The sum of |actual - predicted| over the sum of actual times: 1, 2, 5 s measured and 1.5, 2, 4 s predicted make 1.5 / 8. By it
the paper's accuracy of "83.8%" is that of Table IV (\`bench/papers/002.d/table4.tsv\`) both as 1 less the mean of its eight errors, $(awk -f "$data/accuracy.awk" "$data/table4.tsv" | cut -f 1), and for 8,192
processes, $(awk -f "$data/accuracy.awk" "$data/table4.tsv" | cut -f 2).

MARKDOWN
cat "$data/differences.md"
