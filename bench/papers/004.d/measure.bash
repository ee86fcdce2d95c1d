# Measures what bench/papers/004 --emulate or --collectives compares, into $raw; bench/papers/004 sources it.
"$top/bench/cluster" possible || exit $?
measure=$(readlink -f "$(program paper_004_measure)")
machine=$(readlink -f "$(program planbcast-mpi)")
[ -z "$again" ] || rm -rf "$raw"
mkdir -p "$raw" || fail "$raw: cannot be made"
raw=$(readlink -f "$raw")
if [ ! -e "$raw/cluster.json" ]; then
    cp "$cluster_file" "$raw/cluster.json" || fail "$cluster_file: cannot be read"
elif ! cmp -s "$cluster_file" "$raw/cluster.json"; then
    fail "$raw holds measurements of another cluster; give another --raw, or --again" 2
fi

up=$("$top/bench/cluster" up "$raw/cluster.json")
trap '"$top/bench/cluster" down "$up"; rm -rf "$work"' EXIT
run() {
    echo "bench/papers/004: $1" >&2
    "$top/bench/cluster" run "$up" "${@:2}" 2>"$work/errors" >"$work/said" || { cat "$work/errors" >&2 && fail "$1: failed"; }
}
if [ ! -e "$raw/profile.json" ]; then
    run 'measuring the machine' -- "$machine" measure -o "$raw/measuring.json" --budget "$budget"
    mv "$raw/measuring.json" "$raw/profile.json"
fi
if [ -n "$collectives" ]; then
    run 'timing collectives' --mca coll_tuned_use_dynamic_rules 1 -- "$(readlink -f "$(program paper_004_collectives)")"
    grep -P '^(barrier|reduce|alltoall)\t' "$work/said" >"$raw/collectives" || fail 'timing collectives: no times'
else
    run 'timing every method' --mca coll_tuned_use_dynamic_rules 1 -- "$measure" "$raw/times" "$seconds" "$seed"
fi
