#!/usr/bin/env bash
# try_packages.sh FOLDER: in a bare Debian, as root: install the packages in FOLDER, and use them as a newcomer would.
set -euo pipefail
here=$(dirname "$(readlink -f "$0")")
examples=$here/../../lib/examples
packages=$(readlink -f "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1" && exit 1; }
quiet() { "$@" >"$work/log" 2>&1 || { cat "$work/log" && wrong "$*"; }; }
export DEBIAN_FRONTEND=noninteractive
install() { quiet apt-get -qq --yes --no-install-recommends install "$@"; }

quiet apt-get -qq update
# The runtime alone brings neither solver nor MPI's tools.
install "$packages"/libplanbcast0*.deb
! dpkg-query -W -f '${Package}\n' | grep -E '^lib(glpk|gsl|igraph)' || wrong "the runtime brings what only planning needs"
install "$packages"/*.deb
missing=$(find /usr/bin/planbcast* /usr/lib/*/libplanbcast* -type f -exec ldd {} + | grep 'not found' || true)
[ -z "$missing" ] || wrong "a package does not depend on what it needs: $missing"

cd "$work"
clusters=/usr/share/planbcast/clusters
quiet planbcast plan "$clusters/three-sites.json" --bytes 4M -o plan.json
grep -q '^\* ' "$work/log" || wrong "planbcast plans nothing"
PYTHONDONTWRITEBYTECODE=1 quiet python3 -c "
import json, os
os.chdir('/usr/share/planbcast/python')
for cell in json.load(open('three-sites.ipynb'))['cells']:
    if cell['cell_type'] == 'code': exec(''.join(cell['source']).replace('plan.json', '$work/by-python.json'))"
[ -s by-python.json ] || wrong "the notebook saves no plan"

install gcc libc6-dev pkg-config openmpi-bin
for variable in $(sed 's/#.*//' "$here/../../cmake/mpi-environment" | awk '{ print $2 }'); do export "${variable?}"; done
# shellcheck disable=SC2046 # flags are words
{
    quiet gcc "$examples/broadcast.c" -o broadcast $(pkg-config --cflags --libs planbcast)
    quiet gcc "$examples/offline.c" -o offline $(pkg-config --cflags --libs planbcast-planner)
}
quiet ./offline
quiet mpirun -n 2 ./broadcast
grep -q ': all right$' "$work/log" || wrong "broadcast: $(cat "$work/log")"
quiet mpirun -n 2 planbcast-mpi run --bytes 64K --budget 0.5 --time 0.01
grep -q 'all equal' "$work/log" || wrong "planbcast-mpi: $(cat "$work/log")"
quiet mpirun -n 2 -x LD_PRELOAD=libplanbcast-preload.so ./broadcast

quiet apt-get -qq --yes purge 'libplanbcast*' planbcast python3-planbcast
left=$(find /usr /etc -name '*planbcast*' 2>/dev/null || true)
[ -z "$left" ] || wrong "purging leaves $left"
echo "installed, used and purged: $(cd "$packages" && echo *.deb)"
