#!/usr/bin/env python3
"""test_schemas.py TOP TOOL [MPIEXEC FLAG MPITOOL BASELINES]: the schema files describe what planbcast reads and prints.

Files of the tree, and all that the subcommands print with --json, are valid and have no member that their schema does
not name. The reader is the authority: what a schema refuses, the reader refuses as well, tried on many changed files.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
import warnings

import jsonschema

warnings.simplefilter("ignore", DeprecationWarning)  # RefResolver, which Debian 12 has and 13 advises against
TOP, TOOL = sys.argv[1:3]
MPI = sys.argv[3:]
SCHEMAS = os.path.join(TOP, "lib", "schemas")


def strict(schema):
    """The schema, but refusing members that it does not name."""
    if isinstance(schema, list):
        return [strict(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    made = {k: v if k in ("if", "then") else strict(v) for k, v in schema.items()}
    if isinstance(schema.get("properties"), dict) and "allOf" not in schema and ("type" in schema or "required" in schema):
        made["additionalProperties"] = False
    return made


def load(path):
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)


def validators(change):
    store = {}
    for path in glob.glob(os.path.join(SCHEMAS, "*.schema.json")):
        schema = load(path)
        jsonschema.Draft202012Validator.check_schema(schema)
        store["file:///schemas/" + os.path.basename(path)] = change(schema)
    made = {}
    for uri, schema in store.items():
        resolver = jsonschema.RefResolver(uri, schema, store=store)
        made[os.path.basename(uri)[: -len(".schema.json")]] = jsonschema.Draft202012Validator(schema, resolver=resolver)
    return made


LOOSE, STRICT = validators(lambda s: s), validators(strict)


def planbcast(*arguments, status=0):
    done = subprocess.run([TOOL, *arguments], capture_output=True, text=True)
    if status is not None and done.returncode != status:
        raise AssertionError(f"planbcast {' '.join(arguments)}: status {done.returncode}: {done.stderr}")
    return done


class Schemas(unittest.TestCase):
    def valid(self, document, what, format=None):
        self.assertIn("format", document, what)
        if format is not None:
            self.assertEqual(document["format"], format, what)
        self.valid_as(document["format"], document, what)

    def valid_as(self, schema, document, what):
        for error in STRICT[schema].iter_errors(document):
            self.fail(f"{what}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")

    def test_files_of_the_tree_are_valid(self):
        """Those that planbcast reads; what it refuses is left to the next test."""
        seen = set()
        for path in glob.glob(os.path.join(TOP, "bench", "clusters", "**", "*.json"), recursive=True) + [
            os.path.join(TOP, "tests", name)
            for name in (
                "fuzz/cluster/everything.json", "fuzz/machine/hand.json", "fuzz/machine/measured.json",
                "fuzz/plan/two_ranges.json", "fuzz/plan/rounds.json", "fuzz/plan/shared.json",
                "fuzz/platform/everything.json", "fuzz/platform/pairs.json", "fuzz/platform/profile.json",
                "fuzz/platform/shared.json", "golden/inputs/machine.json", "golden/inputs/plan.json",
                "golden/inputs/reduce.json",
                "golden/inputs/two-hosts.json", "mpi/four.json")
        ]:
            document = load(path)
            self.valid(document, path)
            seen.add(document["format"])
        self.assertEqual(len(seen), 5, seen)

    def test_files_of_parameters_are_valid(self):
        """Which have no format of their own: the command that reads them says what they are."""
        seen = collections.Counter()
        for path in glob.glob(os.path.join(TOP, "bench", "papers", "00*.d", "**", "*.json"), recursive=True) + [
            os.path.join(TOP, "tests", "golden", "inputs", name) for name in ("gros.json", "gros-all.json", "frodo.json")
        ]:
            document = load(path)
            if "format" in document:
                continue
            kind = "network" if "loggp" in document else "parameters" if "algorithms" in document else "taulop"
            self.valid_as("planbcast-" + kind, document, path)
            seen[kind] += 1
        self.assertEqual(set(seen), {"network", "parameters", "taulop"})

    def test_what_commands_print_is_valid(self):
        inputs = os.path.join(TOP, "tests", "golden", "inputs")
        spec = os.path.join(TOP, "bench", "clusters", "three-sites.json")
        platform, machine = (os.path.join(inputs, name) for name in ("two-hosts.json", "machine.json"))
        with tempfile.TemporaryDirectory() as folder:
            plan, sites = os.path.join(folder, "plan.json"), os.path.join(folder, "sites.json")
            planbcast("generate", "sites", spec, "-o", sites)
            planbcast("plan", platform, "--bytes", "1M", "-o", plan)
            for path in (plan, sites):
                self.valid(load(path), path)
            runs = {
                "solve": [[platform, "--slice", "64K"], [machine, "--slice", "64K"], [spec, "--slice", "64K"]],
                "plan": [[platform, "--bytes", "1M"], [sites, "--bytes", "64K"],
                         [platform, "--bytes", "1M", "--operation", "reduce", "--combine", "1G"],
                         [os.path.join(TOP, "bench/clusters/simulated/256-ranks.json"), "--bytes", "1M"]],
                "schedule": [[platform, "--slice", "64K"], [platform, "--slice", "64K", "--bytes", "1M"]],
                "tree": [["binomial", "--ranks", "7"]],
                "predict": [["binary", "--ranks", "9", "--ranks-per-host", "3", "--bytes", "1M", "--segment", "8K",
                             "--taulop", os.path.join(inputs, "gros.json")],
                            ["messages", "--model", "staircase", "--ranks", "6",
                             "--network", os.path.join(inputs, "thunderx2.json"),
                             "--messages", os.path.join(inputs, "three-pairs.json")]],
                "show": [[machine], [spec], [os.path.join(TOP, "tests", "fuzz", "machine", "measured.json")]],
                "candidates": [[]],
                "select": [[os.path.join(inputs, "times.tsv")],
                           [os.path.join(inputs, "gros-all.json"), "--ranks", "90", "--ranks-per-host", "18"]],
            }
            formats = {"solve": "bound", "plan": "ranking", "show": "summary", "predict": "prediction",
                       "select": "selection"}
            for command, arguments in runs.items():
                for given in arguments:
                    printed = planbcast(command, *given, "--json").stdout
                    self.valid(json.loads(printed), f"{command} {given}", "planbcast-" + formats.get(command, command))
            self.valid(json.loads(planbcast("export", plan, "--to", "json").stdout), "export", "planbcast-trees")
            self.valid(json.loads(planbcast("generate", "sites", spec, "--layout").stdout), "layout", "planbcast-layout")
            self.valid(json.loads(planbcast("merge", machine, machine).stdout), "merge", "planbcast-machine")
        commands = re.findall(r"^  (\w+) ", planbcast("--help").stdout.split("commands:")[1], re.M)
        self.assertEqual({c for c in commands if "--json" in planbcast(c, "--help").stdout}, set(runs))

    def changed(self, document):
        """(where, copy with one change) of all members and elements: without it, and with values of other kinds."""

        values = collections.deque(("text", -1, {}, None, 0.5, [1], True, [], [[]], 1e300))

        def walk(at, where):
            for key in list(at) if isinstance(at, dict) else range(min(len(at), 3)):
                yield at, key, where + (key,)
                if isinstance(at[key], (dict, list)):
                    yield from walk(at[key], where + (key,))

        for at, key, where in walk(document, ()):
            kept = at[key]
            values.rotate(1)
            for value in values:
                at[key] = value
                yield where, value, document
            at[key] = kept
            if isinstance(at, dict):
                rest = dict(at)
                del at[key]
                yield where, "(absent)", document
                at.clear()
                at.update(rest)

    def test_the_reader_refuses_what_a_schema_refuses(self):
        """Of each kind of place two of the values that the schema refuses, in turns."""
        total = 0
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "file.json")
            files = [(f"fuzz/{name}.json", None, ["show", path]) for name in (
                "cluster/everything", "machine/hand", "plan/two_ranges", "plan/rounds", "platform/everything",
                "platform/profile")]
            files += [
                ("golden/inputs/gros.json", "taulop", ["predict", "binary", "--ranks", "9", "--ranks-per-host", "3", "--bytes",
                                                       "1M", "--segment", "8K", "--taulop", path]),
                ("golden/inputs/gros-all.json", "parameters", ["select", path, "--ranks", "9", "--ranks-per-host", "3"]),
                ("schemas/network.json", "network", ["predict", "linear", "--model", "plogp", "--ranks", "4", "--bytes", "1K",
                                                     "--segment", "0", "--network", path])]
            for name, kind, command in files:
                document = load(os.path.join(TOP, "tests", name))
                schema, tried = LOOSE["planbcast-" + kind if kind else document["format"]], collections.Counter()
                self.assertTrue(schema.is_valid(document), name)
                for where, value, changed in self.changed(document):
                    kind = tuple("#" if isinstance(k, int) else k for k in where)
                    if tried[kind] >= 2 or schema.is_valid(changed):
                        continue
                    tried[kind] += 1
                    with open(path, "w") as file:
                        json.dump(changed, file)
                    done = planbcast(*command, status=None)
                    self.assertEqual(done.returncode, 2,
                                     f"{name}: {'/'.join(map(str, where))} = {value!r} is read: {done.stderr}{done.stdout}")
                self.assertGreater(len(tried), 5, name)
                total += sum(tried.values())
        print(f"{total} changed files are refused by both")

    @unittest.skipUnless(MPI, "no MPI")
    def test_what_runs_print_and_save_is_valid(self):
        mpiexec, flag, tool, _ = MPI
        with tempfile.TemporaryDirectory() as folder:
            saved = {name: os.path.join(folder, name + ".json") for name in ("profile", "machine", "plan")}
            options = [f"--save-{name}={path}" for name, path in saved.items()]
            for command in (["run", "--bytes", "8,64K", "--budget", "0.5", "--time", "0.01", *options],
                            ["bench", "--bytes", "4K", "--time", "0.01", "--profile", saved["profile"]],
                            ["run", "--operation", "reduce", "--bytes", "4K", "--time", "0.01", "--profile", saved["profile"],
                             "--estimate"]):
                done = subprocess.run([mpiexec, flag, "2", tool, *command, "--json"], capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL)
                self.assertEqual(done.returncode, 0, done.stderr)
                printed = json.loads(done.stdout)
                self.valid(printed, command[0], "planbcast-run")
                self.assertEqual(printed["command"], command[0])
                self.assertIn("planbcast-mpi " + command[0], printed["provenance"]["command"])
            for name, path in saved.items():
                self.valid(load(path), name, "planbcast-" + name)

    @unittest.skipUnless(MPI, "no MPI")
    def test_what_benchmark_runs_write_is_valid(self):
        mpiexec, flag, _, baselines = MPI
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([mpiexec, flag, "2", baselines, "--sizes", "8", "--rounds", "2", "--budget", "20",
                                   "--plan-budget", "0.2", "--out", folder],
                                  capture_output=True, text=True, stdin=subprocess.DEVNULL)
            self.assertEqual(done.returncode, 0, done.stderr)
            document = load(os.path.join(folder, "8.json"))
            self.valid(document, "8.json", "planbcast-baselines")
            self.assertTrue(any("chosen" in s for s in document["settings"]))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *(["-k", "runs"] if MPI else [])], verbosity=2)
