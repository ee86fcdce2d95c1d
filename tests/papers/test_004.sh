#!/usr/bin/env bash
# test_004.sh PAPER_004 DATA: cells of Figure 5 computed by hand from Tables 2 and 5, and invariants of every map.
set -euo pipefail
program=$1 data=$2
fail() { echo "paper_004: $1" >&2 && exit 1; }
map() { "$program" "$1" "$data/$2.json" 3 32 8589934592; }

frodo=$(map map frodo) boba=$(map map boba) printed=$(map printed frodo)
cell() { # cell MAP MODEL RANKS BYTES METHOD MICROSECONDS
    local got
    got=$(awk -F '\t' -v m="$2" -v p="$3" -v b="$4" '$1 == m && $2 == p && $3 == b { printf "%s/%s %.3f", $4, $5, 1e6 * $6 }' <<<"$1")
    [ "$got" = "$5 $6" ] || fail "$2, $3 ranks, $4 B: $got, not $5 $6"
}
# LogGP, linear: L + 2 o - g + 7 g
cell "$frodo" loggp 8 1 linear/0 220.420
# Hockney, binomial: 3 (alpha + beta), alpha = L + 2 o
cell "$frodo" hockney 8 1 binomial/0 233.112
# PLogP, binary, two segments: 2 (L' + 2 g(1024)) + 2 g(1024), g(1024) = g + 1023 G, L' = L + 2 o - g
cell "$boba" plogp 7 2048 binary/1024 220.302
# LogGP, pipeline, 2^20 segments: 31 (L + 2 o + 8191 G) + (2^20 - 1) (g + 8191 G)
cell "$frodo" loggp 32 8589934592 pipeline/8192 746445558.000
# Hockney, split-binary whole: halves of 3072 B and their exchange, 2 (2 alpha + 3072 beta) + alpha + 3072 beta
cell "$frodo" hockney 4 6144 split_binary/0 1162.244

figures=$("$program" figures "$data/boba.json")
curve() { # curve COLLECTIVE ALGORITHM SEGMENT MODEL RANKS BYTES MICROSECONDS
    local got
    got=$(awk -F '\t' -v at="$(printf '%s\t' "${@:1:6}")" 'index($0, at) == 1 { printf "%.3f", 1e6 * $7 }' <<<"$figures")
    [ "$got" = "$7" ] || fail "$*: $got us"
}
# LogGP: ceil(log2 24) (L + o + g), and 14 g + 2 (L + 2 o); Hockney: (4 + 2) alpha
curve barrier bruck 0 loggp 24 0 236.415
curve barrier linear 0 loggp 16 0 215.062
curve barrier recursive_doubling 0 hockney 24 0 280.500
# 1024 segments: LogGP 7 (L + 2 o + 1023 G) + 1023 (2 o + 1023 G), Hockney 1030 (alpha + 1024 beta)
curve reduce pipeline 1024 loggp 8 1048576 32807.500
curve reduce pipeline 1024 hockney 8 1048576 63973.300
# 2048 B to each: 23 (L + o + 2047 G + g)
curve alltoall pairwise 0 loggp 24 49152 1793.724
[ "$(wc -l <<<"$figures")" -eq $((3 * (3 * 31 + 2 * 2 * 2 * 23 + 5 * 17))) ] || fail "$(wc -l <<<"$figures") points of Figures 2 to 4"
said=$(awk -f "$data/curves.awk" <<<"$figures" | cut -f 2 | tr '\n' ';')
[ "$said" = "$(printf '%s;' 'LogGP 8.683, PLogP 8.683 us a rank' 'Hockney from 6 ranks on, LogGP from 24 ranks on, PLogP from 24 ranks on' \
    'at 32 ranks 4.1 times LogGP' 'LogGP on 32 ranks: both 236 us; on 24: 236 and 284 us' 'in 20 of 20 cases, the binomial tree first' 'in 72 of 72 cases' \
    '24 ranks over 8: Hockney 1.016, LogGP 1.030, PLogP 1.030' 'Hockney 64.0 and 65.0 ms, LogGP 32.8 and 33.8 ms, PLogP 33.4 and 34.3 ms' 'the same' \
    '768 KiB sent by each: Hockney 12.4 ms, LogGP 12.4 ms, PLogP 12.4 ms')" ] || fail "numbers of Figures 2 to 4: $said"
verdicts=$(awk -f "$data/curves.awk" <<<"$figures" | cut -f 3 | tr '\n' ';')
[ "$verdicts" = "holds;partly;holds;consistent;holds;holds;holds;holds;holds;no;" ] || fail "claims of Figures 2 to 4: $verdicts"

for figure in "$frodo" "$boba" "$printed"; do
    awk -F '\t' '
    $5 >= $3 { print "a segment as long as the message: " $0; bad = 1 }
    $1 != model || $2 != ranks { model = $1; ranks = $2; before = 0; rows++ }
    $6 < before { print "a longer message takes less: " $0; bad = 1 }
    { before = $6 }
    END { exit bad || NR != 3 * 30 * 66 || rows != 90 }' <<<"$figure" || fail "not a map of $(wc -l <<<"$figure") cells"
