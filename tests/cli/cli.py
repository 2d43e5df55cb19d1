# SPDX-License-Identifier: Apache-2.0
"""What the tests of the program share: how to run it, and what its output must look like."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

OMEN = os.environ["OMEN"]
MODELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models")
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
