# What is no fault of the arguments ends with status 1.
echo '$ planbcast tree linear --ranks 4 > /dev/full'
"$tool" tree linear --ranks 4 2>&1 > /dev/full || echo "[exit status $?]"
echo '$ planbcast tree linear --ranks 4 --json >&-'
"$tool" tree linear --ranks 4 --json 2>&1 >&- || echo "[exit status $?]"
try generate tiers --ranks 4 -o no-such-folder/tiers.json
[ -e no-such-folder ] && echo "made a folder"
try generate tiers --ranks 4 -o .
ls -A | grep -c tiers
try predict linear --model postal --ranks 8 --bytes 1 --segment 0 --network frodo.json
try predict linear --model loggp --collective scan --ranks 8 --bytes 1 --segment 0 --network frodo.json
try predict bruck --model loggp --ranks 8 --bytes 1 --segment 0 --network frodo.json
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0 --network gros.json
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0 --network two-hosts.json
try predict linear --model loggp --ranks 8 --bytes 1 --segment 0 --network truncated.json
try plan two-hosts.json --bytes 1M -o no-such-folder/plan.json
