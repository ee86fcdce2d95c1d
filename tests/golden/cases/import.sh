try import slurm topology.conf --card 1.25e9
try import slurm topology.conf --card 1.25e9 --card-in 2.5e9 --link-speed 1e6 -o m.json
try solve m.json --slice 64K --root 5 | grep -v '^method' # takes its time
try generate sites m.json --hostfile
try import slurm topology.conf
try import slurm unit.json --card 1e9
try import slurm no-such-file --card 1e9
try import flux topology.conf
try import
try import --help
try import slurm --help
