# SPDX-License-Identifier: Apache-2.0
"""Records of omend's measurements, in the form of omen-bench's: DATE-COMMIT-NAME.md and .csv."""
import csv
import os
import platform
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        model = next((line.split(": ")[1].strip() for line in f if line.startswith("model name")), platform.machine())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9
    return f"{model}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()} {platform.release()}"


def commit():
    try:
        return subprocess.run(["git", "-C", HERE, "rev-parse", "--short=7", "HEAD"], capture_output=True, text=True,
                              check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


class Record:
    """Rows of measurements, some of them with a bound."""

    def __init__(self, name, title):
        self.name, self.title, self.rows, self.notes = name, title, [], []

    def add(self, what, value, bound=None, most=True):
        """Adds and prints a row. `most`: the bound is an upper bound; otherwise a lower bound."""
        met = bound is None or (value <= bound if most else value >= bound)
        self.rows.append((what, value, bound, "" if bound is None else "<=" if most else ">=", met))
        print(f"{what}: {value:.4g}{'' if met else ' NOT MET'}", flush=True)

    def met(self):
        return all(row[-1] for row in self.rows)

    def markdown(self):
        yield f"# {self.title}\n\n"
        yield f"- {time.strftime('%Y-%m-%d')}, commit {commit()}\n- {machine()}\n"
        yield f"- `python3 tests/server/{os.path.basename(sys.argv[0])} {' '.join(sys.argv[1:])}`\n"
        yield from (f"- {note}\n" for note in self.notes)
        yield "\n| what | measured | bound | |\n|---|--:|--:|---|\n"
        for what, value, bound, how, met in self.rows:
            yield f"| {what} | {value:.4g} | {'' if bound is None else f'{how} {bound:g}'} | " \
                  f"{'' if bound is None else 'met' if met else 'NOT MET'} |\n"

    def write(self, folder):
        base = os.path.join(folder, f"{time.strftime('%Y-%m-%d')}-{commit()}-{self.name}")
        with open(base + ".md", "w", encoding="utf-8") as f:
            f.writelines(self.markdown())
        with open(base + ".csv", "w", encoding="utf-8", newline="") as f:
            out = csv.writer(f, lineterminator="\n")
            out.writerow(("what", "measured", "bound", "how", "met"))
            out.writerows((what, f"{value:.6g}", "" if bound is None else bound, how, int(met))
                          for what, value, bound, how, met in self.rows)
