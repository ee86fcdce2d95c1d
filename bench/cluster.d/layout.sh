# Read a cluster spec: sourced by bench/cluster and bench/simulate, which define `here` (the folder bench) and `fail`.
# shellcheck shell=bash

# Prints the output of `planbcast generate sites --layout` as tab-separated lines. Rates are in bytes/s, 0: no limit;
# latencies in seconds.
#   memory RATE LATENCY                    inside each host
#   burst  SECONDS BYTES                   burst of cards and trunks: the larger of SECONDS x rate and BYTES
#   bridge INDEX PARENT IN OUT LATENCY     one switch per site or group; parent -1: the core
#   host   INDEX NAME BRIDGE IN OUT LATENCY
#   rank   HOST                            in the order of ranks
layout() {
    local spec=$1 program said
    [[ -f $spec && -r $spec ]] || fail "$spec: cannot be read" 2
    program=$(offline_tool) || exit
    said=$("$program" generate sites --layout "$spec" 2>&1) || fail "${said#planbcast: }" 2
    jq -r 'def gate: .in_bytes_per_s, .out_bytes_per_s, .latency_s;
        (.memory | ["memory", .bytes_per_s, .latency_s]),
        (.burst | ["burst", .seconds, .bytes]),
        (.groups | to_entries[] | ["bridge", .key, (.value | .above, gate)]),
        (.hosts | to_entries[] | ["host", .key, (.value | .name, .group, gate)]),
        (.host_of[] | ["rank", .])
        | map(if type == "number" then . + 0 else . end) # as a number, not as it was written (jq 1.7: 2.5E+7)
        | @tsv' <<<"$said"
}

# The tool planbcast: in PLANBCAST_BIN, or wherever it has been built.
offline_tool() {
    local folder
    for folder in "${PLANBCAST_BIN-$here/../build/release/bin}" ${PLANBCAST_BIN-"$here"/../build/*/bin}; do
        [ -x "$folder/planbcast" ] && echo "$folder/planbcast" && return
    done
    fail "the tool planbcast reads cluster specs: build it, or set PLANBCAST_BIN to its folder"
}
