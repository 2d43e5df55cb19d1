# SPDX-License-Identifier: Apache-2.0
"""Generates models whose bugs lie deep.

    python3 deep --list                        lists the families, with depth and states of their models
    python3 deep FAMILY [FILE]                 writes a model (standard output without FILE)
    python3 deep --all FOLDER                  writes all models, and FOLDER/models.csv, which says what to check
    options: --small   models that are searched exhaustively within a second
             --narrow  bugs about as deep, but only 10^3 to 10^7 states
             --mended  models without the bug: the property holds
             --seed N  another order of processes and options (default: 0)
"""
import argparse
import csv
import os
import sys
from typing import Any

import dve
import nets
import promela

FAMILIES = {f.name: f for f in promela.FAMILIES + dve.FAMILIES + nets.FAMILIES}


def write_all(folder: str, *which: Any) -> None:
    """Writes each model into the folder, and a table of them: file, options (tab-separated), depth, states."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "models.csv"), "w", encoding="utf-8", newline="") as table:
        rows = csv.writer(table, lineterminator="\n")
        rows.writerow(["file", "options", "verdict", "depth", "states"])
        for name, family in FAMILIES.items():
            model = family.build(*which)
            with open(os.path.join(folder, name + family.suffix), "w", encoding="utf-8") as f:
                f.write(model.text)
            rows.writerow([name + family.suffix, "\t".join(model.options),
                           "holds" if which[2] else "violated", model.depth, f"{model.states:.1e}"])


def list_all(*which: Any) -> None:
    for name, family in FAMILIES.items():
        model = family.build(*which)
        print(f"{name:20} depth {model.depth:6}  states {model.states:.0e}  {' '.join(model.options)}")
        print("    " + " ".join((family.make.__doc__ or "").split()))


def main() -> int:
    parser = argparse.ArgumentParser(prog="deep", usage=__doc__)
    parser.add_argument("family", nargs="?", choices=list(FAMILIES))
    parser.add_argument("file", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--all", metavar="FOLDER")
    parser.add_argument("--small", dest="size", action="store_const", const="small", default="full")
    parser.add_argument("--narrow", dest="size", action="store_const", const="narrow")
    parser.add_argument("--mended", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    a = parser.parse_args()
    which = (a.size, a.seed, a.mended)
    if a.list:
        list_all(*which)
    elif a.all is not None:
        write_all(a.all, *which)
    elif a.family is None:
        parser.error("name a family, --all or --list")
    else:
        text = FAMILIES[a.family].build(*which).text
        if a.file is None:
            sys.stdout.write(text)
        else:
            with open(a.file, "w", encoding="utf-8") as f:
                f.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
