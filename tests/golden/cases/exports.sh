# what other programs do best, for them
try export two-hosts.json --to ompi-rules --bytes 1M
try export two-hosts.json --to ompi-rules --release 5.0.7 --bytes 4K --sizes 4
try export two-hosts.json --to ompi-rules-json --bytes 1M --sizes 3,4 --root 2
try export two-hosts.json --to mpich-json --bytes 1M --sizes 4
try export plan.json --to ucc --platform two-hosts.json
try export plan.json --to goal --bytes 12K
try export cluster.json --to simgrid
try export cluster.json --to simgrid-hosts
