# SPDX-License-Identifier: Apache-2.0
"""The computed form of a view: a line for each group of rows, an entry for each of its columns; and as text.

A row for which one of the view's columns failed or hit a limit is left out for all columns, because sums over
different rows are not comparable; such rows are counted. If a column is not for a row, is absent there or has other
states, only this column's entry omits the row: the entry states its number of rows, and a percentage refers to the
other column's sum over the same rows. A column without any run leaves no row out.
"""
from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from .figures import SIZES, TIMES
from .results import DIFFERS, OK, Cell, Pair, Results, mean
from .stats import Estimate
from .table import Ratio, Row, View
from .text import plural


@dataclass
class Entry:
    value: Estimate  # only means have an interval
    rows: int  # number of rows in the value


@dataclass
class Line:
    label: str
    rows: int  # rows of the group that are not left out
    entries: list[Entry]


def value_text(v: View, value: float) -> str:
    """Returns a value of the view with its unit; "-" for NaN."""
    if math.isnan(value):
        return "-"
    if v.kind == "percent":
        return f"{value:.1f} %"
    if v.has_ratios():
        return f"{value:.2f}"
    if v.figure in TIMES:
        return f"{value:.{3 if value < 10 else 1}f} s"
    if v.figure in SIZES:
        return f"{value / 1e6:.1f} MB"
    return f"{value:,.0f}" if 1000 <= value < 1e15 else f"{value:.4g}"


def preference(v: View) -> int:
    """Returns which entry of a line is the best: -1: the least, 1: the greatest (speed-ups), 0: undefined."""
    if v.has_ratios():
        return 1 if v.figure in TIMES else 0
    return -1 if v.figure in (*TIMES, *SIZES, "expansions", "transitions") else 0


