#!/usr/bin/env bash
# test_guide.sh LIB: each block of code in LIB/guide.md is part of the example named above it, but for the indentation;
# and each example is in the guide or named in README.md; reference.md has all variables.
set -euo pipefail
cd "$1"
failed=0 blocks=0 example='' block='' inside=''
flat() { sed 's/^ *//' "$@"; }
while IFS= read -r line; do
    case $line in
    'From ['*) example=${line#*(} && example=${example%%)*} ;;
    '```') # the end of a block
        blocks=$((blocks + 1)) inside=''
        [[ $(flat "$example") == *"$(flat <<<"$block")"* ]] || { echo "FAILED: not in $example:"$'\n'"$block" && failed=1; }
        block=''
        ;;
    '```'*) inside=yes ;;
    *) [ -z "$inside" ] || block+=$line$'\n' ;;
    esac
done <guide.md
[ "$blocks" -gt 10 ] || { echo "FAILED: only $blocks blocks" && failed=1; }
for example in examples/*.*; do
    [ "$example" = examples/CMakeLists.txt ] || grep -qF "($example)" guide.md || grep -qF "(lib/$example)" ../README.md ||
        { echo "FAILED: $example is neither in the guide nor in README.md" && failed=1; }
done
while read -r variable; do
    grep -qF "| \`$variable\` |" reference.md || { echo "FAILED: $variable is not in reference.md" && failed=1; }
done < <(grep -rhoE --include='*.c' --include='*.py' '"PLANBCAST_[A-Z_]+"' mpi python | tr -d '"' | sort -u)
exit $failed
