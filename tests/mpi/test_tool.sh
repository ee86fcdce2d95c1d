#!/usr/bin/env bash
# planbcast-mpi under mpiexec: test_tool.sh BIN_DIR CLAIM MPIEXEC NUMPROC_FLAG
set -euo pipefail

bin=$1 claim=$2 mpiexec=$3 flag=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wrong() { echo "FAILED: $1" && exit 1; }
tool() { "$mpiexec" "$flag" "$1" "$bin/planbcast-mpi" "${@:2}" </dev/null; } # tool RANKS ARGUMENT...

# Small and large, from the first and the last rank: no byte differs, and there is a time for both sides.
the_main_job_checks_every_byte() {
    local ranks
    for ranks in 2 3 4; do
        tool "$ranks" run --bytes 0,1,1000,300K --root $((ranks - 1)) --budget 1 --time 0.02 --json >"$work/run.json"
        jq -e --argjson ranks "$ranks" '.ranks == $ranks and (.broadcasts | length == 4) and
            all(.broadcasts[]; .wrong_bytes == 0 and .plan_s > 0 and .mpi_bcast_s > 0 and
                .copied.sent + .copied.read + .copied.single + .copied.mpi_bcast >= (if .bytes > 0 then $ranks - 1 - 1e-9 else 0 end)) and
            all(.rankings[]; .chosen == .candidates[0].name)' \
            "$work/run.json" >"$work/verdict" || wrong "$ranks ranks: $(cat "$work/run.json")"
    done
}

# Sums of doubles and, where they do not divide a size, of bytes are MPI_Reduce's; the plan that is saved reduces.
reductions_are_checked_as_well() {
    tool 3 run --operation reduce --bytes 0,1001,8000,300K --root 2 --budget 1 --time 0.02 --save-profile "$work/profile.json" \
        --save-plan "$work/sum.json" --report "$work/page.html" --json >"$work/run.json"
    grep -q 'The plan and MPI_Reduce, in turns' "$work/page.html" || wrong "the page does not compare reductions"
    jq -e '.operation == "reduce" and (.reductions | length == 4) and has("broadcasts") == false and .review == null and
        all(.reductions[]; .wrong_bytes == 0 and .plan_s > 0 and .mpi_reduce_s > 0) and
        all(.rankings[]; all(.candidates[]; .name == "native" or (.trees | length) > 0))' \
        "$work/run.json" >"$work/verdict" || wrong "$(cat "$work/run.json")"
    grep -q 'of reductions to rank 2 of 3 ranks' <<<"$("$bin/planbcast" show "$work/sum.json")" || wrong "the plan does not reduce"
    tool 3 run --operation reduce --bytes 64K --time 0.02 --profile "$work/profile.json" --only ompi-binomial,ompi-chain --estimate \
        >"$work/out"
    grep -q 'reduced to rank 0 of 3: ompi-' "$work/out" || wrong "the plan is not explained: $(cat "$work/out")"
    grep -q '; for 64 KiB the plan takes .*, and MPI_Reduce .* times as long (measured)\.$' <<<"$(tail -n 1 "$work/out")" ||
        wrong "the last line does not say what the plan gains: $(tail -n 1 "$work/out")"
}

# The page has the measured times, and is whole.
a_run_is_reported() {
    local what
    tool 3 run --bytes 4K,64K --budget 1 --time 0.02 --report "$work/page.html" >"$work/out"
    grep -q "report written to $work/page.html" "$work/out" || wrong "the report is not told of: $(cat "$work/out")"
    [ "$(tail -n 1 "$work/page.html")" = '</html>' ] || wrong "the page has no end"
    for what in 'id="compared"' 'id="sizes"' 'id="machine"' '(measured)' 'run --bytes 4K,64K'; do
        grep -qF "$what" "$work/page.html" || wrong "the page lacks $what"
    done
}

