# shellcheck shell=bash
# Finds the numeric constants of source files, and changes them in a copy. For bench/planning/constants and bench/lp/constants.

export LC_ALL=C.UTF-8 # numbers have a point, in awk and printf too, whatever the user's language

# constants FILE...: file TAB line TAB name TAB value TAB comment
constants() {
    awk '
        function put(name, value, comment) {
            comment = $0; if (!sub(/.*\/\*+ */, "", comment)) comment = FNR == until + 1 ? block : ""
            sub(/ *\*\/.*/, "", comment); gsub(/\|/, "\\|", comment)
            if (value + 0 > 0) print FILENAME "\t" FNR "\t" name "\t" value "\t" comment }
        /^ *\/\*/ { block = $0; sub(/^ *\/\*+ */, "", block) }
        /^ \*/ { more = $0; sub(/^ \*+ */, "", more); block = block " " more }
        /^ *\/?\*.*\*\/ *$/ { until = FNR }
        { line = $0; sub(/\/\*.*/, "", line) }
        line ~ /^#define [A-Z_]+ [0-9.e-]+ *$/ { split(line, f, " "); put(f[2], f[3]); next }
        line ~ /enum \{/ { inside = 1 }
        line ~ /static const (double|size_t|int) [A-Za-z_]+ =/ || inside {
            rest = line
            while (match(rest, /[A-Za-z_]+ = [0-9.e-]+/)) {
                split(substr(rest, RSTART, RLENGTH), f, " = ")
                after = substr(rest, RSTART + RLENGTH, 3)
                if (after !~ /^ *(<<|\*|\/|-|\+)/ ) put(f[1], f[2])
                rest = substr(rest, RSTART + RLENGTH) } }
        line ~ /\}/ { inside = 0 }' "$@"
}

# times VALUE FACTOR: whole numbers are rounded up.
times() {
    awk -v v="$1" -v f="$2" 'BEGIN { whole = v !~ /[.e]/; x = v * f; if (whole && x != int(x)) x = int(x + 0.5); printf whole ? "%d" : "%g", x }'
}

# replace FILE LINE NAME VALUE NEW
replace() { sed -i -E "$2s/\b($3( = | ))${4//./\\.}/\1$5/" "$1"; }

# copy_tree FOLDER: what git knows of the tree in the current folder.
copy_tree() {
    mkdir -p "$1"
    git ls-files -z --cached --others --exclude-standard | tar -cf - --null --files-from - --ignore-failed-read 2>/dev/null | tar -xf - -C "$1"
}
