# SPDX-License-Identifier: Apache-2.0
"""Builds omen with OMEN_YIELDS (core/base/yield.h) and runs tests with several workers with one seed after the other,
for some minutes. A failure is printed with its seed and the command that repeats it. The threads are still scheduled
by the system, so a seed makes a failure likely, not certain.
"""
import argparse
import itertools
import os
import subprocess
import sys
import time

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))

# Target, program, arguments; {} is a number that increases with the seed.
RUNS = (
    ("test_store", "tests/unit/store/test_store", ()),
    ("test_store_growth", "tests/unit/store/test_store_growth", ()),
    ("test_store_limits", "tests/unit/store/test_store_limits", ()),
    ("test_unionfind", "tests/unit/unionfind/test_unionfind", ()),
    ("test_bfs", "tests/unit/search/test_bfs", ()),
    ("test_barrier", "tests/unit/search/test_barrier", ()),
    ("test_task", "tests/unit/search/test_task", ()),
    ("test_check", "tests/plugins/check/test_check", ("{}000", "60", "200")),
    ("test_stress_cndfs", "tests/plugins/check/test_stress_cndfs", ("lowe", "{}000", "500")),
    ("test_stress_cndfs", "tests/plugins/check/test_stress_cndfs", ("cndfs", "{}000", "500")),
    ("test_favoid", "tests/plugins/check/test_favoid", ("{}000", "40", "4", "16", "favoid")),
    ("test_favoid", "tests/plugins/check/test_favoid", ("{}000", "40", "4", "16", "dfsfifo")),
    ("test_check_streett", "tests/plugins/check/streett/test_check_streett", ("{}000", "150", "4", "16")),
    ("test_favoid_fstates", "tests/plugins/check/test_favoid_fstates", ()),
    ("test_check_known", "tests/plugins/check/test_check_known", ()),
    ("test_random_models", "tests/differential/test_random_models", ("{}000", "12", "1000", "1000")),
)
# With SSE2, a line of an index is loaded at once, so no other thread can interleave.
OPTIONS = ("-DOMEN_YIELDS=ON", "-DOMEN_SSE2=OFF", "-DBUILD_TESTING=ON",
           "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_C_FLAGS=-DOM_PARANOID -UNDEBUG")
LONGEST = 600  # time limit of a program in seconds: a hang is a failure


def build(folder, compiler, targets):
    configure = ["cmake", "-G", "Ninja", "-S", SOURCE, "-B", folder, *OPTIONS]
    if compiler:
        configure.append("-DCMAKE_C_COMPILER=" + compiler)
    for command in (configure, ["cmake", "--build", folder, "-j", str(os.cpu_count() or 1),
                                "--target", *targets]):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode != 0:
            sys.exit(done.stdout[-4000:])


def run(folder, program, arguments, seed, rate):
    """Returns None, or the failure."""
    command = [os.path.join(folder, program), *(a.format(seed) for a in arguments)]
    environment = dict(os.environ, OMEN_YIELDS="%d:%d" % (seed, rate), OMEN_PLUGIN_PATH="",
                       XDG_CACHE_HOME=os.path.join(folder, "cache"))
    try:
        done = subprocess.run(command, env=environment, text=True, errors="replace", timeout=LONGEST,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode == 0:
            return None
        end = "exit status %d\n%s" % (done.returncode, done.stdout[-3000:])
    except subprocess.TimeoutExpired:
        end = "no end after %d s" % LONGEST
    return "seed %d: %s\nOMEN_YIELDS=%d:%d %s" % (seed, end, seed, rate, " ".join(command))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder to build in")
    parser.add_argument("--compiler", help="C compiler")
    parser.add_argument("--seconds", type=float, default=300, help="for running tests")
    parser.add_argument("--seed", type=int, default=1, help="the first")
    parser.add_argument("--rate", type=int, default=64, help="one yield in so many points")
    parser.add_argument("--only", help="the one target to run")
    options = parser.parse_args()
    runs = [r for r in RUNS if options.only in (None, r[0])]
    build(options.build, options.compiler, ["omen_cli", *(r[0] for r in runs)])
    start, count = time.monotonic(), 0
    for seed in itertools.count(options.seed):
        for _, program, arguments in runs:
            if time.monotonic() - start > options.seconds:
                print("%d runs, up to seed %d: no failure" % (count, seed))
                return
            failure = run(options.build, program, arguments, seed, options.rate)
            count += 1
            if failure:
                sys.exit("after %d runs and %.0f s: %s" % (count, time.monotonic() - start, failure))


if __name__ == "__main__":
    main()
