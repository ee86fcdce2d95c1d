# What is no fault of the arguments ends with status 1.
echo '$ planbcast tree linear --ranks 4 > /dev/full'
"$tool" tree linear --ranks 4 2>&1 > /dev/full || echo "[exit status $?]"
echo '$ planbcast tree linear --ranks 4 --json >&-'
"$tool" tree linear --ranks 4 --json 2>&1 >&- || echo "[exit status $?]"
try generate tiers --ranks 4 -o no-such-folder/tiers.json
[ -e no-such-folder ] && echo "made a folder"
(ulimit -f 20 && try generate tiers --ranks 100 -o tiers.json)
try generate tiers --ranks 4 -o .
ls -A | grep -c tiers
try predict linear --model logp --ranks 8 --bytes 1 --segment 0 --network frodo.json
try predict linear --model loggp --collective scan --ranks 8 --bytes 1 --segment 0 --network frodo.json
try predict bruck --model loggp --ranks 8 --bytes 1 --segment 0 --network frodo.json
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0 --network gros.json
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0 --network two-hosts.json
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0 --network truncated.json
try plan two-hosts.json --bytes 1M -o no-such-folder/plan.json
# A dot that fails in the place of Graphviz's: what it says first is handed on, but for what only its scanner understands.
drawing() { (PATH=$PWD/stub:$PATH && try draw "$@" -o plan.svg); }
mkdir stub
printf '#!/bin/sh\ncat >/dev/null\necho "Error: no such luck" >&2\necho "and more" >&2\nexit 1\n' > stub/dot
chmod +x stub/dot
drawing plan.json
printf '{"format": "planbcast-platform", "version": 1, "ranks": 4, "sites": [0, 0, 1, 1], "site_names": ["%020000d", "b"], "links": [' 7 > long.json
comma=''
for u in 0 1 2 3; do
    for v in 0 1 2 3; do
        [ $u = $v ] || { printf '%s{"from": %d, "to": %d, "latency_s": 1e-6, "s_per_byte": 1e-9}' "$comma" $u $v && comma=,; }
    done
done >> long.json
echo ']}' >> long.json
try plan long.json --bytes 1K --only grow -o long-plan.json | tail -n 1
drawing long-plan.json --platform long.json
printf '#!/bin/sh\nexit 3\n' > stub/dot
drawing plan.json
printf '#!/bin/sh\nkill -9 $$\n' > stub/dot
drawing plan.json
(PATH=$PWD && try draw plan.json -o plan.svg)
[ ! -e plan.svg ] || echo 'made a picture'
