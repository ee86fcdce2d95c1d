# Their experiments on this machine; bench/papers/002 --measure sources it.
program=$(readlink -f "$(program paper_002_messages)")
hosts=8 per_host=4 alone=4
kinds=(pairs neighbours mesh irregular)

parts=(one-host "cluster-$buffer" cluster-auto)

# part FOLDER RANKS RANKS_PER_HOST BYTES COMMAND...: patterns of messages of about BYTES; what the command, given their
# files, prints of them is kept once it is whole.
part() {
    local folder=$raw/$1 kind files=()
    [ ! -s "$folder/messages" ] || return 0
    mkdir -p "$folder" || fail "$folder: cannot be made"
    for kind in "${kinds[@]}"; do
        files+=("$folder/$kind")
        "$models" pattern "$kind" "$2" "$3" "$4" "$seed" >"$folder/$kind"
    done
    "${@:5}" "${files[@]}" >"$work/messages" 2>"$work/errors" || { cat "$work/errors" >&2 && fail "measuring in $folder failed"; }
    "$top/bench/provenance" "bench/papers/002 --measure --buffer $buffer --seed $seed" "$(nproc) cores" >"$raw/provenance"
    mv "$work/messages" "$folder/messages"
}
across() { # across FOLDER [OPTION of mpirun]...
    local folder=$1
    shift
    part "$folder" $((hosts * per_host)) "$per_host" 1e6 "$top/bench/cluster" run "$top/bench/clusters/8x4-block.json" "$@" -- \
        "$program" "$per_host" 131072
}

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
for folder in "${parts[@]}"; do
    [ -z "$again" ] || rm -rf "${raw:?}/$folder"
    [ -s "$raw/$folder/messages" ] || "$top/bench/cluster" possible || exit $?
done
part one-host "$alone" "$alone" 4e6 mpirun --oversubscribe -n "$alone" "$program" "$alone" 1048576
across "cluster-$buffer" --mca btl_tcp_sndbuf "$buffer" --mca btl_tcp_rcvbuf "$buffer"
across cluster-auto

for folder in "${parts[@]}"; do
    mkdir "$work/$folder"
    if [ "$folder" = one-host ]; then shape=("$alone" "$alone"); else shape=($((hosts * per_host)) "$per_host"); fi
    "$models" measured "$raw/$folder/messages" "${shape[@]}" >"$work/$folder/models"
done

# bars NAME FOLDER RANKS TITLE: as their Figure 4, a panel for each pattern.
bars() {
    local kind
    {
        echo "set multiplot layout 2,2 title '$4'; set style fill solid 0.7; set key outside bottom center horizontal"
        echo "set xlabel 'rank'; set ylabel 'ms'; set yrange [0:*]; set xrange [-0.6:$3 - 0.4]; set xtics $(($3 / 8 > 0 ? $3 / 8 : 1))"
        for kind in "${kinds[@]}"; do
            awk -F '\t' -v k="$kind" '$1 == "rank" && $2 == k' "$work/$2/models" >"$work/$2/$kind-bars"
            echo "set title '$kind'; plot '$work/$2/$kind-bars' using (\$3 - 0.2):(1e3 * \$4) with boxes lc rgb '#1f78b4' title 'measured', \\"
            echo "'' using (\$3 + 0.2):(1e3 * \$5) with boxes lc rgb '#33a02c' title 'staircase', \\"
            echo "'' using 3:(1e3 * \$6) with points pt 7 ps 0.5 lc rgb '#6a3d9a' title 'max-rate', \\"
            echo "'' using 3:(1e3 * \$8) with points pt 2 ps 0.5 lc rgb '#d95f02' title 'by messages'"
        done
        echo "unset multiplot"
    } | sed '1i set boxwidth 0.4' | plot "$1" 1000,760
}
bars one-host one-host "$alone" "$alone ranks on one host"
bars cluster "cluster-$buffer" $((hosts * per_host)) "$hosts emulated hosts of $per_host ranks"

