#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the sizes of omen's automata of the negated properties of rabin-sttt with those of Spot's.

usage: translations.py [--omen PROGRAM] [--corpus FOLDER] [--only TEXT] [--all]
                       [--products MODEL,... --program PROGRAM]
Prints a line for each automaton with more states than Spot's (ltl2tgba 2.5.2, `_tgba.hoa`), or with --all
for every one: states, edges and sets of omen's and of Spot's, and milliseconds for the whole process
`omen translate`. Then the totals. A failure is: more states or edges in all, more than two states
above for more than 3 in 100 formulas, or a translation that takes more than 20 s.
--products   instead: reachable states of the product with each of these models, with omen's automaton
             and with Spot's, as corpus_products (--program) counts them. A failure is more product
             states in all, or another size with Spot's automaton than was published.
             fischer.5 takes about 8 GB and, like at.5, a long time.
Exit status: 0 all within the bounds, 1 not so, 77 the corpus is missing.
"""
import argparse
import csv
import glob
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

LONGEST = 20  # seconds


def size(hoa):
    """Returns states, edges and acceptance sets of an automaton."""
    head, _, body = hoa.partition("--BODY--")
    found = [int(re.search(r"^%s: (\d+)" % name, head, re.M).group(1)) for name in ("States", "Acceptance")]
    return found[0], len(re.findall(r"^\[", body, re.M)), found[1]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def translate(omen, formula):
    """Returns the HOA text of the negation, and the milliseconds that the translation took."""
    start = time.monotonic()
    p = subprocess.run([omen, "translate", "!(" + formula.strip() + ")"], capture_output=True,
                       text=True, timeout=LONGEST, check=False)
    if p.returncode != 0:
        sys.exit("exit status %d for %s: %s" % (p.returncode, formula.strip(), p.stderr.strip()))
    return p.stdout, 1000 * (time.monotonic() - start)


def sizes(options):
    rows = []
    for theirs in sorted(glob.glob(os.path.join(options.corpus, "rabin-sttt", "*", "*_tgba.hoa"))):
        name = os.path.basename(theirs)[:-len("_tgba.hoa")]
        if options.only not in name:
            continue
        hoa, milliseconds = translate(options.omen, read(theirs[:-len("_tgba.hoa")] + ".ltl"))
        rows.append((name, size(hoa), size(read(theirs)), milliseconds))
        _, ours, other, _ = rows[-1]
        if options.all or ours[0] > other[0]:
            print("%-22s %3d states %4d edges %2d sets   Spot %3d %4d %2d   %6.1f ms" %
                  (name, *ours, *other, milliseconds))
    if not rows:
        sys.exit("no formula is called so")
    ours, other = ([sum(r[i][k] for r in rows) for k in range(3)] for i in (1, 2))
    above = [r[1][0] - r[2][0] for r in rows]
    print("%d formulas: states %d, Spot %d; edges %d, Spot %d; sets %d, Spot %d" %
          (len(rows), ours[0], other[0], ours[1], other[1], ours[2], other[2]))
    print("more states: %d, more than 2 more: %d, fewer: %d; milliseconds: median %.1f, most %.1f" %
          (sum(a > 0 for a in above), sum(a > 2 for a in above), sum(a < 0 for a in above),
           statistics.median(r[3] for r in rows), max(r[3] for r in rows)))
    return ours[0] <= other[0] and ours[1] <= other[1] and 100 * sum(a > 2 for a in above) <= 3 * len(rows)


def product_sizes(options, model, paths):
    """Returns the states of the products of a model with these automata."""
    p = subprocess.run([options.program, model], input="".join(path + "\n" for path in paths),
                       capture_output=True, text=True, check=False)
    if p.returncode != 0:
        sys.exit("exit status %d for %s: %s" % (p.returncode, model, p.stderr.strip()))
    return [int(line.rsplit(" ", 1)[1]) for line in p.stdout.splitlines()[1:]]


def model_products(options, model, published, scratch):
    """Returns the states of the products with one model, for omen's and for Spot's automata."""
    folder = os.path.join(options.corpus, "rabin-sttt", model)
    names = sorted(os.path.basename(path)[:-len("_tgba.hoa")]
                   for path in glob.glob(os.path.join(folder, "*_tgba.hoa")) if options.only in path)
    ours = [os.path.join(scratch, name + ".hoa") for name in names]
    for name, path in zip(names, ours):
        with open(path, "w", encoding="utf-8") as f:
            f.write(translate(options.omen, read(os.path.join(folder, name + ".ltl")))[0])
    theirs = [os.path.join(folder, name + "_tgba.hoa") for name in names]
    found = product_sizes(options, os.path.join(folder, model + ".dve"), ours + theirs)
    wrong = 0
    for name, our, their in zip(names, found, found[len(names):]):
        known = published[name]["product_states"]
        if known and int(known) != their:
            wrong += 1
            print("%-22s %9d product states with Spot's, published %s" % (name, their, known))
        if options.all or our > their:
            print("%-22s %9d product states, with Spot's %9d" % (name, our, their))
    total = sum(found[:len(names)]), sum(found[len(names):])
    print("%s: %d products, %d states, with Spot's %d" % (model, len(names), *total), flush=True)
    return total, wrong


def products(options):
    with open(os.path.join(options.corpus, "rabin-sttt", "expected.csv"), encoding="utf-8") as f:
        published = {r["formula"]: r for r in csv.DictReader(f) if r["automaton"] == "tgba"}
    total, wrong = [0, 0], 0
    for model in options.products.split(","):
        with tempfile.TemporaryDirectory(prefix="omen-products-") as scratch:
            both, other = model_products(options, model, published, scratch)
        total, wrong = [total[0] + both[0], total[1] + both[1]], wrong + other
    print("all: %d states, with Spot's %d: %.4f" % (*total, total[0] / total[1]))
    return wrong == 0 and total[0] <= total[1]


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--omen", default=os.environ.get("OMEN", "omen"))
    p.add_argument("--corpus", default=os.environ.get(
        "OMEN_CORPUS", os.path.join(here, "..", "..", "..", "shared", "corpus")))
    p.add_argument("--only", default="")
    p.add_argument("--all", action="store_true")
    p.add_argument("--products")
    p.add_argument("--program", default="corpus_products")
    options = p.parse_args()
    if not os.path.isdir(os.path.join(options.corpus, "rabin-sttt")):
        print("SKIPPED: no corpus at %s" % options.corpus)
        return 77
    return 0 if (products if options.products else sizes)(options) else 1


if __name__ == "__main__":
    sys.exit(main())
