try import slurm topology.conf --card 1.25e9 -o known.json
sed 's/n\[/new[/; s/gpu/card/' topology.conf >new.conf
try import slurm new.conf --card 2.5e9 -o new.json
try merge known.json known.json -o same.json
cmp known.json same.json
try merge known.json new.json
try merge known.json
try merge known.json unit.json
try merge --help
