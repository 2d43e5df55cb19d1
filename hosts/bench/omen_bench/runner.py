# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a table, alternating between columns."""
from __future__ import annotations

import math
import os
import shutil
import time
from collections import ChainMap
from collections.abc import Callable, Mapping, Sequence

from . import csvfile
from .figures import FIGURES, Figures, Sample, read
from .measure import Measurer, Outcome
from .results import ABSENT, FAILED, LIMIT, NONE, OK, PENDING, Cell, Results
from .table import Column, Row, expand
from .text import Stopped, failure, last_line, number_of, read_file

_PREPARE_SECONDS = 900


class Runner:
    """Runs rows of a suite. `given` are the variables of the command line, `built_in` omen, corpus, demo, cache ..."""

    def __init__(self, results: Results, measurer: Measurer, given: Mapping[str, str], built_in: Mapping[str, str],
                 folder: str, *, timeout: float = 0, memory: float = 0, deadline: float = 0,
                 say: Callable[[str], None], on_run: Callable[[], None]) -> None:
        self.results, self.measurer, self.given, self.built_in = results, measurer, given, built_in
        self.folder = folder  # for all temporary files
        self.timeout, self.memory = timeout, memory  # limits of one command, in seconds and bytes; 0: none
        self.deadline = deadline  # time of time.monotonic() at which all commands are stopped; 0: none
        self.say = say  # receives a line about each run
        self.on_run = on_run  # called after each recorded run

    def late(self) -> bool:
        return self.deadline != 0 and time.monotonic() >= self.deadline

    def measure(self, argv: Sequence[str], env: Mapping[str, str], folder: str, most: float,
                memory: float = 0) -> Outcome:
        """Runs a command within `most` seconds (0: no limit) and the deadline. Raises Stopped if the deadline or a
        signal ended it.
        """
        if self.deadline != 0:
            left = max(self.deadline - time.monotonic(), 1e-9)
            most = min(most, left) if most != 0 else left
        o = self.measurer.run(argv, env, folder, most, memory)
        if o.interrupted or (o.timed_out and self.late()):
            raise Stopped
        return o

    def requirement(self) -> str:
        """Returns "" if the table's requirement is met, otherwise the last line that its command printed."""
        t = self.results.table
        if not t.require:
            return ""
        scope = ChainMap(dict(self.given), t.variables, dict(self.built_in))
        argv = [expand(w, scope) for w in t.require]
        o = self.measure(argv, {}, self.folder, _PREPARE_SECONDS)
        return last_line(o.errors) if o.status > 0 and o.errors.strip(" \n") else o.failure(0, argv[0])

    def row(self, row: Row, number: int) -> None:
        """Runs one row: all rounds, the columns in turn within a round. A failure is noted in the results and does not
        stop other columns. Raises Stopped if interrupted or at the deadline.
        """
        r = self.results
        r.clear(row)
        folder = f"{self.folder}/row-{number}"
        try:
            os.mkdir(folder)
        except OSError as e:
            raise failure(f"cannot make {folder}", e) from e
        try:
            work = _Work(self, row, folder)
            for column in r.table.columns.values():
                work.prepare(column)
            work.rounds()
            for cell in r.cells(row):
                cell.state = OK if cell.state == PENDING else cell.state
            r.agree(row)
        except BaseException:
            r.clear(row)
            raise
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class _Work:
    """The row that is being run."""

    def __init__(self, runner: Runner, row: Row, folder: str) -> None:
        self.runner, self.row, self.folder = runner, row, folder
        self.results = runner.results
        self.scope = ChainMap(row.variables, dict(runner.given), self.results.table.variables, {"work": folder},
                              dict(runner.built_in))

    def expand(self, c: Column, word: str) -> str:
        return expand(word, self.scope, c.place)

    def words(self, c: Column, words: Sequence[str]) -> list[str]:
        return [self.expand(c, w) for w in words]

    def env(self, c: Column) -> dict[str, str]:
        return {name: self.expand(c, value) for name, value in c.env.items()}

    def say(self, c: Column, cell: Cell, recorded: bool) -> None:
        what = "ready"
        if cell.state in (FAILED, LIMIT, ABSENT):
            what = cell.note
        elif recorded:
            what = f"round {len(cell.samples)} of {self.results.rounds}, {cell.samples[-1]['wall']:.2f} s"
        self.runner.say(f"{self.row.name} {c.name}: {what}")

    # ---- before the rounds ----

    def shell(self, c: Column, cell: Cell, line: str | None, what: str, otherwise: str) -> None:
        """Runs a line for the shell. If it fails, the cell ends with the state `otherwise`."""
        if line is None or cell.state != PENDING:
            return
        o = self.runner.measure(["/bin/sh", "-c", self.expand(c, line)], self.env(c), self.folder, _PREPARE_SECONDS)
        problem = o.failure(0, what)
        if problem:
            cell.end(otherwise, problem)

    def prepare(self, c: Column) -> None:
        cell = self.results.cell(self.row, c)
        if not c.applies_to(self.row):
            cell.end(NONE)
            return
        missing = next((n for n in self.words(c, c.needs) if not _is_there(n)), None)
        if missing is not None:
            cell.end(ABSENT, f"{missing} not found")
        self.shell(c, cell, c.only_if, "the condition", ABSENT)
        self.shell(c, cell, c.prepare, "prepare", FAILED)
        if c.warm is not None and cell.state == PENDING:
            self.run(c, cell, c.warm)
        if cell.state in (ABSENT, FAILED):
            self.say(c, cell, False)

    # ---- rounds ----

    def rounds(self) -> None:
        """Every second round runs the columns in reverse order. The order influences the figures (memory that was just
        freed, the processor's clock) and must not favour a column. Columns without commands come after the others.
        """
        columns = list(self.results.table.columns.values())
        for k in range(self.results.rounds):
            ordered = columns if k % 2 == 0 else columns[::-1]
            for c in sorted(ordered, key=lambda c: not c.command):
                cell = self.results.cell(self.row, c)
                if cell.state == PENDING:
                    self.take(c, cell)

    def take(self, c: Column, cell: Cell) -> None:
        if c.command:
            self.run(c, cell, None)
            return
        if c.recorded is not None:
            sample, why = self.recorded(c, *c.recorded), "not recorded"
        elif c.listed:
            sample, why = self.listed(c), "not listed"
        elif c.published is not None:
            sample, why = self.published(c, len(cell.samples)), "the column that scales it was not measured"
        else:
            sample, why = self.best(c, len(cell.samples)), "none of its columns was measured"
        if sample is None:
            cell.end(ABSENT, why)
        else:
            cell.samples.append(sample)

    def run(self, c: Column, cell: Cell, warm: Sequence[str] | None) -> None:
        """Runs the command and records it as a sample. warm: instead, a run with these words that is not recorded."""
        argv = self.words(c, [*c.command, *(warm or ())])
        self.shell(c, cell, c.before, "before", FAILED)
        if cell.state != PENDING:
            return
        o = self.runner.measure(argv, self.env(c), self.folder, self.runner.timeout, self.runner.memory)
        problem = self.problem(c, o)
        self.results.no_counters = o.no_counters or self.results.no_counters
        if problem:
            cell.end(LIMIT if o.timed_out or o.too_large else FAILED, problem)
        elif warm is None:
            cell.samples.append(o.sample)
        self.say(c, cell, warm is None)
        if warm is None:
            self.runner.on_run()

    def problem(self, c: Column, o: Outcome) -> str:
        """Reads the figures of a run. Returns why it does not count, or ""."""
        wanted = number_of(self.expand(c, c.status)) or 0
        problem = o.failure(int(wanted), c.name) or read(c.format, o.output, o.errors, o.sample)
        o.sample.derive()
        return problem or next((p for p in (self.unexpected(c, o.sample, *e) for e in reversed(c.expect)) if p), "")

    def unexpected(self, c: Column, s: Sample, name: str, value: str) -> str:
        wanted = self.expand(c, value)
        if name in FIGURES:
            return "" if s[name] == number_of(wanted) else f"{name} is {s[name]:.0f}, not {wanted}"
        text = s.verdict if name == "verdict" else s.executor
        return "" if text == wanted else f"{name} is '{text}', not {wanted}"

    # ---- columns without commands ----

    def published(self, c: Column, round_: int) -> Sample | None:
        assert c.published is not None
        figure, words = c.published
        numbers = []
        for word in self.words(c, words):
            n = number_of(word)
            if n is None or n <= 0:
                raise c.place.error(f"published: '{word}' is not a number")
            numbers.append(n)
        scale = 1.0
        if c.scaled is not None:
            column, by, base = c.scaled
            samples = self.results.cell(self.row, column).samples
            if len(samples) <= round_:
                return None
            scale = samples[round_][by] / base
        return Sample(Figures({figure: min(numbers) * scale}))

    def recorded(self, c: Column, file: str, column: str) -> Sample | None:
        """Takes the figures of the same row from another table's results."""
        path = self.expand(c, file)
        return csvfile.sample_of(path, read_file(path), self.row.name, column) if os.path.exists(path) else None

    def listed(self, c: Column) -> Sample | None:
        """Reads figures from files. One is unknown if its file has none, or 0 (a duration too short to be measured)."""
        s = Sample()
        for figure, words in c.listed:
            file, *more = self.words(c, words)
            n = number_of(csvfile.look_up([file, *more], read_file(file))) if os.path.exists(file) else None
            if n is not None and n > 0:
                s.figures[figure] = n
        return s if s.figures else None

    def best(self, c: Column, round_: int) -> Sample | None:
        """Columns that failed or are absent do not take part."""
        assert c.best is not None
        figure, columns = c.best
        cells = (self.results.cell(self.row, name) for name in columns)
        samples = [cell.samples[round_] for cell in cells if len(cell.samples) > round_]
        known = [s for s in samples if not math.isnan(s[figure])]
        return min(known, key=lambda s: s[figure]) if known else None


def _is_there(what: str) -> bool:
    """Returns true if it is a program on the PATH or an existing file."""
    return os.path.exists(what) if "/" in what else shutil.which(what) is not None
