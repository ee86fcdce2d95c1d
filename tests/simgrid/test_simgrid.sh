#!/usr/bin/env bash
# Simulated clusters match their specs, and plans are executed on them: test_simgrid.sh SOURCE_DIR BIN_DIR CLAIM
set -euo pipefail

source=$1 bin=$2 claim=$3
export PLANBCAST_BIN=$2
specs=$source/bench/clusters
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wrong() { echo "FAILED: $1" && exit 1; }
simulate() { "$source/bench/simulate" "$@" 2>"$work/err" || wrong "$1: status $?: $(head -n 5 "$work/err")"; }

# Ranks that share a host see each other there, and hosts are called as in the spec.
ranks_are_where_the_spec_puts_them() {
    local spec
    for spec in 8x2-cyclic mixed-cards racks; do
        "$source/bench/simulate" hostfile "$specs/$spec.json" >"$work/wanted"
        simulate "$specs/$spec.json" -- "$bin/probe" host >"$work/seen"
        sort -n "$work/seen" | awk '{ print $2 }' | cmp - "$work/wanted" || wrong "$spec: $(cat "$work/seen")"
        while read -r _ host together; do
            [ "$together" -eq "$(grep -cx "$host" "$work/wanted")" ] || wrong "$spec: $together ranks on $host"
        done <"$work/seen"
    done
}

near() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0.97 * b && a < 1.03 * b) }' || wrong "$1 is not about $2"; }
# rate SPEC FROM TO [FROM TO]...: of long messages at the same time, together [B/s], without the model's factors
rate() {
    simulate "$1" --cfg=network/model:CM02 --cfg=network/crosstraffic:0 -- "$bin/probe" rate "${@:2}"
}

cards_and_trunks_have_a_rate_each_way() {
    near "$(rate "$specs/asymmetric.json" 0 1)" 12.5e6 # out of a card
    near "$(rate "$specs/asymmetric.json" 0 5 1 5 2 5 3 5)" 50e6
    near "$(rate "$specs/asymmetric.json" 0 1 1 0)" 25e6 # both ways at once
    near "$(rate "$specs/three-sites.json" 0 1)" 6.25e6  # into site 1
    near "$(rate "$specs/three-sites.json" 0 2 3 5)" 12.5e6
    near "$(rate "$specs/three-sites.json" 0 3)" 25e6 # within site 0
    near "$(rate "$specs/racks.json" 0 6 2 8)" 25e6   # from rack to rack
    near "$(rate "$specs/racks.json" 0 1 2 3)" 12.5e6 # from site to site
    near "$(rate "$specs/one-host.json" 0 1 2 3)" 5e9 # the memory
}

plans_deliver_every_byte() {
    simulate "$specs/three-sites.json" -- "$bin/planbcast-mpi" run --bytes 8,256K --root 3 --budget 2 --time 0.05 --json \
        >"$work/result.json"
    jq -e '.ranks == 12 and .hosts == 12 and (.broadcasts | length == 2 and all(.wrong_bytes == 0 and .plan_s > 0))' \
        "$work/result.json" || wrong "result: $(cat "$work/result.json")"
    # By its description each host has memory to share; in simulations there is none, and messages go in its place.
    simulate "$specs/8x4-block.json" -- "$bin/planbcast-mpi" run --machine "$specs/8x4-block.json" --bytes 4K,64K --time 0.05 --json \
        >"$work/result.json"
    jq -e '.broadcasts | length == 2 and all(.wrong_bytes == 0 and .plan != "two-level")' "$work/result.json" ||
        wrong "result: $(cat "$work/result.json")"
}

# The benchmark: one cell with all plans and selectors, and a table of it.
plans_are_timed_beside_all_selectors() {
    "$source/bench/simgrid/run" --quick --sizes 4K --budget 1 --out "$work/out" "$specs/8x2-cyclic.json" >"$work/log" ||
        wrong "status $?: $(cat "$work/log")"
    jq -e '.ranks == 16 and (.settings | map(.name) | sort) == ["impi", "mpich", "mvapich2", "ompi", "plan, estimated",
        "plan, from the spec", "plan, measured", "plan, measured beside impi", "plan, measured beside mpich",
        "plan, measured beside mvapich2"] and (.settings | all(.median_s > 0 and .wrong_bytes == 0))' \
        "$work/out/8x2-cyclic/root0/4096.json" || wrong "cell: $(cat "$work/out/8x2-cyclic/root0/4096.json")"
    "$source/bench/simgrid/table" "$work/out" >"$work/table"
    [ "$(grep -c '^| 4 KiB' "$work/table")" -eq 1 ] || wrong "table: $(cat "$work/table")"
}

