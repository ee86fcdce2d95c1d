#!/usr/bin/env bash
# test_003.sh PROGRAM: closed forms and stages agree in all cases of the report 003, to 9 digits; three of them by hand.
set -euo pipefail
fail() { echo "paper_003: $1" && exit 1; }
models=$("$1")
counts=$(awk -F '\t' '{ n[$1]++; differ += $5 != $6 || $5 != $7 } END { print n["linear"], n["chain"], n["binary"], NR, differ + 0 }' <<<"$models")
[ "$counts" = "6 64 24 94 0" ] || fail "cases of the linear, chain and binary model, of all, and that differ: $counts"
time_of() { awk -F '\t' -v k="$1" '$1 " " $2 " " $3 " " $4 == k { print $5 }' <<<"$models"; }
is() { # is MODEL RANKS PER_HOST SEGMENTS BY_HAND
    local got
    got=$(awk -F '\t' -v k="$1 $2 $3 $4" '$1 " " $2 " " $3 " " $4 == k { print $5 }' <<<"$models")
    [ "$got" = "$(awk "BEGIN { printf \"%.9g\", $5 }")" ] || fail "$1, $2 ranks of $3 per host, $4 segments: $got"
}
is linear 5 1 1 1.283 # gamma(5) of Grisou
# Of 100 + 8 - 2 stages, those in which one of 8 segments crosses to one of 6 hosts; the others run at a sixth: 57.6667.
is chain 100 16 8 '(6 - 1) * 8 + 8 + (100 + 8 - 2 - 6 * 8) / 6'
is binary 127 1 8 14.482 # 6 levels and 8 segments: 6 + 8 - 1 stages of gamma(3) = 1.114
[ "$("$1" times | wc -l)" -eq 11 ] || fail "not 11 numbers of segments"
"$1" nonsense 2>/dev/null && fail "took nonsense"
exit 0
