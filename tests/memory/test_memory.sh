#!/usr/bin/env bash
# test_memory.sh TOOL PRELOAD INPUTS: lets one allocation, or it and all later ones, fail, for up to 60 of them.
# planbcast must print its whole result, or exit with status 1 and one line on memory: no partial result, no complaint
# about the input.
set -uo pipefail
tool=$(readlink -f "$1") preload=$(readlink -f "$2") inputs=$(readlink -f "$3")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0 ran=0
TRIES=60 # of each command and kind, spread over its allocations

run() { env LD_PRELOAD="$preload" "$@"; }

each() { # each ARGUMENT...
    local n step k kind status
    run FAIL_COUNT="$work/count" "$tool" "$@" >whole 2>err || { echo "$*: fails with all memory: $(cat err)" && failed=1; }
    n=$(cat "$work/count")
    step=$((n / TRIES + 1))
    for kind in FAIL_ONCE=1 FAIL_EVER=1; do
        for ((k = 1; k <= n; k += step)); do
            status=0 ran=$((ran + 1))
            run "$kind" FAIL_AT="$k" "$tool" "$@" >out 2>err || status=$?
            if [ $status -eq 0 ]; then
                [ ! -s err ] && cmp -s out whole && continue
            else
                [ $status -eq 1 ] && [ "$(wc -l <err)" -eq 1 ] && grep -q 'memory' err && continue
            fi
            echo "$kind FAIL_AT=$k $*: status $status, $(cat err)" && failed=1
        done
    done
}

each show "$inputs/two-hosts.json"
each show "$inputs/plan.json"
each plan "$inputs/two-hosts.json" --bytes 64K --only grow --json
each predict binomial --ranks 10 --ranks-per-host 2 --bytes 4M --segment 8K --taulop "$inputs/gros.json"
each predict messages --model staircase --ranks 6 --network "$inputs/thunderx2.json" --messages "$inputs/three-pairs.json" --json
each generate sites "$inputs/cluster.json"
each tree linear --ranks 4 --json
each export "$inputs/plan.json" --to dot
each report "$inputs/plan.json" -o - # without planning: igraph 0.10.2 crashes where its Dijkstra finds no memory
each candidates --json
echo "$ran tries"
[ $ran -gt 500 ] || failed=1
exit $failed
