# SPDX-License-Identifier: Apache-2.0
"""The results of a suite, and the judgements of its targets."""
from __future__ import annotations

import math
from collections import ChainMap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from . import stats
from .figures import Sample
from .stats import Estimate
from .table import Column, Row, Table, Target, expand
from .text import number_of

# The states of a cell, as in a results file.
PENDING = "pending"  # not run (yet)
OK = "ok"  # every round was measured
NONE = "none"  # the column is not for this row
ABSENT = "absent"  # something that the column needs is missing on this machine
FAILED = "failed"  # a command failed, or its figures are not the expected ones
LIMIT = "limit"  # a command exceeded its time or memory limit
DIFFERS = "differs"  # measured, but its states differ from those of the column to agree with
STATES = (PENDING, OK, NONE, ABSENT, FAILED, LIMIT, DIFFERS)


@dataclass
class Cell:
    """One column of one row."""

    state: str = PENDING
    note: str = ""  # the reason for the state
    samples: list[Sample] = field(default_factory=list)

    def end(self, state: str, note: str = "") -> None:
        self.state, self.note = state, note

    def failed(self) -> bool:
        return self.state in (FAILED, LIMIT)

    def median(self, figure: str) -> float:
        """Returns the median of a figure over the rounds that know it; NaN if none does."""
        return stats.median([s[figure] for s in self.samples if not math.isnan(s[figure])])


# A cell, and the cell that it is divided by, or None.
Pair = tuple[Cell, Cell | None]


def mean(figure: str, pairs: Iterable[Pair]) -> Estimate:
    """Returns the mean of a / b over the rows of the pairs, from the rounds in which both know the figure."""
    def rounds(a: Cell, b: Cell | None) -> stats.Rounds:
        divisors = [1.0] * len(a.samples) if b is None else [s[figure] for s in b.samples]
        both = zip((s[figure] for s in a.samples), divisors)
        return tuple((x, y) for x, y in both if not math.isnan(x) and not math.isnan(y))

    return stats.geomean(tuple(rounds(*pair) for pair in pairs))


@dataclass
class Results:
    table: Table
    rounds: int
    date: str = "unknown"
    commit: str = "unknown"
    machine: str = "unknown"
    command: str = "unknown"
    limits: str = ""  # limits of one command; "": none
    no_counters: str = ""  # why cycles are missing
    interrupted: bool = False  # by a signal or the time budget

    def __post_init__(self) -> None:
        self._cells: dict[tuple[str, str], Cell] = {}
        for row in self.table.rows.values():
            self.clear(row)

    def cell(self, row: Row, column: str | Column) -> Cell:
        return self._cells[row.name, column if isinstance(column, str) else column.name]

    def cells(self, row: Row) -> list[Cell]:
        return [self.cell(row, c) for c in self.table.columns]

    def column(self, column: str | Column) -> list[Cell]:
        return [self.cell(row, column) for row in self.table.rows.values()]

    def clear(self, row: Row) -> None:
        """Discards the results of the row."""
        for column in self.table.columns:
            self._cells[row.name, column] = Cell()

    def done(self, row: Row) -> bool:
        return all(c.state != PENDING for c in self.cells(row))

    def agree(self, row: Row) -> None:
        """Marks the cells of a row whose states differ from those of the column to agree with."""
        for column in self.table.columns.values():
            cell = self.cell(row, column)
            if column.agree is None or cell.state != OK or column.agree_when not in (None, *row.variables):
                continue
            for mine, other in zip(cell.samples, self.cell(row, column.agree).samples):
                # Written so that an unknown count does not agree.
                if not other["states"] <= mine["states"] <= other["states"] + column.tolerance:
                    cell.end(DIFFERS, f"{mine['states']:.0f} states, but {column.agree} has {other['states']:.0f}")
                    break

    def absent_everywhere(self, column: Column) -> str:
        """Returns the note of a column that was absent in every row to which it applies, otherwise ""."""
        cells = self.column(column)
        if any(c.state not in (ABSENT, NONE, PENDING) for c in cells):
            return ""
        return next((c.note for c in reversed(cells) if c.state == ABSENT), "")


# ---- targets ----

MET, NOT_MET, NOT_MEASURED = "met", "NOT MET", "not measured"


@dataclass
class Verdict:
    judgement: str = NOT_MEASURED
    mean: Estimate = Estimate()  # of a geomean target; of an every target: the worst row
    worst: str = ""  # name of the worst row
    bound: float = math.nan  # required bound for that row
    # Numbers of rows; below: rows that miss the bound.
    used: int = 0
    failed: int = 0
    missing: int = 0
    differing: int = 0
    below: int = 0


def _covers(t: Target, row: Row, columns: Sequence[Column]) -> bool:
    """Returns true if the target is for this row."""
    if not all(c.applies_to(row) for c in columns):
        return False
    if t.where is None:
        return True
    variable, op, bound = t.where
    n = number_of(row.variables.get(variable))
    return n is not None and {"<": n < bound, ">": n > bound, "=": n == bound}[op]


def _usable(v: Verdict, cells: Sequence[Cell]) -> bool:
    """Returns true if a row can be used; otherwise counts it under the most severe reason."""
    if any(c.state == NONE for c in cells):
        return False
    if any(c.failed() for c in cells):
        v.failed += 1
    elif any(c.state == DIFFERS for c in cells):
        v.differing += 1
    elif any(c.state != OK for c in cells):
        v.missing += 1
    else:
        return True
    return False


def _bound(r: Results, t: Target, row: Row, given: Mapping[str, str]) -> float:
    """Returns the bound of a row; it may differ from row to row."""
    n = number_of(expand(t.bound, ChainMap(row.variables, dict(given), r.table.variables), t.place))
    if n is None:
        raise t.place.error(f"target: '{t.bound}' is not a number")
    return n


def judge(r: Results, t: Target, given: Mapping[str, str]) -> Verdict:
    """Judges a target. `given` has the variables of the command line, which the bound may use."""
    v = Verdict()
    names = t.ratio.columns()
    pairs: list[Pair] = []
    least = math.inf
    bound = math.nan
    for row in r.table.rows.values():
        cells = [r.cell(row, name) for name in names]
        if not _covers(t, row, [r.table.columns[n] for n in names]) or not _usable(v, cells):
            continue
        bound = _bound(r, t, row, given)
        pair = (cells[0], cells[1] if len(cells) == 2 else None)
        e = mean(t.figure, [pair])
        if not e:  # a figure that could not be taken on this machine
            v.missing += 1
            continue
        pairs.append(pair)
        v.used += 1
        if not t.every:
            continue
        v.below += _misses(t, e.value, bound)
        # The margin relative to the bound; less is worse.
        margin = e.value / bound if t.at_least else bound / e.value
        if margin < least:
            least, v.mean, v.bound, v.worst = margin, e, bound, row.name
    if not t.every and pairs:
        v.mean, v.bound = mean(t.figure, pairs), bound
        v.below = _misses(t, v.mean.value, bound)
    # A target with failed rows is not met. Unmeasured rows alone do not make a target unmet.
    known = v.below != 0 and (t.every or v.missing == 0)
    if v.failed != 0 or known:
        v.judgement = NOT_MET
    elif v.missing == 0 and v.used != 0:
        v.judgement = MET
    return v


def _misses(t: Target, value: float, bound: float) -> bool:
    return not (value >= bound if t.at_least else value <= bound)
