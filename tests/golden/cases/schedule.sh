# steps follow from the platform here: both links are always busy
try schedule chain.json --slice 1000 --bytes 10000
try schedule chain.json --slice 1000 --bytes 10000 --json | grep -oE '"(transfers|message)": .*|^\$.*'
try schedule chain.json --slice 1000 --bytes 2500 --to goal
try schedule chain.json --slice 1000 --to svg
# elsewhere trees and the order of steps are the solver's choice
try schedule two-hosts.json --slice 64K --per-period 4 | sed -n '/^\$/p; /^not kept/p'
try schedule two-hosts.json --slice 64K -o kept
sed -n 's/^\(period\) .*/\1/p' kept
