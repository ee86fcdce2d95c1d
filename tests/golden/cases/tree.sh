for name in linear chain pipeline split_binary binary binomial knomial; do
    try tree $name --ranks 9
    try tree $name --ranks 6 --root 2 --json
done
try tree knomial --ranks 10 --fanout 2
try tree chain --ranks=10 --fanout=2 --json
try tree binary --ranks 1
try tree binary --ranks 1 --json
