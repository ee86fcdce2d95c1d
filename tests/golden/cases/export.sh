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
for format in png pdf; do
    try draw p.json -o "p.$format"
    head -c 4 "p.$format" | tr -c 'A-Z%\n' '?' && echo
done
echo '$ PATH= planbcast draw p.json -o q.svg'
PATH= "$tool" draw p.json -o q.svg 2>&1 || echo "[exit status $?]"
ls p.*
ls | grep -c "^q"
# plans of reductions are not taken for those of broadcasts
try export reduce.json --to dot
try draw reduce.json -o q.svg
try export reduce.json --to goal
try report reduce.json -o q.html
