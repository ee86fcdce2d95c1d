# Figures 2 to 4; bench/papers/004 sources it. $work/figures: lines of paper_004 figures, and of paper_004_collectives
# where it was measured.

# curves KEY X FACTOR [DASH SUFFIX]: plot clauses of the lines whose "collective algorithm segment" is KEY, with RANKS of
# the caller ("": any), by column X, in seconds times FACTOR: a curve for each model, and points for what was measured.
curves() {
    local names=('' Hockney LogGP PLogP measured) colours=('' '#d62728' '#1f77b4' '#2ca02c' black) i=0 model key with
    for model in hockney loggp plogp measured; do
        i=$((i + 1))
        key="^${1// /\\t}\\t$model\\t${RANKS:+$RANKS\\t}"
        grep -qP "$key" "$work/figures" || continue
        with="lines lw $((5 - i)) dt ${4-1}" # curves that are equal show all
        [ "$model" != measured ] || with="points pt $((${4-1} * 2 + 4)) ps 0.7"
        echo "'< grep -P \"$key\" $work/figures' using $2:($3*\$7) with $with lc rgb '${colours[i]}' title '${names[i]}${5-}'"
    done | paste -sd ,
}

# barriers MOST: Figure 2, up to so many ranks.
barriers() {
    local panel RANKS=
    echo "set multiplot layout 1,3; set key outside bottom center horizontal; set xlabel 'ranks'; set ylabel 'us'; set xtics 4; set xrange [2:$1]; set yrange [0:*]"
    for panel in 'bruck:Bruck' 'recursive_doubling:recursive doubling' 'linear:flat tree'; do
        echo "set title '${panel#*:}'; plot $(curves "barrier ${panel%%:*} 0" 5 1e6)"
    done
    echo 'unset multiplot'
}

sizes="set key inside left top; set logscale xy; set logscale x 2; set format x '2^{%L}'; set xtics 16; set ylabel 'ms'"

# reductions PAPER RANKS...: Figure 3; PAPER: with the number that the paper prints.
reductions() {
    local algorithm RANKS paper=$1
    shift
    echo "set multiplot layout 2,$#; $sizes; set xlabel 'message [B]'"
    for algorithm in binomial pipeline; do
        for RANKS; do
            printf '%s' "set title '$algorithm, $RANKS ranks'; plot $(curves "reduce $algorithm 0" 6 1e3 1 ', whole'), $(curves "reduce $algorithm 1024" 6 1e3 2 ', 1 KiB')"
            [ "$algorithm$paper" = pipelinepaper ] || { echo && continue; }
            printf "%s\n1048576\t40\ne\n" ", '-' with points pt 6 ps 1.6 lw 2 lc rgb 'black' title 'the paper, in 1 KB'"
        done
    done
    echo 'unset multiplot'
}

# exchange: Figure 4, on RANKS of the caller.
exchange() {
    echo "$sizes; set xlabel 'sent by each rank to all [B]'; set title 'pairwise exchange, $RANKS ranks'; plot $(curves 'alltoall pairwise 0' 6 1e3)"
}
