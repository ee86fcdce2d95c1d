# eq. (20) of Nuriyev et al. 2022 without its gather, which adds 1
for k in 16 32 64 128 256 512 1024 2048 4096; do
    try predict binomial --ranks 1000 --ranks-per-host 18 --bytes ${k}K --segment 8K --taulop unit.json --json |
        awk '/^{/ { printf "%.2f\n", $2 } /^[^{]/'
done
for name in linear chain pipeline split_binary binary binomial knomial; do
    try predict $name --ranks 40 --ranks-per-host 8 --bytes 1M --segment 8K --taulop gros.json --root 3
done
try predict linear --ranks 40 --ranks-per-host 8 --bytes 0 --segment 8K --taulop gros.json
