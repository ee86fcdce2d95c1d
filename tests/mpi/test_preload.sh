#!/usr/bin/env bash
# What a preloaded library says, and how it lives with others: test_preload.sh FOLDERS CLAIM MPIEXEC NUMPROC_FLAG
# FOLDERS of the libraries, separated by colons. PROGRAM is test_preload; TOOL, FORTRAN: see CMakeLists.txt.
set -euo pipefail

folders=$1 claim=$2 mpiexec=$3 flag=$4
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

wrong() { echo "FAILED: $1" && cat "$work/err" && exit 1; }

# preloaded LIBRARIES VARIABLE=VALUE... PROGRAM ARGUMENT: on four ranks, libraries by their names.
preloaded() {
    "$mpiexec" "$flag" 4 env LD_LIBRARY_PATH="$folders:${LD_LIBRARY_PATH-}" LD_PRELOAD="$1" "${@:2}" \
        >"$work/out" 2>"$work/err" </dev/null || wrong "status $? of ${*:2}"
}
library=libplanbcast-preload.so
settings=(PLANBCAST_PROFILE="$here/four.json" PLANBCAST_MODE=estimate PLANBCAST_PRELOAD_SHARE=1e9)

said() { grep -c '^planbcast: ' "$work/err" || true; }
says() { grep -Eq "^planbcast: $1" "$work/err" || wrong "it does not say '$1'"; }
says_once() { # says_once PATTERN VARIABLE=VALUE...: a line, and nothing else
    preloaded "$library" "${@:2}" "$PROGRAM" series
    says "$1"
    [ "$(said)" -eq 1 ] || wrong "not one line"
}

# The job script of the examples, where srun starts four ranks here.
a_batch_job_measures_once() {
    local job=$here/../../lib/examples/job.slurm time
    cat >"$work/srun" <<EOF
#!/usr/bin/env bash
variable=SLURM=here
case \$1 in --export=ALL,*) variable=\${1#--export=ALL,} && shift ;; esac
exec "$mpiexec" "$flag" 4 env LD_LIBRARY_PATH="$folders:\${LD_LIBRARY_PATH-}" "\$variable" "\$@"
EOF
    chmod +x "$work/srun"
    for time in first second; do
        env PATH="$work:$TOOLS:$PATH" HOME="$work" PLANBCAST_BUDGET=0.5 PLANBCAST_PRELOAD_SHARE=1e9 PLANBCAST_MODE=estimate \
            "$job" "$PROGRAM" series >"$work/out" 2>"$work/err" </dev/null || wrong "status $? of the $time job"
        says 'planned 3 of 10 broadcasts'
        [ "$time" = second ] || cp "$work/machine.json" "$work/first.json"
    done
    cmp "$work/first.json" "$work/machine.json" || wrong "the second job measured again"
}

silence_is_the_default() {
    preloaded "$library" "${settings[@]}" "$PROGRAM" series
    [ "$(said)" -eq 0 ] || wrong "it says something"
}

a_summary_counts_each_broadcast_once() {
    preloaded "$library" "${settings[@]}" PLANBCAST_VERBOSE=1 "$PROGRAM" series
    says 'planned 3 of 10 broadcasts(, [0-9]+ of them as MPI_Bcast)?; planning took [0-9.e-]+ s, .* saved, unknown of [0-9]+; left to MPI: 2 of fewer than 65536 bytes, 2 among fewer than 4 ranks, 1 between two groups, 2 first of their kind$'
    [ "$(said)" -eq 1 ] || wrong "not one line"
}

