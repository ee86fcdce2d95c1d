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
