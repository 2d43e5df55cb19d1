# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: how to run it, and what its output must look like."""
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

# A shell starts what runs in the background with SIGINT ignored, and the programs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

VALIDATES = importlib.util.find_spec("jsonschema") is not None

OMEN = os.environ["OMEN"]
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
DEMO = os.path.join(os.path.dirname(MODELS), "..", "..", "hosts", "cli", "demo")
PLUGINS = sys.argv[sys.argv.index("--plugins") + 1] if "--plugins" in sys.argv else None

# The frozen line.
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
    """One of the published JSON Schemas."""
    done = run("schema", name)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


@functools.lru_cache(maxsize=None)
def validator(name):
    """Of that schema; there is none without python3-jsonschema."""
    import jsonschema  # here: the peak of a child is at least what its parent has when it forks
    whole = schema(name)
    jsonschema.Draft202012Validator.check_schema(whole)
    return jsonschema.Draft202012Validator(whole)


# What explore says of the level at work and of those before it.
LEVELS = re.compile(r"(\d+) states  (\d+) transitions .* level (\d+):((?: \d+)+) ")


def limited(*args, **more):
    """Runs omen until a limit of time ends it that was not over before it had begun, as on a slow machine."""
    for limit in "300ms", "3s", "15s", "45s":
        done = run(*args, "--timeout", limit, **more)
        if done.stdout != "":
            break
    return done


def within(seconds):
    """What takes that long at most on an idle machine: longer where more wants to run than there are cores."""
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
        """The test, given a limit: a slow machine, or a sanitized program, has not come far enough when the first
        ones end it."""
        for limit in limits[:-1]:
            try:
                return test(limit)
            except (AssertionError, json.JSONDecodeError):  # nothing may have been printed
                pass
        return test(limits[-1])

    def fits(self, name, value, row=None):
        """The value is what the schema of that name says, as far as that can be told; else where it is not."""
        for error in validator(name).iter_errors(value) if VALIDATES else ():
            self.fail(f"{row or name}: {list(error.absolute_path)}: {error.message[:600]}")

    def levels_of_big(self, said):
        """Progress lines about big.dve, as long as none of its five numbers has wrapped: a level
        has as many states as there are ways to share so many steps among five."""
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
        """A failure: nothing on standard output, one message on standard error."""
        done = self.expect(status, *args, **more)
        self.assertEqual(done.stdout, "")
        messages = [line for line in done.stderr.splitlines() if "warning:" not in line]
        self.assertEqual(len(messages), 1, done.stderr)
        self.assertRegex(messages[0], pattern)
        self.assertTrue(messages[0].startswith("omen: "))
        return done

    def check(self, status, *args, **more):
        """A check on the CPU alone, as quick as it gets."""
        return self.expect(status, "check", *args, "--device", "none", "--exec", "vm", **more)

    def json(self, status, *args, **more):
        return json.loads(self.check(status, *args, "--json", **more).stdout)


def main():
    arguments = [a for a in sys.argv[1:] if a not in ("--plugins", PLUGINS)]
    unittest.main(argv=[sys.argv[0], *arguments])
