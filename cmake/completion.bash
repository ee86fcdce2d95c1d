# Completion for bash: commands, options and their values of planbcast and planbcast-mpi. All words come from the tools'
# own help, so that they are those of the version installed.

# _planbcast_words TOOL [COMMAND...]: the commands or kinds below, if there are any, else nothing.
_planbcast_words() {
    "$@" --help 2>/dev/null | sed -n '
        1s/^usage:.* \([a-z]*|[a-z|]*\) .*/\1/
        1{/^[a-z|]*$/{s/|/ /g;p;};}
        /^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'
}

# _planbcast_options TOOL COMMAND...: a line for each option, with the name of its value if it has one.
_planbcast_options() {
    "$@" --help 2>/dev/null | sed -n 's/^  \(--*[a-z-]* [^ ][^ ]*\)  .*/\1/p; t
        s/^  \(--*[a-z-]* [^ ][^ ]*\)$/\1/p; t
        s/^  \(--*[a-z-]*\)  .*/\1/p'
}

# _planbcast_names OPTION|NAME TOOL COMMAND...: the values that the help lists for this option, or for the operand NAME.
_planbcast_names() {
    local help
    help=$("${@:2}" --help 2>/dev/null)
    case $1 in
    --to) sed -n '/^options:/q; s/^Of a plan, .*: \(.*\)\.$/\1/p; s/^  \([a-z-]*\) .*; \(simgrid-hosts\):.*/\1 \2/p; t; s/^  \([a-z][a-z-]*\)  *[^ ].*/\1/p' <<<"$help" | tr -d , ;;
    --model) sed -n '/^  --model /,/^  --[^m]/p' <<<"$help" | grep -oE '\<(taulop|simulation|hockney|loggp|plogp|postal|max-rate|staircase)\>' ;;
    --method) sed -n 's/^  --method .* \(cuts\) .* \(direct\):.*/\1 \2/p' <<<"$help" ;;
    --ports) echo one one-way multi multi-receive ;;
    --collective) sed -n 's/^  --collective .*: \(.*\)/\1/p' <<<"$help" | tr -d '(),' | sed 's/default//' ;;
    --operation) sed -n 's/^  --operation NAME *\([a-z]*\)\( (default)\)* or \([a-z]*\):.*/\1 \3/p' <<<"$help" ;;
    --library) sed -n 's/^  --library NAME *\(.*\)/\1/p' <<<"$help" | tr -d '(),' | sed 's/default//; s/ or / /' ;;
    --format) sed -n 's/^  --format .*of rules: \(.*\)/\1/p' <<<"$help" | tr -d '(),;' | sed 's/default//' ;;
    NAME) sed -n 's/^NAME is one of \(.*\)\./\1/p' <<<"$help" ;;
    esac
}

# _planbcast_candidates WORD: WORD with its last name completed, of a list such as grow,best-tree.
_planbcast_candidates() {
    local done='' names
    case $1 in *,*) done=${1%,*}, ;; esac
    names=$(planbcast candidates 2>/dev/null | sed 's/ .*//')
    mapfile -t COMPREPLY < <(compgen -P "$done" -W "$names" -- "${1##*,}")
    compopt -o nospace 2>/dev/null
}

_planbcast() {
    local tool=$1 word=$2 before=$3 command=() below kind option names=""
    COMPREPLY=()
    # The command, and the kind of generate and import: the words in front that the tool knows.
    local i=1
    while [ "$i" -lt "$COMP_CWORD" ] && [ ${#command[@]} -lt 2 ]; do
        below=$(_planbcast_words "$tool" "${command[@]}")
        grep -qxF -e "${COMP_WORDS[i]}" < <(tr ' ' '\n' <<<"$below") || break
        command+=("${COMP_WORDS[i]}")
        i=$((i + 1))
    done
    below=$(_planbcast_words "$tool" "${command[@]}")
    if [ -n "$below" ] && [ "$i" -eq "$COMP_CWORD" ]; then
        [ ${#command[@]} -gt 0 ] || below="$below --help --version"
        mapfile -t COMPREPLY < <(compgen -W "$below" -- "$word")
        return
    fi
    [ ${#command[@]} -gt 0 ] || return
    option=$(_planbcast_options "$tool" "${command[@]}")
    # The value of the option in front; --option=value is split by the shell.
    [ "$before" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}
    [ "$word" != = ] || word=''
    kind=$(sed -n "s/^$before //p" <<<"$option")
    case $before:$kind in
    --only:?*) _planbcast_candidates "$word"; return ;;
    --to:?* | --model:?* | --method:?* | --collective:?* | --ports:?* | --operation:?* | --library:?* | --format:?*) names=$(_planbcast_names "$before" "$tool" "${command[@]}") ;;
    *:FILE | *:PLAN) compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    *:*'|'*) names=${kind//|/ } ;;
    -*:?*) return ;;
    *)
        case $word in
        -*) names=$(cut -d ' ' -f 1 <<<"$option") ;;
        *) names=$(_planbcast_names NAME "$tool" "${command[@]}") ;;
        esac
        if [ -z "$names" ]; then
            compopt -o filenames 2>/dev/null
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            return
        fi
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$names" -- "$word")
}

complete -F _planbcast planbcast planbcast-mpi
