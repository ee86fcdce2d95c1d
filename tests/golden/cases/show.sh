try show two-hosts.json
try show one-way.json
try show one-rank.json
try show strange-names.json