# What one run saves, the offline tool and the next run read.
what_is_saved_is_read() {
    tool 3 run --bytes 4K,64K --budget 1 --time 0.02 --save-profile "$work/profile.json" --save-plan "$work/plan.json" \
        >"$work/out"
    tail -n 1 "$work/out" | grep -q '; for 64 KiB the plan takes .*, and MPI_Bcast .* times as long (measured)\.$' ||
        wrong "the last line does not say what the plan gains: $(tail -n 1 "$work/out")"
    grep -q '3 ranks' <<<"$("$bin/planbcast" show "$work/profile.json")" || wrong "the profile is not described"
    grep -q 'to 3 ranks' <<<"$("$bin/planbcast" show "$work/plan.json")" || wrong "the plan is not described"
    "$bin/planbcast" plan "$work/profile.json" --bytes 64K >"$work/out" || wrong "the profile cannot be planned from"
    "$bin/planbcast" report "$work/plan.json" --platform "$work/profile.json" -o "$work/page.html" ||
        wrong "there is no page on the plan"
    tool 3 run --bytes 64K --time 0.02 --profile "$work/profile.json" --estimate >"$work/out" ||
        wrong "the profile is not loaded"
    tool 3 run --bytes 4K --time 0.02 --profile "$work/profile.json" --budget 1000 --json >"$work/out"
    jq -e '.rankings[0].candidates[0].measured_s > 0' "$work/out" >"$work/verdict" ||
        wrong "the default does not time what it chooses: $(cat "$work/out")"
    # how many there is time for is the machine's affair; the first always is
    tool 3 bench --bytes 64K --time 0.1 --profile "$work/profile.json" --json >"$work/out"
    jq -e '.rankings[0].candidates | any(.measured_s > 0)' "$work/out" >"$work/verdict" ||
        wrong "bench does not time the candidates: $(cat "$work/out")"
}

refused() { # refused RANKS TEXT ARGUMENT...: with status 2 and one line of the tool's own that contains TEXT
    ends 2 "$@"
}

ends() { # ends STATUS RANKS TEXT ARGUMENT...
    local rc=0 status=$1
    shift
    tool "$1" "${@:3}" >"$work/out" 2>"$work/err" || rc=$?
    [ "$rc" -eq "$status" ] || wrong "status $rc for ${*:3}"
    [ "$(grep -c '^planbcast-mpi: ' "$work/err")" -eq 1 ] || wrong "not one line for ${*:3}: $(cat "$work/err")"
    grep -qF -- "$2" <<<"$(grep '^planbcast-mpi: ' "$work/err")" || wrong "for ${*:3} it says: $(cat "$work/err")"
}

bad_usage_ends_in_one_line() {
    refused 2 'no command'
    refused 2 'unknown command fly' fly
    refused 2 'unknown option --fast' run --fast
    refused 2 'give up to' run --bytes 4K,,8K
    refused 2 'give up to' run --bytes minus
    refused 2 'sizes of up to 1T' run --bytes 2T
    refused 2 '--root 2' run --root 2
    refused 2 '--budget' run --budget -1
    refused 2 'no-such-candidate' run --only no-such-candidate --budget 0.1
    ! grep -q 'The machine' "$work/out" || wrong "it measured first: $(cat "$work/out")"
    refused 2 'no-such-file' run --profile no-such-file
    refused 2 'given twice' run --root 0 --root 1
    refused 2 'give --machine FILE, or -o FILE, or both' measure
    refused 2 'no-such-file' run --machine no-such-file
    refused 2 'name a file' measure -o -
    refused 2 'name a file' run --save-plan -
    refused 2 'name a file' run --report -
    refused 2 '--operation scan; known: broadcast, reduce' run --operation scan
    refused 2 '--renew, which is for broadcasts' run --operation reduce --renew
    refused 2 'give 1 to 1073741824 bytes' run --slice 2G
    printf '{"format": "planbcast-profile", "version": 7}' >"$work/bad.json"
    refused 2 'version' run --profile "$work/bad.json"
}

options_come_before_the_environment() {
    export PLANBCAST_CANDIDATES=native,ompi-chain PLANBCAST_SLICE=1024 PLANBCAST_BUDGET=0.2
    tool 2 run --bytes 4K --time 0.01 --json >"$work/out"
    jq -e '.rankings[0].candidates | length == 2 and all(.name == "native" or .slice == 1024)' "$work/out" \
        >"$work/verdict" || wrong "the environment does not count: $(cat "$work/out")"
    tool 2 run --bytes 4K --time 0.01 --json --only native,ompi-binary --slice 2048 >"$work/out"
    jq -e '.rankings[0].candidates | length == 2 and all(.name == "native" or
        .name == "ompi-binary" and .slice == 2048)' "$work/out" >"$work/verdict" ||
        wrong "the options do not count: $(cat "$work/out")"
    PLANBCAST_SLICE=0 refused 2 PLANBCAST_SLICE run
}

