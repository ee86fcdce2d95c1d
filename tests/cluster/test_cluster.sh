#!/usr/bin/env bash
# Emulated clusters match their specs and are removed completely: test_cluster.sh SOURCE_DIR BIN_DIR CLAIM
set -euo pipefail

source=$1 claim=$3
export PLANBCAST_BIN=$2
cluster=$source/bench/cluster
specs=$source/bench/clusters
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wrong() { echo "FAILED: $1" && exit 1; }

# Nothing of the clusters made by process $1 is left: no namespace, no file.
nothing_left_of() {
    ! grep -q "^pb-$1-" <<<"$(ip netns list)" || wrong "namespaces left: $(ip netns list | grep "^pb-$1-" | tr '\n' ' ')"
    ! compgen -G "/run/planbcast/pb-$1-*" || wrong "files left"
}

# Every rank is on the host that the spec deals it to, and every host has its own name.
ranks_are_where_the_spec_puts_them() {
    local spec
    for spec in three-sites 8x2-cyclic racks one-host; do
        "$cluster" show "$specs/$spec.json" >"$work/wanted"
        # shellcheck disable=SC2016 # for the shell of each rank
        "$cluster" run "$specs/$spec.json" -- sh -c 'echo $OMPI_COMM_WORLD_RANK $(hostname)' |
            sort -n >"$work/seen"
        cmp "$work/wanted" "$work/seen" || wrong "$spec: ranks are not on their hosts: $(paste "$work/wanted" "$work/seen")"
    done
}

# To the kernel's scheduler the ranks of all hosts are one group of processes, in which each gives way to each (Open MPI 4).
ranks_of_all_hosts_give_way_to_each_other() {
    [ -r /proc/self/autogroup ] || { echo "this kernel has no groups of sessions" && exit 77; }
    [[ $(mpirun --version) == *'(Open MPI) 4.'* ]] || { echo "not Open MPI 4" && exit 77; }
    # A process that no session was ever made for, as where the tests are a service, has a group without a name.
    # shellcheck disable=SC2016 # for the shell of each rank
    "$cluster" run "$specs/8x2-cyclic.json" -- sh -c 'echo "group: $(cat /proc/self/autogroup)"' >"$work/groups"
    [ "$(wc -l <"$work/groups")" -eq 16 ] || wrong "not the groups of 16 ranks: $(cat "$work/groups")"
    [ "$(sort -u "$work/groups" | wc -l)" -eq 1 ] || wrong "ranks are in several groups: $(sort "$work/groups" | uniq -c)"
}

rate_of() { # rate_of NAMESPACE DEVICE: of its shaper, in bit/s
    tc -j -n "$1" qdisc show dev "$2" | jq -e '.[0].options.rate * 8'
}

