#!/usr/bin/env bash
# The binary interface is that of abi.txt: functions with their arguments and sections, sizes of structs, offsets and
# sizes of their members, values of enumerators and macros, the sonames; and libplanbcast.so and libplanbcast-planner.so
# export these functions and nothing else: those of mpi.h the first, all others the second, and what runs plans both.
# UPDATE=1 writes abi.txt again. LIBRARIES: the two, separated by a colon ("": a static one, whose exported symbols are
# not checked). INCLUDES: folders of headers, separated by colons; CC compiles them, or MPICC with MPI=ON. No struct
# contains an MPI type, so the interface is the same with all MPI libraries; without MPI there is no mpi.h.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ "$(getconf LONG_BIT)" = 64 ] || { echo "abi.txt is of machines of 64 bits" && exit 77; }

IFS=: read -r -a dirs <<<"$INCLUDES"
headers=() flags=()
for dir in "${dirs[@]}"; do
    flags+=("-I$dir")
    for header in "$dir"/planbcast/*.h; do
        [[ $MPI != ON && ${header##*/} =~ ^(mpi|preload)\.h$ ]] || headers+=("$header")
    done
done
awk -f "$here/abi.awk" "${headers[@]}" >"$work/abi.c"
if [ "$MPI" = ON ]; then
    CC=${MPICC:-$CC}
    flags+=(-DWITH_MPI)
fi
"$CC" "${flags[@]}" "$work/abi.c" -o "$work/abi"
{
    printf 'soname %s.so.%s\n' libplanbcast "$SOVERSION" libplanbcast-planner "$SOVERSION"
    "$work/abi" | LC_ALL=C sort -t' ' -k1,1 -s
} >"$work/now"
failed=0

# exported LIBRARY: its functions. The planner's table is for the runtime.
exported() { nm -D --defined-only "$1" | awk '$3 !~ /^_/ && $3 != "plani_planner_table" { print $3 }' | LC_ALL=C sort; }
# declared PATTERN: the functions of these headers.
declared() { sed -n '/^preload\.h /d; s/^'"$1"' function [^:]*: .*[ *]\(plan_[a-z_0-9]*\)(.*/\1/p' "$work/now" | LC_ALL=C sort; }

# What the headers declare is what is exported; preload.h is about the library to preload.
if [ -n "$LIBRARIES" ]; then
    runtime=${LIBRARIES%%:*} planner=${LIBRARIES##*:}
    exported "$runtime" >"$work/runtime"
    exported "$planner" >"$work/planner"
    declared '[^ ]*' | diff - <(LC_ALL=C sort -u "$work/runtime" "$work/planner") ||
        { echo "FAILED: < is declared and not exported, > exported and not declared" && failed=1; }
    others=$(comm -23 "$work/runtime" "$work/planner" | diff - <(declared 'mpi\.h') || true)
    [ -z "$others" ] || { printf 'FAILED: libplanbcast.so alone has (<), and mpi.h declares (>):\n%s\n' "$others" && failed=1; }
    for library in "$runtime" "$planner"; do
        name=$(basename "$library")
        objdump -p "$library" | grep -q "SONAME *${name%%.so*}.so.$SOVERSION$" || { echo "FAILED: the soname of $library" && failed=1; }
    done
fi
if grep ' of no section: ' "$work/now"; then
    echo "FAILED: the functions above stand in no section of their header, stable or experimental" && failed=1
fi

if [ -n "${UPDATE-}" ]; then
    [ "$MPI" = ON ] || { echo "FAILED: without MPI there is less of it" && exit 1; }
    cp "$work/now" "$here/abi.txt"
fi
if [ "$MPI" = ON ]; then cp "$here/abi.txt" "$work/kept"; else grep -Ev '^(mpi|preload)\.h ' "$here/abi.txt" >"$work/kept"; fi
if ! diff -U0 --label abi.txt --label now "$work/kept" "$work/now"; then
    cat <<MESSAGE
FAILED: the binary interface has changed: - is what tests/package/abi.txt says, + what it is now.
If that is meant: where a version with the old interface has been released, raise the minor version in CMakeLists.txt, of
which the soname is made; where something stable has changed, keep the old beside the new (planbcast.h); then
    UPDATE=1 ctest --test-dir BUILD -R binary_interface
MESSAGE
    failed=1
fi
exit $failed
