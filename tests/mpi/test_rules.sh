#!/bin/sh
# test_rules.sh PROGRAM TOOL SPECS MPIEXEC...: Open MPI broadcasts and reduces by rules files: one of every setting, and
# those that planbcast writes for clusters of up to 8 ranks.
set -u
program=$1 tool=$2 specs=$3
shift 3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

obeyed() {
    OMPI_MCA_coll_tuned_dynamic_rules_filename=$work/rules "$@" "$program" "$work/rules"
    status=$?
    [ $status -eq 0 ] || { sed 's/^/  /' "$work/rules"; exit $status; }
}

for operation in broadcast reduce; do
    writes='write'
    [ $operation = broadcast ] || writes=write-reduce
    "$program" $writes "$work/rules" || exit 1
    obeyed "$@"
    for spec in 8-equal one-host; do
        "$tool" export "$specs/$spec.json" --to ompi-rules --operation "$operation" --bytes 1M --sizes 2,3 -o "$work/rules" 2>"$work/said" ||
            { cat "$work/said" && exit 1; }
        grep -q '^planbcast: by the model Open MPI takes up to [0-9.]* times as long as the plan' "$work/said" ||
            { echo "$spec: says $(cat "$work/said")" && exit 1; }
        obeyed "$@"
    done
done