reductions_have_a_line_of_their_own() {
    preloaded "$library" "${settings[@]}" PLANBCAST_PRELOAD_REDUCE=1 PLANBCAST_VERBOSE=2 "$PROGRAM" reductions
    says 'planned 0 of 0 broadcasts; '
    says 'a plan for 4 ranks to root 0, made in [0-9.e-]+ s: 100000 bytes by [a-z]'
    says 'planned 3 of 7 reductions(, [0-9]+ of them as MPI_Reduce)?; planning took [0-9.e-]+ s, .* saved, unknown of [0-9]+; left to MPI: 1 of fewer than 65536 bytes, 2 first of their kind, 1 by operations of the program$'
    preloaded "$library" "${settings[@]}" PLANBCAST_PRELOAD_REDUCE=1 PLANBCAST_MODE=duel PLANBCAST_VERBOSE=2 "$PROGRAM" reductions
    says 'a plan for 4 ranks to root 0, .* s less than MPI_Reduce$'
    preloaded "$library" "${settings[@]}" PLANBCAST_VERBOSE=1 "$PROGRAM" reductions
    says 'planned 0 of 7 reductions; .* left to MPI: 7 for PLANBCAST_PRELOAD_REDUCE is 0$'
    "$TOOLS/planbcast" plan "$here/four.json" --bytes 1M --operation reduce -o "$work/sum.json" >"$work/out"
    preloaded "$library" PLANBCAST_PLAN="$work/sum.json" PLANBCAST_PRELOAD_REDUCE=1 PLANBCAST_PRELOAD_SHARE=0 PLANBCAST_VERBOSE=1 \
        "$PROGRAM" reductions
    says 'planned 4 of 7 reductions'
}

one_thread_plans_where_several_may_hang() {
    preloaded "$library" "${settings[@]}" PLANBCAST_VERBOSE=1 "$PROGRAM" threads
    case $("$mpiexec" --version) in
    *'(OpenRTE) 4.'*) says 'planned 3 of 8 broadcasts.* left to MPI: .*, [12] in threads other than the one that plans' ;;
    *) says 'planned 6 of 8 broadcasts' ;;
    esac
}

each_plan_has_a_line() {
    preloaded "$library" "${settings[@]}" PLANBCAST_VERBOSE=2 "$PROGRAM" series
    says 'a plan for 4 ranks from root 0, made in [0-9.e-]+ s: 100000 bytes by [a-z]'
    [ "$(said)" -eq 2 ] || wrong "not two lines"
}

the_time_saved_is_that_of_the_duel() {
    preloaded "$library" "${settings[@]}" PLANBCAST_MODE=duel PLANBCAST_VERBOSE=2 "$PROGRAM" series
    says 'a plan for 4 ranks from root 0, .* s less than MPI_Bcast$'
    says 'planned 3 of 10 broadcasts.* and by the times of candidates [0-9.e+-]+ s were saved; left to MPI'
}

planning_waits_until_broadcasts_have_taken_enough() {
    preloaded "$library" "${settings[@]}" PLANBCAST_PRELOAD_SHARE=0 PLANBCAST_VERBOSE=1 "$PROGRAM" series
    says 'planned 0 of 10 broadcasts; .* 2 first of their kind, 3 before planning could pay$'
}

what_is_wrong_is_said_once_by_name() {
    local name
    for name in BYTES RANKS; do
        says_once "PLANBCAST_PRELOAD_$name is '64K'; set it to a number above 0. Broadcasts and reductions are left to MPI" \
            "PLANBCAST_PRELOAD_$name=64K"
    done
    says_once "PLANBCAST_PRELOAD_SHARE is 'half'; set it to a part of the calls' time" PLANBCAST_PRELOAD_SHARE=half
    says_once "PLANBCAST_PRELOAD_REDUCE is '2'; set it to 0 or 1" PLANBCAST_PRELOAD_REDUCE=2
    says_once "PLANBCAST_VERBOSE is 'yes'; set it to 0, 1 or 2" PLANBCAST_VERBOSE=yes
    says_once "PLANBCAST_MODE is 'fast'; set it to" "${settings[@]}" PLANBCAST_MODE=fast
    says_once ".*no-such-file.json" "${settings[@]}" PLANBCAST_PROFILE=no-such-file.json
    says_once ".*no-such-file.json" "${settings[@]}" PLANBCAST_PLAN=no-such-file.json
    says_once ".*four.json: format is \"planbcast-platform\"; it should be \"planbcast-plan\"" "${settings[@]}" \
        PLANBCAST_PLAN="$here/four.json"
}