# Cards and trunks are shaped on the sending end of each direction.
each_direction_has_its_own_rate() {
    local pid
    name=$("$cluster" up "$specs/asymmetric.json")
    pid=${name#pb-} && pid=${pid%%-*}
    trap '"$cluster" down "$name" 2>/dev/null; rm -rf "$work"' EXIT
    [ "$(rate_of "$name-h0" eth0)" = 100000000 ] || wrong "out rate of a card: $(rate_of "$name-h0" eth0)"
    [ "$(rate_of "$name-net" h0)" = 400000000 ] || wrong "in rate of a card: $(rate_of "$name-net" h0)"
    grep -qx "$name: 6 ranks on 6 hosts" <<<"$("$cluster" list)" || wrong "not listed: $("$cluster" list)"
    "$cluster" run "$name" -- true || wrong "a cluster that is up does not run"
    [ "$(ip netns list | grep -c "^$name-")" = 8 ] || wrong "a run took away a cluster that it had not made"
    "$cluster" down "$name"
    nothing_left_of "$pid"
    name=$("$cluster" up "$specs/three-sites.json")
    [ "$(rate_of "$name-net" t1in)" = 50000000 ] || wrong "in rate of a trunk"
    [ "$(rate_of "$name-net" t1out)" = 50000000 ] || wrong "out rate of a trunk"
    [ "$(rate_of "$name-net" t2out)" = 100000000 ] || wrong "out rate of a trunk"
}

# A run that is ended by signal $1 takes its processes, namespaces and files with it.
ended_by() {
    local run pids pid try
    # A job of its own has not SIGINT ignored, as background jobs of a script have.
    set -m
    "$cluster" run "$specs/three-sites.json" -- sleep 1000 >"$work/out" 2>&1 &
    set +m
    run=$!
    for try in {1..1000}; do
        pids=$(ip netns pids "pb-$run-three-sites-h11" 2>/dev/null | tr '\n' ' ' || true)
        [ "$(wc -w <<<"$pids")" -lt 2 ] || break # the host's daemon and its rank
        sleep 0.2
    done
    [ "$try" -lt 1000 ] || wrong "no rank came up: $(cat "$work/out")"
    kill "-$1" "$run"
    wait "$run" && wrong "status 0 after SIG$1"
    nothing_left_of "$run"
    for pid in $pids; do
        # One that has ended and waits to be collected by its parent has no command line any more.
        ! grep -q . "/proc/$pid/cmdline" 2>/dev/null || wrong "process $pid left after SIG$1"
    done
}

# After a kill that leaves no time for it, `list` tells what is left and `down` takes it away, processes too.
what_a_kill_leaves_can_be_taken_away() {
    local run name pids pid try
    "$cluster" run "$specs/three-sites.json" -- sleep 1000 >"$work/out" 2>&1 &
    run=$! name=pb-$!-three-sites
    # shellcheck disable=SC2064 # the name of now
    trap "'$cluster' down '$name' 2>/dev/null || true; rm -rf '$work'" EXIT
    for try in {1..1000}; do
        pids=$(ip netns pids "$name-h11" 2>/dev/null | tr '\n' ' ' || true)
        [ "$(wc -w <<<"$pids")" -lt 2 ] || break
        sleep 0.2
    done
    [ "$try" -lt 1000 ] || wrong "no rank came up: $(cat "$work/out")"
    kill -KILL "$run"
    wait "$run" 2>/dev/null || true
    grep -q "^$name: " <<<"$("$cluster" list)" || wrong "not listed: $("$cluster" list)"
    "$cluster" down "$name"
    nothing_left_of "$run"
    for pid in $pids; do
        ! grep -q . "/proc/$pid/cmdline" 2>/dev/null || wrong "process $pid left"
    done
}

# Nor does one that ends the probe of what this machine can do.
probe_ended_by() {
    local probe try
    printf '#!/bin/sh\ntouch "%s/begun"\nexec sleep 1000\n' "$work" >"$work/tc"
    chmod +x "$work/tc"
    rm -f "$work/begun"
    set -m
    PATH=$work:$PATH "$cluster" possible >"$work/out" 2>&1 &
    set +m
    probe=$!
    for try in {1..1000}; do
        [ ! -e "$work/begun" ] || break
        sleep 0.1
    done
    [ "$try" -lt 1000 ] || wrong "no probe began: $(cat "$work/out")"
    kill "-$1" -- "-$probe" # as a terminal does
    wait "$probe" && wrong "status 0 after SIG$1"
    nothing_left_of "$probe"
}

a_signal_leaves_nothing_behind() {
    ended_by TERM
    ended_by INT
    probe_ended_by TERM
    probe_ended_by INT
}

# Several clusters are up at the same time, and the status of the program is that of the run.
clusters_live_side_by_side() {
    local first second rc=0
    "$cluster" run "$specs/8-equal.json" -- hostname >"$work/first" 2>&1 & first=$!
    "$cluster" run "$specs/8-equal.json" -- sh -c 'hostname; exit 3' >"$work/second" 2>&1 & second=$!
    wait "$first" || wrong "status $? beside another cluster: $(cat "$work/first")"
    wait "$second" || rc=$?
    [ "$rc" -eq 3 ] || wrong "status $rc where the ranks exit with 3: $(cat "$work/second")"
    [ "$(grep -cx 'a-[0-7]' "$work/first")" -eq 8 ] || wrong "not 8 hosts: $(cat "$work/first")"
    nothing_left_of "$first"
    nothing_left_of "$second"
}

# The platform, the emulation and the simulation deal the ranks to the same hosts, and but for a shuffled placement to those that
# another reader of specs finds.
all_readers_place_ranks_alike() {
    local spec placement who
    for spec in "$specs"/*.json "$specs"/simulated/256-ranks.json; do
        for placement in '' block cyclic shuffled; do
            jq --arg placement "$placement" 'if $placement == "" then . else .placement = $placement end' "$spec" \
                >"$work/spec.json"
            "$PLANBCAST_BIN/planbcast" generate sites "$work/spec.json" -o "$work/platform.json"
            jq -r '.host_names as $name | .hosts | to_entries[] | "\(.key) \($name[.value])"' "$work/platform.json" \
                >"$work/planned"
            "$cluster" show "$work/spec.json" >"$work/emulated"
            "$source/bench/simulate" hostfile "$work/spec.json" | awk '{ print NR - 1, $1 }' >"$work/simulated"
            placement=$(jq -r '.placement // "block"' "$work/spec.json")
            if [ "$placement" = shuffled ]; then
                cp "$work/planned" "$work/wanted"
            else
                jq -r --arg placement "$placement" -f "$source/tests/cluster/placement.jq" "$work/spec.json" >"$work/wanted"
            fi
            for who in planned emulated simulated; do
                cmp "$work/wanted" "$work/$who" || wrong "$spec $placement, $who: $(paste "$work/wanted" "$work/$who")"
            done
        done
    done
}

# Measuring, planning and broadcasting work across hosts, and every byte arrives.
the_main_job_runs_across_three_sites() {
    "$cluster" run "$specs/three-sites.json" -- "$PLANBCAST_BIN/planbcast-mpi" run --bytes 4K,256K --budget 3 --time 0.1 \
        --json >"$work/result.json" || wrong "status $?"
    jq -e '.ranks == 12 and .hosts == 12 and (.broadcasts | length == 2 and all(.wrong_bytes == 0 and .plan_s > 0))' \
        "$work/result.json" || wrong "result: $(cat "$work/result.json")"
}

# Shared memory is of use where hosts have several ranks: dealt out in turn, or in blocks.
hosts_of_several_ranks_are_served_in_two_levels() {
    local spec
    for spec in 8x2-cyclic 8x4-block; do
        "$cluster" run "$specs/$spec.json" -- "$PLANBCAST_BIN/planbcast-mpi" run --bytes 8,16K,1M --only two-level --estimate \
            --budget 3 --time 0.05 --json >"$work/result.json" || wrong "$spec: status $?"
        jq -e '.hosts == 8 and (.broadcasts | length == 3 and all(.wrong_bytes == 0 and .plan_s > 0))' "$work/result.json" ||
            wrong "$spec: $(cat "$work/result.json")"
    done
}

# Three hosts are known, of two kinds that differ in their cards alone: of which kind the fourth is has to be measured.
a_new_host_is_measured_and_added_to_the_machine() {
    local slow='{"in_bytes_per_s": 1e7, "out_bytes_per_s": 1e7}' fast='{"in_bytes_per_s": 4e7, "out_bytes_per_s": 4e7}'
    local head='{"format": "planbcast-cluster", "version": 1, "sites": [{"hosts": ['
    local run=("$PLANBCAST_BIN/planbcast-mpi" run --bytes 64K --estimate --time 0.05 --budget 2 --machine "$work/machine.json"
        --save-machine "$work/machine.json")
    says() { grep -q "$1" "$work/out" || wrong "it does not say $1: $(cat "$work/out")"; }
    echo "$head$slow, $fast, $fast]}]}" >"$work/three.json"
    echo "$head$slow, $fast, $fast, $fast]}]}" >"$work/four.json"
    "$cluster" run "$work/three.json" -- "$PLANBCAST_BIN/planbcast-mpi" measure --machine "$work/machine.json" --budget 2 \
        >"$work/out" || wrong "status $?"
    # Each rate lies in the interval of its runs; beside other programs some are measured once, and have none.
    jq -e 'def within(x; i): i == null or (i[0] <= x and x <= i[1]);
        ([.kinds[] | .out, .in] | length >= 4 and any(.bytes_per_s_interval != null) and all(within(.bytes_per_s; .bytes_per_s_interval)))
        and ([.channels[] | select(.network)] | length > 0 and all(within(.s_per_byte; .s_per_byte_interval)
            and within(.latency_s; .latency_s_interval)))' "$work/machine.json" >"$work/verdict" ||
        wrong "intervals: $(cat "$work/machine.json")"
    jq '.kinds' "$work/machine.json" >"$work/before"
    "$cluster" run "$work/four.json" -- "${run[@]}" >"$work/out" || wrong "status $?"
    says 'hosts known by name: 3, '
    says 'hosts measured: 1, '
    "$cluster" run "$work/four.json" -- "${run[@]}" >"$work/out" || wrong "status $?"
    says 'The machine, loaded'
    says 'hosts known by name: 4, '
    "$cluster" run "$work/three.json" -- "${run[@]}" >"$work/out" || wrong "status $?"
    says 'hosts known by name: 3, '
    # The interval of a kind spans those of its new hosts, too.
    jq -e --slurpfile old "$work/before" 'def rates: walk(if type == "object" then with_entries(select(.key | endswith("_interval") | not)) else . end);
        (.kinds[:($old[0] | length)] | rates) == ($old[0] | rates)' "$work/machine.json" >"$work/verdict" ||
        wrong "figures that were known have changed: $(cat "$work/before" "$work/machine.json")"
}

# changing SPEC BYTES COMMAND [NAME=VALUE]...: reviews by a plan while the command changes the cluster, a line for each. In
# it $NET is the name of the cluster.
changing() {
    local spec=$1 bytes=$2 command=$3 name variables=()
    shift 3
    name=$("$cluster" up "$spec")
    # shellcheck disable=SC2064 # the name of now
    trap "'$cluster' down '$name'; rm -rf '$work'" EXIT
    for variable in "$@"; do variables+=(-x "$variable"); done
    "$cluster" run "$name" --quiet -x PLANBCAST_BUDGET=4 "${variables[@]}" -- "$PLANBCAST_BIN/../tests/bin/changing" \
        "$work/machine.json" "$bytes" "NET=$name; $command" >"$work/reviews" || wrong "status $?"
    "$cluster" down "$name"
    trap 'rm -rf "$work"' EXIT
    cat "$work/reviews"
    jq -es 'length == 4' "$work/reviews" >/dev/null || wrong "not four reviews"
}

# holds WHEN CONDITION: of that review
holds() {
    jq -es --arg when "$1" 'map(select(.when == $when)) | length == 1 and all('"$2"')' "$work/reviews" >/dev/null ||
        wrong "$1: not $2"
}

# What carries 4 MB/s carries 2 MB/s: the way into a site, or, as there are only two, the way out of the other. Ranks that are
# late and messages of several sizes give no alarm.
a_trunk_that_changes_is_found_and_measured_again() {
    cat >"$work/spec.json" <<'EOF'
{ "format": "planbcast-cluster", "version": 1, "name": "two sites",
  "sites": [ { "name": "a", "hosts": [ { "count": 3, "ranks": 1, "in_bytes_per_s": 8e6, "out_bytes_per_s": 8e6 } ] },
             { "name": "b", "trunk": { "in_bytes_per_s": 4e6, "out_bytes_per_s": 4e6 },
               "hosts": [ { "count": 3, "ranks": 1, "in_bytes_per_s": 8e6, "out_bytes_per_s": 8e6 } ] } ],
  "burst": { "seconds": 5e-4, "bytes": 9100 } }
EOF
    # shellcheck disable=SC2016 # for the shell of rank 0
    changing "$work/spec.json" 524288 \
        'tc -n $NET-net qdisc change dev t1in root tbf rate 16mbit burst 9100 limit 8000000' PLANBCAST_CANDIDATES=best-tree
    holds unchanged '.off == false and .bytes == 524288'
    holds 'unchanged, late' '.off == false and .renewed == false and .bytes > 0'
    holds changed '.off and .measured and .saved and .renewed and (.resource | test("^(inbound|outbound) trunk of "))'
    holds changed '.was > 3.2e6 and .was < 4.8e6 and .now > 1.6e6 and .now < 2.4e6'
    holds renewed '.off == false and .renewed == false'
    jq -e '[.. | objects | select(has("hosts")) | (.in, .out) | .bytes_per_s? // empty | select(. < 2.4e6)] | length == 1' \
        "$work/machine.json" >/dev/null || wrong "the file has not one trunk of the new rate"
    jq -es '.[2].hash == .[3].hash and .[0].hash == .[1].hash' "$work/reviews" >/dev/null || wrong "other plans"
}

# The new plan does not forward through the card that carries 2 MB/s where it carried 8: it is predicted to take less than
# half of what that card needs.
a_slow_card_is_planned_around() {
    cat >"$work/spec.json" <<'EOF'
{ "format": "planbcast-cluster", "version": 1, "name": "four hosts",
  "sites": [ { "name": "a", "hosts": [ { "count": 5, "ranks": 1, "in_bytes_per_s": 8e6, "out_bytes_per_s": 8e6 } ] } ],
  "burst": { "seconds": 5e-4, "bytes": 9100 } }
EOF
    # shellcheck disable=SC2016 # for the shell of rank 0
    changing "$work/spec.json" 524288 \
        'tc -n $NET-h$RELAY qdisc change dev eth0 root tbf rate 16mbit burst 9100 limit 8000000' PLANBCAST_CANDIDATES=best-tree
    holds unchanged '.off == false'
    holds changed '.off and .measured and .renewed and (.resource | startswith("outbound card of "))'
    holds renewed '.off == false and .predicted_s < 0.5 * .bytes / 2e6'
}

# The measured size from which on messages wait for their receiver is that of Open MPI, less its header.
messages_that_wait_for_their_receiver_are_found() {
    local limit
    for limit in 16384 49152; do
        "$cluster" run "$specs/asymmetric.json" --mca btl_tcp_eager_limit "$limit" --mca btl_tcp_rndv_eager_limit "$limit" \
            -- "$PLANBCAST_BIN/planbcast-mpi" measure --budget 2 -o "$work/profile.json" >"$work/said" || wrong "status $?"
        jq -e --argjson limit "$limit" '[.platform.channels[] | select(.network) | .rendezvous_bytes]
            | length > 0 and all(. > 0.8 * $limit and . < 1.2 * $limit)' "$work/profile.json" ||
            wrong "limit $limit: $(jq -c '[.platform.channels[].rendezvous_bytes]' "$work/profile.json")"
    done
}

refused() { # refused TEXT JSON: with status 2 and one line that contains TEXT
    local said rc=0
    printf '%s' "$2" >"$work/spec.json"
    said=$("$cluster" show "$work/spec.json" 2>&1) || rc=$?
    [ "$rc" -eq 2 ] || wrong "status $rc for $2"
    [[ $(wc -l <<<"$said") -eq 1 && $said == *"$1"* ]] || wrong "for $2 it says: $said"
}

bad_specs_end_in_one_line() {
    local head='"format":"planbcast-cluster","version":1' host='{"in_bytes_per_s":1e6,"out_bytes_per_s":1e6}'
    refused 'not JSON' ''
    refused 'not JSON' '{'
    refused 'should be an object' '[]'
    refused 'format is' '{"format":"planbcast-plan"}'
    refused 'version is not 1' '{"format":"planbcast-cluster","version":2}'
    refused 'sites is missing' "{$head}"
    refused 'sites holds 0' "{$head,\"sites\":[]}"
    refused 'sites[0] has no hosts' "{$head,\"sites\":[{}]}"
    refused 'sites[0] should' "{$head,\"sites\":[7]}"
    refused 'placement is' "{$head,\"sites\":[{\"hosts\":[$host]}],\"placement\":\"sideways\"}"
    refused 'sites[0].hosts[1].out_bytes_per_s is missing' "{$head,\"sites\":[{\"hosts\":[$host,{\"in_bytes_per_s\":1e6}]}]}"
    refused 'sites[0].hosts[0].in_bytes_per_s is' "{$head,\"sites\":[{\"hosts\":[{\"in_bytes_per_s\":-1}]}]}"
    refused 'sites[0].hosts[0].count is' "{$head,\"sites\":[{\"hosts\":[{\"count\":0.5,${host#\{}]}]}"
    refused 'sites[0].groups[0].trunk.in_bytes_per_s is' \
        "{$head,\"sites\":[{\"groups\":[{\"trunk\":{\"in_bytes_per_s\":\"fast\"},\"hosts\":[$host]}]}]}"
    refused 'sites[0].hosts[0].latency_s is' "{$head,\"sites\":[{\"hosts\":[{\"latency_s\":-1,${host#\{}]}]}"
    refused 'memory.bytes_per_s is' "{$head,\"memory\":{\"bytes_per_s\":0},\"sites\":[{\"hosts\":[$host]}]}"
    refused 'up to 1048576 ranks' \
        "{$head,\"sites\":[{\"hosts\":[{\"count\":900,\"ranks\":2000,\"in_bytes_per_s\":1e6,\"out_bytes_per_s\":1e6}]}]}"
}

# Reading a layout takes jq; the rest takes namespaces too.
case $claim in
bad_specs_* | all_readers_*) command -v jq >/dev/null || { echo "jq is not installed" && exit 77; } ;;
*) "$cluster" possible || exit 77 ;;
esac
"$claim"
echo "ok: ${claim//_/ }"
