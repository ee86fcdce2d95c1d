# What the commands of this folder share; they source it. Sets: paper (its number), top, data (NNN.d), out, work.
paper=$(basename "$0")
data=$(dirname "$(readlink -f "$0")")/$paper.d
top=$(readlink -f "$data/../../..")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# shellcheck source=bench/options.bash
. "$top/bench/options.bash"
fail() { complain "bench/papers/$paper: $1" && exit "${2-1}"; }

# program NAME: the path of a built program.
program() {
    local file
    for file in "${PLANBCAST_BIN-$top/build/release/bin}/$1" "$top"/build/{offline,check}/bin/"$1"; do
        [ -x "$file" ] && echo "$file" && return
    done
    fail "build it first: cmake --preset release && cmake --build --preset release"
}

# results FOLDER: where the report goes; made if it is not there.
results() {
    out=${1:-$top/build/papers}
    mkdir -p "$out" || fail "$out: cannot be made"
    command -v gnuplot >/dev/null || fail "gnuplot is not installed"
}

# provenance SEEDS: two sentences for the report.
provenance() { echo "$("$top/bench/provenance" "bench/papers/$paper" "$(nproc) cores") Seeds: $1."; }

# plot NAME [WIDTH,HEIGHT]: gnuplot commands on standard input draw $out/NNN-NAME.svg.
plot() {
    {
        echo "set terminal svg size ${2-760,480} font 'sans,13' background 'white'"
        cat <<'GNUPLOT'
set datafile separator "\t"
set datafile missing "nan"
set grid lc rgb "#dddddd"
set key outside right top reverse Left
GNUPLOT
        echo "set output '$work/plot.svg'"
        cat
    } | gnuplot || fail "gnuplot failed at $1"
    [ -s "$work/plot.svg" ] || fail "gnuplot drew nothing at $1"
    # curves without a title get what gnuplot read, a path that means nothing later
    sed "s|<title>[^<]*$work[^<]*</title>||" "$work/plot.svg" >"$out/$paper-$1.svg"
}
