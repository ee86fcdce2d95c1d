#!/usr/bin/env bash
# test_completion.sh COMPLETION FOLDER [mpi]: what bash completes is what the tools know.
set -uo pipefail # completions may end in any status
# shellcheck disable=SC1090
. "$1"
PATH="$(readlink -f "$2"):$PATH"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
touch plan.json machine.json 'a file.json'
failed=0 ran=0

# completes "EXPECTED..." WORD...: the last word, in a sorted list.
completes() {
    local expected=$1 got
    shift
    ran=$((ran + 1))
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
    _planbcast "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    got=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort | tr '\n' ' ')
    [ "${got% }" = "$expected" ] || { echo "FAILED: $* completes to '${got% }', not '$expected'" && failed=1; }
}
completes 'plan predict' planbcast p
completes '--version' planbcast --v
completes "$({ planbcast --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' && echo '--help --version' | tr ' ' '\n'; } |
    LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')" planbcast ''
completes 'random sites tiers' planbcast generate ''
completes 'hwloc slurm' planbcast import ''
completes '--density' planbcast generate random --d
completes 'multi multi-receive' planbcast generate random --ports mu
completes '--seed --slice' planbcast plan plan.json --s
completes '--bytes' planbcast plan --b
completes 'hockney' planbcast plan plan.json --model h
completes 'reduce' planbcast plan plan.json --operation r
completes 'reduce' planbcast export plan.json --operation r
completes 'direct' planbcast solve plan.json --method d
completes 'goal svg' planbcast schedule plan.json --to ''
completes '--per-period' planbcast schedule plan.json --p
completes 'binary binomial' planbcast tree bi
completes 'reduce' planbcast predict binomial --collective r
completes 'staircase' planbcast predict messages --model s
completes 'bine mpich openmpi' planbcast select times.tsv --library ''
completes 'mpich-json ompi-rules ompi-rules-2 ompi-rules-json' planbcast select times.tsv --format ''
completes 'dot goal graphml json mpich-json ompi-rules ompi-rules-json parents simgrid simgrid-hosts ucc' planbcast export plan.json --to ''
completes 'machine.json' planbcast show m
completes 'plan.json' planbcast draw plan.json -o p
completes 'a file.json' planbcast show a
completes 'prune-degree prune-simple' planbcast plan x.json --only prune-
completes 'grow,best-tree' planbcast plan x.json --only grow,best
completes '' planbcast plan x.json --bytes ''
if [ -n "${3-}" ]; then
    completes '--help --version bench measure run' planbcast-mpi ''
    completes '--save-machine --save-plan --save-profile' planbcast-mpi run --save
    completes 'machine.json' planbcast-mpi run --machine = m
    completes 'shared-memory' planbcast-mpi run --only sh
    completes 'broadcast reduce' planbcast-mpi run --operation ''
fi
echo "$ran completions"
[ $ran -ge 20 ] || failed=1
exit $failed
