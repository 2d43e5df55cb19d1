# SPDX-License-Identifier: Apache-2.0
"""The named figures of one run, and the readers of the programs' outputs."""
from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from .predict import bandwidth_of
from .text import NUMBER

TIMES = ("wall", "cpu", "user", "sys", "children-cpu", "own-cpu", "seconds", "longest-pause", "longest-pause-cpu",
         "blocked", "compiler", "quick-compiler")
SIZES = ("peak", "own-peak", "auxiliary")

# The order is that of the fields of a results file. hosts/bench/README.md says what they mean.
FIGURES = (
    "wall", "cpu", "user", "sys", "children-cpu", "own-cpu", "peak", "own-peak",
    "states", "transitions", "seconds",
    "peak-per-state", "rate",  # derived
    "cycles", "instructions", "cache-misses", "cycles-per-transition", "misses-per-transition",
    # Of omen's store, its index and its growth.
    "store-per-state", "index-load", "probes", "longest-pause", "longest-pause-cpu",
    # Kernel counts per transition: sectors of 32 bytes read and written, sectors read from the index, atomics, and
    # sectors requested if there is no cache.
    "sectors-read", "sectors-written", "index-sectors", "atomics", "asked-read", "asked-written",
    "bandwidth",  # published, of the device of the run, in bytes per second
    # Counters of omen's checkers, summed over all parts; unknown if a device checked a part.
    "expansions", "repeated", "red", "unions", "finds", "retries", "blocked", "peak-stack", "auxiliary",
    "automaton-states", "automaton-edges",  # of the automata of all parts, as passed to the checkers
    "converted-from",  # states of the converted automata, before conversion
    # Of generated code, and of the executors: states per second of processor time of the workers.
    "text-bytes", "compiler", "quick-compiler", "interpreter-rate", "quick-rate", "native-rate")


class Figures(dict[str, float]):
    """Figures by name. One that is unknown is NaN, never 0."""

    def __missing__(self, name: str) -> float:
        return math.nan


@dataclass
class Sample:
    """The result of one run."""

    figures: Figures = field(default_factory=Figures)
    verdict: str = ""  # "holds", "violated", "unknown" or ""
    executor: str = ""  # "vm", "native", "table, then native", "opencl" or ""

    def __getitem__(self, figure: str) -> float:
        return self.figures[figure]

    def derive(self) -> None:
        """Computes the derived figures from the others."""
        f = self.figures
        f["peak-per-state"] = _quotient(f["peak"], f["states"])
        f["rate"] = _quotient(f["states"], f["wall"])
        f["cycles-per-transition"] = _quotient(f["cycles"], f["transitions"])
        f["misses-per-transition"] = _quotient(f["cache-misses"], f["transitions"])


def _quotient(a: float, b: float) -> float:
    return a / b if b > 0 else math.nan


# Each reader takes the output of a program into the sample. It returns "", or the problem: no figures at all, or a
# search that was cut short.

# ---- omen ----

def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _objects(value: Any) -> list[dict[str, Any]]:
    return [_object(v) for v in value] if isinstance(value, list) else []


def _number(value: Any) -> float:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else math.nan


def _read_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


_COUNTERS = {"expansions": "expansions", "repeated": "repeated", "red": "red", "unions": "unions", "finds": "finds",
             "retries": "retries", "blocked": "blocked_seconds", "peak-stack": "peak_stack",
             "auxiliary": "auxiliary_bytes"}
_STORE = {"store-per-state": "bytes_per_state", "index-load": "index_load", "probes": "probes_per_look_up",
          "longest-pause": "longest_pause_seconds", "longest-pause-cpu": "longest_pause_cpu_seconds"}


_CODE = {"text-bytes": "text_bytes", "compiler": "compiler_seconds", "quick-compiler": "quick_compiler_seconds"}
_RATES = {"interpreter-rate": "interpreter_rate", "quick-rate": "quick_rate", "native-rate": "native_rate"}


def _sum(values: Iterable[Any]) -> float:
    return sum((_number(v) for v in values), 0.0)


def _read_parts(parts: list[dict[str, Any]], f: Figures) -> None:
    """Sums counters over the parts of a check. One that a part does not know (devices do not count) is unknown."""
    for figure, key in _COUNTERS.items():
        f[figure] = _sum(_object(p.get("counters")).get(key) for p in parts)
    f["automaton-states"] = _sum(p.get("automaton_states") for p in parts)
    f["automaton-edges"] = _sum(p.get("automaton_edges") for p in parts)
    before = [n for n in (_number(p.get("converted_from")) for p in parts) if not math.isnan(n)]
    if before:
        f["converted-from"] = sum(before)


