# SPDX-License-Identifier: Apache-2.0
"""Runs a suite from its table to its files. main.py runs one suite, or several that a table names."""
from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import csvfile
from .measure import Measurer, commit_of, machine
from .options import Options
from .parse import MOST_ROUNDS
from .plot import draw, plot, plot_rows
from .report import report
from .results import NOT_MEASURED, NOT_MET, PENDING, Results, judge
from .runner import Runner
from .table import Row, Table, expand
from .text import Stopped, failure, read_file, usage, write_file

NOT_MET_STATUS, FAILED_STATUS, NOT_MEASURED_STATUS = 10, 20, 30


@dataclass
class Progress:
    """The progress of a run and an estimate of the remaining time."""

    shown: bool = False
    terminal: bool = False  # one line is overwritten; otherwise a new line each time
    planned: int = 0
    done: int = 0
    row_end: int = 0  # the value of `done` at the end of the current row
    started: float = 0  # times of time.monotonic()
    deadline: float = 0  # 0: none

    def row(self, runs: int) -> None:
        """Starts a row of that many runs; at its end, runs that did not take place count as done."""
        self.row_end = self.done + runs

    def end_row(self) -> None:
        self.done = self.row_end

    def run(self) -> None:
        """Counts a run that has ended."""
        self.done += self.done < self.row_end

    def text(self, now: float) -> str:
        """Returns "12 of 340 runs, 1 min 20 s; about 36 min left", estimated from the runs so far."""
        so_far = now - self.started
        out = f"{self.done} of {self.planned} runs, {_time(so_far)}"
        if self.done == 0 or self.done >= self.planned:
            return out
        left = so_far * (self.planned - self.done) / self.done
        if self.deadline != 0:
            left = min(left, max(self.deadline - now, 0))
        return out + f"; about {_time(left)} left"


def _time(seconds: float) -> str:
    s = int(seconds + 0.5)
    if s >= 3600:
        return f"{s // 3600} h {s % 3600 // 60} min"
    if s >= 600:
        return f"{s // 60} min"
    return f"{s // 60} min {s % 60} s" if s >= 60 else f"{s} s"


@dataclass
class Host:
    """What all suites of a run share."""

    options: Options
    words: Sequence[str]  # the command line
    home: str  # the folder of this program
    scratch: str  # a folder for temporary files
    started: float
    built_in: dict[str, str]
    measurer: Measurer
    progress: Progress = field(default_factory=Progress)
    stopped: bool = False  # a signal or the time limit ended the run: no further command is started
    no_pictures: str = ""  # why gnuplot has drawn nothing

    def say(self, text: str) -> None:
        """Prints a line about a run."""
        if not self.options.quiet:
            clear = "\r\033[K" if self.progress.shown and self.progress.terminal else ""
            print(f"{clear}omen-bench: {text}", file=sys.stderr, flush=True)

    def on_run(self) -> None:
        self.progress.run()
        if self.progress.shown:
            text = self.progress.text(time.monotonic())
            line = f"\r\033[K{text}" if self.progress.terminal else f"omen-bench: {text}\n"
            print(line, end="", file=sys.stderr, flush=True)


