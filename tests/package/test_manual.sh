#!/usr/bin/env bash
# test_manual.sh FOLDER TOOL... -- HEADER...: every public function has a page with name, synopsis and description, every
# command one with all its options; and groff and mandoc, where they are installed, have nothing to say against any.
set -euo pipefail
folder=$1
shift
claims=$(mktemp)
trap 'rm -f "$claims"' EXIT
failed=0
wrong() { echo "FAILED: $1" && failed=1; }

# claim PAGE SECTION TEXT: the section of this page contains the text.
claim() { printf '%s\t%s\t%s\n' "$folder/$1" "$2" "$3" >>"$claims"; }

# claim_command TOOL [COMMAND...]
claim_command() {
    local name words=$*
    words=${words#"${1%/*}/"}
    name=${words// /-}
    claim "man1/$name.1" NAME "${name//-/\\-} \\- "
    claim "man1/$name.1" SYNOPSIS "${words//-/\\-} "
    claim "man1/$name.1" DESCRIPTION ' '
    while read -r option; do claim "man1/$name.1" OPTIONS "\\fB${option//-/\\-}\\fR"; done < <(
        "$@" --help | sed -n 's/^  \(--*[a-z-]*\) .*/\1/p')
}

while [ "$1" != -- ]; do
    claim_command "$1"
    [ "${1##*/}" = planbcast ] || [ -z "$(OMPI_COMM_WORLD_RANK=1 "$1" --help)" ] || wrong "all ranks of a job print the help"
    for command in $("$1" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do claim_command "$1" "$command"; done
    [ "${1##*/}" != planbcast ] || { claim_command "$1" generate random && claim_command "$1" import slurm; }
    shift
done
shift
while read -r name; do
    claim "man3/$name.3" NAME "$name \\- "
    claim "man3/$name.3" SYNOPSIS "$name("
    claim "man3/$name.3" DESCRIPTION ' '
done < <(sed -n 's/^\(PLAN_API\|static inline\) [^(]*\(plan_[a-z0-9_]*\)(.*/\2/p' "$@")
case " $* " in *planbcast/mpi.h\ *) claim man3/planbcast_mpi.h.3 SYNOPSIS 'libs planbcast)' ;; esac
for header in "" _plan.h _platform.h _steady.h; do claim "man3/planbcast$header.3" SYNOPSIS 'libs planbcast\-planner)'; done
awk -F '\t' '
    FILENAME != ARGV[ARGC - 1] { if ($0 ~ /^[.]SH /) section = substr($0, 5); else text[FILENAME, section] = text[FILENAME, section] $0 "\n"; next }
    { said++ }
    index(text[$1, $2], $3) == 0 { print "FAILED: " $1 ": no " $3 " in its section " $2; failed = 1 }
    END { print said + 0, "claims"; exit failed || said < 250 }' "$folder"/man?/* "$claims" || failed=1

! grep -l SPDX "$folder"/man?/* || wrong "the licence's line is taken for text in the pages above"

if command -v groff >/dev/null; then
    said=$(groff -man -ww -z -K utf8 "$folder"/man?/* 2>&1) || true
    [ -z "$said" ] || wrong "groff says: $said"
fi
if command -v mandoc >/dev/null; then # pages have no date: what is made twice is equal
    said=$(mandoc -T lint -W warning "$folder"/man?/* | grep -v 'missing date' || true)
    [ -z "$said" ] || wrong "mandoc says: $said"
fi
exit $failed
