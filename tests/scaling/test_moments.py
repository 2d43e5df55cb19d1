# SPDX-License-Identifier: Apache-2.0
"""Work on a large model ends soon after a signal, whatever phase it is in.

Each command is started on a generated model, SIGTERM is sent when the process has had a share of the
CPU time that the whole run takes, and the CPU time from then to the end is measured: it does not
depend on how busy the machine is. The limits on time and memory end work by the same control, and
--memory is checked by the peak that the system counts.

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
MOST = 0.5          # seconds of CPU time from the signal to the end, with what frees the memory
OVER = 24 * MB      # of --memory: what the process takes before its first look, and until the next
SIZES = {
    "dve_locations": 100000, "dve_guarded": 100000, "dve_processes": 20000, "dve_globals": 50000,
    "dve_locals": 50000, "dve_channels": 30000, "dve_queues": 20000, "dve_asserts": 50000,
    "pml_statements": 50000, "pml_options": 30000, "pml_labels": 30000, "pml_locals": 10000,
    "pml_proctypes": 20000, "pml_instances": 20000, "pml_inlines": 20000,
    "pnml_ring": 50000, "pnml_cycles": 50000, "pnml_star": 50000, "pnml_join": 20000, "pnml_grid": 50000,
}
ALONE = ["--threads", "1", "--device", "none"]
COMMANDS = {
    "merged": lambda path: ["explore", path, "--max-states", "1", "--merge", "on", "--reset-dead", "on",
                            "--exec", "vm", *ALONE],
    "explore": lambda path: ["explore", path, "--max-states", "1", "--exec", "vm", *ALONE],
    "check": lambda path: ["check", path, "--deadlock", "--max-states", "1", *ALONE],
    "plan": lambda path: ["check", path, "--deadlock", "--plan", *ALONE],
    "simulate": lambda path: ["simulate", path, "--steps", "3", "--seed", "1"],
}


def cpu_of(pid):
    """Seconds of CPU time so far, or None after the end."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as f:
            fields = f.read().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return None if fields[0] == "Z" else (int(fields[11]) + int(fields[12])) / TICK


def run(args, at=None):
    """Status, CPU time, CPU time at which the signal went out (or None), peak."""
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


def check_command(name, args, moments, say):
    status, whole, _, peak = run(args)
    good = status in (0, 10, 30)
    if not good:
        say(f"status {status}")
    worst = 0
    for i in range(moments):
        status, took, sent, _ = run(args, whole * (i + 0.5) / moments)
        if sent is None:
            continue
        worst = max(worst, took - sent)
        if status < 0 and status != -signal.SIGTERM:
            say(f"ended by signal {-status}")
            good = False
    if worst > MOST:
        say(f"{worst:.2f} s after the signal")
        good = False
    limit = max(peak // 2, 32 * MB)
    if name != "simulate" and name != "plan" and peak > limit + OVER:
        _, _, _, limited = run([*args, "--memory", str(limit)])
        if limited > limit + OVER:
            say(f"{(limited - limit) / MB:.0f} MB over --memory")
            good = False
    say(f"{whole:.2f} s, {peak // MB} MB, at most {worst:.2f} s after the signal")
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--moments", type=int, default=8)
    parser.add_argument("families", nargs="*")
    args = parser.parse_args()
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        for family in args.families or SIZES:
            path = os.path.join(folder, f"model.{family.split('_')[0]}")
            # What this process has in memory counts into the peak of those that it starts: it makes no model.
            subprocess.run([sys.executable, GENERATE, family, str(int(SIZES[family] * args.scale)), path], check=True)
            for name, command in COMMANDS.items():
                if name == "merged" and family.startswith("pnml"):
                    continue
                if not check_command(name, command(path), args.moments,
                                     lambda text, f=family, n=name: print(f"{f:16} {n:9} {text}", flush=True)):
                    bad.append(f"{family} {name}")
    if bad:
        print("limits were not held:", ", ".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
