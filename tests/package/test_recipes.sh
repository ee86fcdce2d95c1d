#!/usr/bin/env bash
# test_recipes.sh TOP MODULE: the environment module finds its prefix by its place, Spack's recipe names options that
# there are, and Debian's packages of libraries can be installed beside those of other versions.
set -euo pipefail
top=$1 module=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wrong() { echo "FAILED: $1" && exit 1; }

if command -v tclsh >/dev/null; then
    place=$work/prefix/share/planbcast/modulefiles/planbcast/0
    mkdir -p "$(dirname "$place")"
    cp "$module" "$place"
    cat >"$work/load.tcl" <<'TCL'
foreach command {module-whatis conflict setenv prepend-path append-path} {
    proc $command {args} "puts \"$command \$args\""
}
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
TCL
    tclsh "$work/load.tcl" "$place" >"$work/said"
    for line in "setenv PLANBCAST_ROOT $work/prefix" "prepend-path PATH $work/prefix/bin"; do
        grep -qxF "$line" "$work/said" || wrong "the module does not say $line but $(cat "$work/said")"
    done
    grep -q "^prepend-path LD_LIBRARY_PATH $work/prefix/lib" "$work/said" || wrong "the module names no libraries"
fi

version=$(sed -n 's/^project(planbcast VERSION \([0-9.]*\) .*/\1/p' "$top/CMakeLists.txt")
grep -qF "version(\"$version\")" "$top/cmake/spack/package.py" || wrong "the recipe is of another version than $version"
while read -r option; do
    grep -qE "(option|set)\($option |NOT DEFINED $option\)" "$top/CMakeLists.txt" || wrong "the recipe sets $option, which there is not"
done < <(grep -o '"\(PLANBCAST\|BUILD\)_[A-Z_]*"' "$top/cmake/spack/package.py" | tr -d '"')
if command -v python3 >/dev/null; then
    python3 - "$top/cmake/spack/package.py" <<'PYTHON' || wrong "the recipe is no Python"
import sys
names = dict.fromkeys("license version variant depends_on extends generator".split(), lambda *a, **k: None)
names["CMakePackage"] = object
text = open(sys.argv[1]).read().replace("from spack.package import *", "")
exec(compile(text, sys.argv[1], "exec"), names)
recipe = names["Planbcast"]()
recipe.define = recipe.define_from_variant = lambda name, value: f"-D{name}={value}"
assert len(recipe.cmake_args()) == 6
PYTHON
fi

unversioned=$(grep -E '^lib[^ ]*[0-9] ' "$top/cmake/debian/files" | grep -vE '\.so\.\*$' || true)
[ -z "$unversioned" ] || wrong "packages of several versions would have the same file: $unversioned"
