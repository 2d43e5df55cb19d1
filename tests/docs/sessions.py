# SPDX-License-Identifier: Apache-2.0
"""Runs the sessions of a document.

A fenced block whose info string is "LANGUAGE FILE" is a file; it is written into an empty folder. A block of "console" is
a session: each line that starts with "$ " is a command for a shell in that folder, and the lines after it are its output,
where a line "..." stands for any lines and "..." at the end of a line for the rest of that line.

Checks run with one thread: with several, which of several counterexamples is found first varies from run to run.

    sessions.py DOCUMENT...
"""
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 120
ONE_THREAD = """#!/bin/sh
case $1 in check | explore | explain) exec "$OMEN" "$@" --threads 1 ;; esac
exec "$OMEN" "$@"
"""
BLOCK = re.compile(r"(?ms)^```([^\n]*)\n(.*?)^```$")


def pattern(expected):
    """A regular expression for the output that a session shows."""
    out = ""
    for line in expected:
        if line == "...":
            out += r"(?:[^\n]*\n)*?"
        elif line.endswith("..."):
            out += re.escape(line[:-3]) + r"[^\n]*\n"
        else:
            out += re.escape(line) + r"\n"
    return out


def commands(text):
    """Pairs of a command and the lines of its output."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
        else:
            raise ValueError(f"a session starts without a command: {line}")
    return found


def run(document, environment):
    """Runs all sessions of a document; returns the number of commands and a list of faults."""
    count, faults = 0, []
    with open(document) as f:
        text = f.read()
    with tempfile.TemporaryDirectory() as folder:
        for info, body in BLOCK.findall(text):
            words = info.split()
            if len(words) == 2:
                with open(os.path.join(folder, words[1]), "w") as f:
                    f.write(body)
            if words != ["console"]:
                continue
            for command, expected in commands(body):
                done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, text=True, timeout=SECONDS,
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                count += 1
                if not re.fullmatch(pattern(expected), done.stdout):
                    faults.append(f"{document}: $ {command}\nshould print\n" + "\n".join(expected) + f"\nbut printed\n{done.stdout}")
    return count, faults


def main():
    total = 0
    with tempfile.TemporaryDirectory() as programs:
        with open(os.path.join(programs, "omen"), "w") as f:
            f.write(ONE_THREAD)
        os.chmod(f.name, 0o755)
        environment = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"], "TERM": "dumb"}
        for document in sys.argv[1:]:
            count, faults = run(document, environment)
            total += count
            for fault in faults:
                print(fault)
            if faults or count == 0:
                raise SystemExit(f"{document}: {len(faults)} of {count} commands do not do what it says")
    print(f"{total} commands do what the documents say")


if __name__ == "__main__":
    main()
