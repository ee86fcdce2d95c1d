# how many links and trees is the solver's choice; the bound is not
for method in cuts direct; do
    try solve two-hosts.json --slice 64K --method $method | sed -n 's/^\(\$.*\)/\1/p; s/^\(bound  *[0-9]*\.[0-9][0-9]\)[0-9]*/\1.../p'
    try solve two-hosts.json --slice 64K --method $method --root 3 --json | grep -o '"[a-z_]*":' | sort -u
    "$tool" solve two-hosts.json --slice 64K --method $method --json | grep -o '"method": "[a-z]*"' # as asked for
done
