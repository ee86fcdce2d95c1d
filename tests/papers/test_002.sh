#!/usr/bin/env bash
# Usage: test_002.sh PAPER_002 FOLDER: Table I, patterns, and synthetic measurements with known results.
set -euo pipefail
program=$1 table=$2/table1.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "test_002: $1" >&2 && exit 1; }

# By hand: 6, 4, 2 receivers at 29.0, 25.5, 14.6 GB/s; tau 2.3 us.
"$program" pairs "$table" | awk -F '\t' '$1 == "ThunderX2" && $2 == 1048576 {
    found = 1; a = 3 * $2 / 29.0e9; b = a + 2 * $2 / 25.5e9; c = b + 2 * $2 / 14.6e9
    for (f = 3; f <= 5; f++) { want = 2.3e-6 + (f == 3 ? c : f == 4 ? b : a); if ($f / want > 1.00001 || $f / want < 0.99999) bad = 1 } }
    END { exit bad || !found }' || fail "three pairs"
# All of Figure 3 with s = 1 MiB and of Figure 5(a) with 1 MB, in us: the staircase and max-rate models of each pair, or level.
figure_3=$("$program" pairs "$table" | awk -F '\t' '$2 == 1048576 { printf "%s %.1f %.1f %.1f %.1f %.1f %.1f;", $1, 1e6 * $3, 1e6 * $6, 1e6 * $4, 1e6 * $7, 1e6 * $5, 1e6 * $8 }')
[ "$figure_3" = "$(printf '%s;' 'ThunderX2 336.7 281.9 193.0 142.1 110.8 72.2' 'Kunpeng 543.1 423.2 343.3 213.5 201.6 108.7' \
    'Xeon-Gold 335.0 211.3 203.1 148.9 115.0 75.3' 'Epyc Rome 416.7 207.3 291.8 125.1 172.7 63.4')" ] || fail "Figure 3: $figure_3"
figure_5=$("$program" mixed "$table" 1e6 | awk -F '\t' '{ printf "%s %.0f %.0f %.0f %.0f;", $1, 1e6 * $4, 1e6 * $5, 1e6 * $6, 1e6 * $7 }')
[ "$figure_5" = "$(printf '%s;' 'ThunderX2 487 739 299 357' 'Kunpeng 950 990 302 222' 'Xeon-Gold 564 655 376 275' 'Epyc Rome 859 1144 315 267')" ] ||
    fail "Figure 5(a): $figure_5"
[ "$(awk -f "$2/accuracy.awk" "$2/table4.tsv")" = $'83.8%\t83.8%' ] || fail "the accuracy of Table IV"
# 24 receivers: on the socket 49.5, off it 21.2 GB/s for all; then the 8 that are left 18.3 GB/s.
"$program" mixed "$table" 1e6 | awk -F '\t' '$1 == "ThunderX2" {
    found = 1; on = 24e6 / 49.5e9; off = on + 8 * (1e6 - on * 21.2e9 / 24) / 18.3e9
    if ($4 / (on + 2.3e-6) > 1.00001 || $4 / (on + 2.3e-6) < 0.99999 || $5 / (off + 4.4e-6) > 1.00001 || $5 / (off + 4.4e-6) < 0.99999) bad = 1 }
    END { exit bad || !found }' || fail "the mixed example"
[ "$("$program" bandwidth "$table" | wc -l)" -eq 48 ] || fail "Table I has 48 values"

# Formula (3) beside Table I: min(16 * 5.0, 53.7) for 19.7 at worst within a socket, min(8 * 4.6, 49.5) for 13.3 between them.
"$program" bandwidth "$table" | awk -F '\t' '$1 == "Kunpeng" { of[$2, $3] = $5 / $4 } $5 / $4 > most { most = $5 / $4 }
    END { exit of["intra-socket", 16] < 2.725 || of["intra-socket", 16] > 2.727 || of["inter-socket", 8] < 2.766 || of["inter-socket", 8] > 2.768 || most != of["inter-socket", 8] }' ||
    fail "formula (3)"