class Shown:
    """A view of some results."""

    def __init__(self, r: Results, v: View) -> None:
        self.r, self.v = r, v
        self.names = [n for e in v.entries for n in e.columns()] + ([] if v.to is None else [v.to])
        self.measured = {n for n in self.names
                         if any(r.cell(row, n).state == OK for row in r.table.rows.values() if self.covers(row))}
        done = [row for row in r.table.rows.values() if self.covers(row) and r.done(row)]
        self.left_out = [row for row in done if not self.shows(row)]
        shown = [row for row in done if self.shows(row)]
        # Entries of rows whose states differ from those of another column.
        self.differing = sum(r.cell(row, e.column).state == DIFFERS for row in shown for e in v.entries)
        groups: dict[str, list[Row]] = {self.label(row): [] for row in done} if v.by else {}
        for row in shown if v.by else []:
            groups[self.label(row)].append(row)
        # In the order of the rows; if there are several, the last line covers all rows.
        self.lines = [self.line(label, rows) for label, rows in groups.items()]
        if len(groups) != 1:
            self.lines.append(self.line("all", shown))

    def covers(self, row: Row) -> bool:
        """Returns true if the row belongs to the view."""
        return self.v.only is None or row.variables.get(self.v.only[0]) == self.v.only[1]

    def shows(self, row: Row) -> bool:
        """Returns true if the row belongs to the view and no column of the view failed on it."""
        return self.covers(row) and not any(self.r.cell(row, n).failed() for n in self.measured)

    def label(self, row: Row) -> str:
        return " ".join(row.variables.get(name, "-") for name in self.v.by)

    def line(self, label: str, rows: Sequence[Row]) -> Line:
        average = self.average if self.v.kind == "mean" else self.add_up
        return Line(label, len(rows), [average(rows, e) for e in self.v.entries])

    def usable(self, row: Row, column: str) -> Cell | None:
        cell = self.r.cell(row, column)
        return cell if cell.state == OK else None

    def add_up(self, rows: Sequence[Row], e: Ratio) -> Entry:
        """Computes a sum, a percentage, an average or a maximum."""
        pairs = []
        for row in rows:
            a, b = self.usable(row, e.column), self.usable(row, self.v.to or e.column)
            if a is not None and b is not None:
                x, y = a.median(self.v.figure), 0.0 if self.v.to is None else b.median(self.v.figure)
                if not math.isnan(x) and not math.isnan(y):
                    pairs.append((x, y))
        if not pairs:
            return Entry(Estimate(), 0)
        total = math.nan
        numbers = [x for x, _ in pairs]
        if self.v.kind == "average":
            total = sum(numbers) / len(numbers)
        elif self.v.kind == "most":
            total = max(0.0, *numbers)
        elif self.v.to is None:
            total = sum(numbers)
        elif sum(y for _, y in pairs) > 0:
            total = 100 * sum(numbers) / sum(y for _, y in pairs)
        return Entry(Estimate(total), len(pairs))

    def average(self, rows: Sequence[Row], e: Ratio) -> Entry:
        """Computes the geometric mean."""
        pairs: list[Pair] = []
        for row in rows:
            a = self.usable(row, e.column)
            b = None if e.over is None else self.usable(row, e.over)
            if a is not None and (b is not None or e.over is None) and mean(self.v.figure, [(a, b)]):
                pairs.append((a, b))
        return Entry(mean(self.v.figure, pairs), len(pairs))

    def any(self) -> bool:
        """Returns true unless every entry is unknown."""
        return any(e.value for line in self.lines for e in line.entries)

    # ---- text ----

    def reason(self, row: Row) -> str:
        """Returns which column failed, and why."""
        for name in self.names:
            cell = self.r.cell(row, name)
            if cell.failed():
                return f"{name}: {cell.note or 'failed'}"
        return ": "

    def notes(self) -> str:
        """Returns sentences about the rows that are left out; nothing if there are none."""
        text = ""
        if self.left_out:
            rows = ", ".join(f"{row.name} ({self.reason(row)})" for row in self.left_out)
            text += f"Left out: {plural(len(self.left_out), 'row')}: {rows}. "
        if self.differing:
            text += f"Not counted: {plural(self.differing, 'run')} whose product has other states. "
        return text

    def entry_text(self, line: Line, e: Entry) -> str:
        text = value_text(self.v, e.value.value)
        if e.value.has_interval():
            text += f" [{e.value.low:.2f}, {e.value.high:.2f}]"
        return text + (f" ({e.rows})" if e.rows not in (0, line.rows) else "")

    def text(self, markdown: bool) -> str:
        cells = [["", "rows", *map(str, self.v.entries)]]
        cells += [[line.label, str(line.rows), *(self.entry_text(line, e) for e in line.entries)]
                  for line in self.lines]
        lines = aligned(cells, left={0})
        if not markdown:
            return "".join("  ".join(line) + "\n" for line in lines)
        table = ["| " + " | ".join(line) + " |\n" for line in lines]
        return "".join([table[0], "|---" + "|--:" * (len(cells[0]) - 1) + "|\n", *table[1:]])


def aligned(cells: Sequence[Sequence[str]], left: set[int], least: Sequence[int | None] = ()) -> list[list[str]]:
    """Pads the cells of each column to the same width, at least that in `least`; None: the column is not padded.
    Numbers are right-aligned, the columns `left` are not.
    """
    widths = [max(map(len, column)) for column in zip(*cells)]
    if least:
        widths = [0 if some is None else max(w, some) for w, some in zip(widths, least)]
    return [[c.ljust(w) if k in left else c.rjust(w) for k, (c, w) in enumerate(zip(line, widths))] for line in cells]


def views(r: Results, markdown: bool) -> str:
    """Returns the views of a table for the report."""
    out = ""
    for v in r.table.views.values():
        shown = Shown(r, v)
        out += f"\n## {v.title}\n\n" if markdown else f"\n{v.title}\n"
        out += shown.text(markdown) if shown.any() else "not measured\n"
        if shown.notes():
            out += ("\n" if markdown else "") + shown.notes() + "\n"
    return out
