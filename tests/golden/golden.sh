#!/bin/sh
# golden.sh TOOL: run each cases/*.sh in an empty folder beside a copy of inputs/, and compare with its .out.
# A case calls `try ARGUMENT...`, which shows the command line, what it prints, and its exit status.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$tool" ] || { echo "$tool: not there" && exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed=0 ran=0

try() {
    echo "\$ planbcast $*"
    "$tool" "$@" 2>&1
    status=$?
    [ $status -eq 0 ] || echo "[exit status $status]"
}

for case in "$here"/cases/*.sh; do
    name=$(basename "$case" .sh) ran=$((ran + 1))
    rm -rf "$work/run" && cp -r "$here/inputs" "$work/run" && cd "$work/run" || exit 1
    # shellcheck source=/dev/null
    (. "$case") > "$work/$name.out" 2>&1
    [ -z "${UPDATE:-}" ] || cp "$work/$name.out" "$here/cases/$name.out"
    if diff -u "$here/cases/$name.out" "$work/$name.out"; then
        echo "$name: as expected"
    else
        echo "$name: DIFFERS" && failed=1
    fi
done
[ $ran -gt 0 ] || failed=1
exit $failed
