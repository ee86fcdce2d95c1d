#!/usr/bin/env bash
# test_reference.sh DOXYGEN DOXYFILE: the reference has a page of each header and finds nothing wrong with docstrings, and
# no function or type without one. Members of structs and macros may go without.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
{
    sed -E '/^(OUTPUT_DIRECTORY|WARN_)/d' "$2"
    printf 'OUTPUT_DIRECTORY=%s\nWARN_IF_UNDOCUMENTED=YES\nWARN_IF_INCOMPLETE_DOC=NO\n' "$work"
} >"$work/Doxyfile"
"$1" "$work/Doxyfile" >"$work/said" 2>&1 || { cat "$work/said" && exit 1; }
if grep -vE 'Member .* \((variable|macro definition|enumeration|enumerator)\) of .* is not documented' "$work/said"; then
    echo "FAILED: Doxygen says the above" && exit 1
fi
pages=$(find "$work/html" -name '*_8h.html' | wc -l)
[ "$pages" -gt 8 ] || { echo "FAILED: pages of only $pages headers" && exit 1; }
grep -q 'Times are in seconds' "$work/html/index.html" || { echo "FAILED: the main page is not the comment of planbcast.h" && exit 1; }
