# SPDX-License-Identifier: Apache-2.0
"""Runs one command with omen-measure (hosts/bench/measure), and describes the machine."""
from __future__ import annotations

import json
import math
import os
import re
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from .figures import Figures, Sample
from .text import BenchError, failure, last_line

_MOST_OUTPUT = 16 << 20


@dataclass
class Outcome:
    status: int  # exit status, or -1; 127: the program cannot be found
    signal: int  # signal that ended the command, or 0
    timed_out: bool  # the command reached its time limit and was killed
    too_large: bool  # the command exceeded its memory limit and was killed
    resident: float  # resident bytes of its processes, as last checked against the limit
    interrupted: bool  # a signal asked this program to stop; the command was killed
    sample: Sample
    output: str  # cut if very long
    errors: str
    no_counters: str  # why the hardware counters are missing, or ""

    def last_words(self) -> str:
        return last_line(self.errors if self.errors.strip(" \n") else self.output)

    def failure(self, wanted: int, what: str) -> str:
        """Returns why the command failed; nothing if it succeeded."""
        if self.too_large:
            return f"{what} was killed at {self.resident / 1e6:.0f} MB"
        if self.timed_out:
            return f"{what} was killed after {self.sample['wall']:.0f} s"
        if self.signal != 0:
            how = f"was ended by signal {self.signal}"
        elif self.status == 127:
            how = "cannot be started"
        elif self.status != wanted:
            how = f"ended with status {self.status}"
        else:
            return ""
        return f"{what} {how}: {self.last_words()}"


class Measurer:
    """Measures commands. SIGINT and SIGTERM end the command that runs, and all later ones."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.running: subprocess.Popen[bytes] | None = None
        self.interrupted = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._interrupt)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self.interrupted = True
        if self.running is not None:
            self.running.send_signal(signal.SIGTERM)

    def run(self, argv: Sequence[str], env: Mapping[str, str], folder: str, timeout: float = 0,
            memory: float = 0) -> Outcome:
        """Runs a command in a folder, with `env` added to the own environment. Limits: seconds and bytes; 0: none."""
        with (tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile(dir=folder) as errors,
              tempfile.TemporaryFile(dir=folder) as report):
            # A compiler in the background would disturb the next measurement.
            env = {"OMEN_BACKGROUND": "off", **env}
            limits = [str(report.fileno()), f"{timeout:.9f}", f"{memory:.0f}"]
            try:
                self.running = subprocess.Popen(
                    [self.program, *limits, *argv], cwd=folder, env={**os.environ, **env}, stdin=subprocess.DEVNULL,
                    stdout=output, stderr=errors, pass_fds=[report.fileno()])
                if self.interrupted:
                    self.running.send_signal(signal.SIGTERM)
                self.running.wait()
            except OSError as e:
                raise failure(f"cannot start {self.program}", e) from e
            finally:
                self.running = None
            texts = []
            for file in (report, output, errors):
                file.seek(0)
                texts.append(file.read(_MOST_OUTPUT).decode(errors="surrogateescape"))
        return self._outcome(*texts)

    def _outcome(self, report: str, output: str, errors: str) -> Outcome:
        if not report and not self.interrupted:
            raise BenchError(last_line(errors) or f"{self.program} failed")
        known = json.loads(report) if report else {"figures": {}, "interrupted": True}
        figures = Figures((k, math.nan if v is None else v) for k, v in known["figures"].items())
        return Outcome(known.get("status", -1), known.get("signal", 0), known.get("timed_out", False),
                       known.get("too_large", False), known.get("resident", 0), known["interrupted"], Sample(figures),
                       output, errors, known.get("no_counters", ""))


def machine() -> str:
    """Returns "MODEL, N cores, M GB, Linux R"."""
    model = None
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as f:
            model = re.search(r"(?m)^model name\s*:[ \t]*(.*)$", f.read())
    except OSError:
        pass
    size = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    system = os.uname()
    return (f"{'unknown processor' if model is None else model[1]}, {os.cpu_count()} cores, {size / 1e9:.0f} GB, "
            f"{system.sysname} {system.release}")


def commit_of(file: str) -> str:
    """Returns the commit of the git tree that contains the file, followed by "+" if files differ from it; "unknown" if
    git reports none.
    """
    def git(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["git", "-C", os.path.dirname(os.path.realpath(file)), *words], capture_output=True,
                              text=True, timeout=20, check=False)

    try:
        commit = git("rev-parse", "--short=10", "HEAD").stdout.strip()
        changed = git("diff", "--quiet", "HEAD").returncode != 0
    except (OSError, subprocess.TimeoutExpired):
        return "unknown"
    return commit + "+" * changed if re.fullmatch(r"[0-9a-f]{7,}", commit) else "unknown"
