# shellcheck shell=bash disable=SC2034 # for those who source it
# What differs between the launchers of Open MPI 4 (ORTE) and 5 (PRRTE): sourced by ./run and bench/cluster.

launch_mpirun=$(command -v mpirun.openmpi || echo mpirun) # of Open MPI, where MPICH is the default
launch_variables=$(dirname "${BASH_SOURCE[0]}")/mpi-environment

# launch_environment WHEN...: what to export: local on this machine, crowded where ranks may outnumber processors.
launch_environment() { sed 's/#.*//' "$launch_variables" | awk -v when=" always $* " 'index(when, " " $1 " ") { print $2 }'; }

# launch_release MPIRUN: the major version of Open MPI that it belongs to; nothing if it is another launcher.
launch_release() { "$1" --version 2>/dev/null | sed -n 's|^mpirun.* (Open[^)]*) \([0-9]*\)[.].*|\1|p'; }

# launch_across MPIRUN AGENT NET: sets launch_remote, the options with which mpirun reaches hosts through AGENT HOST COMMAND (in
# place of ssh) and the network NET, starts ranks in the order of its host file, and ranks use TCP and shared memory; and
# launch_rank, which stands before the program. PRRTE may miss the end of one that is over before it has noted its beginning, and
# then waits for it forever (hostname: 7 of 12 times).
launch_across() {
    local launcher=ssh network=prte_if_include memory=sm order=seq:OVERSUBSCRIBE
    # shellcheck disable=SC2016 # for the shell of each rank
    launch_rank=(sh -c 'sleep 0.3; exec "$@"' -)
    [ "$(launch_release "$1")" != 4 ] ||
        launcher=rsh network=oob_tcp_if_include memory=vader order=seq launch_rank=()
    launch_remote=(--mca plm "$launcher" --mca "plm_${launcher}_agent" "$2" --mca "plm_${launcher}_no_tree_spawn" 1
        --mca "$network" "$3" --mca pml ob1 --mca btl "tcp,self,$memory" --map-by "$order" --bind-to none)
}

# launch_quietly MPIRUN: afterwards ranks alone say what went wrong, when mpirun is started with the options launch_quiet
# and its standard error goes to launch_errors. launch_end waits for the last of it.
launch_quietly() {
    launch_quiet=() launch_errors=2 launch_filter=''
    case $(launch_release "$1") in
    4) launch_quiet=(-q) ;;
    5) # has no such option
        exec {launch_errors}> >(launch_without_notes >&2)
        launch_filter=$!
        ;;
    esac
}

launch_end() {
    local try
    [ -n "${launch_filter-}" ] || return 0
    exec {launch_errors}>&-
    for try in {1..20}; do # unless something that mpirun left behind still holds the other end
        kill -0 "$launch_filter" 2>/dev/null || break
        sleep 0.1
    done
    launch_filter=''
}

# Copies everything but the notes of PRRTE, which stand between two rules and begin with its name. Character by character:
# a line of --progress has no end.
launch_without_notes() {
    local LC_ALL=C rule note char line='' held='' state=start
    trap '' INT TERM HUP # until there is nothing more to copy
    printf -v rule '%074d' 0 && rule=${rule//0/-}$'\n' note=${rule}prterun' '
    while IFS= read -r -N 1 char; do
        case $state in
        note) # to its second rule
            line+=$char
            [ "$char" = $'\n' ] || continue
            [ "$line" != "$rule" ] || state=start
            line=''
            ;;
        middle)
            printf '%s' "$char"
            [ "$char" != $'\n' ] || state=start
            ;;
        start)
            held+=$char
            while [[ -n $held && $note != "$held"* ]]; do # the first line is none; what follows it may be
                line=${held%%$'\n'*}
                [ "$line" != "$held" ] || state=middle
                [ "$line" = "$held" ] || line+=$'\n'
                printf '%s' "$line"
                held=${held#"$line"} line=''
            done
            [ "$held" != "$note" ] || state=note held=''
            ;;
        esac
    done
    printf '%s' "$held"
}
