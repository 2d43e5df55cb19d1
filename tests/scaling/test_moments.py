# SPDX-License-Identifier: Apache-2.0
"""Checks that work on large inputs ends soon after a signal and after --timeout, and keeps to --memory,
in every phase. It prints a table of the results.

Each command runs on a generated model, automaton or formula. SIGTERM is sent when the process has
used a share of the CPU time of the whole run, and the CPU time from then to the end is measured,
because it does not depend on the load of the machine. For --timeout, the CPU time beyond it is
measured. --memory is checked by the peak that the system counts.

    test_moments.py [--scale F] [--moments N] [FAMILY ...]
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

GENERATE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "bench", "generate.py")
OMEN = os.environ["OMEN"]
TICK = os.sysconf("SC_CLK_TCK")
MB = 1 << 20
MOST = 0.5         # seconds of CPU time from the signal to the end, including the freeing of memory
OVER = 48 * MB      # allowed excess of --memory until the limit is checked again, also on a busy machine
SIZES = {
    "dve_locations": 100000, "dve_committed": 40000, "dve_guarded": 100000, "dve_processes": 20000, "dve_globals": 50000,
    "dve_locals": 50000, "dve_channels": 30000, "dve_queues": 20000, "dve_asserts": 50000,
    "pml_statements": 50000, "pml_options": 30000, "pml_labels": 30000, "pml_locals": 10000,
    "pml_proctypes": 20000, "pml_instances": 20000, "pml_inlines": 20000,
    "pnml_ring": 50000, "pnml_cycles": 50000, "pnml_star": 50000, "pnml_join": 20000, "pnml_grid": 50000,
    "hoa_ring": 500000, "hoa_graph": 500000, "ltl_fair": 8,
}
ALONE = ["--threads", "1", "--device", "none"]
MODEL_COMMANDS = {
    "merged": ["explore", "{}", "--max-states", "1", "--merge", "on", "--reset-dead", "on", "--exec", "vm", *ALONE],
    "explore": ["explore", "{}", "--max-states", "1", "--exec", "vm", *ALONE],
    "check": ["check", "{}", "--deadlock", "--max-states", "1", *ALONE],
    "plan": ["check", "{}", "--deadlock", "--plan", *ALONE],
    "simulate": ["simulate", "{}", "--steps", "3", "--seed", "1"],
}
COMMANDS = {
    "dve": MODEL_COMMANDS,
    "pml": MODEL_COMMANDS,
    "pnml": {name: c for name, c in MODEL_COMMANDS.items() if name != "merged"},
    "hoa": {"empty": ["empty", "{}", "--threads", "1"],
            "convert": ["convert", "{}", "--to", "tgba"], "strength": ["strength", "{}"]},
    "ltl": {"translate": ["translate", "{}"]},
}


def cpu_of(pid):
    """Returns the seconds of CPU time so far, or None after the end."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / TICK


def run(args, at=None):
    """Returns status, CPU time, CPU time at which the signal was sent (or None), peak."""
    with open(os.devnull, "wb") as null:
        p = subprocess.Popen([OMEN, *args], stdout=null, stderr=null)
        sent = None
        while at is not None and sent is None:
            now = cpu_of(p.pid)
            if now is None:
                break
            if now >= at:
                sent = now
                os.kill(p.pid, signal.SIGTERM)
            else:
                time.sleep(0.005)
        _, status, usage = os.wait4(p.pid, 0)
    p.returncode = os.waitstatus_to_exitcode(status)
    return p.returncode, usage.ru_utime + usage.ru_stime, sent, usage.ru_maxrss * 1024


def check_command(args, moments, say):
    """Returns whether all limits were kept; `say` receives the figures of the run."""
    status, whole, _, peak = run(args)
    good = status in (0, 10, 30)
    if not good:
        say(f"status {status}")
    worst = late = over = 0
    for i in range(moments):
        moment = whole * (i + 0.5) / moments
        status, took, sent, _ = run(args, moment)
        worst = max(worst, 0 if sent is None else took - sent)
        if status < 0 and status != -signal.SIGTERM:
            say(f"ended by signal {-status}")
            good = False
        limit = max(int(1000 * moment), 1)
        status, took, _, _ = run([*args, "--timeout", f"{limit}ms"])
        late = max(late, took - limit / 1000)
        if status not in (0, 10, 30):
            say(f"status {status} after a timeout")
            good = False
    for share in (0.3, 0.5, 0.8):
        limit = max(int(peak * share), 32 * MB)
        if limit >= peak:
            continue
        status, _, _, limited = run([*args, "--memory", str(limit)])
        over = max(over, limited - limit)
        if status not in (0, 10, 30):
            say(f"status {status} with less memory")
            good = False
    say(f"{whole:6.2f} s {peak // MB:5} MB; after a signal {worst:5.2f} s, "
        f"after --timeout {late:5.2f} s, over --memory {over // MB:3} MB")
    return good and worst <= MOST and late <= MOST and over <= OVER


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("families", nargs="*")
    args = parser.parse_args()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for family in args.families or SIZES:
            language = family.split("_")[0]
            path = os.path.join(folder, f"model.{language}")
            # A child's peak includes the memory of this process, so a separate process makes the model.
            subprocess.run([sys.executable, GENERATE, family, str(int(SIZES[family] * args.scale)), path], check=True)
            with open(path, encoding="utf-8") as f:
                what = f.read().strip() if language == "ltl" else path
            for name, command in COMMANDS[language].items():
                if not check_command([what if word == "{}" else word for word in command], args.moments,
                                     lambda text, f=family, n=name: print(f"{f:16} {n:9} {text}", flush=True)):
                    bad.append(f"{family} {name}")
    if bad:
        print("limits were not held:", ", ".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
