# SPDX-License-Identifier: Apache-2.0
"""Results as comma-separated values (RFC 4180, lines end with LF): a line for each run, after a head of
"# key: value" lines. The file holds everything that a report needs. A resumed run reads it.
"""
from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence

from .figures import FIGURES, Sample
from .results import ABSENT, DIFFERS, LIMIT, NONE, OK, PENDING, STATES, Cell, Results
from .text import BenchError, Place, number_of

FIXED = ("row", "column", "round", "state", "verdict", "executor")


# ---- writing ----

def _line(fields: Iterable[str]) -> str:
    return ",".join('"' + f.replace('"', '""') + '"' if re.search('[,"\r\n]', f) else f for f in fields) + "\n"


def _run(row: str, column: str, round_: int, cell: Cell) -> str:
    sample = cell.samples[round_ - 1] if round_ != 0 else Sample()
    figures = ("" if math.isnan(sample[f]) else f"{sample[f]:.9g}" for f in FIGURES)
    return _line([row, column, str(round_), cell.state, sample.verdict, sample.executor, *figures, cell.note])


def written(r: Results) -> str:
    """Returns the text of a results file."""
    out = (f"# suite: {r.table.suite}\n# commit: {r.commit}\n# date: {r.date}\n# machine: {r.machine}\n"
           f"# command: {r.command}\n# rounds: {r.rounds}\n" + (f"# limits: {r.limits}\n" if r.limits else ""))
    out += _line([*FIXED, *FIGURES, "note"])
    for row in r.table.rows.values():
        for column in r.table.columns:
            cell = r.cell(row, column)
            if cell.state != PENDING:
                out += "".join(_run(row.name, column, k, cell) for k in range(1, len(cell.samples) + 1) or (0,))
    return out


# ---- reading ----

def _records(file: str, text: str, first: int = 1) -> Iterator[tuple[Place, list[str]]]:
    """Yields the lines that are not empty, each with its place. The first one of the text has that number."""
    lines = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        for fields in lines:
            if fields:
                yield Place(file, first - 1 + lines.line_num), fields
    except csv.Error as e:
        what = "expected a comma" if "expected after" in str(e) else str(e)
        raise Place(file, first - 1 + lines.line_num).error(what) from e


def _split(text: str) -> tuple[str, str]:
    """Returns the head and the lines after it."""
    start = 0
    while text.startswith("#", start):
        start = text.find("\n", start) + 1 or len(text)
    return text[:start], text[start:]


def heads(text: str) -> dict[str, str]:
    """Returns the "# key: value" lines at the start, in their order."""
    return dict(re.findall(r"(?m)^# ([^:\n]*): (.*)$", _split(text)[0]))


class _Reader:
    """Reads a results file. Older results lack some figures; all that they name must be known."""

    def __init__(self, file: str, text: str) -> None:
        head, lines = _split(text)
        first = head.count("\n") + 1
        self.lines = _records(file, lines, first)
        nothing: tuple[Place, list[str]] = (Place(file, first), [])
        place, names = next(self.lines, nothing)
        if len(names) <= len(FIXED) + 1 or names[-1] != "note":
            raise place.error("not results of a suite")
        self.figures = names[len(FIXED):-1]
        if any(f not in FIGURES for f in self.figures):
            raise place.error("the results have other figures")

    def runs(self) -> Iterator[tuple[Place, list[str]]]:
        for place, fields in self.lines:
            if len(fields) != len(FIXED) + len(self.figures) + 1:
                raise place.error("the number of fields differs from the number of names")
            yield place, fields

    def sample(self, place: Place, fields: Sequence[str]) -> Sample:
        s = Sample(verdict=fields[4], executor=fields[5])
        for figure, text in zip(self.figures, fields[len(FIXED):]):
            n = number_of(text)
            if n is not None:
                s.figures[figure] = n
            elif text != "":
                raise place.error("not a number")
        return s


def sample_of(file: str, text: str, row: str, column: str) -> Sample | None:
    """Returns the first run of that row and column in the file, which may belong to any suite."""
    reader = _Reader(file, text)
    found = None
    for place, fields in reader.runs():
        if found is None and fields[:3] == [row, column, "1"]:
            found = reader.sample(place, fields)
    return found


def _check_head(r: Results, file: str, text: str) -> None:
    """Fails if the head of the file differs from the current run."""
    wanted = {"suite": r.table.suite, "commit": r.commit, "rounds": str(r.rounds), "limits": r.limits or "none"}
    for i, (key, value) in enumerate(heads(text).items()):
        if wanted.get(key, value) != value:
            raise Place(file, i + 1).error(f"{key} was '{value[:200]}', but is now '{wanted[key]}'")


def _take_run(r: Results, reader: _Reader, place: Place, fields: Sequence[str]) -> None:
    """Rows and columns that the table no longer has are skipped."""
    row = r.table.rows.get(fields[0])
    if row is None or fields[1] not in r.table.columns:
        return
    cell = r.cell(row, fields[1])
    round_ = number_of(fields[2] or "0")
    if round_ is None:
        raise place.error("not a number")
    if fields[3] not in STATES:
        raise place.error("unknown state")
    cell.end(fields[3], fields[-1])
    if round_ == 0:
        return
    if round_ != len(cell.samples) + 1 or round_ > r.rounds:
        raise place.error("not the next round")
    cell.samples.append(reader.sample(place, fields))


def take(r: Results, file: str, text: str) -> None:
    """Takes over the runs of complete rows of the file. A row is taken over as a whole or not at all. A column that
    failed is run again, because it may succeed now. A column that hit a limit is not, because the limits are the
    same. Fails if the file has another suite, commit or number of rounds, or is no results file.
    """
    try:
        _check_head(r, file, text)
        reader = _Reader(file, text)
        for place, fields in reader.runs():
            _take_run(r, reader, place, fields)
    except BenchError:
        for row in r.table.rows.values():
            r.clear(row)
        raise
    for row in r.table.rows.values():
        if not all(len(c.samples) == r.rounds if c.state in (OK, DIFFERS) else c.state in (NONE, ABSENT, LIMIT)
                   for c in r.cells(row)):
            r.clear(row)


# ---- files of other programs ----

def look_up(words: Sequence[str], text: str) -> str | None:
    """Looks up a field of a file of comma-separated values whose first line names the fields. The line is the only
    one whose other fields have the wanted values. `words` are the file's name (for messages), the field, then
    FIELD=VALUE pairs. Returns None if no line matches. Fails if two lines match or a field name is unknown.
    """
    file, field, *conditions = words
    lines = _records(file, text)
    nothing: tuple[Place, list[str]] = (Place(file, 1), [])
    place, names = next(lines, nothing)

    def position(name: str) -> int:
        if name not in names:
            raise place.error(f"no field '{name}'")
        return names.index(name)

    wanted = position(field)
    keys = []
    for condition in conditions:
        name, equals, value = condition.partition("=")
        if not equals:
            raise place.error("expected FIELD=VALUE")
        keys.append((position(name), value))
    found = None
    for place, fields in lines:
        if len(fields) <= wanted or any(len(fields) <= i or fields[i] != value for i, value in keys):
            continue
        if found is not None:
            raise place.error("more than one matching line")
        found = fields[wanted]
    return found
