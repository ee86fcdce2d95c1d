try select times.tsv
try select times.tsv --leave-one-out
try select times.tsv --fit 64,262144 --bytes 64,4K,256K
try select times.tsv --parameters-alone --bytes 1M
try select times.tsv --json --bytes 256K
try select times.tsv --ranks 16,64 --ranks-per-host 4 --rules -
try select times.tsv --rules - --format ompi-rules-json
try select gros-all.json --ranks 1000 --ranks-per-host 18
try select gros-all.json --ranks 12 --ranks-per-host 1 --json --bytes 1K,64K,1M,8M
try select gros-all.json --ranks 400 --ranks-per-host 18 --rules - --bytes 4M
try select times-short.tsv
try select times-zero.tsv
try select times-unknown.tsv
try select times-segment.tsv
try select times-none.tsv
try select times.tsv --fit 1K
try select times.tsv --fit 1K,1K
try select times.tsv --ranks 16
try select times.tsv --bytes 0
try select times.tsv --library lam
try select times.tsv --library mpich
try select times.tsv --library bine
try select times.tsv --library bine --rules -
try select times.tsv --format ucc
try select gros-all.json
try select gros-all.json --leave-one-out
try select gros.json --ranks 16 --ranks-per-host 1
try select missing.tsv
