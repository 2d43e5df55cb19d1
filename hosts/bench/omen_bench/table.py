# SPDX-License-Identifier: Apache-2.0
"""A table of commands (hosts/bench/README.md has the format; parse.py reads one).

Rows are the measured inputs (models); columns are the ways to measure them (a program with its options). Words may
contain ${NAME}, which is expanded just before a row is run.
"""
from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from .text import BenchError, Place

_DEPTH, _STEPS, _LONGEST_NAME, _MOST = 8, 1000, 63, 1 << 16


@dataclass
class Column:
    name: str
    place: Place
    format: str = "none"  # of the command's output: none, omen, pan, ltsmin, counts, code
    command: list[str] = field(default_factory=list)
    needs: list[str] = field(default_factory=list)
    when: str | None = None  # a variable; the column applies to rows that have it
    # Shell lines: a condition, tested once per row; a line run once per row; a line run before each run.
    only_if: str | None = None
    prepare: str | None = None
    before: str | None = None
    env: dict[str, str] = field(default_factory=dict)
    expect: list[tuple[str, str]] = field(default_factory=list)
    warm: list[str] | None = None  # one run that is not recorded, with these words appended to its command
    status: str = "0"  # the expected exit status
    # Instead of a command: the least of some numbers, a row of a results file, figures from a file of
    # comma-separated values (FILE FIELD KEY=VALUE...), or the best of some columns in each round.
    published: tuple[str, list[str]] | None = None
    recorded: tuple[str, str] | None = None  # the file and its column
    listed: list[tuple[str, list[str]]] = field(default_factory=list)
    best: tuple[str, list[str]] | None = None
    scaled: tuple[str, str, float] | None = None  # published x (figure of that column in the same round / base)
    versus: str | None = None  # its baseline, if other than the table's; itself: no ratio
    agree: str | None = None  # the column whose states this one must equal, or exceed by up to `tolerance`
    agree_when: str | None = None  # a variable: only in rows that have it; None: in all
    tolerance: float = 0

    def applies_to(self, row: Row) -> bool:
        return self.when is None or self.when in row.variables


@dataclass
class Ratio:
    """One entry of a view: a column, perhaps divided by another one."""

    column: str
    over: str | None = None

    def __str__(self) -> str:
        return self.column if self.over is None else f"{self.column} / {self.over}"

    def columns(self) -> list[str]:
        return [self.column] if self.over is None else [self.column, self.over]


@dataclass
class View:
    """A table as printed in papers: a line for each value of some variables of the rows, and one for all."""

    name: str
    title: str
    place: Place
    kind: str | None = None  # sum, percent, average, most (sums, means, maxima of medians); mean: geometric
    figure: str = ""
    to: str | None = None  # for percent: the column that is 100 %
    entries: list[Ratio] = field(default_factory=list)
    by: list[str] = field(default_factory=list)
    only: tuple[str, str] | None = None  # only rows with this value of a variable
    plot: str = "none"  # none, bars, scatter

    def has_ratios(self) -> bool:
        return self.kind == "mean" and self.entries[0].over is not None


@dataclass
class Row:
    name: str
    place: Place
    variables: dict[str, str]


@dataclass
class Target:
    text: str
    place: Place
    every: bool  # applies to each row separately; otherwise to the geometric mean
    figure: str
    ratio: Ratio
    at_least: bool
    bound: str  # a number after expansion
    where: tuple[str, str, float] | None = None  # a variable of the row, '<', '>' or '=', a number


@dataclass
class Table:
    file: str
    suite: str = ""
    title: str | None = None
    baseline: str | None = None
    figure: str = "cpu"  # figure that the ratios compare
    also: set[str] = field(default_factory=set)  # further figures whose mean ratios are reported
    rounds: int = 3
    timeout: float = 0  # limits of one command: seconds, bytes; 0: none
    memory: float = 0
    members: list[str] = field(default_factory=list)  # suites that this one runs; it then has no columns of its own
    variables: dict[str, str] = field(default_factory=dict)
    require: list[str] = field(default_factory=list)  # a command that must succeed before anything is measured
    notes: list[str] = field(default_factory=list)
    columns: dict[str, Column] = field(default_factory=dict)
    rows: dict[str, Row] = field(default_factory=dict)
    targets: list[Target] = field(default_factory=list)
    views: dict[str, View] = field(default_factory=dict)

    def heading(self) -> str:
        return self.suite if self.title is None else self.title

    def baseline_of(self, column: Column) -> str | None:
        """Returns the column that this one's ratios refer to."""
        base = column.versus or self.baseline
        return None if base == column.name else base


class _Expansion:
    """One expansion. Values may refer to other names; references to themselves, and too many steps, fail."""

    def __init__(self, scope: Mapping[str, str], place: Place | None) -> None:
        self.scope, self.place = scope, place
        self.steps = self.length = 0

    def fail(self, what: str) -> BenchError:
        return BenchError(what) if self.place is None else self.place.error(what)

    def expand(self, word: str, depth: int) -> str:
        def value(found: re.Match[str]) -> str:
            if not found[2]:
                raise self.fail("'${' without '}'")
            name = found[1]
            if len(name) > _LONGEST_NAME or name not in self.scope:
                raise self.fail(f"no variable '{name[:64]}'")
            self.steps += 1
            if depth == _DEPTH or self.steps > _STEPS or self.length > _MOST:
                raise self.fail("'${" + name + "}' refers to itself")
            text = self.expand(self.scope[name], depth + 1)
            self.length += len(text)
            return text

        return re.sub(r"\$\{([^}]*)(\}?)", value, word)


def expand(word: str, scope: Mapping[str, str], place: Place | None = None) -> str:
    """Returns the word with every ${NAME} replaced."""
    return _Expansion(scope, place).expand(word, 0)
