# how graphs are styled is the exporter's affair; who sends to whom is not
"$tool" plan two-hosts.json --bytes 1M --only ompi-binary --slice 8K -o p.json > p.txt
try export p.json --to parents
try export p.json --to dot | sed 's/^\( *[0-9]* -> [0-9]*\).*/\1/' | grep -e '->' -e '^[$}[]'
try export p.json --to dot --platform two-hosts.json --bytes 64K -o p.dot
dot -Tplain p.dot | grep -c '^edge'
"$tool" plan cluster.json --bytes 1M --only ompi-chain --slice 8K -o c.json > c.txt
try export c.json --to dot --platform cluster.json | grep -c ' -> .* us"'
try export p.json --to dot --platform cluster.json
try export p.json --to graphml | grep -e '^\$' -e '<edge'
try export p.json --to json | sed 's/"rate": [^,]*,/"rate": .../'
try draw p.json --platform two-hosts.json -o p.svg
grep -c '</svg>' p.svg
try draw p.json -o - | grep -c '</svg>'
"$tool" plan two-hosts.json --root 2 --bytes 1M --only ompi-binary --slice 8K -o p2.json > p2.txt
try draw p2.json -o - | grep -c '</svg>'
for format in png pdf; do
    try draw p.json -o "p.$format"
    head -c 4 "p.$format" | tr -c 'A-Z%\n' '?' && echo
done
echo '$ PATH= planbcast draw p.json -o q.svg'
PATH= "$tool" draw p.json -o q.svg 2>&1 || echo "[exit status $?]"
ls p.*
ls | grep -c "^q"
# of reductions, edges lead to the root, and links are those of the way up
"$tool" plan two-hosts.json --bytes 1M --operation reduce --only ompi-binary --slice 8K -o r.json > r.txt
try export r.json --to dot --platform two-hosts.json | sed 's/^\( *[0-9]* -> [0-9]* .dir=back\).*/\1/' | grep -e '->' -e '^[$}[]'
try export r.json --to graphml | grep -e '^\$' -e '<edge'
try export r.json --to json | sed 's/"rate": [^,]*,/"rate": .../'
try export r.json --to parents
try draw r.json -o - | grep -c 'r.json\|</svg>'
try draw reduce.json -o reduce.svg
try export r.json --to dot --platform one-way.json
try report r.json --platform two-hosts.json --combine 1G -o r.html
grep -o 'Reductions of [^;]*\|The last slices[^<]*\|native (MPI_Reduce)' r.html | sort -u
