#!/usr/bin/env bash
# test_archives.sh ARCHIVE... [-- ARCHIVE]: archives without MPI use no MPI symbol; the MPI archive (after --) does,
# else the check itself is broken. None contains models of the literature (lit_*), which have their own archive. None
# calls getenv: set-user-ID programs must not use their environment (secure_getenv).
set -euo pipefail
mpi='[[:space:]](P?MPIX?_|ompi_|MPIR_)'
wrong() { echo "FAILED: $1" && exit 1; }

while [ $# -gt 0 ]; do
    [ "$1" != -- ] || { shift && break; }
    [ "$(nm "$1" | grep -c ' T plan')" -gt 0 ] || wrong "no function of planbcast in $1"
    ! nm "$1" | grep -E "$mpi" || wrong "$1 names MPI symbols"
    archives+=("$1") && shift
done
if [ $# -gt 0 ]; then
    nm "$1" | grep -E "$mpi" >/dev/null || wrong "no MPI symbol in $1"
fi
for archive in "${archives[@]}" "$@"; do
    ! nm "$archive" | grep -E "[[:space:]]lit_" || wrong "$archive holds or uses models of the literature"
    ! nm "$archive" | grep -E ' U getenv(@|$)' || wrong "$archive calls getenv, not secure_getenv"
done
