#!/usr/bin/env bash
# test_pairs.sh BENCH_PAIRS PLANBCAST MPIEXEC FLAG...: what bench_pairs prints, planbcast predict reads, and tells the time of one pair.
set -euo pipefail
pairs=$1 tool=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" && cat "$work/errors" && exit 1; }
if ! "$@" "$pairs" 4096 >"$work/rates.json" 2>"$work/errors"; then
    grep -q 'this host has one processor' "$work/errors" && exit 0
    fail "bench_pairs"
fi
echo '{ "messages": [[0, 1, 1e9]] }' >"$work/messages.json"
rate=$(sed -n 's/.*"intra_socket": {.*"bytes_per_s": \[\([^],]*\).*/\1/p' "$work/rates.json")
tau=$(sed -n 's/.*"intra_socket": {"tau": \([^,]*\),.*/\1/p' "$work/rates.json")
"$tool" predict messages --model staircase --ranks 2 --network "$work/rates.json" --messages "$work/messages.json" --json >"$work/said" ||
    fail "its output is not read"
sed 's/.*"predicted_s": \([^,]*\),.*/\1/' "$work/said" | awk -v rate="$rate" -v tau="$tau" '{ want = tau + 1e9 / rate; exit !($1 > 0.9999 * want && $1 < 1.0001 * want) }' ||
    fail "$(cat "$work/said") is not that of $rate B/s"
grep -q 'receivers' "$work/errors" || fail "no table"
"$@" "$pairs" none 2>"$work/errors" && fail "it takes none for a number"
grep -q '^usage: ' "$work/errors" || fail "no usage"
