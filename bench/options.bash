# shellcheck shell=bash
# What the scripts here share. Those that check options, before anything is built or started, have `fail LINE STATUS`.

# complain LINE: on standard error, one line whatever was typed, which may hold what moves a terminal.
complain() { printf '%s\n' "${1//[[:cntrl:]]/?}" >&2; }

# The --help of a script that begins with it, as a comment.
print_first_comment() { sed -n '2,/^[^#]/s/^# //p' "$1"; }

want_number() { [[ $2 =~ ^[0-9]{1,9}(\.[0-9]{1,9})?$ ]] || fail "$1 $2: give a number" 2; }
want_ranks() { [[ $2 =~ ^[0-9]{1,4}(,[0-9]{1,4})*$ ]] || fail "$1 $2: give ranks, with commas" 2; }
want_sizes() { [[ $2 =~ ^[0-9]{1,15}[KMG]?(,[0-9]{1,15}[KMG]?)*$ ]] || fail "$1 $2: give sizes, such as 8,64K,4M" 2; }
want_specs() {
    local spec
    for spec; do
        [[ -f $spec && -r $spec ]] || fail "$spec: cannot be read" 2
        "$(dirname "${BASH_SOURCE[0]}")/cluster" show "$spec" >/dev/null || exit 2 # it says why
    done
}