done
# What the paper says of Figure 5: which statements hold to the last cell for Frodo, for it with split-binary as printed, and
# for Boba, and which fail.
claims() { # claims MAP VERDICT...
    local verdicts
    verdicts=$(awk -f "$data/claims.awk" <<<"${!1}" | cut -f 2,3 | tr '\t\n' ' ;')
    [ "$verdicts" = "$(printf '%s;' "${@:2}")" ] || fail "claims, $1: $verdicts"
}
never='earlier for 0 numbers of ranks, equal for 30, later for 0 no'
claims frodo '96.7% mostly' '83.3% mostly' '96.6% mostly' 'none no' '100% holds' 'none no' '99.4% mostly' '100% holds' \
    'from 32 to 1024 KiB needs theirs' '69.5% no' 'PLogP none, LogGP none, Hockney none no' '90% mostly' "$never" "$never"
claims printed '96.7% mostly' '88.3% mostly' '96.6% mostly' 'none no' '100% holds' 'none no' '99.4% mostly' '100% holds' \
    'from 32 to 1024 KiB needs theirs' '69.5% no' 'PLogP none, LogGP none, Hockney none no' '96.7% mostly' "$never" "$never"
claims boba '96.7% mostly' '0% no' '96.7% mostly' 'none no' '100% holds' 'none no' '92.2% mostly' '100% holds' \
    'from 16 to 256 KiB needs theirs' '13.3% no' 'PLogP 33 cells, LogGP none, Hockney none holds' '33.3% no' "$never" "$never"
if "$program" map /dev/null 3 32 8 2>/dev/null; then fail "read an empty file"; fi
if "$program" map 2>/dev/null; then fail "took a map of nothing"; fi

# The simulation, on links that send 1 byte/us to one rank after the other, and 1 ms more until it arrives.
equal() {
    jq -n '[range(4)] as $ranks | {format: "planbcast-platform", version: 1, ranks: 4,
        channels: [{name: "network", network: true, bytes: [1, 1024, 8192], overhead_s: [1e-6, 1e-6, 1e-6],
                    gap_s: [1e-6, 1.024e-3, 8.192e-3], p2p_s: [1.001e-3, 2.024e-3, 9.192e-3], gamma: [1, 2, 3]}],
        links: [$ranks[] as $u | $ranks[] as $v | select($u != $v) | {from: $u, to: $v, latency_s: 0, s_per_byte: 1e-6, channel: 0}]}'
}
simulated() { # simulated RANKS METHOD SEGMENT MICROSECONDS: of 8192 B
    local got
    got=$(printf 'time\t%d\t8192\t%s\t%d\t1\n' "$1" "$2" "$3" | "$program" score <(equal) | awk -F '\t' '{ printf "%.0f", 1e6 * $10 }')
    [ "$got" = "$4" ] || fail "$2 in $3 on $1 ranks: simulated $got us, not $4"
}
simulated 4 linear 0 25576         # 3 x 8192 + 1000
simulated 4 pipeline 0 27576       # 3 (8192 + 1000)
simulated 4 pipeline 1024 13240    # 3 (1024 + 1000) + 7 x 1024
simulated 4 binomial 0 18384       # 2 (8192 + 1000): the first to be sent to sends while the root sends to the other
simulated 3 split_binary 0 14288   # halves to two ranks, 2 x 4096 + 1000, who swap them, 4096 + 1000

# What choices cost: on 4 ranks Hockney, PLogP and the simulation take the slower method, at half its price again; on 3 all take the best.
cells() {
    printf 'time\t4\t8\tdefault\t0\t3e-3\n'
    printf 'time\t3\t8\tdefault\t0\t1e-3\n'
    printf '4\t8\tlinear\t0\t2e-3\t5\t1\t2\t1\t2\n'
    printf '4\t8\tbinary\t0\t3e-3\t4\t2\t1\t2\t1\n'
    printf '3\t8\tbinary\t0\t1e-3\t1\t1\t1\t1\t1\n'
    printf '3\t8\tlinear\t0\t5e-3\t2\t2\t2\t2\t2\n'
}
cost() { cells | jq -Rnr -L "$data/../.." --arg want "$1" --argjson low 0 --argjson high 1e9 -f "$data/emulated.jq"; }
[ "$(cost measured)" = $'measured\t3\t8\tbinary\t0\nmeasured\t4\t8\tlinear\t0' ] || fail "the best: $(cost measured)"
[ "$(cost penalty | sort | cut -f 1,2,4 | tr '\t\n' ' ;')" = "default 3 0;default 4 50;hockney 3 0;hockney 4 50;loggp 3 0;loggp 4 0;plogp 3 0;plogp 4 50;simulation 3 0;simulation 4 50;taulop 3 0;taulop 4 0;" ] ||
    fail "penalties: $(cost penalty)"
grep -q '^| Hockney | 1 | 1 of 2 | 25% | 50% | 50% | 4 ranks, 8 B: binary, whole for linear, whole |$' <<<"$(cost table)" || fail "table: $(cost table)"