# The bound of the spec's machine, but for the 2% of noise and the burst that emulated ones have: simulated ones have none.
no_broadcast_exceeds_the_bound() {
    local spec root bound name
    for spec in star-5:0 thin-root:0 thin-root:5; do
        root=${spec#*:} name=${spec%:*}
        bound=$("$bin/planbcast" solve "$specs/uploads/$name.json" --slice 1M --root "$root" --json | jq .bytes_per_s)
        "$source/bench/simgrid/run" --quick --sizes 1M --budget 1 --root "$root" --out "$work/out" "$specs/uploads/$name.json" >"$work/log" ||
            wrong "$name: status $?: $(cat "$work/log")"
        jq -e --argjson bound "$bound" '(.bytes / $bound / 1.02) as $least
            | .settings | length > 5 and all(.wrong_bytes == 0 and .median_s >= $least)' \
            "$work/out/$name/root$root/1048576.json" || wrong "bound $bound: $(cat "$work/out/$name/root$root/1048576.json")"
    done
}

# Ordinary clusters come without a spec. Each cell is one row, the plans of both modes beside the best of the others.
plans_of_ordinary_clusters_make_a_table() {
    "$source/bench/simgrid/ordinary" --sizes 8,4K --budget 1 --selectors --out "$work/ordinary" 4x2:1250:2 >"$work/table" 2>"$work/log" ||
        wrong "status $?: $(cat "$work/log")"
    [ "$(grep -cE '^\| 4x2-1250-2 \| 0 \| (8 B|4 KiB) \|' "$work/table")" -eq 2 ] || wrong "table: $(cat "$work/table")"
    grep -q '^2 cells; .* default / best: above 1.03 in [0-2] of 2$' "$work/table" || wrong "table: $(cat "$work/table")"
}

# By the model alone, on equal hosts at one switch: at most 10% slower than the best selector, whatever the message.
estimates_beat_the_selectors_on_ordinary_clusters() {
    "$source/bench/simgrid/ordinary" --estimate --selectors --budget 2 --sizes 8,4K,64K,1M --out "$work/ordinary" \
        24x1:1250:2 8x4:1250:5 >"$work/table" 2>"$work/log" || wrong "status $?: $(cat "$work/log")"
    grep -q '^8 cells; .* above 1.1 in 0$' "$work/table" || wrong "table: $(cat "$work/table")"
}

# SimGrid lets 1 KiB messages have 34% of a rate, those of 64 KiB 94%, and all that are under way share it: windows of a
# fixed width would show the latency instead.
slices_are_measured_as_streams() {
    jq '.sites[].hosts[] += {in_bytes_per_s: 1.25e9, out_bytes_per_s: 1.25e9, latency_s: 2e-6}' "$specs/8-equal.json" >"$work/spec.json"
    simulate "$work/spec.json" -- "$bin/planbcast-mpi" measure --budget 10 -o "$work/profile.json" >/dev/null
    jq -e '.platform.channels[0] | .fluid and ([.bytes, .gap_s] | transpose | map({(.[0] | tostring): (.[0] / .[1])}) | add
            | .["1024"] > 0.32 * 1.25e9 and .["1024"] < 0.36 * 1.25e9 and .["1048576"] > 0.92 * 1.25e9 and .["1048576"] < 0.96 * 1.25e9)' \
        "$work/profile.json" || wrong "channels: $(jq -c .platform.channels "$work/profile.json")"
    jq -e '[.platform.resources[] | select(.pairs) | .pairs[] | select(.[0] == 1024) | .[2]] | length == 16 and
            all(. > 0.32 * 1.25e9 and . < 0.36 * 1.25e9)' "$work/profile.json" ||
        wrong "cards: $(jq -c '.platform.resources[0]' "$work/profile.json")"
}

