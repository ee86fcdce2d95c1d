"""Machines, bounds, rankings and plans of planbcast, without MPI.

    import planbcast
    pf = planbcast.load("bench/clusters/three-sites.json")
    print(pf.bound(slice=65536).bytes_per_s)
    for c in pf.rank(4 << 20)[:5]:
        print(c.name, c.predicted_s)
    plan = pf.plan(4 << 20)
    print(plan.explain(4 << 20, pf))
    plan.save("plan.json")          # for plan_bind, planbcast-mpi and the preloaded library
    pf.plan(4 << 20, operation="reduce").save("sum.json")  # for plan_bind and plan_reduce_execute

Sizes are in bytes, times in seconds, rates in bytes per second. What the library refuses raises planbcast.Error with
its line. planbcast.plot draws with matplotlib. Objects keep what they need of the library alive, and free it.
"""
import ctypes
import json
import math
from ctypes import POINTER, byref, c_void_p
from dataclasses import dataclass, field

import numpy as np

from . import _library as _l
from ._library import Error

__all__ = ["Bound", "Candidate", "Error", "Plan", "Platform", "Ranking", "load", "load_machine", "version"]


def version():
    """Of the library, "major.minor.patch"."""
    return _l.lib.plan_version().decode()


@dataclass
class Candidate:
    """One way to broadcast one message size (plan_candidate_t)."""

    name: str
    run: str  # "trees", "hosts", "rounds", "shared", "native"; "not": for comparison only
    slice: int  # [B]; 0: the message whole
    window: int  # slices in flight per child
    predicted_s: float
    throughput: float  # slices per second
    lp_ratio: float  # throughput / bound at this slice size
    measured_s: float = math.nan
    rates: np.ndarray = field(default_factory=lambda: np.empty(0))  # [trees] slices per second
    parents: np.ndarray = field(default_factory=lambda: np.empty((0, 0), int))  # [trees, ranks]; -1: the root
    schedule: str = None  # of rounds
    order: np.ndarray = None  # of rounds: the rank at each place


class Ranking(list):
    """Candidates for one message size, best first."""

    def __init__(self, candidates, nbytes, bound, bound_slice):
        super().__init__(candidates)
        self.bytes, self.bound, self.bound_slice = nbytes, bound, bound_slice
        self.bound_bytes_per_s = bound * bound_slice


@dataclass
class Bound:
    """What no broadcast by messages over a platform exceeds, at one slice size (plan_steady_data_t)."""

    slice: int
    throughput: float  # slices per second
    upper: float  # certified
    gap: float
    bytes_per_s: float
    rates: np.ndarray  # [links] slices per second on each link
    tree_rates: np.ndarray
    tree_parents: np.ndarray  # [trees, ranks]


class Platform:
    """Ranks, links, shared resources and hosts: what is planned on. See load()."""

    def __init__(self, handle):
        self._handle = handle
        self.data = json.loads(_l.text_of("plan_platform_to_json", handle))  # as in platform files
        self.name, self.ranks = self.data["name"], self.data["ranks"]
        self.hosts = np.array(self.data.get("hosts", range(self.ranks)))
        self.sites = np.array(self.data.get("sites", [0] * self.ranks))
        names = self.data.get("host_names", [])
        self.host_names = names or [f"host {h}" for h in range(self.hosts.max() + 1)]
        self.links = np.array(
            [(link["from"], link["to"], link["latency_s"], link["s_per_byte"]) for link in self.data["links"]],
            dtype=[("from", int), ("to", int), ("latency_s", float), ("s_per_byte", float)])

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            _l.lib.plan_platform_destroy(byref(self._handle))

    def __repr__(self):
        return f"<Platform {self.name!r}: {self.ranks} ranks on {len(self.host_names)} hosts, {len(self.links)} links>"

    def matrix(self, what="latency_s"):
        """[ranks, ranks] latency_s, s_per_byte, or bytes_per_s of the links; NaN where there is none."""
        links = self.links
        made = np.full((self.ranks, self.ranks), np.nan)
        with np.errstate(divide="ignore"):
            made[links["from"], links["to"]] = 1 / links["s_per_byte"] if what == "bytes_per_s" else links[what]
        return made

    def bound(self, root=0, slice=65536):
        """The most that any broadcast by messages from root sustains in slices of so many bytes, and trees that come close."""
        steady = c_void_p()
        _l.call("plan_platform_bound", self._handle, root, slice, None, byref(steady))
        try:
            d = _l.lib.plan_steady_data(steady).contents
            return Bound(slice, d.throughput, d.upper, d.gap, d.throughput * slice,
                         _array(d.rate, len(self.links)), _array(d.tree_rate, d.ntrees),
                         np.array([_array(d.tree_parent[t], self.ranks) for t in range(d.ntrees)], int).reshape(-1, self.ranks))
        finally:
            _l.lib.plan_steady_destroy(byref(steady))

    def rank(self, nbytes, root=0, operation="broadcast", combine_bytes_per_s=math.inf, **choice):
        """All candidates for one message size. choice: slice, window, model, only (names), time_limit_s, seed.

        operation "reduce": a reduction to root; a parent is whom a rank sends to. combine_bytes_per_s: how fast a rank
        combines what it receives with its own.
        """
        ranking = POINTER(_l.CRanking)()
        if _reduces(operation):
            _l.call("plan_reduce_ranking_create", self._handle, root, nbytes, _combining(combine_bytes_per_s),
                    byref(_l.choice(**choice)), byref(ranking))
        else:
            _l.call("plan_ranking_create", self._handle, root, nbytes, byref(_l.choice(**choice)), byref(ranking))
        try:
            r = ranking.contents
            return Ranking([_candidate(r.candidate[i]) for i in range(r.ncandidates)], nbytes, r.bound, r.bound_slice)
        finally:
            _l.lib.plan_ranking_destroy(byref(ranking))

    def plan(self, max_bytes, root=0, operation="broadcast", combine_bytes_per_s=math.inf, **choice):
        """A plan for all message sizes up to max_bytes. The other arguments are those of rank()."""
        plan = c_void_p()
        if _reduces(operation):
            _l.call("plan_reduce_create", self._handle, root, max_bytes, _combining(combine_bytes_per_s),
                    byref(_l.choice(**choice)), byref(plan))
        else:
            _l.call("plan_create", self._handle, root, max_bytes, byref(_l.choice(**choice)), byref(plan))
        return Plan(plan)


