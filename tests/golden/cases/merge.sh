try import slurm topology.conf --card 1.25e9 -o known.json
sed 's/n\[/new[/; s/gpu/card/' topology.conf >new.conf
try import slurm new.conf --card 2.5e9 -o new.json
try merge known.json known.json -o same.json
cmp known.json same.json
try merge known.json new.json
try merge known.json
try merge known.json unit.json
try merge --help
# the newer file has another card, another trunk and another group; the older one's stay
sed 's/"bytes_per_s": 1.2e9, "bytes_per_s_interval": \[1.19e9, 1.21e9\]/"bytes_per_s": 2e9/; s/"in": { "bytes_per_s": 2e9 }/"in": { "bytes_per_s": 3e9 }/
    s/, { "names": "login", "kind": "slow" }//; s/{ "names": "n\[04-06\]", "kind": "fast" }/&, { "names": "login", "kind": "slow" }/' machine.json >newer.json
try merge machine.json newer.json -o both.json
try show both.json
