#!/usr/bin/env bash
# test_licences.sh ROOT SOURCE...: the sources of the runtime, and what they include, are under the BSD licence, and
# include of graphs, lp and planner nothing else, but for the declared interface, lib/mpi/planner/planner.h. It names
# types of theirs; what they do is called through its table.
set -euo pipefail
cd "$1" && shift
[ -s lib/LICENSE ] || { echo "FAILED: lib/LICENSE is missing" && exit 1; }
printf '%s\n' "${@#"$PWD"/}" lib/include/*.h lib/include/planbcast/*.h | awk -v interface=lib/mpi/planner/planner.h '
    function wrong(text) { print "FAILED: " text; failed = 1 }
    function look(file,    line, n) {
        while ((getline line <file) > 0) {
            if (++n == 1 && line !~ /SPDX-License-Identifier: BSD-3-Clause/)
                wrong(file " does not name the BSD licence in its first line; if the runtime is to have it: /* SPDX-License-Identifier: BSD-3-Clause */")
            if (line ~ /^#include <(glpk|igraph|gsl|jansson|hwloc|libxml)/) wrong(file ": " line)
            if (line ~ /^#include "/ && file != interface) { split(line, part, "\""); queue[++last] = part[2] }
        }
        if (n == 0) wrong(file " cannot be read")
        close(file)
    }
    { queue[++last] = $0 }
    END {
        for (i = 1; i <= last; i++) if (!seen[queue[i]]++) look(queue[i])
        if (!seen[interface]) wrong("nothing includes " interface ": is this test still right?")
        exit failed
    }'
