# shellcheck shell=bash
# Shared by the scripts of this folder. Functions that check options call `fail LINE STATUS`, which the script defines.

export LC_ALL=C.UTF-8 # numbers have a point, in awk and printf too, whatever the user's language

# complain LINE: print one line on standard error; control characters are replaced by ?.
complain() { printf '%s\n' "${1//[[:cntrl:]]/?}" >&2; }

# Print the leading comment of a script, which is its --help.
print_first_comment() { sed -n '2,/^[^#]/s/^# //p' "$1"; }

want_number() { [[ $2 =~ ^[0-9]{1,9}(\.[0-9]{1,9})?$ ]] || fail "$1 $2: give a number" 2; }
want_count() { [[ $2 =~ ^[1-9][0-9]{0,3}$ ]] || fail "$1 $2: give a whole number from 1 to 9999" 2; }
want_ranks() { [[ $2 =~ ^[0-9]{1,4}(,[0-9]{1,4})*$ ]] || fail "$1 $2: give ranks, with commas" 2; }
want_sizes() { [[ $2 =~ ^[0-9]{1,15}[KMG]?(,[0-9]{1,15}[KMG]?)*$ ]] || fail "$1 $2: give sizes, such as 8,64K,4M" 2; }
want_specs() {
    local spec
    for spec; do
        [[ -f $spec && -r $spec ]] || fail "$spec: cannot be read" 2
        "$(dirname "${BASH_SOURCE[0]}")/cluster" show "$spec" >/dev/null || exit 2 # it says why
    done
}

# component_options MPIRUN: options, one a line, with which a communicator may prefer adapt, sm or han. Priorities of 1
# leave the default decision alone; in Open MPI 5 han is the default. Needs cmake/launch.bash.
component_options() {
    printf '%s\n' --mca coll_adapt_priority 1 --mca coll_sm_priority 1
    [ "$(launch_release "$1")" != 4 ] || printf '%s\n' --mca coll_han_priority 1
}
