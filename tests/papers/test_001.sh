#!/usr/bin/env bash
# test_001.sh PROGRAM: properties of every platform of section 5 of Beaumont, Marchal, Robert 2004.
set -euo pipefail
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$1" 1 1 >"$work/whole"
for part in 0 1; do "$1" 0 1 $part 2; done >"$work/parts"

# A run in parts gives the lines of a single run, except for times.
diff <(grep -v ^random "$work/whole" | cut -f 1-9 | sort) <(cut -f 1-9 "$work/parts" | sort)

awk -F '\t' -v given="$("$1" readings | wc -l)" '
function wrong(what) { print FILENAME ": line " FNR ": " what ": " $0; bad = 1 }
{
    r = $9 / $8; id = $1 FS $2 FS $3 FS $5 FS $6; here[id, $7] = r; ids[id]; tree[$7]
    if (!(r > 0)) wrong("no throughput")
    if ($6 == "one" && r > 1 + 1e-9) wrong("beyond the bound")
    if ($6 == "one" && $7 !~ /-trees$/ && r > most[id]) most[id] = r
    if ($1 == "tiers" && ($4 < 0.05 || $4 > 0.15)) wrong("a density that the paper does not have")
}
END {
    for (id in ids) {
        if (!((id, "best-tree") in here)) { readings++; continue } # Table 3 alone
        n++
        if (split(id, part, FS) && part[5] == "multi") {
            above += here[id, "multiport-grow"] > 1
            continue
        }
        if (here[id, "best-tree"] < most[id] * (1 - 1e-9)) { print id ": a heuristic is ahead of the search"; bad = 1 }
        if (here[id, "2-trees"] < most[id] * 0.99 || here[id, "4-trees"] < most[id] * 0.99) { print id ": one tree is ahead of several"; bad = 1 }
    }
    if (n != 2 * (25 + 2)) { print n " platforms and models of ports, not 54"; bad = 1 }
    if (readings != 2 * given) { print readings " platforms by " given " readings of TIERS"; bad = 1 }
    if (!above) { print "never above the one-port bound, even with several ports"; bad = 1 }
    exit bad
}' "$work/whole"

# One reading alone: the same platforms, and our own trees beside.
"$1" reading 'LAN 3' 1 0 1 >"$work/one"
diff <(grep '^LAN 3	' "$work/whole" | cut -f 1-9 | sort) <(awk -F '\t' 'NR == FNR { if ($1 == "LAN 3") brief[$7]; next } $6 == "one" && $7 in brief' \
    "$work/whole" "$work/one" | cut -f 1-9 | sort)
grep -q '	one	4-trees	' "$work/one"
"$1" reading 'no such' 1 0 1 2>/dev/null && echo "took a reading that there is not" && exit 1

# By every reading of TIERS as many nodes as in the paper, all of them reached; hosts that are joined to a hub alone leave no choice.
awk -F '\t' '$1 == "stars" && $7 == "prune-degree" { n++; if ($9 / $8 < 1 - 1e-6) bad = 1 } END { exit bad || n != 2 }' "$work/whole"

# The published means (bench/results/papers/001.md) of what needs of the linear program no more than the bound: by ranks and by
# density (Figures 4(a) and 4(b), 10 platforms of each), and on Tiers-like ones (Table 3, there in whole percents).
"$1" brief 10 100 >"$work/brief"
means() { # means FAMILY COLUMN CANDIDATE
    awk -F '\t' -v family="$1" -v by="$2" -v name="$3" '
    $1 == family && $7 == name { r = 100 * $9 / $8; n[$by]++; sum[$by] += r; square[$by] += r * r }
    END {
        order = family == "tiers" ? "30 65" : by == 2 ? "10 20 30 40 50" : "0.04 0.08 0.12 0.16 0.20"
        n_keys = split(order, key, " ")
        for (i = 1; i <= n_keys; i++) { k = key[i]; m = sum[k] / n[k]; printf "%s%.1f ± %.1f", (i > 1 ? " | " : ""), m, sqrt(square[k] / n[k] - m * m) }
    }' "$work/brief"
}
published() { [ "$(means "$1" "$2" "$3")" = "$4" ] || { echo "$3, $1 platforms: $(means "$1" "$2" "$3"), published $4" && exit 1; }; }
published random 2 prune-simple '75.0 ± 17.5 | 57.6 ± 18.1 | 51.5 ± 16.9 | 45.4 ± 13.5 | 42.6 ± 12.5'
published random 2 prune-degree '87.6 ± 16.2 | 73.1 ± 17.3 | 68.6 ± 16.3 | 66.2 ± 15.1 | 63.5 ± 14.8'
published random 2 grow '78.0 ± 17.1 | 63.3 ± 14.8 | 63.9 ± 13.3 | 60.2 ± 11.3 | 60.0 ± 9.4'
published random 2 binomial-paths '24.9 ± 7.9 | 17.2 ± 4.3 | 16.7 ± 4.7 | 14.8 ± 2.6 | 14.4 ± 3.4'
published random 3 prune-simple '65.5 ± 18.1 | 64.9 ± 19.6 | 49.3 ± 18.1 | 47.2 ± 14.9 | 45.1 ± 16.0'
published random 3 prune-degree '83.7 ± 15.3 | 79.5 ± 16.9 | 69.3 ± 16.4 | 64.9 ± 15.8 | 61.6 ± 15.6'
published random 3 grow '70.6 ± 15.9 | 69.9 ± 16.8 | 64.8 ± 14.0 | 60.6 ± 13.4 | 59.5 ± 10.6'
published random 3 binomial-paths '14.6 ± 5.5 | 17.9 ± 5.0 | 17.4 ± 5.2 | 18.6 ± 6.1 | 19.4 ± 7.7'
published tiers 2 prune-simple '73.4 ± 17.0 | 77.3 ± 15.5'
published tiers 2 prune-degree '92.1 ± 10.4 | 95.5 ± 8.3'
published tiers 2 grow '88.8 ± 12.5 | 91.5 ± 10.6'
published tiers 2 binomial-paths '10.5 ± 2.6 | 6.8 ± 1.6'
