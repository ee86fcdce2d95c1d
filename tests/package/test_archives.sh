#!/usr/bin/env bash
# The MPI-free components (first archive) name no MPI symbol; the MPI side (second, if there is one) does, or we look wrongly.
# Neither trusts the environment of a program that runs with more rights than its user.
set -euo pipefail
mpi='[[:space:]](P?MPIX?_|ompi_|MPIR_)'

[ "$(nm "$1" | grep -c ' T plan')" -gt 0 ] || { echo "FAILED: no function of planbcast in $1" && exit 1; }
if nm "$1" | grep -E "$mpi"; then
    echo "FAILED: $1 names MPI symbols" && exit 1
fi
if [ $# -gt 1 ] && ! nm "$2" | grep -E "$mpi" >/dev/null; then
    echo "FAILED: no MPI symbol in $2" && exit 1
fi
for archive; do
    if nm "$archive" | grep -E ' U getenv(@|$)'; then
        echo "FAILED: $archive calls getenv, not secure_getenv" && exit 1
    fi
done
