#!/usr/bin/env bash
# Install to a scratch prefix, move it, then build and run small programs against it, found by CMake and by pkg-config.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1" && exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && wrong "$*"; }; }

quiet "$CMAKE" --install "$BUILD" --prefix "$work/first"
mv "$work/first" "$work/prefix" # no path of the installation may be written into it
! grep -rIl "$work/first" "$work/prefix" || wrong "the prefix is written into the files above"
! grep -rIl "$BUILD" "$work/prefix" || wrong "the build folder is written into the files above"

flags="${SANITIZE:+-fsanitize=$SANITIZE}"
# A library that is preloaded into mpiexec itself, or leaks of MPI, are not what is tested here.
export ASAN_OPTIONS=detect_leaks=0

# try KIND FOLDER: run the programs that were built in FOLDER.
try() {
    [ "$("$2/consumer_c")" = ok ] || wrong "$1: the C program"
    [ "$("$2/consumer_cxx")" = ok ] || wrong "$1: the C++ program"
    [ "$MPI" != ON ] || [ "$("$MPIEXEC" -n 2 "$2/consumer_mpi")" = ok ] || wrong "$1: the MPI program"
}

quiet "$CMAKE" -S "$here/consumer" -B "$work/by-cmake" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$CC" \
    -DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" ${MPICC:+-DMPI_C_COMPILER="$MPICC"} -DWITH_MPI="$MPI"
quiet "$CMAKE" --build "$work/by-cmake"
try "CMake package" "$work/by-cmake"

pc=$(dirname "$(find "$work/prefix" -name planbcast.pc)")
export PKG_CONFIG_PATH=$pc
libs=$(pkg-config --variable=libdir planbcast)
mkdir "$work/by-pc"
# shellcheck disable=SC2046,SC2086 # flags are words
{
    quiet "$CC" $flags "$here/consumer/consumer.c" -o "$work/by-pc/consumer_c" $(pkg-config --cflags --libs planbcast)
    quiet c++ $flags "$here/consumer/consumer.cpp" -o "$work/by-pc/consumer_cxx" $(pkg-config --cflags --libs planbcast)
    [ "$MPI" != ON ] ||
        quiet "$CC" $flags "$here/consumer/consumer_mpi.c" -o "$work/by-pc/consumer_mpi" \
            $(pkg-config --cflags --libs planbcast)
}
export LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
try "pkg-config" "$work/by-pc"