class Suite:
    """A suite, and its results: empty, those of --from, or those that --resume continues."""

    def __init__(self, host: Host, table: Table) -> None:
        self.host, self.table = host, table
        o = host.options
        self.met = True  # the table's requirement is met
        self.base = ""  # path of the files of --out, without suffix
        self.pictures = ""  # view NAME is drawn in PICTURES-NAME.svg; "": no pictures
        self.timeout, self.memory = o.timeout or table.timeout, o.memory or table.memory
        earlier = read_file(o.start) if o.start else ""
        self.results = Results(table, o.rounds or _rounds_of(earlier) or table.rounds)
        self.fill_head()
        if o.start:
            for name, value in csvfile.heads(earlier).items():
                if name in ("commit", "date", "machine", "command", "limits") and value:
                    setattr(self.results, name, value)
            csvfile.take(self.results, o.start, earlier)
        elif o.out:
            self.choose_files()

    # ---- the head ----

    def fill_head(self) -> None:
        r, o = self.results, self.host.options
        r.date = time.strftime("%Y-%m-%d", time.gmtime())
        r.machine = machine()
        r.command = " ".join(["omen-bench", *self.host.words])
        r.commit = o.commit or commit_of(expand("${omen}", {**self.host.built_in, **self.table.variables, **o.given}))
        limits = [f"{self.timeout:.6g} s"] if self.timeout else []
        r.limits = ", ".join(limits + ([f"{self.memory / 1e6:.6g} MB"] if self.memory else []))

    # ---- files ----

    def choose_files(self) -> None:
        """Determines the paths of the files in --out. Resumes or replaces existing results there, or fails."""
        o, r = self.host.options, self.results
        try:
            os.makedirs(o.out, exist_ok=True)
            files = sorted(os.listdir(o.out))
        except OSError as e:
            raise failure(f"cannot make {o.out}", e) from e
        end = f"-{r.commit}-{self.table.suite}"
        # The last one of the folder, whatever its date.
        earlier = [f for f in files if f[10:] == end + ".csv"] if o.resume else []
        self.base = f"{o.out}/{earlier[-1][:-4] if earlier else r.date + end}"
        path = self.base + ".csv"
        if os.path.exists(path) and o.resume:
            csvfile.take(r, path, read_file(path))
        elif os.path.exists(path) and not o.overwrite:
            raise usage(f"{path} already exists: --resume continues it, --overwrite replaces it")

    def write(self) -> None:
        """Writes all requested files with the current results."""
        o = self.host.options
        csv, text = csvfile.written(self.results), report(self.results, o.given, True)
        for path, content in ((o.csv, csv), (o.markdown, text), (self.base and self.base + ".csv", csv),
                              (self.base and self.base + ".md", text)):
            if path:
                write_file(path, content)
        if o.gnuplot:
            name = os.path.basename(o.gnuplot)
            data, script = plot_rows(self.results, f"{name}.dat", f"{name}.svg")
            write_file(o.gnuplot + ".dat", data)
            write_file(o.gnuplot + ".gp", script)

    def draw(self) -> None:
        """Draws the views beside the suite's files, or for the page alone. If that is impossible, the host's
        no_pictures holds the reason.
        """
        h = self.host
        if not self.table.views or not (self.base or h.options.html):
            return
        folder = os.path.realpath(h.options.out if self.base else h.scratch)
        stem = os.path.basename(self.base) if self.base else self.table.suite
        for v in self.table.views.values():
            name = f"{stem}-{v.name}"
            data, script = plot(self.results, v, name)
            if script:
                write_file(f"{folder}/{name}.dat", data)
                write_file(f"{folder}/{name}.gp", script)
                h.no_pictures = h.no_pictures or draw(folder, name)
        self.pictures = "" if h.no_pictures else f"{folder}/{stem}"

    # ---- the run ----

    def wants(self, row: Row) -> bool:
        """Returns true if --rows names the row or was not given."""
        return not self.host.options.rows or row.name in self.host.options.rows

    def wanted(self) -> list[tuple[int, Row]]:
        """Returns the rows to be run, with their positions."""
        return [(i, row) for i, row in enumerate(self.table.rows.values())
                if self.wants(row) and not self.results.done(row)]

    def runs_of(self, row: Row) -> int:
        columns = (c for c in self.table.columns.values() if c.command and c.applies_to(row))
        return len(list(columns)) * self.results.rounds

    def runs(self) -> int:
        """Returns the number of runs to be made."""
        return sum(self.runs_of(row) for _, row in self.wanted())

    def measure(self) -> None:
        """Makes the runs, and writes the files after each row. If the table's requirement is not met, nothing is
        measured and the reason is printed.
        """
        h = self.host
        runner = Runner(self.results, h.measurer, h.options.given, h.built_in, h.scratch, timeout=self.timeout,
                        memory=self.memory, deadline=h.progress.deadline, say=h.say, on_run=h.on_run)
        clear = "\r\033[K" if h.progress.shown and h.progress.terminal else ""
        try:
            why = runner.requirement()
            self.met = not why
            if why:
                print(f"omen-bench: nothing can be measured: {why}", file=sys.stderr)
            else:
                self.run_rows(runner)
            print(clear, end="", file=sys.stderr)
        except Stopped:
            print(clear, end="", file=sys.stderr)
            self.results.interrupted = h.stopped = True
            h.say("time limit reached" if runner.late() else "interrupted")

    def run_rows(self, runner: Runner) -> None:
        h = self.host
        for i, row in self.wanted():
            budget = h.options.budget
            if (budget and time.monotonic() - h.progress.started > budget) or runner.late():
                self.results.interrupted = h.stopped = True
                h.say("the time budget is used up")
                break
            h.progress.row(self.runs_of(row))
            runner.row(row, i)
            h.progress.end_row()
            self.write()

    def status(self) -> int:
        """Returns the exit status: 0, 10, 20 or 30."""
        if not self.met:
            return NOT_MEASURED_STATUS
        rows = self.table.rows.values()
        if any(c.failed() for row in rows for c in self.results.cells(row)):
            return FAILED_STATUS
        judgements = {judge(self.results, t, self.host.options.given).judgement for t in self.table.targets}
        if NOT_MET in judgements:
            return NOT_MET_STATUS
        missing = self.results.interrupted or NOT_MEASURED in judgements or any(
            c.state == PENDING for row in rows if self.wants(row) for c in self.results.cells(row))
        return NOT_MEASURED_STATUS if missing else 0


def _rounds_of(text: str) -> int:
    """Returns the number of rounds of results; 0 if the file does not state it."""
    rounds = csvfile.heads(text).get("rounds", "")
    return int(rounds) if rounds.isdecimal() and int(rounds) <= MOST_ROUNDS else 0
