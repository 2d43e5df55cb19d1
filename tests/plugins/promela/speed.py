# SPDX-License-Identifier: Apache-2.0
"""Compares `omen explore` on Promela models with SPIN's verifier with the same settings.

speed.py [--rounds N] [--least STATES] OMEN RECORD FILE...

Both explore each model for which RECORD (compare.py) has at least STATES states, in turn, N times. The result is
the medians of CPU time and memory of the whole process. SPIN's verifier is compiled with -O2 -DNOREDUCE -DSAFETY and
gets a table of the next power of two above the number of states, and the same depth, which it has to be told; the time
of its compilation is listed, too. omen's first run starts without native code and includes the compilation as far as it
gets ("first"). Another run waits for the native code, so that the measured runs have it from the beginning. The runs
are quiet: SPIN's verifier, too, shows no trace for a truncated value.
"""
import argparse
import math
import os
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

import compare


def run(command, folder, environment=None):
    """Returns (CPU seconds, bytes of memory, output) of a program and its child processes."""
    pid_in, pid_out = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(pid_in)
        out = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        text = "%f %d %d\n%s%s" % (used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, out.returncode,
                                   out.stdout, out.stderr)
        os.write(pid_out, text.encode()[:60000])
        os._exit(0)
    os.close(pid_out)
    with os.fdopen(pid_in, encoding="utf-8") as f:
        text = f.read()
    os.waitpid(child, 0)
    numbers, _, output = text.partition("\n")
    seconds, memory, status = numbers.split()
    if status != "0":
        sys.exit("%s: exit status %s: %s" % (" ".join(command), status, output))
    return float(seconds), int(memory), output


def stored(pattern, output):
    found = re.search(pattern, output)
    return int(found.group(1)) if found else None


def measure(options, path, states):
    """Returns the medians of one model, or None if a program did not finish."""
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(path, os.path.join(folder, "m.pml"))
        subprocess.run(["spin", "-a", "-o1", "-o2", "-o3", "m.pml"], cwd=folder, capture_output=True, check=True)
        compiled = run(["gcc", "-w", "-O2", "-DNOREDUCE", "-DSAFETY", "-DNOCLAIM", "-DMEMLIM=8000", "-o", "pan",
                        "pan.c"], folder)[0]
        cache = dict(os.environ, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        ours = [os.path.abspath(options.omen), "explore", "--threads", "1", "--device", "none", "-q", "m.pml"]
        first = run(ours, folder, cache)[0]
        run(ours + ["--exec", "native"], folder, cache)
        theirs_all, ours_all = [], []
        for _ in range(options.rounds):
            theirs_all.append(run(["./pan", "-E", "-A", "-n", "-c0", "-m%d" % (states + 10000),
                                   "-w%d" % max(18, states.bit_length())], folder))
            ours_all.append(run(ours, folder, cache))
        if "Search not completed" in theirs_all[0][2] or "max search depth" in theirs_all[0][2]:
            return None
        return {"states": stored(r"(\d+) states, stored", theirs_all[0][2]),
                "compiled": compiled, "first": first,
                "pan": statistics.median(t[0] for t in theirs_all), "pan_memory": theirs_all[0][1],
                "omen": statistics.median(t[0] for t in ours_all), "omen_memory": ours_all[0][1]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--least", type=int, default=100000)
    parser.add_argument("omen")
    parser.add_argument("record")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    record = compare.read_record(options.record)
    files = sorted(options.files or compare.beem(), key=compare.name_of)
    print("| model | states | SPIN s | (compiled s) | omen s | (first s) | times | SPIN MB | omen MB | times |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    faster, smaller, whole = [], [], []
    for path in files:
        known = record.get(compare.name_of(path))
        if known is None or known[0] < options.least or known[1] not in ("none", "end"):
            continue
        m = measure(options, path, known[0])
        if m is None:
            continue
        faster.append(m["pan"] / m["omen"])
        smaller.append(m["pan_memory"] / m["omen_memory"])
        whole.append((m["compiled"] + m["pan"]) / m["first"])
        print("| %s | %d | %.2f | %.2f | %.2f | %.2f | %.1f | %.0f | %.0f | %.1f |"
              % (compare.name_of(path), m["states"], m["pan"], m["compiled"], m["omen"], m["first"], faster[-1],
                 m["pan_memory"] / 1e6, m["omen_memory"] / 1e6, smaller[-1]), flush=True)
    if not faster:
        sys.exit("no model is on record, of so many states, without an error, and explored by both")
    for name, ratios in (("CPU time of the exploration", faster), ("memory", smaller),
                         ("CPU time from the model to its states, compilers included", whole)):
        print("\n%s: geometric mean %.2f, least %.2f (%d models)"
              % (name, math.exp(statistics.mean(map(math.log, ratios))), min(ratios), len(ratios)))


if __name__ == "__main__":
    main()