errors() {
    echo "| pattern | messages | MB | between hosts | staircase | max-rate | postal | by messages | halves apart |"
    echo "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
    awk -F '\t' '$1 == "error" { printf "| %s | %s | %.0f | %s%% |", $2, $3, $4, $5; for (f = 6; f <= 10; f++) printf " %.1f%% |", 100 * $f; print ""
            n++; for (f = 6; f <= 10; f++) sum[f] += $f }
        END { printf "| mean | | | |"; for (f = 6; f <= 10; f++) printf " %.1f%% |", 100 * sum[f] / n; print "" }' "$work/$1/models"
}
table() {
    echo "| partners | N | tau [us] | BW_MP(N) [MB/s] | by (3) |"
    echo "| --- | ---: | ---: | ---: | ---: |"
    awk -F '\t' '$1 == "fit" { level[++n] = $2; receivers[n] = $3; tau[n] = $4; rate[n] = $5; if ($3 == 1) single[$2] = $5; last[$2] = $5 }
        END { for (i = 1; i <= n; i++) { by = receivers[i] * single[level[i]]; if (by > last[level[i]]) by = last[level[i]]
            printf "| %s | %d | %.0f | %.1f | %.1f |\n", level[i] == "on" ? "same host" : "other host", receivers[i], 1e6 * tau[i], rate[i] / 1e6, by / 1e6 } }' "$work/$1/models"
    awk -F '\t' '$1 == "fitted" { printf "%s%s by %.1f%%", n++ ? ", " : "\nFitted are these pairs alone; times by the lines and as measured differ ", $2 == "on" ? "on the same host" : "between hosts", 100 * $3 }
        END { print ". No pattern was looked at in fitting." }' "$work/$1/models"
}
# mean FOLDER FIELD [PATTERN]: of the errors, in percent.
mean() { awk -F '\t' -v f="$2" -v k="${3-}" '$1 == "error" && (k == "" || $2 == k) { n++; s += $f } END { printf "%.1f", 100 * s / n }' "$work/$1/models"; }
goal() {
    awk -v s="$(mean "$1" 6)" -v m="$(mean "$1" 7)" 'BEGIN {
        printf "the staircase errs by %.1f%% on average over the four patterns, the max-rate model by %.1f%%: at most 15%%, and at most the max-rate model'"'"'s, is %s", s, m, s <= 15 && s <= m ? "met" : "missed" }'
}
{
    cat <<MARKDOWN
# 002: Point-to-point messages with contention, measured

Thune, Reinemo, Skeie, Cai 2023: pairs (Algorithm 1) give BW_MP(N), patterns (Algorithm 2) are predicted from it. Means over ten
times of each rank, or more; the total relative error is (11).

$(cat "$raw/provenance")

- *pairs* exchange 2, 1, 1/2, ... times as much at once; with several hosts, between hosts (their Figure 3).
- *neighbours*: each rank exchanges with three others, each time as much in both directions, between a quarter and twice the middle size (Figure 4(b)).
- *mesh*: the cells of a square nearest to random points exchange their borders; hosts have strips of it (Figures 4(d), 6).
- *irregular*: each rank sends 1 to 6 messages to any ranks; no two directions match.

The errors are held out: what is fitted are pairs of equal messages. *By messages* is not of the paper (\`bench/papers/002.d/fair.c\`): messages under way
have max-min fair rates, and the card that they leave by counts, too. *Halves apart* is (11) between the means over every other repetition: noise.

## $hosts emulated hosts of $per_host ranks, cards of 25 MB/s

\`bench/clusters/8x4-block.json\`, messages of about 1 MB, sockets' buffers of $buffer B.

$(errors "cluster-$buffer")

![8 emulated hosts](002-cluster.svg)

$(table "cluster-$buffer")

The same with sockets' buffers as the system sizes them (megabytes):

$(errors cluster-auto)

## One host of $alone ranks, on $(nproc) cores

Messages of about 4 MB, through shared memory.

$(errors one-host)

![one host](002-one-host.svg)

$(table one-host)

## What they say

- With sockets' buffers of $buffer B, $(goal "cluster-$buffer"). With the system's buffers,
  $(goal cluster-auto). On one host $(goal one-host).
- **What is left of the staircase's error between hosts** is more than noise (halves are $(mean "cluster-$buffer" 10)% apart), and no change of protocol (few messages
  are near the eager limit). It is among whom the model shares what. It gives a card's bandwidth to those that receive, in equal parts,
  whoever sends. TCP shares it among connections, so that a rank that receives two messages beside one that receives six gets a quarter of the
  card and not half; and the senders' cards are full, too. Rates that are max-min fair among messages, with both cards counted and from the same
  tables, predict *neighbours* to $(mean "cluster-$buffer" 9 neighbours)%, *mesh* to $(mean "cluster-$buffer" 9 mesh)% and *irregular* to $(mean "cluster-$buffer" 9 irregular)%; the staircase to $(mean "cluster-$buffer" 6 neighbours)%, $(mean "cluster-$buffer" 6 mesh)% and $(mean "cluster-$buffer" 6 irregular)%. On average over the
  four that is $(mean "cluster-$buffer" 9)% in place of $(mean "cluster-$buffer" 6)%. *pairs*, one message for each rank, do not tell the two apart.
MARKDOWN
    cat "$data/measured.md"
} | tee "$out/002-measured.md"
echo "bench/papers/002: report and figures in $out" >&2
