# SPDX-License-Identifier: Apache-2.0
"""Runs the programs of Spot and omen, and splits and joins streams of automata."""
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile

PROGRAMS = ("autfilt", "ltl2tgba", "randaut", "randltl")
END = "--END--\n"


class Failed(Exception):
    """A program failed."""


class TooLong(Failed):
    """A program exceeded its limit of processor time."""


class Tools:
    """The paths of the programs, and how to run them."""

    def __init__(self, omen, folder):
        self.programs = {name: shutil.which(name, path=folder or None) for name in PROGRAMS}
        self.missing = [name for name, at in self.programs.items() if at is None]
        self.programs["omen"] = omen
        # In a sanitized build: unit tests look for leaks.
        self.environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0:use_sigaltstack=0")

    def run(self, program, *arguments, text=None, cpu=600, allowed=(0,)):
        """Returns standard output. Raises Failed, and TooLong after `cpu` seconds of processor time."""
        command = [self.programs.get(program, program), *arguments]
        p = subprocess.run(command, input=text, capture_output=True, text=True, check=False,
                           env=self.environment,
                           preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu)))
        if -p.returncode in (signal.SIGXCPU, signal.SIGKILL):
            raise TooLong("%s: %d s" % (" ".join(command)[:400], cpu))
        if p.returncode not in allowed:
            raise Failed("%s: exit status %d: %s%s" % (
                " ".join(command)[:400], p.returncode, p.stdout[-200:], p.stderr.strip()[-6000:]))
        return p.stdout

    def select(self, text, *filters, cpu=600):
        """Returns the names of the automata that pass these filters of autfilt (its status is 1 if none does)."""
        out = self.run("autfilt", *filters, "--stats=%M", text=text, cpu=cpu, allowed=(0, 1))
        return set(out.split())


class Folder:
    """Files for programs that read files; deleted with the object."""

    def __init__(self):
        self.at = tempfile.TemporaryDirectory(prefix="omen-oracle-")

    def write(self, name, text):
        path = os.path.join(self.at.name, name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path


def split(text):
    """Returns the automata of a stream, one text each."""
    return [part + END for part in text.split(END)[:-1]]


def numbered(automata):
    """Returns the same automata, named 0, 1, ..."""
    bare = [re.sub(r"^name: .*\n", "", a, flags=re.MULTILINE) for a in automata]
    return [a.replace("HOA: v1\n", 'HOA: v1\nname: "%d"\n' % i, 1) for i, a in enumerate(bare)]