# Before anything is measured, and not after.
a_file_that_cannot_be_written_ends_the_run() {
    ends 1 2 'no-such-folder/x: cannot be written' measure -o "$work/no-such-folder/x"
    ends 1 2 'no-such-folder/x: cannot be written' run --save-profile "$work/no-such-folder/x"
    ends 1 2 'cannot be written: Is a directory' run --save-plan "$work"
    ends 1 2 'cannot be written: Is a directory' run --report "$work"
    [ ! -s "$work/out" ] || wrong "it measured first: $(cat "$work/out")"
    ends 1 2 '/dev/full: cannot be written' measure -o /dev/full --budget 0.1
}

# Without a launcher, which has streams of its own. What MPI opens must not get the descriptor of standard output.
a_result_that_cannot_be_printed_is_told() {
    local command rc
    for command in --help --version 'run --help' 'run --bytes 8 --estimate --time 0.01'; do
        rc=0
        # shellcheck disable=SC2086 # words
        "$bin/planbcast-mpi" $command </dev/null >/dev/full 2>"$work/err" || rc=$?
        [ "$rc" -eq 1 ] || wrong "$command with a full disk: status $rc"
        [ "$(grep -c '^planbcast-mpi: standard output: cannot be written' "$work/err")" -eq 1 ] || wrong "$command says: $(cat "$work/err")"
        rc=0
        # shellcheck disable=SC2086
        "$bin/planbcast-mpi" $command <&- >&- 2>&- || rc=$?
        [ "$rc" -eq 1 ] || wrong "$command without streams: status $rc"
    done
}

a_profile_of_other_ranks_is_refused() {
    tool 2 measure -o "$work/two.json" --budget 0.5 >"$work/out"
    refused 3 'it has 2 ranks and the communicator has 3' run --profile "$work/two.json"
    jq '.platform.hosts = [0, 1] | del(.platform | .host_names, .shared_bytes, .shared_s)' "$work/two.json" >"$work/apart.json"
    refused 2 'are on two hosts there and share one here' run --profile "$work/apart.json"
}

