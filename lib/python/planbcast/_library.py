"""The shared library, by ctypes: what of its interface this package uses."""
import ctypes
import glob
import os
from ctypes import POINTER, Structure, byref, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint64, c_void_p

VERSION = "0.1"  # of the binary interface
RUNS = ("trees", "native", "not", "rounds", "shared", "hosts")
SCHEDULES = ("scatter-ring", "scatter-doubling", "circulant")


class Error(RuntimeError):
    """What the library refused: one line that names the file, the place and the remedy. status: a plan_status_t."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


class CError(Structure):
    _fields_ = [("status", c_int), ("text", c_char * 480)]


class CBottleneck(Structure):
    _fields_ = [("at", c_int), ("index", c_size_t), ("seconds", c_double)]


class CTree(Structure):
    _fields_ = [
        ("ranks", c_int), ("root", c_int), ("height", c_int), ("parent", POINTER(c_int)), ("depth", POINTER(c_int)),
        ("breadth_first", POINTER(c_int))]


class CCandidate(Structure):
    _fields_ = [
        ("size", c_size_t), ("name", c_char * 64), ("run", c_int), ("slice", c_size_t), ("window", c_int),
        ("ntrees", c_size_t), ("tree", POINTER(c_void_p)), ("rate", POINTER(c_double)), ("link_window", POINTER(c_int)),
        ("schedule", c_int), ("places", c_int), ("order", POINTER(c_int)), ("throughput", c_double),
        ("lp_ratio", c_double), ("predicted_s", c_double), ("measured_s", c_double), ("weight", c_double),
        ("bottleneck", CBottleneck), ("instance", c_size_t)]


class CChoice(Structure):
    _fields_ = [
        ("size", c_size_t), ("slice", c_size_t), ("window", c_int), ("model", c_char_p), ("scorer", c_void_p),
        ("scorer_context", c_void_p), ("only", c_char_p), ("time_limit_s", c_double), ("include_native", c_bool),
        ("seed", c_uint64)]


class CRanking(Structure):
    _fields_ = [
        ("ranks", c_int), ("root", c_int), ("bytes", c_size_t), ("bound", c_double), ("bound_gap", c_double),
        ("bound_slice", c_size_t), ("ncandidates", c_size_t), ("candidate", POINTER(CCandidate)),
        ("bound_of_machine", c_int)]


class CSteady(Structure):
    _fields_ = [
        ("throughput", c_double), ("upper", c_double), ("gap", c_double), ("seconds", c_double), ("rounds", c_int),
        ("method", c_char_p), ("rate", POINTER(c_double)), ("ntrees", c_size_t), ("tree_rate", POINTER(c_double)),
        ("tree_parent", POINTER(POINTER(c_int)))]


def _open():
    """PLANBCAST_LIBRARY; else beside this package, under the same prefix; else where the loader looks."""
    name = f"libplanbcast-planner.so.{VERSION}"
    found = [os.environ["PLANBCAST_LIBRARY"]] if os.environ.get("PLANBCAST_LIBRARY") else []
    above = os.path.dirname(os.path.abspath(__file__))
    while not found and above != os.path.dirname(above):
        above = os.path.dirname(above)
        found += glob.glob(os.path.join(above, "lib*", name)) + glob.glob(os.path.join(above, "lib", "*", name))
    tried = []
    for name in found or [name]:
        try:
            return ctypes.CDLL(name)
        except OSError as why:
            tried.append(str(why))
    raise ImportError("no library of planbcast: set PLANBCAST_LIBRARY to its file (" + "; ".join(tried) + ")")


lib = _open()
_libc = ctypes.CDLL(None)
_libc.free.argtypes, _libc.free.restype = [c_void_p], None

for _name, _result, _arguments in (
    ("plan_version", c_char_p, []),
    ("plan_status_string", c_char_p, [c_int]),
    ("plan_platform_load", c_int, [c_char_p, POINTER(c_void_p), POINTER(CError)]),
    ("plan_platform_parse", c_int, [c_char_p, c_size_t, c_char_p, POINTER(c_void_p), POINTER(CError)]),
    ("plan_platform_to_json", c_int, [c_void_p, POINTER(c_void_p)]),
    ("plan_platform_destroy", None, [POINTER(c_void_p)]),
    ("plan_generate_sites", c_int, [c_char_p, POINTER(c_void_p), POINTER(CError)]),
    ("plan_platform_bound", c_int, [c_void_p, c_int, c_double, c_void_p, POINTER(c_void_p), POINTER(CError)]),
    ("plan_steady_data", POINTER(CSteady), [c_void_p]),
    ("plan_steady_destroy", None, [POINTER(c_void_p)]),
    ("plan_ranking_create", c_int,
     [c_void_p, c_int, c_size_t, POINTER(CChoice), POINTER(POINTER(CRanking)), POINTER(CError)]),
    ("plan_reduce_ranking_create", c_int,
     [c_void_p, c_int, c_size_t, c_double, POINTER(CChoice), POINTER(POINTER(CRanking)), POINTER(CError)]),
    ("plan_ranking_destroy", None, [POINTER(POINTER(CRanking))]),
    ("plan_tree_data", POINTER(CTree), [c_void_p]),
    ("plan_create", c_int, [c_void_p, c_int, c_size_t, POINTER(CChoice), POINTER(c_void_p), POINTER(CError)]),
    ("plan_reduce_create", c_int,
     [c_void_p, c_int, c_size_t, c_double, POINTER(CChoice), POINTER(c_void_p), POINTER(CError)]),
    ("plan_destroy", None, [POINTER(c_void_p)]),
    ("plan_load", c_int, [c_char_p, POINTER(c_void_p), POINTER(CError)]),
    ("plan_save", c_int, [c_void_p, c_char_p, POINTER(CError)]),
    ("plan_to_json", c_int, [c_void_p, POINTER(c_void_p)]),
    ("plan_explain", c_int, [c_void_p, c_void_p, c_size_t, POINTER(c_void_p)]),
    ("plan_export", c_int, [c_void_p, c_void_p, c_size_t, c_char_p, POINTER(c_void_p), POINTER(CError)]),
):
    _function = getattr(lib, _name)
    _function.restype, _function.argtypes = _result, _arguments


def call(name, *arguments):
    """Call a function whose last argument is a plan_error_t *, and raise Error with its line."""
    error = CError()
    status = getattr(lib, name)(*arguments, byref(error))
    if status != 0:
        raise Error(status, error.text.decode(errors="replace") or lib.plan_status_string(status).decode())


def text_of(name, *arguments):
    """What a function writes as text, whose last argument is a char **."""
    text = c_void_p()
    status = getattr(lib, name)(*arguments, byref(text))
    if status != 0:
        raise Error(status, lib.plan_status_string(status).decode())
    return take_text(text)


def take_text(text):
    try:
        return ctypes.string_at(text).decode()
    finally:
        _libc.free(text)


def choice(slice=0, window=0, model=None, only=None, time_limit_s=0, seed=0):
    if only is not None and not isinstance(only, str):
        only = ",".join(only)
    return CChoice(size=ctypes.sizeof(CChoice), slice=slice, window=window, model=model and model.encode(),
                   only=only and only.encode(), time_limit_s=time_limit_s, seed=seed)


def path_of(path):
    return os.fsencode(os.fspath(path))
