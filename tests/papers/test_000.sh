#!/usr/bin/env bash
# test_000.sh PROGRAM FOLDER: the numbers of Nuriyev et al. 2022 that are reproduced exactly, and counts found before.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "$1" && exit 1; }

# Equation (20): both columns of coefficients, to all digits printed; L0 of its solution rounds to Table 2's 8.0e-6, while o
# and L1 are five times Table 2's.
"$1" "$2" equation20 >"$work/equation20"
[ "$(awk -F '\t' '$1 == "row" && $3 == $4 && $5 == $6' "$work/equation20" | wc -l)" -eq 9 ] || fail "not the coefficients of equation (20)"
awk -F '\t' '$1 == "solution" { found = 1; if ($3 < 7.75e-6 || $3 > 8.05e-6 || $2 < 5 * $4) exit 1 } END { exit !found }' "$work/equation20" ||
    fail "not the solution of equation (20)"

# Table 3: what is printed, with the binomial tree and without.
"$1" "$2" readings | grep -v '^#' >"$work/readings"
[ "$(wc -l <"$work/readings")" -eq 720 ] || fail "not all readings"
[ "$(awk -F '\t' '$1 == 0 { print $2, $3 + $4 + $5 }' "$work/readings")" = "19 19" ] || fail "as printed: not 19 cells"
[ "$(cut -f 2 "$work/readings" | sort -n | tail -n 1)" -eq 39 ] || fail "the best reading: not 39 cells"
"$1" "$2" table3 0 >"$work/table3"
[ "$(wc -l <"$work/table3")" -eq 54 ] || fail "not the 54 cells of Table 3"
[ "$(awk -F '\t' '$5 == $6' "$work/table3" | wc -l)" -eq 19 ] || fail "the column has not what was counted"

# Draws are the same for the same seed, and no cell is always right that the printed parameters have wrong.
"$1" "$2" rounding 0 50 7 >"$work/one"
"$1" "$2" rounding 0 50 7 | diff "$work/one" - || fail "the same seed drew something else"
paste "$work/table3" <(grep '^cell' "$work/one" | cut -f 5) |
    awk -F '\t' '($9 == 1 && $5 != $6) || ($9 == 0 && $5 == $6) { bad = 1; print } END { exit bad }' || fail "rounding contradicts the table"

# Bad usage and a folder without data.
"$1" "$2" table3 720 2>/dev/null && fail "took a reading that there is not"
"$1" "$work" readings 2>/dev/null && fail "read numbers where there are none"
exit 0
