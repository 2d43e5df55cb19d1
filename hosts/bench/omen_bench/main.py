# SPDX-License-Identifier: Apache-2.0
"""The program omen-bench: runs one suite, or the members of a table in turn."""
from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Sequence

from .measure import Measurer
from .options import Options, help_text, read_options
from .page import Part, page
from .places import built_in, read_member, read_suite, suite_names
from .report import report
from .suite import FAILED_STATUS, NOT_MEASURED_STATUS, NOT_MET_STATUS, Host, Suite
from .table import Table
from .text import BenchError, failure, usage, write_file


class _Run:
    """A table of the command line, and the tables of its suites: itself, or its members."""

    def __init__(self, home: str, options: Options) -> None:
        self.options = options
        self.table = read_suite(home, options.suite)
        members = [read_member(home, options.suite, name) for name in self.table.members]
        self.several = bool(members)
        self.tables: list[Table] = members or [self.table]
        self.suites: list[Suite] = []
        for name in options.rows:
            if not any(name in t.rows for t in self.tables):
                raise usage(f"--rows: no row '{name}'")
        if self.several and (options.csv or options.markdown or options.gnuplot or options.start):
            raise usage(f"{self.table.suite} runs several suites: --csv, --markdown, --gnuplot and --from need a "
                        "single suite (--out DIR writes the files of each)")

    def measure(self, h: Host) -> None:
        p, o = h.progress, h.options
        p.terminal = sys.stderr.isatty()
        p.shown = not o.quiet and (o.verbose or p.terminal)
        p.started = time.monotonic()
        # The deadline of --minutes leaves some time for the work after the last command.
        p.deadline = h.started + o.minutes - min(o.minutes / 10, 1) if o.minutes else 0
        p.planned = sum(s.runs() for s in self.suites)
        for s in self.suites:
            if h.stopped:
                s.results.interrupted |= s.runs() != 0
            else:
                s.measure()

    def report(self) -> int:
        """Writes files, prints the reports, and returns the exit status. Failures outweigh missed targets, which
        outweigh missing measurements.
        """
        statuses = set()
        for s in self.suites:
            if s.met:
                s.write()
                _print(report(s.results, self.options.given, False) + ("\n" if self.several else ""))
            statuses.add(s.status())
        return next((s for s in (FAILED_STATUS, NOT_MET_STATUS, NOT_MEASURED_STATUS) if s in statuses), 0)

    def present(self, h: Host) -> None:
        """Draws pictures; writes the page if there are views or it was requested."""
        for s in self.suites:
            s.draw()
        if h.no_pictures:
            print(f"omen-bench: no pictures: {h.no_pictures}", file=sys.stderr)
        first = self.suites[0]
        paths = [self.options.html] if self.options.html else []
        if first.base and any(t.views for t in self.tables):
            # The name of the first suite's files, with the name of this table.
            paths.append(first.base.removesuffix(first.table.suite) + self.table.suite + ".html")
        for path in paths:
            write_file(path, page(self.table.heading(), self.table.notes if self.several else (),
                                  [Part(s.results, s.pictures) for s in self.suites], h.no_pictures))


def _started() -> float:
    """Returns the time of time.monotonic() at which this process began: --minutes includes the interpreter's start."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as f:
        ticks = int(f.read().rpartition(")")[2].split()[19])  # since the machine's start
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return time.monotonic() - max(age, 0)


def _print(text: str) -> None:
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as e:
        raise failure("cannot write to standard output", e) from e


def _run_suites(home: str, options: Options, words: Sequence[str]) -> int:
    run = _Run(home, options)
    measurer = Measurer(f"{home}/omen-measure")
    try:
        scratch = tempfile.mkdtemp(prefix="omen-bench.")
    except OSError as e:
        raise failure("cannot make a scratch folder", e) from e
    try:
        host = Host(options, words, home, scratch, _started(), built_in(home, scratch), measurer)
        run.suites = [Suite(host, t) for t in run.tables]
        if not options.start:
            run.measure(host)
        status = run.report()
        if any(s.met for s in run.suites):
            run.present(host)
        return status
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def main(home: str, words: Sequence[str]) -> int:
    """Runs the program, which is in the folder `home`. Returns its exit status."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        options = read_options(words)
        if options.list:
            _print("".join(f"{name}\n" for name in suite_names(home)))
            return 0
        if options.help:
            _print(help_text())
            return 0
        return _run_suites(home, options, words)
    except BenchError as e:
        print(f"omen-bench: {e}", file=sys.stderr)
        return e.status
