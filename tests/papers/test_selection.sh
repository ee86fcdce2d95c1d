#!/usr/bin/env bash
# test_selection.sh PROGRAM: regrets of a table whose times follow from parameters, on 64 ranks: binomial 6 stages and 21 m,
# the ring 69 stages and 2 (63 / 64) m.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1" && cat "$work/out" && exit 1; }

for m in 1024 8192 65536 524288 4194304; do
    awk -v m=$m 'BEGIN {
        printf "binomial 64 1 %d %.17g\n", m, 6 * 2e-6 + 21 * m * 1e-10
        printf "scatter_allgather_ring 64 1 %d %.17g\n", m, 69 * 2e-6 + 2 * 63 / 64 * m * 1e-10
        printf "default 64 1 %d %.17g\n", m, 2 * (6 * 2e-6 + 21 * m * 1e-10) }'
done >"$work/times"
"$1" "$work/times" >"$work/out"
regret() { awk -F '\t' -v m="$1" -v h="$2" -v k="$3" '$1 == "regret" && $2 == m && $3 == h { print $k }' "$work/out"; }
for method in parameters loggp; do # o and L, or L + 2 o, g and G, are the same for both algorithms here
    [ "$(regret $method one 7)" = 0.000000 ] || fail "$method: chose wrongly"
done
[ "$(regret curves one 4)" = 5 ] || fail "not five sizes held back"
[ "$(regret curves all-3 4)" = 20 ] || fail "not 10 choices of three sizes, two held back each"
# The default takes twice the time of the binomial tree: at 1 KiB, that is the best.
awk -F '\t' '$1 == "cell" && $2 == "default" && $3 == "one" && $6 == 1024 && $9 == "1.000000" { found = 1 } END { exit !found }' "$work/out" ||
    fail "not what the default costs"
echo 'binomial 64 1 64' >"$work/times"
"$1" "$work/times" >"$work/out" 2>&1 && fail "took half a line"
exit 0
