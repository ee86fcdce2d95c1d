# The paper's method on an emulated cluster; bench/papers/000 --emulate sources it.
measure=$(readlink -f "$(program paper_000_measure)")
"$top/bench/cluster" possible || exit $?
ranks=16 per_host=2
cluster=$("$top/bench/cluster" up "$data/8x2-block.json")
trap '"$top/bench/cluster" down "$cluster"; rm -rf "$work"' EXIT

# run NAME [OPTION of mpirun]...
run() {
    local name=$1
    shift
    echo "bench/papers/000: $name" >&2
    "$top/bench/cluster" run "$cluster" "$@" -- "$measure" "$per_host" "$name" "$seconds" 2>"$work/errors" |
        grep -P '^(nbft|bcast)\t' >>"$work/measured" || { cat "$work/errors" >&2 && fail "measuring $name failed"; }
}
run nbft
number=0
for name in linear chain pipeline split_binary binary binomial; do # coll/tuned's numbers 1 to 6
    number=$((number + 1))
    run "$name" --mca coll_tuned_use_dynamic_rules 1 --mca coll_tuned_bcast_algorithm "$number" \
        --mca coll_tuned_bcast_algorithm_segmentsize 8192 --mca coll_han_priority 0
done
run default
# As planbcast select reads it: ALGORITHM RANKS RANKS_PER_HOST BYTES SECONDS SEGMENT.
awk -v ranks="$ranks" -v per_host="$per_host" '$1 == "bcast" {
    print ($2 == "chain" ? "chain/4" : $2), ranks, per_host, 1024 * $3, $4, ($2 == "linear" || $2 == "default" ? 0 : 8192) }' "$work/measured" >"$out/000-emulated.times"
# precise FIELD: how many times are known to 2.5%
precise() { awk -v f="$1" '$1 == "bcast" { n++; known += $f <= 0.025; } END { printf "%d of %d", known, n }' "$work/measured"; }
"$published" "$data" method "$work/measured" "$ranks" "$per_host" >"$work/method"

# Fields of a line "times": KB, six measured, MPI_Bcast, six predicted.
awk -F '\t' '$1 == "times" {
    best = 3; mine = 10
    for (f = 3; f <= 8; f++) if ($f < $best) best = f
    for (f = 10; f <= 15; f++) if ($f < $mine) mine = f
    print $2 * 1024 "\t" $best "\t" $(mine - 7) "\t" $9
}' "$work/method" >"$work/selected"
plot emulated <<GNUPLOT
set logscale xy; set xlabel 'message'; set ylabel 'time of the slowest rank [s], mean'; set key inside left top
set logscale x 2; set xtics ("16 KiB" 2**14, "64 KiB" 2**16, "256 KiB" 2**18, "1 MiB" 2**20, "4 MiB" 2**22)
plot '$work/selected' using 1:4 with linespoints pt 6 lc rgb '#33a02c' title 'MPI\\_Bcast', \
     '' using 1:3 with linespoints pt 8 lc rgb '#e31a1c' title 'model-based', \
     '' using 1:2 with linespoints pt 7 dt 2 lc rgb '#1f78b4' title 'best'
GNUPLOT

selects() { "$(program planbcast)" select "$@" "$out/000-emulated.times" | tail -n 1; } # what its choices cost
lines() { awk -F '\t' -v what="$1" '$1 == what' "$work/method"; }
{
    cat <<MARKDOWN
# 000: the method, end to end, on an emulated cluster

Nuriyev, Rico-Gallego, Lastovetsky 2022, sections 5 and 6: gamma and Q from non-blocking flat trees, T_p2p of each algorithm
from broadcasts followed by gathers, Huber regression, selection by the stage models.

$(provenance none)
The cluster: 8 hosts of 2 ranks in blocks, cards of 25 MB/s (\`bench/papers/000.d/8x2-block.json\`), segments of 8 KB; all hosts share
the processors of one machine. Times are means of at least 3 repetitions, until the 95% intervals of the broadcast and of it with its gather lie within 2.5%,
as in the paper, or $seconds s are over: broadcasts are known to 2.5% in $(precise 7) cases, with gathers in $(precise 8). \`000-emulated.times\` has them
for \`planbcast select\`. A Table 3 of ours:

| KB | best | model-based | penalty | MPI_Bcast's penalty |
| ---: | --- | --- | ---: | ---: |
$(lines cell | awk -F '\t' '{ printf "| %s | %s | %s | %s%% | %s%% |\n", $2, $3, $4, $5, $6; a += $5; b += $6; if ($5 > most) most = $5; same += $3 == $4; n++ }
    END { printf "\nThe model picks the best in %d of %d; its penalty is %.0f%% on average and %d%% at most, that of MPI_Bcast %.0f%% on average.", same, n, a / n, most, b / n }')

The column "best" is the least of six means: penalties of a few percent are within its noise.

What \`planbcast select\` makes of \`000-emulated.times\`, by the broadcasts alone:

- from all times: $(selects)
- each size by the others (\`--leave-one-out\`): $(selects --leave-one-out)
- by parameters (\`--parameters-alone\`): $(selects --parameters-alone)

![selection](000-emulated.svg)

## What was measured

Q = $(lines Q | cut -f 2). gamma, as in (14), with the barrier between calls in the times, as the paper has it:

| processes | network | shared memory |
| ---: | ---: | ---: |
$(lines gamma | awk -F '\t' '{ g[$2, $3] = $4; if ($3 > most) most = $3 } END { for (p = 2; p <= most; p++) printf "| %d | %s | %s |\n", p, g["network", p] ? g["network", p] : "-", g["shared", p] ? g["shared", p] : "-" }')

| algorithm | T_p2p^1 [us] | L^0 [us] |
| --- | ---: | ---: |
$(lines parameter | awk -F '\t' '{ printf "| %s | %.0f | %.0f |\n", $2, 1e6 * $3, 1e6 * $4 }')

A segment of 8 KB holds a card of 25 MB/s for 328 us. T_p2p^1 = o^1 + 2 L^0 + L^1 is all that the stages of a broadcast depend on (with
o^0 = 0), so that the regression has two unknowns, not four. L^0 shows in the gather alone, by the one rank of 15 on the root's host, and
does not enter the selection. Where it would come out negative, it is 0, and T_p2p^1 is fitted alone.

Huber regression weighs absolute errors, so that the longest messages decide T_p2p^1. What short messages have of their own
is in no term of the stage models: a burst of 12.5 KB passes each emulated card at once, and ranks wait for a processor. Below
64 KB this can turn the order round.

Measured and predicted, ms:

| KB | linear | chain | pipeline | split_binary | binary | binomial | MPI_Bcast |
| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
$(lines times | awk -F '\t' '{ printf "| %s |", $2; for (f = 3; f <= 8; f++) printf " %.3g (%.3g) |", 1e3 * $f, 1e3 * $(f + 7); printf " %.3g |\n", 1e3 * $9 }')
MARKDOWN
} | tee "$out/000-emulated.md"
echo "bench/papers/000: report and figure in $out" >&2
