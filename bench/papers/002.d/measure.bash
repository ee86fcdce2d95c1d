# Their experiments on this machine; bench/papers/002 --measure sources it.
program=$(readlink -f "$(program paper_002_messages)")
"$top/bench/cluster" possible || exit $?
hosts=8 per_host=4 alone=4
kinds=(pairs neighbours mesh irregular)

# patterns FOLDER RANKS RANKS_PER_HOST BYTES
patterns() {
    mkdir "$work/$1"
    local kind
    for kind in "${kinds[@]}"; do "$models" pattern "$kind" "$2" "$3" "$4" "$seed" >"$work/$1/$kind"; done
}
# compare FOLDER RANKS RANKS_PER_HOST
compare() {
    [ -s "$work/$1/messages" ] || { cat "$work/errors" >&2 && fail "measuring on $1 failed"; }
    "$models" measured "$work/$1/messages" "$2" "$3" >"$work/$1/models"
}
files() { printf "$work/$1/%s\n" "${kinds[@]}"; }

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
patterns one-host "$alone" "$alone" 4e6
patterns cluster $((hosts * per_host)) "$per_host" 1e6
mapfile -t of_host < <(files one-host)
mapfile -t of_cluster < <(files cluster)
mpirun --oversubscribe -n "$alone" "$program" "$alone" 1048576 "${of_host[@]}" >"$work/one-host/messages" 2>"$work/errors" || true
compare one-host "$alone" "$alone"
cluster=$("$top/bench/cluster" up "$top/bench/clusters/8x4-block.json")
trap '"$top/bench/cluster" down "$cluster"; rm -rf "$work"' EXIT
sockets=()
[ -z "$buffer" ] || sockets=(--mca btl_tcp_sndbuf "$buffer" --mca btl_tcp_rcvbuf "$buffer")
"$top/bench/cluster" run "$cluster" "${sockets[@]}" -- "$program" "$per_host" 131072 "${of_cluster[@]}" \
    >"$work/cluster/messages" 2>"$work/errors" || true
compare cluster $((hosts * per_host)) "$per_host"

# bars FOLDER RANKS TITLE: as their Figure 4, a panel for each pattern.
bars() {
    local kind
    {
        echo "set terminal svg size 1000,760 font 'sans,12' background 'white'"
        echo "set output '$out/002-$1.svg'; set multiplot layout 2,2 title '$3'; set style fill solid 0.7; set key outside bottom center horizontal"
        echo "set xlabel 'rank'; set ylabel 'ms'; set yrange [0:*]; set xrange [-0.6:$2 - 0.4]; set xtics $(($2 / 8 > 0 ? $2 / 8 : 1))"
        for kind in "${kinds[@]}"; do
            awk -F '\t' -v k="$kind" '$1 == "rank" && $2 == k' "$work/$1/models" >"$work/$1/$kind-bars"
            echo "set title '$kind'; plot '$work/$1/$kind-bars' using (\$3 - 0.2):(1e3 * \$4) with boxes lc rgb '#1f78b4' title 'measured', \\"
            echo "'' using (\$3 + 0.2):(1e3 * \$5) with boxes lc rgb '#33a02c' title 'staircase', '' using 3:(1e3 * \$6) with points pt 7 ps 0.5 lc rgb '#6a3d9a' title 'max-rate'"
        done
        echo "unset multiplot"
    } | sed '1i set boxwidth 0.4' | plot "$1"
}
bars one-host "$alone" "$alone ranks on one host"
bars cluster $((hosts * per_host)) "$hosts emulated hosts of $per_host ranks"

errors() {
    echo "| pattern | messages | MB | between hosts | staircase | max-rate | postal |"
    echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"
    awk -F '\t' '$1 == "error" { printf "| %s | %s | %.0f | %s%% | %.1f%% | %.1f%% | %.1f%% |\n", $2, $3, $4, $5, 100 * $6, 100 * $7, 100 * $8
            n++; for (f = 6; f <= 8; f++) sum[f] += $f }
        END { printf "| mean | | | | %.1f%% | %.1f%% | %.1f%% |\n", 100 * sum[6] / n, 100 * sum[7] / n, 100 * sum[8] / n }' "$work/$1/models"
}
table() {
    echo "| partners | N | tau [us] | BW_MP(N) [MB/s] | by (3) |"
    echo "| --- | ---: | ---: | ---: | ---: |"
    awk -F '\t' '$1 == "fit" { level[++n] = $2; receivers[n] = $3; tau[n] = $4; rate[n] = $5; if ($3 == 1) single[$2] = $5; last[$2] = $5 }
        END { for (i = 1; i <= n; i++) { by = receivers[i] * single[level[i]]; if (by > last[level[i]]) by = last[level[i]]
            printf "| %s | %d | %.0f | %.1f | %.1f |\n", level[i] == "on" ? "same host" : "other host", receivers[i], 1e6 * tau[i], rate[i] / 1e6, by / 1e6 } }' "$work/$1/models"
}
{
    cat <<MARKDOWN
# 002: Point-to-point messages with contention, measured

Thune, Reinemo, Skeie, Cai 2023: pairs (Algorithm 1) give BW_MP(N), patterns (Algorithm 2) are predicted from it. Means over ten
times of each rank, or more; the total relative error is (11).

$(provenance "$seed for the patterns")

- *pairs* exchange 2, 1, 1/2, ... times as much at once; with several hosts, between hosts (their Figure 3).
- *neighbours*: each rank exchanges with three others, each time as much in both directions, between a quarter and twice the middle size (Figure 4(b)).
- *mesh*: the cells of a square nearest to random points exchange their borders; hosts have strips of it (Figures 4(d), 6).
- *irregular*: each rank sends 1 to 6 messages to any ranks; no two directions match.

## $hosts emulated hosts of $per_host ranks, cards of 25 MB/s

\`bench/clusters/8x4-block.json\`, messages of about 1 MB, sockets' buffers $([ -n "$buffer" ] && echo "of $buffer B" || echo 'as the system sizes them').

$(errors cluster)

![8 emulated hosts](002-cluster.svg)

$(table cluster)

## One host of $alone ranks, on $(nproc) cores

Messages of about 4 MB, through shared memory.

$(errors one-host)

![one host](002-one-host.svg)

$(table one-host)

MARKDOWN
    cat "$data/measured.md"
} | tee "$out/002-measured.md"
echo "bench/papers/002: report and figures in $out" >&2
