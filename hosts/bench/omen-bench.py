#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""omen-bench: compares programs. Its parts are beside the suites, as built and as installed."""
import os
import sys

HOME = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HOME, "bench-suites"), os.path.join(HOME, "..", "share", "omen", "bench")]

from omen_bench.main import main  # noqa: E402

if __name__ == "__main__":
    sys.exit(main(HOME, sys.argv[1:]))
