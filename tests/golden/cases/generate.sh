try generate random --ranks 5 --density 0.4 --seed 7
try generate random --ranks 5 --density 0.4 --seed 7 -o r.json
"$tool" generate random --ranks 5 --density 0.4 --seed 7 | cmp - r.json && echo same
"$tool" generate random --ranks 5 --density 0.4 --seed 8 | cmp -s - r.json || echo another
try generate tiers --ranks 30 -o t.json
try show t.json
try generate sites cluster.json -o c.json
try show c.json
try generate sites cluster.json --hostfile
try generate sites cluster.json --layout
try generate sites cluster.json --layout --hostfile
try generate random --ranks 3 --density 1 --ports multi
try generate random --ranks 3 --density 1 --ports multi-receive | sed -n '/"ports"/,$p'
try generate random --ranks 3 --density 1 --ports one-way -o w.json
try show w.json | sed -n '/^platform/p'
try schedule w.json --slice 1M
try generate random --ranks 3 --density 1 --ports two
try generate random --ranks 1 --density 1
