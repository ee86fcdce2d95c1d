# eq. (20) of Nuriyev et al. 2022 without its gather, which adds 1
for k in 16 32 64 128 256 512 1024 2048 4096; do
    try predict binomial --ranks 1000 --ranks-per-host 18 --bytes ${k}K --segment 8K --taulop unit.json --json |
        sed "s/.*predicted_s.: //" | awk '/^[0-9]/ { printf "%.2f\n", $1 } /^[^0-9]/'
done
for name in linear chain pipeline split_binary binary binomial knomial; do
    try predict $name --ranks 40 --ranks-per-host 8 --bytes 1M --segment 8K --taulop gros.json --root 3
done
try predict linear --ranks 40 --ranks-per-host 8 --bytes 0 --segment 8K --taulop gros.json
# Pjesivac-Grbovic et al. 2007, Tables 1-4, Frodo of Table 5
for model in hockney loggp plogp; do
    try predict linear --model $model --collective barrier --ranks 8 --network frodo.json
    try predict split_binary --model $model --ranks 7 --bytes 8K --segment 1K --network frodo.json
    try predict pipeline --model $model --collective reduce --ranks 8 --bytes 8K --segment 1K --network frodo.json
    try predict pairwise --model $model --collective alltoall --ranks 4 --bytes 8K --segment 0 --network frodo.json --json
done
# Thune et al. 2023: section III-C on the ThunderX2 of Table I, with 6, 4, 2 receivers at 29.0, 25.5, 14.6 GB/s
for model in postal max-rate staircase; do
    try predict messages --model $model --ranks 6 --network thunderx2.json --messages three-pairs.json
done
# by hand: 24 B on and 24 B off the socket, or between hosts
try predict messages --model staircase --ranks 4 --ranks-per-socket 2 --network reckoned.json --messages mixed.json
try predict messages --model max-rate --ranks 4 --ranks-per-host 2 --network reckoned.json --messages mixed.json --json
