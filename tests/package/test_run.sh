#!/usr/bin/env bash
# test_run.sh RUN: the script ./run hands its options to planbcast-mpi, on a terminal and off it. Stubs replace the
# package manager, the build and the program.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1" && exit 1; }

mkdir -p "$work/cmake" "$work/bench" "$work/build/release" "$work/bin"
cp "$1" "$work/run"
cp "$(dirname "$1")/bench/options.bash" "$work/bench"
mkdir -p "$work/planner" "$work/lib"
cp -r "$(dirname "$1")/planner/cli" "$work/planner"
cp -r "$(dirname "$1")/lib/cli" "$work/lib"
cp "$(dirname "$1")"/cmake/{launch.bash,mpi-environment} "$work/cmake"
touch "$work/build/release/build.ninja" "$work/spec.json"
for stub in cmake/debian-install bin/cmake; do
    printf '#!/bin/sh\n' >"$work/$stub"
done
cat >"$work/bin/mpirun" <<'EOF'
#!/bin/sh
[ "$1" != --version ] || exec echo "mpirun (Open MPI) ${RELEASE-4.1.4}"
echo "${0##*/} $*"
printf '%s' "${SAYS-}" >&2
exit "${STATUS-0}"
EOF
cp "$work/bin/mpirun" "$work/bench/cluster"
chmod +x "$work"/cmake/* "$work"/bin/* "$work"/bench/*
export PATH="$work/bin:$PATH"
job=build/release/bin/planbcast-mpi

# expect WORDS OPTION...: what is started, given the options.
expect() {
    [ "$("$work/run" "${@:2}" 2>/dev/null)" = "$1" ] || wrong "./run ${*:2} starts $("$work/run" "${@:2}" 2>&1), not $1"
}
expect "mpirun -q -n 4 $job run"
expect "mpirun -q -n 9 $job run --bytes 8,4K --json" --ranks 9 --bytes 8,4K --json
expect "cluster run $work/spec.json --quiet -- $job run --root 3" --cluster "$work/spec.json" --root 3
for word in bytes root budget time measure estimate only slice window profile save-plan progress; do
    expect "mpirun -q -n 4 $job run --$word=1" "--$word=1"
done
RELEASE=5.0.7 expect "mpirun -n 4 $job run"

if command -v script >/dev/null; then
    seen=$(script -qec "$work/run --bytes 8" /dev/null </dev/null | tr -d '\r')
    [ "$seen" = "mpirun -q -n 4 $job run --bytes 8 --progress" ] || wrong "on a terminal ./run starts $seen"
fi

# refuse WORDS OPTION...: exit status 2 and one line with these words.
refuse() {
    local status=0
    "$work/run" "${@:2}" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq 2 ] || wrong "./run ${*:2}: exit status $status, not 2"
    [ ! -s "$work/out" ] || wrong "./run ${*:2}: starts $(cat "$work/out")"
    [ "$(wc -l <"$work/err")" -eq 1 ] || wrong "./run ${*:2}: not one line but $(cat "$work/err")"
    grep -qF -e "$1" "$work/err" || wrong "./run ${*:2}: says $(cat "$work/err"), not $1"
}
refuse '--ranks 0' --ranks 0
refuse '--ranks 1x' --ranks 1x
refuse '--ranks 999999' --ranks 999999
refuse '--ranks needs a value' --ranks
refuse '--nope: unknown option' --nope
refuse '--nope=8: unknown option' --nope=8
refuse 'cannot be read' --cluster "$work/missing.json"
! timeout 60 "$work/run" --help >/dev/full 2>"$work/err" || wrong "./run --help on a full disk: status 0"
[ "$(wc -l <"$work/err")" -eq 1 ] || wrong "./run --help on a full disk says $(head -n 5 "$work/err")"
refuse 'bench: cannot be read' --cluster "$work/bench"
refuse '--ranks ?[31mred?[0m' --ranks $'\e[31mred\e[0m' # what was typed moves no terminal
refuse 'two?lines: cannot be read' --cluster $'two\nlines'

# ends LINES STATUS: what the job ends with is what ./run ends with, and so many lines of its own.
ends() {
    local status=0
    STATUS=$2 "$work/run" >"$work/out" 2>"$work/err" || status=$?
    [ $status -eq "$2" ] || wrong "a job ends with $2, and ./run with $status"
    [ "$(wc -l <"$work/err")" -eq "$1" ] || wrong "a job ends with $2, and ./run says $(cat "$work/err")"
}
ends 0 0
ends 0 1
ends 0 2
# A bad option is told by the job: where nothing has to be built, its line is all.
printf '#!/bin/sh\necho "ninja: no work to do."\n' >"$work/bin/cmake"
ends 0 2
ends 1 139

# quiet SAID KEPT: what the launcher of Open MPI 5 says of a job that fails is left out, and all else kept.
quiet() {
    local kept
    kept=$(RELEASE=5.0.7 STATUS=2 SAYS=$1 "$work/run" 2>&1 >/dev/null) || true
    [ "$kept" = "$2" ] || wrong "of $1 ./run keeps $kept"
}
rule=$(printf '%074d' 0 | tr 0 -)$'\n'
quiet $'one line\n' 'one line'
quiet "one line"$'\n'"${rule}prterun detected"$'\n\nthat\n'"$rule" 'one line'
quiet "${rule}not enough slots"$'\n'"$rule${rule}prterun noticed"$'\n'"${rule}last" "${rule}not enough slots"$'\n'"${rule}last"
quiet $'-\n--\n'"$rule" $'-\n--\n'"${rule%$'\n'}"
