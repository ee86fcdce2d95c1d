#!/usr/bin/env python3
"""test_python.py TOP TOOL: the Python package, by the library that PLANBCAST_LIBRARY names, against the tool."""
import contextlib
import ctypes
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP, TOOL = (os.path.abspath(path) for path in sys.argv[1:3])
sys.path.insert(0, os.path.join(TOP, "lib", "python"))
os.environ.setdefault("MPLBACKEND", "Agg")
sys.dont_write_bytecode = True

import numpy as np  # noqa: E402
import planbcast  # noqa: E402
from planbcast import _library  # noqa: E402

SPEC = os.path.join(TOP, "bench", "clusters", "three-sites.json")
TWO_HOSTS = os.path.join(TOP, "tests", "golden", "inputs", "two-hosts.json")


def tool(*arguments):
    return json.loads(subprocess.run([TOOL, *arguments, "--json"], check=True, capture_output=True).stdout)


class Python(unittest.TestCase):
    def test_structs_are_those_of_the_binary_interface(self):
        ours = {"plan_error_t": _library.CError, "plan_bottleneck_t": _library.CBottleneck,
                "plan_tree_data_t": _library.CTree, "plan_candidate_t": _library.CCandidate,
                "plan_choice_t": _library.CChoice, "plan_ranking_t": _library.CRanking,
                "plan_steady_data_t": _library.CSteady}
        wanted, had = {}, {}
        with open(os.path.join(TOP, "tests", "package", "abi.txt")) as file:
            for line in file:
                match = re.match(r"\S+ (?:struct|member) (\w+)\.?(\w*) (.*)", line)
                if match and match[1] in ours:
                    wanted[match[1], match[2]] = match[3]
        for name, struct in ours.items():
            had[name, ""] = str(ctypes.sizeof(struct))
            for member, _ in struct._fields_:
                at = getattr(struct, member)
                had[name, member] = f"{at.offset} {at.size}"
        self.assertEqual(had, wanted)

    def test_versions_are_the_same(self):
        with open(os.path.join(TOP, "lib", "python", "pyproject.toml")) as file:
            self.assertIn(f'version = "{planbcast.version()}"', file.read())
        self.assertEqual(planbcast.version().rsplit(".", 1)[0], _library.VERSION)

    def test_rankings_and_bounds_are_those_of_the_tool(self):
        pf = planbcast.load(SPEC)
        self.assertEqual((pf.ranks, len(pf.host_names), len(pf.links)), (12, 12, 132))
        self.assertTrue(np.isnan(np.diag(pf.matrix())).all())
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sites.json")
            subprocess.run([TOOL, "generate", "sites", SPEC, "-o", path], check=True)
            said, ranking = tool("plan", path, "--bytes", "1M", "--root", "3"), pf.rank(1 << 20, root=3)
            self.assertEqual([c.name for c in ranking], [c["name"] for c in said["candidates"]])
            for c, wanted in zip(ranking, said["candidates"]):
                if wanted["predicted_s"] is not None:
                    self.assertEqual(c.predicted_s, wanted["predicted_s"], c.name)
                self.assertEqual(c.parents.tolist(), [t["parent"] for t in wanted["trees"]], c.name)
            bound, solved = pf.bound(slice=65536), tool("solve", path, "--slice", "64K", "--gap", "1e-6")
        self.assertAlmostEqual(bound.throughput / solved["throughput"], 1, 5)
        self.assertGreaterEqual(bound.upper, bound.throughput)
        self.assertAlmostEqual(bound.tree_rates.sum() / bound.throughput, 1, 4)
        self.assertEqual(bound.tree_parents.shape, (len(bound.tree_rates), 12))

    def test_plans_are_saved_and_loaded(self):
        pf = planbcast.load(TWO_HOSTS)
        plan = pf.plan(1 << 20, only=["ompi-binary", "ompi-chain"])
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "plan.json")
            plan.save(path)
            again = planbcast.Plan.load(path)
        self.assertEqual(again.hash, plan.hash)
        chosen = again.chosen(1 << 20)
        self.assertIn(chosen.name, ("ompi-binary", "ompi-chain"))
        self.assertEqual(chosen.parents[0][0], -1)
        self.assertIn("bottleneck", plan.explain(1 << 20, pf))
        parents = [[int(p) for p in line.split()] for line in plan.export(1 << 20, "parents").splitlines()]
        self.assertEqual(parents, chosen.parents.tolist())

    def test_reductions_are_planned(self):
        pf = planbcast.load(TWO_HOSTS)
        said = tool("plan", TWO_HOSTS, "--bytes", "1M", "--root", "3", "--operation", "reduce", "--combine", "1000000000")
        ranking = pf.rank(1 << 20, root=3, operation="reduce", combine_bytes_per_s=1e9)
        self.assertEqual([(c.name, c.predicted_s) for c in ranking],
                         [(c["name"], c["predicted_s"]) for c in said["candidates"]])
        plan = pf.plan(1 << 20, root=3, operation="reduce")
        self.assertIn("of reductions to rank 3 of 4", repr(plan))
        self.assertIn("reduced to rank 3 of 4", plan.explain(1 << 20, pf))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "sum.json")
            plan.save(path)
            again = planbcast.Plan.load(path)
        self.assertEqual((again.operation, again.hash), ("reduce", plan.hash))
        self.assertEqual(pf.plan(8).operation, "broadcast")
        with self.assertRaisesRegex(ValueError, "known: broadcast, reduce"):
            pf.plan(8, operation="scan")
        with self.assertRaisesRegex(ValueError, "more than 0"):
            pf.plan(8, operation="reduce", combine_bytes_per_s=0)

    def test_machines_are_read(self):
        path = os.path.join(TOP, "tests", "golden", "inputs", "machine.json")
        self.assertEqual(planbcast.load_machine(path)["format"], "planbcast-machine")
        self.assertIn("n01", planbcast.load(path).host_names)

    def test_what_is_refused_is_said(self):
        with self.assertRaisesRegex(planbcast.Error, "missing.json: .*"):
            planbcast.load("missing.json")
        with self.assertRaisesRegex(planbcast.Error, r"costs nothing; give"):
            planbcast.load(os.path.join(TOP, "tests", "golden", "inputs", "zero-cost.json"))
        pf = planbcast.load(TWO_HOSTS)
        with self.assertRaisesRegex(planbcast.Error, "root"):
            pf.rank(8, root=99)
        with self.assertRaises(planbcast.Error):
            pf.rank(8, only="no-such-candidate")
        with self.assertRaisesRegex(planbcast.Error, "known: dot"):
            pf.plan(8).export(8, "no-such-format")

    def test_the_notebook_runs(self):
        """By jupyter where that is installed; else its cells of code, one after the other."""
        source = os.path.join(TOP, "lib", "python", "three-sites.ipynb")
        with open(source, encoding="utf-8") as file:
            cells = ["".join(c["source"]) for c in json.load(file)["cells"] if c["cell_type"] == "code"]
        self.assertGreater(len(cells), 3)
        with tempfile.TemporaryDirectory() as folder:
            inside = os.path.join(folder, "lib", "python")  # "../../bench" is there, too
            os.makedirs(inside)
            os.symlink(os.path.join(TOP, "bench"), os.path.join(folder, "bench"))
            os.symlink(os.path.join(TOP, "lib", "python", "planbcast"), os.path.join(inside, "planbcast"))
            if shutil.which("jupyter-nbconvert"):
                subprocess.run(["jupyter-nbconvert", "--to", "notebook", "--execute", "--output-dir", inside, source],
                               cwd=inside, check=True, capture_output=True, env={**os.environ, "PYTHONPATH": inside})
                return
            before, printed, names = os.getcwd(), io.StringIO(), {}
            os.chdir(inside)
            try:
                with contextlib.redirect_stdout(printed):
                    for cell in cells:
                        exec(compile(cell, source, "exec"), names)
            finally:
                os.chdir(before)
            self.assertIn("no broadcast sustains more than 6.2", printed.getvalue())
            self.assertTrue(os.path.exists(os.path.join(inside, "plan.json")))

    def test_pictures_are_drawn(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest("no matplotlib")
        from planbcast import plot

        pf = planbcast.load(SPEC)
        ranking = pf.rank(1 << 16, only="best-tree,ompi-chain,host-chain")
        picture = io.BytesIO()
        plot.ranking(ranking).figure.savefig(picture)
        axes = plot.tree(ranking[0].parents[0], pf)
        self.assertEqual(len(axes.lines), 11)  # a link to every rank but the root
        self.assertEqual(len({tuple(xy) for xy in axes.collections[0].get_offsets().tolist()}), 12)
        axes = plot.links(pf, "latency_s")
        self.assertEqual(axes.images[0].get_array().shape, (12, 12))
        axes.figure.savefig(picture)
        self.assertGreater(len(picture.getvalue()), 1000)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