# Measured once, it serves any ranks on its hosts, wherever it is found; and never those of other hosts.
a_machine_serves_other_ranks() {
    export XDG_CONFIG_HOME=$work/config
    mkdir -p "$work/config/planbcast"
    tool 2 measure --machine "$work/m.json" --budget 1 >"$work/out"
    grep -q '2 ranks on 1 host' "$work/out" || wrong "the machine is not described: $(cat "$work/out")"
    tool 4 run --machine "$work/m.json" --bytes 64K --estimate --time 0.02 >"$work/out"
    grep -q 'The machine, loaded' "$work/out" || wrong "it is measured again: $(cat "$work/out")"
    refused 2 'absent.json: ' run --machine "$work/absent.json" --save-machine "$work/another.json"
    tool 2 run --machine "$work/made.json" --save-machine "$work/made.json" --bytes 64K --estimate --budget 0.5 --time 0.02 >"$work/out"
    grep -q 'The machine, measured' "$work/out" || wrong "it is not measured: $(cat "$work/out")"
    tool 2 run --machine "$work/made.json" --save-machine "$work/made.json" --bytes 64K --estimate --time 0.02 >"$work/out"
    grep -q 'The machine, loaded' "$work/out" || wrong "it is measured again: $(cat "$work/out")"
    PLANBCAST_MACHINE=$work/told.json PLANBCAST_SAVE_MACHINE=$work/told.json \
        tool 2 run --bytes 64K --estimate --budget 0.5 --time 0.02 >"$work/out"
    grep -q 'The machine, measured' "$work/out" || wrong "variables are not heard: $(cat "$work/out")"
    PLANBCAST_MACHINE=$work/told.json tool 2 run --bytes 64K --estimate --time 0.02 >"$work/out"
    grep -q 'The machine, loaded' "$work/out" || wrong "what variables name is not loaded: $(cat "$work/out")"
    cp "$work/m.json" "$work/config/planbcast/machine.json"
    tool 3 run --bytes 64K --estimate --time 0.02 >"$work/out"
    grep -q 'The machine, loaded' "$work/out" || wrong "the user's machine is not found: $(cat "$work/out")"
    jq '.groups[0].hosts[0].names = "elsewhere" | .kinds[0].signature = "another"' "$work/m.json" >"$work/other.json"
    tool 2 run --machine "$work/other.json" --bytes 64K --estimate --budget 0.5 --time 0.02 --save-machine "$work/new.json" \
        >"$work/out"
    grep -q 'The machine, measured' "$work/out" || wrong "another machine is taken for this one: $(cat "$work/out")"
    jq -e --slurpfile old "$work/m.json" '.groups == $old[0].groups' "$work/new.json" >"$work/verdict" ||
        wrong "what was measured is not saved"
    tool 2 run --machine "$work/other.json" --bytes 64K --estimate --budget 0.5 --time 0.02 \
        --save-machine "$work/other.json" >"$work/out"
    grep -q 'hosts measured: 1, ' "$work/out" || wrong "it does not say what was measured: $(cat "$work/out")"
    jq -e '[.groups[] | .hosts[].names] | length == 2 and .[0] == "elsewhere"' "$work/other.json" >"$work/verdict" ||
        wrong "what was measured is not merged into the file: $(cat "$work/other.json")"
    tool 2 run --machine "$work/other.json" --bytes 64K --estimate --time 0.02 >"$work/out"
    grep -q 'The machine, loaded' "$work/out" || wrong "what was merged is measured again: $(cat "$work/out")"
    grep -q 'hosts known by name: 1, ' "$work/out" || wrong "it does not say which hosts are known: $(cat "$work/out")"
    jq '.version = 2' "$work/m.json" >"$work/later.json"
    refused 2 'version' run --machine "$work/later.json"
}

# What a file says stays, what it lacks is added, and a line says where it says otherwise. One that is no machine is refused
# before anything is measured.
measuring_adds_to_a_machine_file() {
    tool 2 measure --machine "$work/m.json" --budget 1 >"$work/out"
    ! grep -q 'says otherwise' "$work/out" || wrong "a new file keeps something: $(cat "$work/out")"
    jq '.groups += [{"name": "far", "hosts": [{"names": "far[1-3]", "kind": .kinds[0].name}]}] | .memory.bytes_per_s = 1000
        | del(.memory.bytes_per_s_interval)' "$work/m.json" >"$work/known.json"
    cp "$work/known.json" "$work/grown.json"
    tool 2 measure --machine "$work/grown.json" --budget 4 >"$work/out" # time for the memory, on a busy machine too
    jq -e --slurpfile old "$work/known.json" '.groups == $old[0].groups and .memory == $old[0].memory
        and (.provenance.merged | length == 1)' "$work/grown.json" >"$work/verdict" || wrong "it is not merged: $(cat "$work/grown.json")"
    grep -q 'says otherwise, and keeps the memory of ' "$work/out" || wrong "it does not say what is kept: $(cat "$work/out")"
    echo '{"format": "planbcast-machine", "version": 1}' >"$work/none.json"
    refused 2 'none.json: kinds is missing' measure --machine "$work/none.json"
}

# Its times are compared with the prediction; a machine whose ranks share memory alone has no card to measure again.
broadcasts_are_compared_with_the_prediction() {
    tool 3 run --only best-tree --slice 16K --bytes 16M --estimate --budget 0.5 --time 0.05 --renew --json >"$work/out"
    jq -e '.review | .bytes == 16777216 and .measured_s > 0 and .predicted_s > 0 and (.text | startswith("16 MiB: ")) and
        (.renewed | not)' "$work/out" >"$work/verdict" || wrong "no review: $(jq -c .review "$work/out")"
    tool 2 measure -o "$work/two.json" --budget 0.5 >"$work/out"
    refused 2 '--profile and --renew' run --profile "$work/two.json" --renew
}

command -v jq >/dev/null || { echo "jq is not installed" && exit 77; }
"$claim"
echo "ok: ${claim//_/ }"
