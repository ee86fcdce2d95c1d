#!/usr/bin/env bash
# Install to a scratch prefix, move it, then build the examples against it, found by CMake and by pkg-config, and run
# them; and a program in C++. With STATIC=yes a static library, built here, with one library in a folder of its own.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
examples=$here/../../lib/examples
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1" && exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && wrong "$*"; }; }

static=''
if [ -n "${STATIC-}" ]; then
    static=--static
    glpk=$(sed -n 's/^GLPK_LIBRARY:FILEPATH=//p' "$BUILD/CMakeCache.txt")
    mkdir "$work/elsewhere"
    cp -P "$glpk"* "$work/elsewhere"
    BUILD=$work/build
    quiet "$CMAKE" -S "$here/../.." -B "$BUILD" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS=-O0 -DBUILD_SHARED_LIBS=OFF \
        -DPLANBCAST_TESTS=OFF -DPLANBCAST_BENCH=OFF -DPLANBCAST_MPI="$MPI" -DCMAKE_C_COMPILER="$CC" ${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPIFC:+-DMPI_Fortran_COMPILER="$MPIFC"} \
        -DGLPK_LIBRARY="$work/elsewhere/$(basename "$glpk")"
    quiet "$CMAKE" --build "$BUILD" --parallel "$(nproc)"
fi
quiet "$CMAKE" --install "$BUILD" --prefix "$work/first"
mv "$work/first" "$work/prefix" # no path of the installation may be written into it
! grep -rIl "$work/first" "$work/prefix" || wrong "the prefix is written into the files above"
if [ -n "$static" ]; then
    [ -z "$(find "$work/prefix" -name 'libplanbcast.so*')" ] || wrong "the library is not static"
    ldd "$work/prefix/bin/planbcast" | grep -qF "=> $work/elsewhere/" || wrong "the tool does not find what is elsewhere: $(ldd "$work/prefix/bin/planbcast")"
fi
# shellcheck disable=SC2016 # in Tcl
python=$(find "$work/prefix" -path '*/modulefiles/*' -type f -exec sed -n 's/^prepend-path PYTHONPATH \$prefix\///p' {} +)
if [ -n "$static" ]; then [ -z "$python" ]; else [ -d "$work/prefix/$python/planbcast" ]; fi || wrong "PYTHONPATH of the environment module: '$python'"
! grep -rIl "$BUILD" "$work/prefix" || wrong "the build folder is written into the files above"

programs=''
[ "$MPI" != ON ] || programs='broadcast reduce overlap'
flags="${SANITIZE:+-fsanitize=$SANITIZE}"
# A library that is preloaded into mpiexec itself, or leaks of MPI, are not what is tested here.
export ASAN_OPTIONS=detect_leaks=0

# try KIND FOLDER: run the programs that were built in FOLDER.
try() {
    cd "$2"
    quiet ./offline
    grep -q '^bottleneck: ' "$work/log" || wrong "$1: offline does not say what holds it up"
    [ -s plan.json ] || wrong "$1: offline leaves no plan"
    quiet ./model machine.json
    grep -q '^host-' "$work/log" || wrong "$1: model ranks no candidate of hosts"
    for program in $programs ${FC:+broadcast_f}; do
        quiet "$MPIEXEC" -n 2 "./$program"
        grep -q ': all right$' "$work/log" || wrong "$1: $program"
    done
    if [ -n "$programs" ] && [ -x split ]; then
        quiet "$MPIEXEC" -n 2 ./split
        quiet "$MPIEXEC" -n 2 ./threads
        grep -q ': all right$' "$work/log" || wrong "$1: threads"
        quiet "$MPIEXEC" -n 2 ./machine m.json # measures
        quiet "$MPIEXEC" -n 2 ./machine m.json # reads
        quiet "$MPIEXEC" -n 6 ./bind plan.json
        grep -q ': all right$' "$work/log" || wrong "$1: bind"
    fi
    cd "$work"
}

# by_cmake SOURCE FOLDER
by_cmake() {
    quiet "$CMAKE" -S "$1" -B "$2" -DCMAKE_PREFIX_PATH="$work/prefix" -DCMAKE_C_COMPILER="$CC" -DCMAKE_C_FLAGS="$flags" \
        -DCMAKE_CXX_FLAGS="$flags" ${MPICC:+-DMPI_C_COMPILER="$MPICC"} ${MPIFC:+-DMPI_Fortran_COMPILER="$MPIFC"}
    quiet "$CMAKE" --build "$2"
}
by_cmake "$examples" "$work/by-cmake"
try "CMake package" "$work/by-cmake"
by_cmake "$here/consumer" "$work/cxx"
[ "$("$work/cxx/consumer_cxx")" = ok ] || wrong "the C++ program"

pc=$(dirname "$(find "$work/prefix" -name planbcast.pc)")
export PKG_CONFIG_PATH=$pc
libs=$(pkg-config --variable=libdir planbcast)
mkdir "$work/by-pc"
# shellcheck disable=SC2046,SC2086 # flags are words
{
    quiet "$CC" $flags "$examples/offline.c" -o "$work/by-pc/offline" $(pkg-config $static --cflags --libs planbcast-planner)
    quiet "$CC" $flags "$examples/model.c" -o "$work/by-pc/model" $(pkg-config $static --cflags --libs planbcast-planner) -lm
    for program in $programs; do
        quiet "$CC" $flags "$examples/$program.c" -o "$work/by-pc/$program" $(pkg-config $static --cflags --libs planbcast)
    done
    [ -z "${FC-}" ] ||
        quiet "$FC" "$examples/broadcast.f90" -o "$work/by-pc/broadcast_f" $(pkg-config $static --cflags --libs planbcast-fortran)
}
export LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
try "pkg-config" "$work/by-pc"
if [ "$MPI" = ON ] && [ -z "$static" ]; then
    ! ldd "$work/by-pc/broadcast" | grep -E 'planner|glpk|igraph|gsl' || wrong "a program that only broadcasts needs the libraries above"
    quiet env PLANBCAST_PLANNER="$(echo "$libs"/libplanbcast-planner.so.*.*.*)" "$MPIEXEC" -n 2 "$work/by-pc/broadcast"
    : >"$work/said"
    # Each process writes to the file itself: what it says before MPI_Abort may not pass MPICH's mpiexec (36 of 900).
    # shellcheck disable=SC2016 # for the inner shell
    if "$MPIEXEC" -n 2 env PLANBCAST_PLANNER=/no/such/planner.so sh -c 'exec "$1" >>"$2" 2>&1' sh "$work/by-pc/broadcast" "$work/said" \
        >"$work/log" 2>&1; then
        wrong "planned without a planner"
    fi
    grep -q "/no/such/planner.so" "$work/said" || { cat "$work/log" "$work/said" && wrong "the missing planner is not named"; }
fi
