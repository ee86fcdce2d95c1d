#!/bin/sh
# bad_usage.sh TOOL: every line of bad_usage.txt is "ARGUMENTS ## WORDS". Each must exit with status 2, print nothing but
# one line with these words on standard error, and touch no file: "kept" is unchanged, and no file is created.
set -u
here=$(cd "$(dirname "$0")" && pwd)
tool=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$tool" ] || { echo "$tool: not there" && exit 1; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cp -r "$here/inputs" "$work/run" && cd "$work/run" || exit 1
echo kept > kept
ls -A > "$work/before"
failed=0 ran=0

complain() {
    echo "planbcast $arguments: $1" && failed=1
}

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    arguments=${line%% \#\# *} words=${line#* \#\# } ran=$((ran + 1))
    [ "$words" != "$line" ] || { complain "the table has no words for it" && continue; }
    (eval "set -- $arguments"; exec "$tool" "$@" < /dev/null > "$work/out" 2> "$work/err")
    status=$?
    [ $status -eq 2 ] || complain "exit status $status, not 2: $(head -c 300 "$work/err")"
    [ ! -s "$work/out" ] || complain "prints on standard output"
    [ "$(wc -l < "$work/err")" -eq 1 ] || complain "$(wc -l < "$work/err") lines on standard error, not 1"
    grep -qF -e "$words" "$work/err" || complain "says $(head -c 300 "$work/err"), not $words"
    ls -A | cmp -s - "$work/before" || { complain "left files: $(ls -A | diff - "$work/before")"; ls -A > "$work/before"; }
    [ "$(cat kept)" = kept ] || complain "wrote into an output file"
done < "$here/bad_usage.txt"
echo "$ran lines tried"
[ $ran -gt 50 ] || failed=1
exit $failed
