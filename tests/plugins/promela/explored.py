# SPDX-License-Identifier: Apache-2.0
"""Compares the results of `omen explore` for Promela models with SPIN's states: explored.py RECORD FILE...

RECORD is that of compare.py. An exploration continues after a failed assertion, as SPIN's verifier does with -E -c0, so
that the states are those of the whole model; `stored` excludes those within atomic sequences. For every 20th model, two
threads must give the same result; for every 60th also the host as a device, whose compiler takes longer than all the rest.
"""
import json
import os
import re
import subprocess
import sys

import compare

# After these errors SPIN's verifier continues differently: a message with another number of fields,
# a step that a trace does not allow, and a channel that two processes claim, which states tell apart here.
ELSEWHERE = ("lossy-trace.pml", "message-channel-variable.pml", "message-fewer-receive.pml", "message-fewer-rendezvous.pml",
             "message-fewer-send.pml", "message-more-receive.pml", "trace-violated.pml",
             "xs-claimed-twice.pml")
WAYS = [("--threads", "1", "--device", "none", "--exec", "vm"), ("--threads", "2", "--device", "none", "--exec", "vm"),
        ("--threads", "1", "--device", "host", "--exec", "vm")]
FIGURES = ("states", "stored", "transitions", "deadlocks", "levels")


def explore(path, *options):
    """Returns the exit status and the answer, or the error output."""
    done = subprocess.run([os.environ.get("OMEN", "omen"), "explore", path, "--json", *options], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout) if done.stdout else done.stderr


def failures(found):
    return sorted((f["line"], f["column"], f["states"]) for f in found["failures"])


def wrong(path, stored, error, ways):
    """Returns an error in the answers about a model, or None."""
    lossy = ["--frontend", "promela:lossy=1"] if compare.is_lossy(path) else []
    first = None
    for way in ways:
        status, found = explore(path, *way, *lossy)
        if status not in (0, 10):
            return "exit status %d: %s" % (status, found if isinstance(found, str) else found["reason"])
        if status != (10 if found["failures"] else 0) or not found["complete"]:
            return "exit status %d with %s" % (status, found["failures"])
        figures = [found[name] for name in FIGURES] + failures(found)
        if first is not None and figures != first:
            return "%s: %s, and not %s" % (" ".join(way), figures, first)
        first = first or figures
    if first[1] != stored:
        return "SPIN stores %d states, we %d" % (stored, first[1])
    if error == "assertion" and not found["failures"]:
        return "SPIN finds a failed assertion, we none"
    return None


def is_of_use(path, error):
    """Returns true if the model has atomic sequences or a failed assertion. compare.py checks all
    models."""
    with open(path, encoding="utf-8") as f:
        return error == "assertion" or re.search(r"\b(atomic|d_step)\b", f.read()) is not None


def main():
    record = compare.read_record(sys.argv[1])
    bad = compared = 0
    for path in sorted(sys.argv[2:]):
        stored, error = record[compare.name_of(path)]
        if error not in ("none", "end", "assertion") or compare.name_of(path) in ELSEWHERE or \
                not is_of_use(path, error):
            continue
        compared += 1
        what = wrong(path, stored, error, WAYS[:3 if compared % 60 == 1 else 2 if compared % 20 == 1 else 1])
        if what is not None:
            bad += 1
            print("%s: %s" % (compare.name_of(path), what), flush=True)
    print("%d compared, %d wrong" % (compared, bad))
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
