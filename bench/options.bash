# shellcheck shell=bash
# Shared by the scripts of this folder. Functions that check options call `fail LINE STATUS`, which the script defines.

# complain LINE: print one line on standard error; control characters are replaced by ?.
complain() { printf '%s\n' "${1//[[:cntrl:]]/?}" >&2; }

# Print the leading comment of a script, which is its --help.
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
