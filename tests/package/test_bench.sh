#!/usr/bin/env bash
# test_bench.sh FOLDER TOOL: every script in the folder bench refuses invalid options and specs with status 2 and one
# line that names them, before it builds, starts or writes anything; and has a --help. PLANBCAST_BIN contains only the
# offline tool, which reads specs, so that a script that accepts wrong options fails soon.
set -uo pipefail
bench=$(readlink -f "$1")
self=$(readlink -f "$0") # any file
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/folder" "$work/in"
ln -s "$(readlink -f "$2")" "$work/bin/planbcast"
export PLANBCAST_BIN="$work/bin"
cd "$work/in" || exit 1
failed=0 ran=0

# refuse WORDS SCRIPT ARGUMENT...
refuse() {
    local status=0
    "$bench/$2" "${@:3}" >"$work/out" 2>"$work/err" </dev/null || status=$?
    ran=$((ran + 1))
    if [ $status -ne 2 ] || [ -s "$work/out" ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -qF -e "$1" "$work/err" ||
        [ -n "$(ls -A)" ]; then
        echo "$2 ${*:3}: status $status, says $(cat "$work/out" "$work/err"), leaves $(ls -A)" && failed=1
    fi
}

# told WORDS SCRIPT ARGUMENT...: what is found out later ends with status 1 and one line.
told() {
    local status=0
    "$bench/$2" "${@:3}" >"$work/out" 2>"$work/err" </dev/null || status=$?
    if [ $status -ne 1 ] || [ "$(wc -l <"$work/err")" -ne 1 ] || ! grep -qF -e "$1" "$work/err"; then
        echo "$2 ${*:3}: status $status, says $(cat "$work/out" "$work/err")" && failed=1
    fi
}

# Every script says what it is for when asked: status 0, and its name on standard output.
for script in cluster simulate tsv verify several periodic reduce rules programs/run lp/run lp/constants single-tree/run baselines/run baselines/table baselines/regret \
    baselines/floor baselines/break-even baselines/plot baselines/publish simgrid/run simgrid/ordinary simgrid/measuring simgrid/table levels/run levels/generate selection/run papers/000 papers/001 \
    papers/002 papers/003 papers/004 papers/all baselines/exceeding baselines/timing baselines/versions planning/compare planning/constants \
    planning/contention planning/graphs planning/plot planning/replay planning/scale endurance/run scarce provenance; do
    for option in --help -h; do
        "$bench/$script" $option >"$work/out" 2>"$work/err" </dev/null || failed=1
        grep -qF "bench/$script" "$work/out" && [ ! -s "$work/err" ] && [ -z "$(ls -A)" ] ||
            { echo "$script $option says $(cat "$work/out" "$work/err"), leaves $(ls -A)" && failed=1; }
    done
    # A help that cannot be printed ends the script, too.
    status=0
    timeout 60 "$bench/$script" --help >/dev/full 2>"$work/err" </dev/null || status=$?
    [[ $status -gt 0 && $status -lt 124 && $(wc -l <"$work/err") -eq 1 && -z $(ls -A) ]] ||
        { echo "$script --help on a full disk: status $status, says $(head -n 5 "$work/err"), leaves $(ls -A)" && failed=1; }
done
for script in baselines/run programs/run simgrid/run simgrid/ordinary simgrid/measuring levels/run levels/generate verify several periodic reduce rules lp/run lp/constants single-tree/run selection/run papers/000 papers/001 \
    papers/002 papers/003 papers/004 papers/all; do
    refuse --nonsense "$script" --nonsense
done
for script in baselines/run simgrid/run simgrid/ordinary simgrid/measuring verify several periodic reduce rules; do
    for spec in missing.json "$work/folder" ''; do refuse "$spec: cannot be read" "$script" "$spec"; done
done
for table in missing.tsv "$work/folder"; do refuse "$table: cannot be read" selection/run "$table"; done
for script in baselines/table baselines/regret baselines/break-even baselines/plot baselines/publish; do
    refuse "usage: " "$script" "$work/missing"
    refuse "usage: " "$script"
done
for value in -1 x 1e99 nan 1K; do
    refuse "--minutes $value: give a number" baselines/run --minutes "$value"
    for script in simgrid/run simgrid/ordinary simgrid/measuring levels/run; do refuse "--budget $value: give a number" "$script" --budget "$value"; done
    for option in --budget --tolerance; do refuse "$option $value: give a number" verify "$option" "$value" "$self"; done
    refuse "--limit $value: give a number" simgrid/run --limit "$value"
    refuse "--seconds $value: give a number" reduce --seconds "$value"
done
for value in -1 x 1e99 '1,' 12345; do
    refuse "--roots $value: give ranks" baselines/run --roots "$value"
    refuse "--roots $value: give ranks" simgrid/ordinary --roots "$value"
    refuse "--root $value: give ranks" simgrid/run --root "$value"
done
for value in 0 -1 x 4,4; do
    for script in programs/run endurance/run; do refuse "--ranks $value: give a" "$script" --ranks "$value"; done
done
for value in 4Q -1 1e99 8,,9 '8,'; do
    for script in simgrid/run simgrid/ordinary; do
        refuse "--sizes $value: give sizes" "$script" --sizes "$value"
    done
    refuse "message $value: give sizes" several "$bench/clusters/8-equal.json" "$value"
done
for value in none ''; do # no value, an empty one
    [ "$value" = none ] && last=() || last=('')
    for script in simgrid/run verify; do refuse "--budget needs a value" "$script" --budget "${last[@]}"; done
    refuse "--minutes needs a value" baselines/run --minutes "${last[@]}"
    refuse "--out needs a value" reduce --out "${last[@]}"
done
for script in baselines/run simgrid/run verify several; do refuse "not JSON" "$script" "$self"; done
for script in baselines/run simgrid/run verify several; do # what was typed moves no terminal
    refuse "?[31mred?[0m" "$script" $'\e[31mred\e[0m'
done
for script in baselines/run simgrid/run verify several lp/run lp/constants single-tree/run papers/000; do
    refuse "--?[2Jno" "$script" $'--\e[2Jno'
done
refuse "?[31mred?[0m" cluster show $'\e[31mred\e[0m'
refuse "cannot be read" cluster show missing.json
refuse "cannot be read" cluster show "$work/folder"
refuse "cannot be read" simulate platform missing.json
refuse "cannot be read" simulate "$work/folder" -- true
refuse "which command" cluster fly
refuse "0: give seeds" levels/run 0
refuse "give a seed" levels/generate
refuse "usage: " baselines/exceeding "$work/folder" "$work/folder"
refuse "usage: " baselines/floor "$work/folder" "$work/folder" "$work/folder"
mkdir "$work/folder.md"
refuse "folder.md: give a file" tsv "$work/folder.md"
refuse "--planner needs a file" planning/replay --planner
refuse "give a folder" planning/contention
refuse "missing: no folder" planning/constants missing
refuse "usage: " planning/graphs 8
for command in list possible; do refuse "$command needs nothing more" cluster $command 8; done
: >"$work/empty.json"
for profile in "$work/empty.json" "$self"; do told "$profile: no profile of 8-equal" verify --profile "$profile" "$bench/clusters/8-equal.json"; done
if command -v gnuplot >/dev/null; then told "cannot" planning/plot "$bench/results/scale.md" "$work/missing/x.svg"; fi
refuse "one argument too many" several "$bench/clusters/8-equal.json" 8 9
# Where numbers have a comma for a point, nothing changes.
if localedef -i de_DE -f UTF-8 "$work/de_DE.UTF-8" 2>/dev/null; then
    for script in 'levels/generate 3' 'scarce 7' 'cluster show clusters/racks.json'; do
        # shellcheck disable=SC2086 # words
        same=$(cd "$bench" && ./$script) german=$(cd "$bench" && LOCPATH=$work LC_ALL=de_DE.UTF-8 ./$script)
        [[ -n $same && $same == "$german" ]] || { echo "$script where numbers have commas: $german" && failed=1; }
    done
    german=$(LOCPATH=$work LC_ALL=de_DE.UTF-8 bash -c '. "$1" && times 0.3 0.5' - "$bench/constants.bash")
    [ "$german" = 0.15 ] || { echo "half of 0.3 where numbers have commas: $german" && failed=1; }
fi
echo "$ran refusals tried"
[ $ran -gt 100 ] || failed=1
exit $failed
