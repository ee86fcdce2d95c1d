# The report of bench/papers/004 --emulate from what was measured in $raw; bench/papers/004 sources it.
for file in profile.json times cluster.json; do [ -e "$raw/$file" ] || fail "$raw/$file: nothing was measured yet; leave out --seconds 0"; done
"$models" parameters "$raw/profile.json" >"$work/parameters"
"$models" score "$raw/profile.json" <"$raw/times" >"$work/scored"
{ grep -P '^time\t\d+\t\d+\tdefault\t' "$raw/times" && cat "$work/scored"; } >"$work/cells"
costs() { # costs WANT [LOW HIGH]: of messages of these sizes in bytes; rows keep their order
    jq -Rnr -L "$top/bench" --arg want "$1" --argjson low "${2-0}" --argjson high "${3-1e12}" -f "$data/emulated.jq" "$work/cells"
}
least=$(cut -f 1 "$work/scored" | sort -n | head -n 1) most=$(cut -f 1 "$work/scored" | sort -n | tail -n 1)
{
    costs measured
    "$models" map "$raw/profile.json" "$least" "$most" 1048576 | awk -F '\t' '$3 >= 8'
} >"$work/decisions"
costs penalty | sort -s -t "$(printf '\t')" -k 1,1 -k 2,2n -k 3,3n >"$work/penalties"
decisions emulated 4 "$work/decisions" measured measured hockney Hockney loggp LogGP plogp PLogP taulop tau-Lop simulation 'the simulation'
penalties penalty 3 "$work/penalties" hockney Hockney loggp LogGP plogp PLogP taulop tau-Lop simulation 'the simulation' default 'MPI\_Bcast, as it decides'

table() {
    echo '| choice by | the best itself | within 10% | median | 90th percentile | worst | there |'
    echo '| --- | ---: | ---: | ---: | ---: | ---: | --- |'
    costs table "$@"
}

cat <<MARKDOWN
# 004: the fastest broadcast on an emulated cluster, by measurement and by each model

Pjesivac-Grbovic, Angskun, Bosilca, Fagg, Gabriel, Dongarra 2007, Figures 5 and 6, for \`$(sed -n 's/.*"name": "\([^"]*\)".*/\1/p' "$raw/cluster.json" | head -n 1)\`.

$(provenance "$seed, of the order in which methods take turns")
The machine is measured by \`planbcast-mpi measure\`; parameters of all models come from its class "network" with
\`lit_network_from_channel\`. Then every method of the paper runs as Open MPI has it (coll/tuned, which grew out of the authors'
library; it has no segmented linear broadcast), root 0, each on a communicator of its own: $(costs cells) cells of ranks and message sizes. In a
cell the methods take turns, newly shuffled each round; time is from the root's start to the last rank's end, medians. Who is far
behind drops out after one round or a few: its penalty is large in any case. All hosts share the processors of one machine.

## Parameters

$(awk -F '\t' '
FILENAME == ARGV[1] { if ($1 == "receive") or[$2 + 0] = $3; next }
$1 == "loggp" { printf "LogGP: L = %.3g us, o = %.3g us, g = %.3g us, G = %.3g us/B. ", 1e6 * $2, 1e6 * $3, 1e6 * $4, 1e6 * $5 }
$1 == "plogp" { printf "PLogP: L = %.3g us, and by size:\n\n| bytes | Hockney alpha [us] | beta [us/B] | PLogP os [us] | or [us] | g [us] | g / bytes [us/B] |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n", 1e6 * $2 }
$1 == "size" {
    r = $2 in or ? sprintf("%.3g", 1e6 * or[$2 + 0]) : "-"
    printf "| %d | %.3g | %.3g | %.3g | %s | %.4g | %.3g |\n", $2, 1e6 * $3, 1e6 * $4, 1e6 * $5, r, 1e6 * $7, 1e6 * $7 / $2
    if (($2 == 1024 || $2 == 8192) && $2 in or && or[$2 + 0] + $5 > $7) more = more " " $2 " B"
}
END { print "\nor is measured apart, by the first and the last rank: a message is asked for, given time to come, and then received. Beyond"
      print "the eager limit none comes before it is received. `lit_network_from_channel` takes or for os. or counts only in PLogP'"'"'s binary and split-binary"
      printf "trees of several segments, where or + os exceeds g: here %s.\n", more == "" ? "for none of the segments" : "for segments of" more }' "$raw/times" "$work/parameters")

## Which method is the fastest (Figure 5)

![decisions](004-emulated.svg)

## What a model's choice costs (Figure 6)

Time of the method that the model takes for the fastest, over that of the fastest measured, less 1. Figures are for all cells and
then by message size.

![penalties](004-penalty.svg)

$(table 0 1e12)

$(costs best)

Less than 1 KiB. The paper, on Frodo: more than 300% on 16 to 32 nodes, where linear is best; on few nodes Hockney and PLogP 0 to 15%,
but for 5 nodes.

$(table 0 1024)

1 to 8 KiB. The paper, up to 10 KB: 0 to 50%, Hockney worst.

$(table 1024 16384)

16 KiB to 1 MiB. The paper: LogGP up to 25%, PLogP up to 50%, Hockney about 30% where it takes split-binary in 8 KiB in place of
pipeline in 1 KiB.

$(table 16384 1e12)

MARKDOWN
cat "$data/penalties.md"
