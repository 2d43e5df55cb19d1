# SPDX-License-Identifier: Apache-2.0
"""Shared helpers of the program's tests: they run the program and check the form of its output."""
import functools
import importlib.util
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

# A shell starts background jobs with SIGINT ignored, and the programs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

VALIDATES = importlib.util.find_spec("jsonschema") is not None

OMEN = os.environ["OMEN"]
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
DEMO = os.path.join(os.path.dirname(MODELS), "..", "..", "hosts", "cli", "demo")
PLUGINS = sys.argv[sys.argv.index("--plugins") + 1] if "--plugins" in sys.argv else None

# The stable format of the result line.
LINE = re.compile(r"^property (.*): (holds|violated|unknown \((.+)\))$")


def model(name):
    return os.path.join(MODELS, name)


def run(*args, env=None, **more):
    """Runs omen with output captured; more goes to subprocess.run()."""
    surroundings = dict(os.environ)
    surroundings.update(env or {})
    more.setdefault("timeout", 60)
    return subprocess.run([OMEN, *args], capture_output="stdout" not in more, text=True,
                          env=surroundings, **more)


@functools.lru_cache(maxsize=None)
def schema(name):
    """Returns one of the published JSON Schemas."""
    done = run("schema", name)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


@functools.lru_cache(maxsize=None)
def validator(name):
    """Returns the validator of that schema; it requires python3-jsonschema."""
    import jsonschema  # imported here, because the peak of a child includes its parent's memory at the fork
    whole = schema(name)
    jsonschema.Draft202012Validator.check_schema(whole)
    return jsonschema.Draft202012Validator(whole)


# Explore's progress on the current level and the previous ones.
LEVELS = re.compile(r"(\d+) states  (\d+) transitions .* level (\d+):((?: \d+)+) ")


def limited(*args, **more):
    """Runs omen with growing time limits until one is long enough to give output, as on a slow
    machine.
    """
    for limit in "300ms", "3s", "15s", "45s":
        done = run(*args, "--timeout", limit, **more)
        if done.stdout != "":
            break
    return done


def within(seconds):
    """Returns the upper bound of a time that is `seconds` on an idle machine; it grows with the
    load.
    """
    return seconds * max(1.0, 2 * os.getloadavg()[0] / (os.cpu_count() or 1))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def expect(self, status, *args, **more):
        done = run(*args, **more)
        self.assertEqual(done.returncode, status,
                         f"omen {' '.join(args)}\n{done.stdout}\n{done.stderr}")
        return done

    def patiently(self, test, limits=("700ms", "3s", "15s", "45s")):
        """Runs the test with growing limits: a slow machine, or a sanitized program, has not
        progressed far enough when the first ones end it.
        """
        for limit in limits[:-1]:
            try:
                return test(limit)
            except (AssertionError, json.JSONDecodeError):  # the output may be empty
                pass
        return test(limits[-1])

    def fits(self, name, value, row=None):
        """Checks the value against the schema of that name, if jsonschema is installed."""
        for error in validator(name).iter_errors(value) if VALIDATES else ():
            self.fail(f"{row or name}: {list(error.absolute_path)}: {error.message[:600]}")

    def levels_of_big(self, said):
        """Checks progress lines about big.dve, as long as none of its five numbers has wrapped: the
        number of states of a level is the number of ways to distribute its steps among five
        variables.
        """
        last, shown = 0, 0
        for line in said.splitlines():
            found = LEVELS.search(line)
            if found is None:
                continue
            states, transitions, level = (int(found.group(i)) for i in (1, 2, 3))
            widths = [int(width) for width in found.group(4).split()]
            self.assertLess(level, 256, line)
            self.assertGreaterEqual(level, last, line)
            self.assertEqual(widths, [math.comb(at + 4, 4) for at in
                                      range(level + 1 - len(widths), level + 1)], line)
            self.assertEqual(len(widths), min(level + 1, 4), line)
            self.assertGreater(transitions, 4 * (states - sum(widths)) - 1, line)
            last, shown = level, shown + 1
        self.assertGreater(shown, 1, said)

    def refused(self, status, pattern, *args, **more):
        """Checks a failure: nothing on standard output, one message on standard error."""
        done = self.expect(status, *args, **more)
        self.assertEqual(done.stdout, "")
        messages = [line for line in done.stderr.splitlines() if "warning:" not in line]
        self.assertEqual(len(messages), 1, done.stderr)
        self.assertRegex(messages[0], pattern)
        self.assertTrue(messages[0].startswith("omen: "))
        return done

    def check(self, status, *args, **more):
        """Runs a check on the CPU alone, with minimal start-up time."""
        return self.expect(status, "check", *args, "--device", "none", "--exec", "vm", **more)

    def json(self, status, *args, **more):
        return json.loads(self.check(status, *args, "--json", **more).stdout)


def main():
    arguments = [a for a in sys.argv[1:] if a not in ("--plugins", PLUGINS)]
    unittest.main(argv=[sys.argv[0], *arguments])
