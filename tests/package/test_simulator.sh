#!/usr/bin/env bash
# test_simulator.sh ROOT: one file defines how simulated time differs; other files test the properties that it defines.
set -euo pipefail
cd "$1"
files=$(grep -rlwE 'PLANI_SIMULATED|PLANBCAST_SIMULATED|SMPI_[A-Z_]+' --include='*.[ch]' lib graphs lp planner)
others=$(grep -vE '^lib/mpi/comm/simulator\.[ch]$' <<<"$files" || true)
grep -q '^lib/mpi/comm/simulator.h$' <<<"$files" || { echo "FAILED: nothing found in simulator.h; looked for the wrong names?" && exit 1; }
[ -z "$others" ] || { echo "FAILED: these ask whether time is simulated, not for a property of lib/mpi/comm/simulator.h:" "${others//$'\n'/ }" && exit 1; }
