try show two-hosts.json
try show one-way.json
try show one-rank.json
try show strange-names.json
try show machine.json
try show machine.json --json
try show cluster.json
try show unit.json --json
try show reduce.json
