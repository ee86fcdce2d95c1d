# what other programs do best, for them
try export two-hosts.json --to ompi-rules --bytes 1M
try export two-hosts.json --to ompi-rules --release 5.0.7 --bytes 4K --sizes 4
try export two-hosts.json --to ompi-rules-json --bytes 1M --sizes 3,4 --root 2
try export two-hosts.json --to mpich-json --bytes 1M --sizes 4
try export cluster.json --to mpich-json --bytes 64K --sizes 6 --coordinates coords
cat coords
try export plan.json --to ucc --platform two-hosts.json
try export plan.json --to goal --bytes 12K
try export two-hosts.json --to ompi-rules --operation reduce --combine 2G --bytes 1M --sizes 3,4 --root 1
try export two-hosts.json --to ompi-rules-json --operation reduce --bytes 64K --sizes 4
try export two-hosts.json --to goal --operation reduce --combine 1G --bytes 12K
"$tool" plan two-hosts.json --bytes 12K --operation reduce --only ompi-binary --slice 8K -o sum.json > sum.txt
try export sum.json --to goal
try export sum.json --to ompi-rules --platform two-hosts.json --sizes 4 | grep '^[0-9]* #'
try export cluster.json --to simgrid
try export cluster.json --to simgrid-hosts
# a plan whose last range has no end
sed '/"hash"/d; s/"up_to": [0-9]*/"up_to": null/' plan.json > endless.json
try export endless.json --to goal | sed -n 1,6p
try export endless.json --to json | grep '"bytes"'
