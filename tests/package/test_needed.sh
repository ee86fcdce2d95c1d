#!/usr/bin/env bash
# test_needed.sh LIBRARY...: the runtime's libraries need MPI, libm, libpthread, the C library, XPMEM's where it is used,
# and each other, and no library of the planner's. MPI libraries differ in their names; those of the planner do not.
set -euo pipefail
wrong() { echo "FAILED: $1" && exit 1; }
for library in "$@"; do
    needed=$(objdump -p "$library" | awk '$1 == "NEEDED" { print $2 }')
    [ -n "$needed" ] || wrong "$library needs nothing at all"
    others=$(grep -vE '^(libplanbcast|libc|libm|libpthread|libdl|ld-linux[^.]*|libmpi[a-z0-9_]*|libmpich[a-z0-9_]*|libopen-(rte|pal)|libxpmem|libsimgrid|libasan|libubsan)\.' <<<"$needed" || true)
    [ -z "$others" ] || wrong "$library needs ${others//$'\n'/ }"
    ! nm -D --undefined-only "$library" | grep -E ' (glp_|igraph_|gsl_|json_|hwloc_|xml)' || wrong "$library uses them"
done
