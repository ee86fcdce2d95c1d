# Read a cluster spec: sourced by bench/cluster and bench/simulate, which say what `here` (the folder bench) and `fail` are.
# shellcheck shell=bash

# The lines of layout.jq for a spec, shuffled placements resolved.
layout() {
    local spec=$1 lines hosts program
    [[ -f $spec && -r $spec ]] || fail "$spec: cannot be read" 2
    lines=$(jq -r -f "$here/cluster.d/layout.jq" "$spec" 2>&1) ||
        fail "$spec: $(sed -e 's/^jq: error ([^)]*): //; s/^\(jq: \)\?parse error: /not JSON: /' <<<"$lines" | head -n 1)" 2
    [ -n "$lines" ] || fail "$spec: is empty" 2
    printf '%s\n' "$lines"
    if ! grep -q '^rank' <<<"$lines"; then # only the planbcast tool knows how a seed shuffles
        program=$(tool planbcast) || exit
        hosts=$("$program" generate sites --hostfile "$spec") || fail "$spec: no placement"
        awk -F '\t' 'NR == FNR { if ($1 == "host") index_of[$3] = $2; next } { print "rank\t" index_of[$1] }' \
            <(printf '%s\n' "$lines") - <<<"$hosts"
    fi
}

tool() {
    local file
    for file in "${PLANBCAST_BIN-$here/../build/release/bin}/$1" "$here"/../build/{check,simgrid}/bin/"$1"; do
        [ -x "$file" ] && echo "$file" && return
    done
    fail "shuffled placement needs the $1 tool: build it, or set PLANBCAST_BIN to its folder"
}
