# Maps of message size by ranks; bench/papers/004 sources it.

colour() {
    case $1 in
    linear/0) echo '#c7c7c7' ;; linear/1024) echo '#8c8c8c' ;; linear/8192) echo '#525252' ;;
    binomial/0) echo '#9ecae1' ;; binomial/1024) echo '#4292c6' ;; binomial/8192) echo '#08519c' ;;
    binary/0) echo '#a1d99b' ;; binary/1024) echo '#41ab5d' ;; binary/8192) echo '#006d2c' ;;
    split_binary/0) echo '#fdc38d' ;; split_binary/1024) echo '#f16913' ;; split_binary/8192) echo '#8c2d04' ;;
    pipeline/0) echo '#dadaeb' ;; pipeline/1024) echo '#9e9ac8' ;; pipeline/8192) echo '#54278f' ;;
    esac
}

# spans: of lines "model ranks bytes what...", in ascending bytes, "model what from to ranks" where `what` stays the same.
spans() {
    awk -F '\t' -v OFS='\t' '
    function out(to) { if (from) print model, what, from, to, ranks }
    { now = NF > 4 ? $4 "/" $5 : $4 }
    $1 != model || $2 != ranks { out(end * 1.5); from = $3; model = $1; ranks = $2; what = now }
    now != what { out($3); from = $3; what = now }
    { end = $3 }
    END { out(end * 1.5) }'
}

axes() { # axes MODEL TITLE FILE
    awk -F '\t' '{ if (!n++ || $3 < low) low = $3; if ($4 > high) high = $4; if (n == 1 || $5 < least) least = $5; if ($5 > most) most = $5 }
    END { printf "set xrange [%g:%g]; set yrange [%g:%g]\n", low, high, least - 0.5, most + 0.5
          print (most > 16 ? "set ytics 4" : "set ytics 1")
          if (high > 1e8) print "set xtics (\"1 B\" 1, \"1 KiB\" 2**10, \"1 MiB\" 2**20, \"1 GiB\" 2**30)"
          else print "set xtics (\"8 B\" 8, \"256 B\" 256, \"8 KiB\" 2**13, \"256 KiB\" 2**18)" }' "$3"
    echo "set title '$2'"
}

# decisions NAME COLUMNS FILE MODEL TITLE [MODEL TITLE]...: a map for each model of FILE ("model ranks bytes algorithm
# segment"), coloured by method, and a key.
decisions() {
    local name=$1 columns=$2 file=$work/spans-$1 panels=$((($# - 3) / 2)) size method rows keys
    spans <"$3" >"$file"
    shift 3
    rows=$(((panels + columns) / columns))
    size=$((380 * columns)),$((330 * rows))
    {
        echo "set multiplot layout $rows,$columns; unset key; set logscale x 2; unset grid; set tics out nomirror"
        echo "set xlabel 'message'; set ylabel 'ranks'"
        while [ $# -gt 0 ]; do
            axes "$1" "$2" "$file"
            for method in $(awk -F '\t' -v m="$1" '$1 == m && !seen[$2]++ { print $2 }' "$file"); do
                echo "'< grep -P \"^$1\\t$method\\t\" $file' using (sqrt(\$3*\$4)):5:3:4:(\$5-0.52):(\$5+0.52) with boxxyerror fs solid noborder lc rgb '$(colour "$method")'"
            done | paste -sd , | sed 's/^/plot /'
            shift 2
        done
        echo "set key at screen 0.99,$(awk -v r="$rows" 'BEGIN { print 1 / r - 0.06 }') right top Left reverse samplen 2 spacing 1.15; unset border; unset tics; unset title; set xlabel ' '; set ylabel ' '"
        echo "unset logscale; set xrange [0:1]; set yrange [0:1]"
        keys=()
        for method in {linear,binomial,binary,split_binary,pipeline}/{0,1024,8192}; do
            grep -qP "\t$method\t" "$file" || continue
            keys+=("keyentry with boxes fs solid lc rgb '$(colour "$method")' title '$(label "$method")'")
        done
        (IFS=, && echo "plot -1 notitle, ${keys[*]}")
        echo 'unset multiplot'
    } | plot "$name" "$size"
}

label() { # split_binary/1024: "split-binary in 1 KiB"
    local segment=${1#*/} algorithm=${1%/*}
    algorithm=${algorithm/_/-}
    [ "$segment" = 0 ] && echo "$algorithm, whole" || echo "$algorithm in $((segment / 1024)) KiB"
}

# penalties NAME COLUMNS FILE MODEL TITLE...: the same for lines "model ranks bytes penalty", in percent.
penalties() {
    local name=$1 columns=$2 file=$work/spans-$1 panels=$((($# - 3) / 2)) rows
    spans <"$3" >"$file"
    shift 3
    rows=$(((panels + columns - 1) / columns))
    {
        echo "set multiplot layout $rows,$columns; unset key; set logscale x 2; unset grid; set tics out nomirror"
        echo "set xlabel 'message'; set ylabel 'ranks'; set cbrange [0:200]; set cbtics ('0%%' 0, '50%%' 50, '100%%' 100, '150%%' 150, '200%%+' 200)"
        echo "set palette defined (0 '#ffffff', 10 '#fee8c8', 50 '#fdbb84', 100 '#e34a33', 200 '#7f0000')"
        while [ $# -gt 0 ]; do
            axes "$1" "$2" "$file"
            echo "plot '< grep -P \"^$1\\t\" $file' using (sqrt(\$3*\$4)):5:3:4:(\$5-0.52):(\$5+0.52):2 with boxxyerror fs solid noborder lc palette"
            shift 2
        done
        echo 'unset multiplot'
    } | plot "$name" "$((400 * columns)),$((330 * rows))"
}