for kind in pairs neighbours mesh irregular; do
    "$program" pattern "$kind" 32 4 100000 5 >"$work/$kind"
    awk '$1 == $2 || $1 < 0 || $1 > 31 || $2 < 0 || $2 > 31 || $3 < 1 { bad = 1 } { sum += $3; n++ }
        END { exit bad || sum / n < 30000 || sum / n > 120000 }' "$work/$kind" || fail "$kind"
    "$program" pattern "$kind" 32 4 100000 5 | cmp -s - "$work/$kind" || fail "$kind: differs from run to run"
done
for kind in pairs neighbours mesh; do # who receives also sends back
    awk '{ to[$1, $2] = $3 } END { for (k in to) { split(k, p, SUBSEP); if (!((p[2], p[1]) in to)) exit 1 } }' "$work/$kind" || fail "$kind: one way"
done
awk '{ n[$1]++; to[$1, $2] = $3 } END { for (k in to) { split(k, p, SUBSEP); if (to[p[2], p[1]] != to[k] || n[p[1]] != 3) exit 1 } }' \
    "$work/neighbours" || fail "neighbours: not three each, or not as much both ways"

# Two hosts of two ranks: 10 and 15 MB/s for one and two receivers, 1 ms; rank 0 gets 100 kB, rank 1 400 kB.
printf '%s\n' '2 0 100000' '3 1 400000' >"$work/made-up"
{
    for n in 1 2; do
        for s in 100000 200000 400000; do awk -v n=$n -v s=$s 'BEGIN { printf "pairs\toff\t%d\t%d\t%.9g\n", n, s, 1e-3 + n * s / (n == 1 ? 10e6 : 15e6) }'; done
    done
    awk -v f="$work/made-up" 'BEGIN { a = 2e5 / 15e6; b = a + 3e5 / 10e6; t[0] = a + 1e-3; t[1] = b + 1e-3; t[2] = a; t[3] = b
        for (r = 0; r < 4; r++) printf "time\t%s\t%d\t%.9g\n", f, r, t[r] }'
} >"$work/messages"
"$program" measured "$work/messages" 4 2 | awk -F '\t' '
    $1 == "fit" { fits++; if ($5 / ($3 == 1 ? 10e6 : 15e6) > 1.001 || $5 / ($3 == 1 ? 10e6 : 15e6) < 0.999 || $4 < 0.00099 || $4 > 0.00101) bad = 1 }
    $1 == "fitted" { fitted++; if ($2 != "off" || $3 > 0.0005) bad = 1 }
    $1 == "error" { errors++; if ($5 != 100 || $6 > 0.0005 || $7 < 0.1 || $8 < 0.1 || $9 > 0.0005 || $10 != "nan") bad = 1 }
    END { exit bad || fits != 2 || fitted != 1 || errors != 1 }' || fail "a measurement made up"
# Both of rank 2's messages leave by one card of 10 MB/s: by messages they share it, by the staircase each receiver has it alone.
printf '%s\n' '2 0 100000' '2 4 100000' >"$work/one-sends"
{
    for s in 100000 200000 400000; do awk -v s=$s 'BEGIN { printf "pairs\toff\t1\t%d\t%.9g\n", s, s / 10e6 }'; done
    for r in 0 1 2 3 4 5; do
        t=$(awk -v r=$r 'BEGIN { printf "%.9g", r % 2 ? 0 : 2e5 / 10e6 }')
        printf 'time\t%s\t%d\t%s\t%s\t%s\n' "$work/one-sends" $r "$t" "$t" "$t"
    done
} >"$work/messages"
"$program" measured "$work/messages" 6 2 | awk -F '\t' '
    $1 == "error" { errors++; if ($6 < 0.45 || $6 > 0.55 || $9 > 0.0005 || $10 != 0) bad = 1 } END { exit bad || errors != 1 }' || fail "a card that sends twice"
printf 'time\t%s\t3\t1\n' "$work/made-up" >"$work/no-pairs"
! "$program" measured "$work/no-pairs" 4 2 >/dev/null 2>&1 || fail "no table, yet a prediction"
! "$program" measured "$work/nowhere" 4 2 >/dev/null 2>&1 || fail "no file, yet a prediction"
! "$program" bandwidth /dev/null >/dev/null 2>&1 || fail "an empty Table I"
! "$program" pattern spiral 4 2 1000 1 >/dev/null 2>&1 || fail "an unknown pattern"
