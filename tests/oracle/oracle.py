#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares omen with Spot, another tool for omega-automata, if that is installed.

usage: oracle.py SUITE [--omen PROGRAM] [--spot FOLDER] [--corpus FOLDER] [--first SEED]
                 [--batches N] [--count N] [--seconds S] [--worst N] [--verdicts PROGRAM]
SUITE
  emptiness  batches of 100 random automata, and after every fourth a random model with 50: emptiness by
             every checker that needs no device, with 1, 2 and 4 threads, against autfilt
  translate  random formulas and those of the corpus: `omen translate` against ltl2tgba
  sizes      states, edges and sets of these, and of the negated formulas of rabin-sttt, beside
             ltl2tgba's; totals, and the rows in which omen's have the most additional states
  convert    random automata with any acceptance: `omen convert` keeps the language
Spot's programs are searched in --spot, $OMEN_SPOT (a folder) or else the PATH. Only ltl2tgba simplifies.
A disagreement must be investigated: either tool may be wrong.
Exit status: 0 all agree, 1 some do not, 77 there is no Spot.
"""
import argparse
import os
import sys

import emptiness
import languages
from spot import Tools

SUITES = {"emptiness": emptiness.run, "translate": languages.translate, "sizes": languages.sizes,
          "convert": languages.convert}


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("suite", choices=sorted(SUITES))
    p.add_argument("--omen", default=os.environ.get("OMEN", "omen"))
    p.add_argument("--spot", default=os.environ.get("OMEN_SPOT", ""))
    p.add_argument("--corpus", default=os.environ.get("OMEN_CORPUS", os.path.join(here, "../../../shared/corpus")))
    p.add_argument("--verdicts", default="oracle_verdicts", help="the program of verdicts.c")
    p.add_argument("--first", type=int, default=0)
    p.add_argument("--batches", type=int, default=5)
    p.add_argument("--count", type=int, default=1000)
    p.add_argument("--seconds", type=float, default=1e9)
    p.add_argument("--worst", type=int, default=10)
    options = p.parse_args()
    tools = Tools(options.omen, options.spot)
    if tools.missing:
        print("SKIPPED: Spot is not there (%s)" % ", ".join(tools.missing))
        return 77
    return 0 if SUITES[options.suite](tools, options) else 1


if __name__ == "__main__":
    sys.exit(main())
