# SPDX-License-Identifier: Apache-2.0
"""The report for readers: a table of medians and ratios, and the judgements of the targets."""
from __future__ import annotations

import math
from collections.abc import Mapping

from .figures import FIGURES
from .predict import predictions
from .results import ABSENT, DIFFERS, FAILED, LIMIT, NONE, OK, PENDING, Cell, Results, judge, mean
from .stats import Estimate
from .table import Column, Row, Target
from .text import plural
from .view import aligned, views

_HEAD = ("row", "column", "runs", "states", "cpu s", "wall s", "peak MB", "B/state", "ratio [95 %]", "")
_WIDTHS = (16, 10, 4, 9, 7, 7, 8, 7, 18, None)
# The figures of a line: unit, digits.
_SHOWN = {"states": (1, 0), "cpu": (1, 2), "wall": (1, 2), "peak": (1e6, 1), "peak-per-state": (1, 1)}
_MARKS = {ABSENT: "ABSENT: ", FAILED: "FAILED: ", LIMIT: "FAILED: ", DIFFERS: "STATES DIFFER: "}


def _estimate(e: Estimate) -> str:
    if not e:
        return "-"
    return f"{e.value:.3g}" + (f" [{e.low:.3g}, {e.high:.3g}]" if e.has_interval() else "")


def _median(cell: Cell, figure: str, unit: float, digits: int) -> str:
    value = cell.median(figure)
    if math.isnan(value):
        return "-"
    digits += digits == 2 and value < 1  # seconds below 1 have one more digit
    return f"{value / unit:.{digits}f}"


def _ratio(r: Results, row: Row, column: Column) -> str:
    """Returns how many times better the cell is than its baseline."""
    base = r.table.baseline_of(column)
    if base is None or r.cell(row, column).state != OK or r.cell(row, base).state != OK:
        return ""
    return _estimate(mean(r.table.figure, [(r.cell(row, base), r.cell(row, column))]))


def _line(r: Results, row: Row, column: Column) -> list[str]:
    cell = r.cell(row, column)
    return [row.name, column.name, str(len(cell.samples)), *(_median(cell, f, *how) for f, how in _SHOWN.items()),
            _ratio(r, row, column), _MARKS.get(cell.state, "") + cell.note]


def _grid(r: Results, markdown: bool) -> str:
    columns = [c for c in r.table.columns.values() if not r.absent_everywhere(c)]
    cells = [_line(r, row, c) for row in r.table.rows.values() for c in columns
             if r.cell(row, c).state not in (PENDING, NONE)]
    lines = aligned([_HEAD, *cells], {0, 1, len(_HEAD) - 1}, _WIDTHS)
    if not markdown:
        return "".join("  ".join(line).rstrip(" ") + "\n" for line in lines)
    table = ["| " + " | ".join(line) + " |\n" for line in lines]
    return "".join([table[0], "|---|---|--:|--:|--:|--:|--:|--:|--:|---|\n", *table[1:]])


def _mean(r: Results, column: Column, figure: str) -> str:
    base = r.table.baseline_of(column)
    if base is None:
        return ""
    pairs = [(x, y) for x, y in zip(r.column(base), r.column(column)) if x.state == OK and y.state == OK]
    e = mean(figure, pairs)
    return f"geometric mean of {figure}, {base} / {column.name}: {_estimate(e)} over {plural(len(pairs), 'row')}" \
        if e else ""


def _target(r: Results, t: Target, given: Mapping[str, str], markdown: bool) -> str:
    v = judge(r, t, given)
    out = f"- **{v.judgement}**: " if markdown else f"{v.judgement}: "
    out += f"{t.text}: {'the worst' if t.every else 'geometric mean'} of {t.figure} {t.ratio} is {_estimate(v.mean)}"
    if v.worst:
        out += f" ({v.worst})"
    if not math.isnan(v.bound):
        out += f", target {'>=' if t.at_least else '<='} {v.bound:.6g}"
    if t.every and v.below:
        out += f", missed by {v.below}"
    out += f", over {plural(v.used, 'row')}"
    for count, why in (v.failed, "failed"), (v.missing, "not measured"), (v.differing, "left out: states differ"):
        out += f", {count} {why}" if count else ""
    return out + "\n"


def _facts(r: Results, markdown: bool) -> list[str]:
    t = r.table
    facts = [f"{r.date}, commit {r.commit}, {plural(r.rounds, 'round')}", r.machine,
             f"`{r.command}`" if markdown else r.command]
    if r.interrupted:
        facts.append("stopped before all rows were run")
    if r.no_counters:
        facts.append(f"no cycles and cache misses: {r.no_counters}")
    absent = ((c.name, r.absent_everywhere(c)) for c in t.columns.values())
    return facts + [f"column {name} is absent: {note}" for name, note in absent if note] + t.notes


def report(r: Results, given: Mapping[str, str], markdown: bool) -> str:
    """Returns the table of medians and ratios, and the judgements of the targets. `given`: see judge()."""
    t = r.table
    dash = "- " if markdown else ""
    out = ("# " if markdown else "") + t.suite + ("" if t.title is None else f": {t.title}") + "\n\n"
    out += "".join(f"{dash}{fact}\n" for fact in _facts(r, markdown)) + "\n" + _grid(r, markdown) + "\n"
    if t.baseline is not None:
        out += f"The ratio is {t.figure} of the column named below / {t.figure} of the column itself."
        out += "\n\n" if markdown else "\n"
    for figure in (f for f in FIGURES if f in t.also or f == t.figure):
        means = (_mean(r, c, figure) for c in t.columns.values())
        out += "".join(f"{dash}{text}\n" for text in means if text)
    out += predictions(r, markdown) + views(r, markdown)
    if t.targets:
        out += "\n## Targets\n\n" if markdown else "\n"
    return out + "".join(_target(r, g, given, markdown) for g in t.targets)
