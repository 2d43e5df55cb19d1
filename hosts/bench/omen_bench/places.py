# SPDX-License-Identifier: Apache-2.0
"""The locations of this program, of its suites and of the files that they measure."""
from __future__ import annotations

import os

from .parse import read_table
from .table import Table
from .text import BenchError, usage

_SUITES = ("bench-suites", "../share/omen/bench")
# Files relative to the program, as built and as installed.
_PLACES = {"demo": ("../../hosts/cli/demo", "../share/omen/demo"), "tests": ("tests/kernels",),
           "counts": tuple(f"{s}/counts.csv" for s in _SUITES),
           "generate": tuple(f"{s}/generate.py" for s in _SUITES)}


def _place(home: str, places: tuple[str, ...]) -> str:
    """Returns the first of the places that exists, or the last one."""
    paths = [f"{home}/{p}" for p in places]
    return next((p for p in paths if os.path.exists(p)), paths[-1])


def built_in(home: str, scratch: str) -> dict[str, str]:
    """Returns the variables of every table: omen, corpus, demo, tests, counts, generate and cache."""
    found = {"omen": f"{home}/omen", "cache": f"{scratch}/cache"}
    found |= {name: _place(home, places) for name, places in _PLACES.items()}
    corpus = os.environ.get("OMEN_CORPUS")
    if corpus is not None:
        found["corpus"] = os.path.realpath(corpus) if os.path.exists(corpus) else corpus
    return found


def read_suite(home: str, name: str) -> Table:
    """Reads the table of a suite, given by its name or its file."""
    if "/" in name or "." in name:
        return read_table(name)
    path = f"{_place(home, _SUITES)}/{name}.suite"
    if not os.path.exists(path):
        raise usage(f"no suite '{name}' (see omen-bench --list)")
    return read_table(path)


def read_member(home: str, suite: str, name: str) -> Table:
    """Reads a member of the suite. It may be in any folder; its members are then looked up in that folder first."""
    path = f"{os.path.dirname(suite)}/{name}.suite"
    table = read_suite(home, path if "/" in suite and os.path.exists(path) else name)
    if table.members:
        raise BenchError(f"suite {table.suite} itself runs other suites")
    return table


def suite_names(home: str) -> list[str]:
    """Returns the names of the suites beside the program."""
    folder = _place(home, _SUITES)
    files = os.listdir(folder) if os.path.isdir(folder) else []
    return sorted(name.removesuffix(".suite") for name in files if name.endswith(".suite"))
