#!/usr/bin/env bash
# test_tsv.sh BENCH: cells of tables become lines with values in SI units, and each published table has its TSV file.
set -euo pipefail
bench=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1" && exit 1; }

cat >"$work/table.md" <<'TABLE'
# Title
| cluster | time | share | rate | what |
| --- | ---: | ---: | ---: | --- |
| `a`, root 0 | ≈1.5 ms (2 ms) | 12.5% | 3 MB/s | 8-equal |
| 4 KiB | 152 µs, linear | - |  | 4.0e-3 |
text | with a bar
## Second
| x | y |
| --- | --- |
| 7 | **1.29** |
TABLE
"$bench/tsv" "$work/table.md" >"$work/said"
[ "$(cat "$work/said")" = "$work/table.tsv" ] || wrong "says $(cat "$work/said")"
tr '\t' '|' >"$work/wanted" <<'LINES'
section|line|row|column|text|value|unit
Title|1|a, root 0|cluster|a, root 0||
Title|1|a, root 0|time|≈1.5 ms (2 ms)|0.0015|s
Title|1|a, root 0|share|12.5%|0.125|1
Title|1|a, root 0|rate|3 MB/s|3000000|B/s
Title|1|a, root 0|what|8-equal||
Title|2|4 KiB|cluster|4 KiB|4096|B
Title|2|4 KiB|time|152 µs, linear|0.000152|s
Title|2|4 KiB|share|-||
Title|2|4 KiB|what|4.0e-3|0.004|
Second|1|7|x|7|7|
Second|1|7|y|1.29|1.29|
LINES
tr '\t' '|' <"$work/table.tsv" | diff "$work/wanted" - || wrong "another table"

cp -r "$bench/results" "$work/results"
find "$work/results" -name '*.md' -exec "$bench/tsv" {} + | sort >"$work/made"
while read -r made; do
    file=$bench/results${made#"$work/results"}
    cmp -s "$made" "$file" || wrong "$file is not that of its tables: run bench/tsv ${file%.tsv}.md"
done <"$work/made"
[ "$(wc -l <"$work/made")" -gt 20 ] || wrong "tables are missed"