def _read_omen(text: str, out: Sample) -> str:
    """Reads a JSON object of omen --json."""
    whole = _read_json(text)
    o, f = _object(whole), out.figures
    if not isinstance(whole, dict):
        return "no JSON object was printed"
    if o.get("complete") is False:
        return "the exploration is not complete"
    if any(isinstance(p.get("gave_up"), str) for p in (o, *_objects(o.get("parts")))):
        return "the device was abandoned"  # the CPU took over work that was requested from a device
    if not isinstance(o.get("states"), int) or isinstance(o["states"], bool):
        return "the JSON object has no states"
    for name in ("states", "transitions", "seconds"):
        f[name] = _number(o.get(name))
    for figure, key in _STORE.items():
        f[figure] = _number(_object(o.get("store")).get(key))
    if not isinstance(o.get("store"), dict):  # a device kept the states
        f["store-per-state"] = _quotient(_number(o.get("memory_bytes")), f["states"])
    f["bandwidth"] = bandwidth_of(o.get("device"))
    if isinstance(o.get("parts"), list):
        _read_parts(_objects(o["parts"]), f)
    out.verdict, out.executor = (o[k] if isinstance(o.get(k), str) else "" for k in ("verdict", "executor"))
    return ""


def _read_code(text: str, out: Sample) -> str:
    """Reads what executors did and how large states are, because the run may have hit a limit."""
    o, f = _object(_read_json(text)), out.figures
    code, f["states"] = _object(o.get("code")), _number(o.get("states"))
    if not code:
        return "the JSON object has no code"
    for figure, key in _CODE.items():
        f[figure] = _number(code.get(key))
    for figure, key in _RATES.items():
        f[figure] = _number(_object(code.get(key)).get("states_per_second"))
    f["store-per-state"] = _number(_object(o.get("store")).get("bytes_per_state"))
    return ""


def _read_counts(text: str, out: Sample) -> str:
    """Reads only the counts of a tracing device, because the run may have hit a limit."""
    o = _object(_read_json(text))
    counts, transitions = _object(o.get("counts")), _number(o.get("transitions"))
    total = counts.get("total")
    if not isinstance(total, dict) or not transitions > 0:
        return "nothing was counted"
    for figure in ("sectors-read", "sectors-written", "atomics", "asked-read", "asked-written"):
        out.figures[figure] = _number(total.get(figure.replace("-", "_"))) / transitions
    buffers = (b for kernel in _objects(counts.get("kernels")) for b in _objects(kernel.get("buffers")))
    read = _sum(b.get("sectors_read") for b in buffers if b.get("buffer") == "index")
    out.figures["index-sectors"] = read / transitions
    return ""


# ---- text ----

def _found(text: str, pattern: str) -> float:
    """Returns the number that the pattern captures, or NaN."""
    found = re.search(pattern, text)
    return math.nan if found is None else float(found[1])


def _before(text: str, what: str) -> float:
    """Returns the number before the first `what`: " 6597247 states, stored"."""
    return _found(text.partition(what)[0][-40:] if what in text else "", rf"({NUMBER})\Z")


def _after(text: str, what: str) -> float:
    """Returns the number after the first `what`."""
    return _found(text.partition(what)[2], rf"\A\s*({NUMBER})")


# pan and LTSmin report these problems and continue.
_PAN_PROBLEMS = {"max search depth too small": "pan: its search was cut short (depth)",
                 "Search not completed": "pan: its search was cut short", "out of memory": "pan: out of memory"}


def _read_pan(text: str, out: Sample) -> str:
    states, errors = _before(text, " states, stored"), _after(text, "errors: ")
    problem = next((p for sign, p in _PAN_PROBLEMS.items() if sign in text), "")
    if problem and not errors > 0:
        return problem
    if math.isnan(states) or math.isnan(errors):
        return "pan printed no figures"
    out.figures.update(states=states, transitions=_before(text, " transitions (= "),
                       seconds=_after(text, "pan: elapsed time "))
    out.verdict = "violated" if errors > 0 else "holds"
    return ""


def _read_ltsmin(text: str, out: Sample) -> str:
    _, explored, line = text.partition("Explored ")
    states = _after(text, "State space has ")
    if "table full" in text:
        return "LTSmin: a table was full"  # it ends with status 0 even then
    if math.isnan(states):
        states = _after(explored + line, "Explored ")
    if not explored or math.isnan(states):
        return "LTSmin printed no figures"
    out.figures.update(states=states, transitions=_before(line, " transitions"),
                       seconds=_after(text, "Total exploration time "))
    return ""


_READERS: dict[str, Callable[[str, Sample], str]] = {"omen": _read_omen, "counts": _read_counts, "code": _read_code, "pan": _read_pan,
                                                     "ltsmin": _read_ltsmin}


def read(how: str, output: str, errors: str, out: Sample) -> str:
    """Reads the output of a program in that format. Returns "", or the problem."""
    if how == "none":
        return ""
    problem = _READERS[how](output, out)
    # LTSmin prints its figures to standard output or to standard error.
    return _read_ltsmin(errors, out) if problem and how == "ltsmin" else problem