# Saved plans are used from the first broadcast on, from the roots that they are for, though planning gets no time.
saved_plans_are_used_at_once() {
    local root
    for root in 0 1; do
        "$TOOLS/planbcast" plan "$here/four.json" --bytes 1M --root "$root" -o "$work/plan-$root.json" >"$work/out"
    done
    cat "$work"/plan-[01].json >"$work/plans.json"
    preloaded "$library" PLANBCAST_PLAN="$work/plans.json" PLANBCAST_PRELOAD_SHARE=0 PLANBCAST_PRELOAD_BYTES=1500 \
        PLANBCAST_VERBOSE=1 "$PROGRAM" series
    says 'planned 5 of 10 broadcasts.*; left to MPI: 1 of fewer than 1500 bytes, .* 1 first of their kind$'
    "$TOOLS/planbcast" plan "$here/four.json" --bytes 1M -o "$work/plan.json" >"$work/out"
    sed 's/"hosts": *\[[^]]*\]/"hosts": [0, 0, 1, 1]/' "$work/plan.json" >"$work/moved.json"
    says_once ".*moved.json: the plan is for ranks on other hosts" PLANBCAST_PLAN="$work/moved.json"
}

another_tool_sees_every_broadcast() {
    preloaded "$TOOL $library" "${settings[@]}" PLANBCAST_PRELOAD_REDUCE=1 "$PROGRAM" tool
    preloaded "$library $TOOL" "${settings[@]}" PLANBCAST_PRELOAD_REDUCE=1 "$PROGRAM" tool
}

the_first_rank_says_what_may_be_planned() {
    preloaded "$library" "${settings[@]}" PLANBCAST_VERBOSE=1 sh -c \
        'case ${OMPI_COMM_WORLD_RANK-${PMI_RANK-}} in 0) least=1500 ;; *) least=1000000 ;; esac
         PLANBCAST_PRELOAD_BYTES=$least exec "$@"' sh "$PROGRAM" series
    says 'planned 3 of 10 broadcasts.* left to MPI: 1 of fewer than 1500 bytes, .* 3 first of their kind$'
}

communicators_without_long_messages_cost_nothing() {
    preloaded "$TOOL $library" "${settings[@]}" PLANBCAST_PRELOAD_REDUCE=1 "$PROGRAM" short
}

programs_in_fortran_are_served() {
    local program libraries
    [ -n "$FORTRAN" ] || exit 77
    IFS=: read -ra programs <<<"$FORTRAN"
    for program in "${programs[@]}"; do
        for libraries in "$library" "$TOOL $library" "$library $TOOL"; do
            preloaded "$libraries" "${settings[@]}" PLANBCAST_PRELOAD_REDUCE=1 PLANBCAST_VERBOSE=1 "$program"
            says 'planned 2 of 3 broadcasts'
            says 'planned 2 of 3 reductions'
        done
    done
}

foreign_is_said_once() {
    says 'libplanbcast-preload.so was built for .* and the program uses .*; build it with that. Broadcasts and reductions are left to MPI'
    [ "$(said)" -eq 1 ] || wrong "not one line"
}

handles_of_another_mpi_library_come_through() {
    preloaded "$library" PLANBCAST_VERBOSE=1 "$FOREIGN"
    foreign_is_said_once
}

# A library that was built for another MPI library does nothing but say so.
another_mpi_library_is_recognised() {
    local model
    [ -n "$OTHER_MPICC" ] || exit 77
    "$OTHER_MPICC" -Wno-unused -o "$work/program" "$here/preload_other.c" || exit 77
    mpiexec=$OTHER_MPIEXEC
    for model in world session; do
        preloaded "$library" PLANBCAST_VERBOSE=1 "$work/program" "$model"
        foreign_is_said_once
    done
}

"$claim"
