#!/bin/sh
# one_choice.sh TOOL CLUSTERS: on generated platforms, the same candidate is first in a ranking of one size, first in a
# ranking printed while a plan of many sizes is written, and in that plan's last range.
set -u
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
clusters=$(cd "$2" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
failed=0 ran=0

# The first candidate of a ranking, one line for each field; numbers as far as all writers of them agree, and messages
# that are sent whole as such.
fields() {
    grep -o '"\(name\|slice\|window\|predicted_s\|rate\)": [^],}]*\|"parent": \[[^]]*\]' |
        awk -v bytes="$bytes" '/parent/ { gsub(" ", ""); print; next } /name/ { print; next }
            /slice/ && $2 == bytes { $2 = 0 } { printf "%s %.12g\n", $1, $2 }' | sort
}
first() { sed 's/.*"candidates": \[//; s/}, {"name".*//' "$1" | fields; }
last_range() {
    { "$tool" export "$1" --to json && grep '"up_to"' "$1" | tail -1 | grep -o '"predicted_s": [^,]*' | head -1; } | fields
}

compare() {
    file=$1 bytes=$2 root=$3 ran=$((ran + 1))
    "$tool" plan "$file" --bytes "$bytes" --root "$root" --json > alone.json &&
        "$tool" plan "$file" --bytes "$bytes" --root "$root" --json -o plan.json > beside.json || exit 1
    first alone.json > alone
    first beside.json > beside
    last_range plan.json > last
    [ "$(wc -l < alone)" -ge 4 ] || { echo "$file $bytes: too little in" && cat alone && failed=1; }
    diff -u alone beside && diff -u alone last && return
    echo "$file, $bytes from $root: DIFFERS" && failed=1
}

"$tool" generate random --ranks 14 --density 0.6 --seed 2 -o random.json > log || exit 1
"$tool" generate random --ranks 9 --density 1 --seed 5 -o complete.json > log || exit 1
"$tool" generate tiers --ranks 20 --seed 3 -o tiers.json > log || exit 1
"$tool" generate sites "$clusters/three-sites.json" -o three-sites.json > log || exit 1
for platform in random complete tiers three-sites; do
    for size in 700 49152 1048576 5000000; do compare "$platform.json" $size $((ran % 5)); done
done
echo "$ran choices compared"
exit $failed