# Computing takes no time: nothing depends on the machine or its load.
every_run_takes_the_same_time() {
    local times='[.broadcasts[] | .plan, .plan_s, .mpi_bcast_s]'
    for run in 1 2; do
        simulate "$specs/8x2-cyclic.json" -- "$bin/planbcast-mpi" run --bytes 64K --budget 1 --time 0.05 --json |
            jq -c "$times" >"$work/$run"
    done
    cmp "$work/1" "$work/2" || wrong "$(cat "$work/1" "$work/2")"
}

# Hosts are sampled: no experiment for every pair, and still every rank's site, every trunk and every card come out.
many_hosts_take_few_experiments() {
    jq '.sites[].hosts[].count = 8' "$specs/simulated/four-sites.json" >"$work/spec.json"
    simulate "$work/spec.json" -- "$bin/planbcast-mpi" measure --budget 100 -o "$work/profile.json" >/dev/null
    # each class of channels has its ladder and flat trees, each trunk flows in and out from up to all ranks, cards of
    # three rates two flows of seven slice sizes; all pairs would be 1,488 experiments by themselves
    jq -e '.provenance.experiments as $n | .platform | (.channels | length) as $classes |
        $n > 0 and $n <= 3 * .ranks * (.ranks | log2) + 8 * .ranks + 60 * $classes + 2 * 3 * 2 * 7' "$work/profile.json" ||
        wrong "experiments: $(jq -c .provenance.experiments "$work/profile.json")"
    # SimGrid lets long messages have 94% of a rate
    jq -e 'def near(x): . > 0.9 * 0.94 * x and . < 1.1 * 0.94 * x;
        .platform | (.sites == [range(32) | . % 4]) and
        ([.resources[] | {(.name): (1 / .s_per_byte)}] | add) as $rate |
        all([125e6, 60e6, 125e6, 30e6] | to_entries[]; . as $t | all("out", "in";
            $rate["site \($t.key) trunk \(.)"] // 0 | near($t.value))) and
        all(range(32); . as $host | all("out", "in";
            $rate["host \($host) \(.)"] // 0 | near([1250e6, 1250e6, 125e6, 312e6][$host % 4])))' "$work/profile.json" ||
        wrong "platform: $(jq -c '.platform | .sites, .resources | map({name, s_per_byte}?)' "$work/profile.json")"
}

# One flow each of four hosts with weak uploads fills a trunk to 24 of 22 MB/s; the root's card carries three times as much.
trunks_hardly_slower_than_a_flow_of_each_host_are_found() {
    jq '.sites[0].trunk.out_bytes_per_s = 22e6 | .sites[1].trunk.in_bytes_per_s = 22e6' "$specs/uploads/two-sites.json" \
        >"$work/spec.json"
    simulate "$work/spec.json" -- "$bin/planbcast-mpi" measure --budget 10 -o "$work/profile.json" >/dev/null
    jq -e 'def near(x): . > 0.9 * 0.94 * x and . < 1.1 * 0.94 * x;
        [.platform.resources[] | {(.name): (1 / .s_per_byte)}] | add
        | ."site 0 trunk out" // 0 | near(22e6)' "$work/profile.json" ||
        wrong "resources: $(jq -c '.platform.resources | map({name, s_per_byte}?)' "$work/profile.json")"
}

# SimGrid lets slices of 2 KiB have 61% of a rate: of racks' trunks, of those behind them, and so in what is planned.
small_slices_get_less_of_every_trunk() {
    simulate "$specs/racks.json" -- "$bin/planbcast-mpi" measure --budget 10 -o "$work/profile.json" >/dev/null
    jq -e '[.platform.resources[] | select(.name | test("trunk"))] | length == 12 and
        all(.[]; .s_per_byte as $large | [.pairs[] | select(.[0] == 2048)[2] * $large] | . != [] and .[0] > 0.5 and .[0] < 0.75)' "$work/profile.json" ||
        wrong "trunks: $(jq -c '.platform.resources | map({name, s_per_byte, pairs}?)' "$work/profile.json")"
}

# Of every cluster hosts, sites and each rate within a tenth; of links between hosts the latency, of which SimGrid has short
# messages take twice, and of their classes the ladder: its first message takes the latency, and its last as long as it is.
measuring_finds_the_spec() {
    for spec in "$specs"/*.json; do
        simulate "$spec" -- "$bin/planbcast-mpi" measure --budget 10 -o "$work/profile.json" >/dev/null
        PLANBCAST_BIN=$bin "$source/bench/verify" --profile "$work/profile.json" "$spec" >"$work/verdict" ||
            wrong "$spec: $(cat "$work/verdict")"
        "$bin/planbcast" generate sites "$spec" -o "$work/spec.json"
        jq -e --slurpfile spec "$work/spec.json" 'def near(x): . > 0.9 * x and . < 1.1 * x;
            ($spec[0].links | map({key: "\(.from) \(.to)", value: .}) | from_entries) as $wanted | $spec[0].hosts as $host
            | .platform.channels as $class | [.platform.links[] | select($host[.from] != $host[.to])]
            | all(.[]; $class[.channel // 99] as $c | $wanted["\(.from) \(.to)"] as $w
                | (.latency_s + .delay_s | near(2 * ($w.latency_s + $w.delay_s)))
                and ($c.p2p_s[0] | near(2 * ($w.latency_s + $w.delay_s)))
                and ($c.gap_s[-1] | near($c.bytes[-1] * $w.s_per_byte)) and $c.bytes[-1] == 1048576
                and ($c.gamma // [1] | to_entries | all(.value >= 1 and .value <= .key + 1)))' "$work/profile.json" \
            >"$work/verdict" || wrong "$spec: $(jq -c '.platform | .channels, .links[:20]' "$work/profile.json")"
    done
}

# At most 1.2 times the budget, in simulated time, which is the same on every machine: also where single messages take long.
# SimGrid broadcasts the number of a communicator by the selector: seconds on long links.
making_a_communicator_takes_nothing_off_the_budget() {
    simulate "$specs/simulated/256-ranks.json" --cfg=smpi/bcast:ompi -- "$bin/planbcast-mpi" measure --budget 4 -o "$work/profile.json" >/dev/null
    jq -e '.provenance | .seconds < 4.8 and .phases[0].share_s > 0' "$work/profile.json" || wrong "$(jq -c .provenance "$work/profile.json")"
}

# All cards are measured, and the message sizes of one class, which others are like: SimGrid stretches the latencies of long
# messages, and what is sent together arrives together.
little_time_suffices_for_far_hosts() {
    jq '.sites[].hosts[].count = 8' "$specs/simulated/four-sites.json" >"$work/spec.json"
    simulate "$work/spec.json" -- "$bin/planbcast-mpi" measure --budget 8 -o "$work/profile.json" >/dev/null
    jq -e 'def near(x): . > 0.9 * 0.94 * x and . < 1.1 * 0.94 * x;
        (.machine.kinds | length == 3 and all(.[]; .shared_out and .shared_in and (.out.guess or .in.guess | not)))
        and (.platform | ([.resources[] | {(.name): (1 / .s_per_byte)}] | add) as $rate
            | all(range(32); . as $host | all("out", "in";
                $rate["host \($host) \(.)"] // 0 | near([1250e6, 1250e6, 125e6, 312e6][$host % 4]))))
        and ([.machine.channels[] | select(.network)] | length > 1 and all(.[]; .fluid
            and .p2p_s[(.bytes | index(65536))] - 65536 * .s_per_byte > 5 * .p2p_s[0]))' "$work/profile.json" ||
        wrong "machine: $(jq -c '.machine | .kinds, .channels' "$work/profile.json")"
}

# A single host that is farther from the others of its site than they are from each other is met first: the time of their
# flows is not to be taken for that much latency. SimGrid lets long messages have 94% of a rate.
cards_of_near_hosts_are_no_faster_than_they_are() {
    "$source/bench/levels/generate" 2 >"$work/spec.json"
    jq -e '[.sites[] | .. | objects | select(.count) | .in_bytes_per_s] | max' "$work/spec.json" >"$work/fastest"
    simulate "$work/spec.json" -- "$bin/planbcast-mpi" measure --budget 1 -o "$work/profile.json" >/dev/null
    jq -e --slurpfile fastest "$work/fastest" '[.machine.kinds[] | .in, .out | .bytes_per_s] | max
        | . > 0.99 * 0.94 * $fastest[0] and . < 1.03 * 0.94 * $fastest[0]' "$work/profile.json" ||
        wrong "cards: $(jq -c '[.machine.kinds[] | .in, .out | .bytes_per_s]' "$work/profile.json")"
}

# Four sites on fast links are near each other, and one flow to any of the four others is as fast as a card there: that is no
# trunk of the four together, whether time allows to measure it or not.
what_sites_explain_is_no_trunk_of_several() {
    for budget in 10 20; do
        simulate "$specs/simulated/256-ranks.json" -- "$bin/planbcast-mpi" measure --budget "$budget" -o "$work/profile.json" >/dev/null
        jq -e '[.machine.groups[] | .. | objects | select((.groups // [] | length) > 1) | .out, .in | select(. != null)] | length == 0' \
            "$work/profile.json" || wrong "budget $budget: $(jq -c '.machine.groups' "$work/profile.json")"
    done
}

measuring_keeps_to_its_budget() {
    jq '.sites[].hosts[].count = 8' "$specs/simulated/four-sites.json" >"$work/far.json"
    "$source/bench/simgrid/measuring" --whole --check --budget 4 "$work/far.json" "$specs"/{three-sites,racks,mixed-cards}.json >"$work/table" ||
        wrong "$(cat "$work/table")"
    [ "$(grep -c '| whole |' "$work/table")" -eq 4 ] || wrong "table: $(cat "$work/table")"
}

# With acknowledgements a relay loses of its way in while it sends; without them hardly.
relays_share_their_cards_with_acknowledgements() {
    local relays='[.platform.resources[] | select(.name | test(" relay$")) | 1 / .s_per_byte]'
    simulate "$specs/three-sites.json" -- "$bin/planbcast-mpi" measure --budget 10 -o "$work/with.json" >/dev/null
    simulate "$specs/three-sites.json" --cfg=network/crosstraffic:0 -- "$bin/planbcast-mpi" measure --budget 10 \
        -o "$work/without.json" >/dev/null
    # trunks of 12.5 and 6.25 MB/s and cards of 25: their sum at most, one way at a time at least
    jq -e "$relays | length == 12 and all(.[]; . > 12.5e6 and . < 0.9 * 37.5e6)" "$work/with.json" ||
        wrong "relays: $(jq -c "$relays" "$work/with.json")"
    jq -e "$relays | length < 12 and all(.[]; . > 25e6)" "$work/without.json" ||
        wrong "relays without acknowledgements: $(jq -c "$relays" "$work/without.json")"
}

# Plans from measuring are as good as those from the description; the table says so.
made_up_levels_make_a_table() {
    "$source/bench/levels/run" --budget 10 --out "$work/levels" 4 >"$work/table" 2>"$work/log" || wrong "status $?: $(cat "$work/log")"
    grep -qE '^\| 4 \| 13 \|' "$work/table" || wrong "table: $(cat "$work/table" "$work/log")"
    grep -q '^6 cells: .* above 1.1 in 0$' "$work/table" || wrong "table: $(cat "$work/table")"
}

# SMPI lets slices of 16 and 32 KiB pass at three quarters of the rate of 8 KiB, and plans for 16 MiB know it.
larger_slices_that_are_slower_are_seen() {
    "$source/bench/levels/run" --out "$work/levels" 54 >"$work/table" 2>"$work/log" || wrong "status $?: $(cat "$work/log")"
    awk -F'|' '/^\| 54 \|/ { split($9, part, ","); seen = part[1] < 0.8 && part[2] < 0.8 } END { exit !seen }' "$work/table" ||
        wrong "table: $(cat "$work/table")"
}

what_fails_says_so() {
    local rc=0
    "$source/bench/simulate" "$work/no.json" -- true 2>"$work/err" || rc=$?
    [ "$rc" -eq 2 ] && grep -q 'cannot be read' "$work/err" || wrong "status $rc: $(cat "$work/err")"
    rc=0
    "$source/bench/simulate" "$specs/one-host.json" 2>"$work/err" || rc=$?
    [ "$rc" -eq 2 ] && grep -q 'give -- and a program' "$work/err" || wrong "status $rc: $(cat "$work/err")"
    rc=0
    "$source/bench/simulate" "$specs/one-host.json" -- "$bin/planbcast-mpi" run --root 7 >"$work/out" 2>"$work/err" || rc=$?
    [ "$rc" -eq 2 ] && grep -q -- '--root 7' "$work/err" || wrong "status $rc: $(cat "$work/err")"
}

"$source/bench/simulate" possible || exit 77
"$claim"
echo "ok: ${claim//_/ }"
