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
# As printed but without the binomial tree 27; with it, by Table 2, 25 at best, and with what solves (20) 31.
awk -F '\t' '$6 + $7 + $8 + $9 + $10 + $11 == 0 && $12 == 2 { n++; bare = $2 } $12 < 2 && $2 > most[$12] { most[$12] = $2 }
    END { exit n != 1 || bare != 27 || most[0] != 25 || most[1] != 31 }' "$work/readings" || fail "what the binomial tree costs"
held_out=$("$1" "$2" readings | awk -f "$2/held_out.awk")
[ "$held_out" = "9.0, 10.0 and 9.0 of 18: 28 of 54" ] || fail "readings chosen on two clusters: $held_out"
"$1" "$2" table3 0 >"$work/table3"
[ "$(wc -l <"$work/table3")" -eq 54 ] || fail "not the 54 cells of Table 3"
[ "$(awk -F '\t' '$5 == $6' "$work/table3" | wc -l)" -eq 19 ] || fail "the column has not what was counted"

# What section 6.3 counts in Table 3, and what the table has.
counts=$(awk -f "$2/claims.awk" "$2/table3.tsv" | cut -f 3,4 | tr '\t\n' '|;')
[ "$counts" = "$(printf '%s' '45 of 48|the same;3: 1%, 2% and 6%|the same;20% to 24%|the same;1%|the same;3% to 84%|the same;' \
    '46%: 25 of 54 by up to 9%, of which 22 are optimal|the same;1568%|differs;570%|the same;719%|the same;39%: 7 of 18|differs;72%: 13 of 18|the same;')" ] ||
    fail "section 6.3: $counts"

# Of 2,000 draws that round to what is printed: cells that agree on average, least, most; in all draws, in some, in none.
rounded() {
    "$1" "$2" rounding "$3" 2000 1 | awk -F '\t' '
        $1 == "draw" { n++; sum += $2; if (n == 1 || $2 < low) low = $2; if ($2 > high) high = $2 }
        $1 == "cell" { in_all += $5 == 1; in_none += $5 == 0; cells++ }
        END { printf "%.1f %d %d %d %d %d", sum / n, low, high, in_all, cells - in_all - in_none, in_none }'
}
[ "$(rounded "$1" "$2" 0)" = "19.3 17 21 17 5 32" ] || fail "rounding, as printed: $(rounded "$1" "$2" 0)"
[ "$(rounded "$1" "$2" 697)" = "38.0 35 39 33 6 15" ] || fail "rounding, the best reading: $(rounded "$1" "$2" 697)"

# Draws are the same for the same seed, and no cell is always right that the printed parameters have wrong.
"$1" "$2" rounding 0 50 7 >"$work/one"
"$1" "$2" rounding 0 50 7 | diff "$work/one" - || fail "the same seed drew something else"
paste "$work/table3" <(grep '^cell' "$work/one" | cut -f 5) |
    awk -F '\t' '($9 == 1 && $5 != $6) || ($9 == 0 && $5 == $6) { bad = 1; print } END { exit bad }' || fail "rounding contradicts the table"

# Bad usage and a folder without data.
"$1" "$2" table3 720 2>/dev/null && fail "took a reading that there is not"
"$1" "$work" readings 2>/dev/null && fail "read numbers where there are none"
exit 0
