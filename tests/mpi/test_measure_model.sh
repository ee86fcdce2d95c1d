#!/usr/bin/env bash
# Measuring finds what made-up and shipped clusters are: test_measure_model.sh SOURCE_DIR PROGRAM
set -euo pipefail

source=$1 program=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Racks within and beside sites: from every root a bound as from the description.
for seed in $(seq 60); do "$source/bench/levels/generate" "$seed" >"$work/$seed.json"; done
"$program" "$work"/*.json
"$program" --acks 0.05 "$work"/*.json

# Hosts beside racks, and sites of slow hosts, which only what flows leave to each other tells apart; and a server beside
# racks, nearer to them than they are to each other. Areas whose trunks single flows do not fill, and a server beside a
# rack of slow hosts. Trunks that no bound depends on decide what plans sustain.
for seed in 3 10 11 15 30 66 70 81 85 91 98 116; do
    "$source/bench/levels/generate" --small "$seed" |
        jq 'walk(if type == "object" and has("latency_s") then .latency_s = 0 else . end)' >"$work/near-$seed.json"
done
jq '.sites[0].groups[0].trunk |= (.out_bytes_per_s = 17e6 | .in_bytes_per_s = 3e7)' "$work/near-11.json" \
    >"$work/near-11-wide.json"
"$program" --plans 1.05 "$work"/near-*.json "$work"/{12,42,51}.json

# Many racks, which only all flows of each two tell apart: a flow alone is as fast as cards are.
for racks in 6 8 10; do
    jq --argjson racks $racks '.sites = [range($racks) | {name: "rack\(.)", trunk: {in_bytes_per_s: 3e7, out_bytes_per_s: 3e7},
        hosts: [{count: 2, in_bytes_per_s: 2e7, out_bytes_per_s: 2e7}]}]' \
        "$source/bench/clusters/8-equal.json" >"$work/racks-$racks.json"
done
"$program" --rates 1.03 "$work"/racks-*.json

# Many hosts of several sites, which latencies do not tell apart, and agreements that take long.
jq '.sites[].trunk.latency_s = 0 | .sites[].hosts[] |= (.in_bytes_per_s = 2.5e8 | .out_bytes_per_s = 2.5e8)' \
    "$source/bench/clusters/simulated/four-sites.json" >"$work/many.json"
"$program" --budget 10 --agree 0.05 --rates 1.03 "$work/many.json"

# Scarce uploads: one server among hosts that alone do not fill its card, nor each other's; and flows that are slow beside
# others in the opposite direction, and yet no limit of what a message alone gets.
for seed in $(seq 60) 105 106; do "$source/bench/scarce" "$seed" >"$work/scarce-$seed.json"; done
for late in 1 0.4; do
    "$program" --bounds 1.02 --large 1.5 --late $late "$work"/scarce-*.json "$source"/bench/clusters/uploads/*.json
done

# Every rate has an interval, also of cards that only flows alone, or many flows at once, show as they are.
"$program" --budget 10 --noise 0.02 --intervals --bounds 1.05 "$work"/near-*.json "$work"/scarce-*.json

# Cards that several flows fill, for each gets two fifths of them.
"$program" --flow 1e7 --rates 1.03 --large 1.03 "$source"/bench/clusters/{8-equal,8x2-cyclic,one-slow-host}.json

# Every rate.
for name in 8-equal 8x2-cyclic 8x4-block asymmetric mixed-cards one-slow-host racks slow-uplinks three-sites; do
    "$program" --rates 1.03 "$source/bench/clusters/$name.json"
done

# Brief messages while all ranks wait: the delay is found beside cards so slow that headers take longer than a message
# alone, and is no part of what streams of brief messages take.
jq '.sites[].hosts = [{count: 6, in_bytes_per_s: 3e6, out_bytes_per_s: 3e6, latency_s: 5e-6},
                      {count: 2, in_bytes_per_s: 2.5e7, out_bytes_per_s: 2.5e7, latency_s: 5e-6}]' \
    "$source/bench/clusters/8-equal.json" >"$work/slow-cards.json"
"$program" --headers 160 --wake 2.4e-5 --brief 1.03 "$work/slow-cards.json"
"$program" --wake 1e-4 --brief 1.03 "$source"/bench/clusters/{mixed-cards,racks}.json

# Sites far apart: classes between hosts that time does not allow are taken to be like the one that was measured.
jq '.sites |= [.[] | .trunk.latency_s = 1e-2 | .hosts[0].count = 2] |
    .sites[1].hosts[0] |= (.in_bytes_per_s = 1.5e7 | .out_bytes_per_s = 1e7)' \
    "$source/bench/clusters/three-sites.json" >"$work/far.json"
"$program" --budget 10 --agree 1e-3 "$work/far.json"

# Flows to distant sites take long to get their rate; with time enough they do.
jq '.sites[].trunk.latency_s = 5e-3' "$source/bench/clusters/three-sites.json" >"$work/slow-start.json"
"$program" --start 10 --budget 60 --agree 1e-2 --rates 1.03 "$work/slow-start.json"
