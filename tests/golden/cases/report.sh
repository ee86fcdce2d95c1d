# what the page says; how it looks is the browser's affair
facts() { grep -o -e '<h1>.*</h1>' -e '<h2 .*</h2>' -e '<p class="verdict">[^;]*' -e '<p class="facts">.* host.*' | grep -v ' rank 0 to\|: height'; }
try report machine.json -o - | facts
try report two-hosts.json --root 2 --bytes 64K -o - | facts
try report strange-names.json -o - | facts
{ printf '\357\273\277' && cat two-hosts.json; } > marked.json
try report marked.json --bytes 64K -o - | facts
"$tool" plan cluster.json --bytes 1M --only ompi-chain -o p.json > p.txt
try report p.json -o - | facts
try report p.json --platform cluster.json -o r.html
tail -n 1 r.html
# nothing is loaded from elsewhere
grep -c -e 'http' -e 'src=' -e '<script' r.html
sed '/"hash"/d; s/"up_to": [0-9]*/"up_to": null/' plan.json > endless.json
try report endless.json --platform two-hosts.json -o - | facts
# a plan has the time of one size
takes() { grep -o -e '^. planbcast .*' -e 'takes [^,;]*'; }
try report plan.json -o - | takes
try report plan.json --bytes 64K -o - | takes