class Plan:
    """For each range of message sizes, who sends what to whom."""

    def __init__(self, handle):
        self._handle = handle
        self.data = json.loads(_l.text_of("plan_to_json", handle))  # as in plan files
        self.ranks, self.root, self.hash = self.data["ranks"], self.data["root"], self.data["hash"]
        self.operation = self.data.get("operation", "broadcast")

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            _l.lib.plan_destroy(byref(self._handle))

    def __repr__(self):
        names = ", ".join(r["name"] for r in self.data["ranges"])
        if self.operation == "reduce":
            return f"<Plan of reductions to rank {self.root} of {self.ranks} ranks: {names}>"
        return f"<Plan from rank {self.root} to {self.ranks} ranks: {names}>"

    @classmethod
    def load(cls, path):
        plan = c_void_p()
        _l.call("plan_load", _l.path_of(path), byref(plan))
        return cls(plan)

    def save(self, path):
        _l.call("plan_save", self._handle, _l.path_of(path))

    def chosen(self, nbytes):
        """The candidate for messages of nbytes."""
        ranges = self.data["ranges"]
        at = next((r for r in ranges[:-1] if nbytes <= r["up_to"]), ranges[-1])
        trees = [self.data["trees"][t["tree"]]["parent"] for t in at["trees"]]
        return Candidate(at["name"], at["run"], at["slice"], at["window"], at.get("predicted_s", math.nan),
                         at.get("throughput", math.nan), at.get("lp_ratio", math.nan), at.get("measured_s", math.nan),
                         np.array([t["rate"] for t in at["trees"]]), np.array(trees, int).reshape(len(trees), self.ranks),
                         at.get("schedule"), np.array(at["order"]) if "order" in at else None)

    def explain(self, nbytes, platform=None):
        """Lines of text: predicted time, runner-up, bottleneck, distance from the bound, shape of the trees."""
        return _l.text_of("plan_explain", self._handle, platform and platform._handle, nbytes)

    def export(self, nbytes, format="dot", platform=None):
        """The trees for one message size as text: "dot", "graphml", "json" or "parents"."""
        text = c_void_p()
        _l.call("plan_export", self._handle, platform and platform._handle, nbytes, format.encode(), byref(text))
        return _l.take_text(text)


def load(path):
    """A Platform from a platform, a profile, GraphML, or of the ranks of a machine file or cluster spec."""
    handle = c_void_p()
    described = _format(path) in ("planbcast-machine", "planbcast-cluster")
    _l.call("plan_generate_sites" if described else "plan_platform_load", _l.path_of(path), byref(handle))
    return Platform(handle)


def load_machine(path):
    """A machine file or cluster spec as a dict, once the library has accepted it (lib/schemas has its members)."""
    load(path)
    with open(path, encoding="utf-8-sig") as file:
        return json.load(file)


def _format(path):
    try:
        with open(path, encoding="utf-8-sig") as file:
            document = json.load(file)
    except (OSError, ValueError):  # the library says what is wrong, or reads GraphML
        return None
    return document.get("format") if isinstance(document, dict) else None


def _reduces(operation):
    if operation not in ("broadcast", "reduce"):
        raise ValueError(f"operation {operation!r}; known: broadcast, reduce")
    return operation == "reduce"


def _combining(bytes_per_s):
    if not bytes_per_s > 0:
        raise ValueError(f"combine_bytes_per_s is {bytes_per_s}; give more than 0")
    return 1 / bytes_per_s


def _array(pointer, n):
    return np.array([pointer[i] for i in range(n)])


def _candidate(c):
    if c.size != ctypes.sizeof(_l.CCandidate):
        raise Error(-9, f"the library has another binary interface: planbcast {version()}")
    trees = [_l.lib.plan_tree_data(c.tree[t]).contents for t in range(c.ntrees)]
    ranks = trees[0].ranks if trees else 0
    rounds = _l.RUNS[c.run] == "rounds"
    return Candidate(c.name.decode(), _l.RUNS[c.run], c.slice, c.window, c.predicted_s, c.throughput, c.lp_ratio,
                     c.measured_s, _array(c.rate, c.ntrees),
                     np.array([_array(t.parent, ranks) for t in trees], int).reshape(len(trees), ranks),
                     _l.SCHEDULES[c.schedule] if rounds else None, _array(c.order, c.places) if rounds else None)
