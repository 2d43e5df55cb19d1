# SPDX-License-Identifier: Apache-2.0
"""Shared helpers of the Python module's tests."""
import os
import signal
import stat
import tempfile
import unittest

import omen

# A shell starts background jobs with SIGINT ignored, and the programs would inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
MODULE = os.path.join(SOURCE, "hosts", "python")
DEMO = os.path.join(SOURCE, "hosts", "cli", "demo")
PROGRAM = os.environ["OMEN"]
# Longer than any operation takes.
SECONDS = 120
# Options for short checks on any machine.
CPU = {"device": "none", "exec": "vm", "threads": 1}


def demo(name):
    return os.path.join(DEMO, name + ".dve")


def model(name):
    return os.path.join(SOURCE, "tests", "cli", "models", name)


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def written(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def program(self, text):
        """Returns a back end whose program is a shell script."""
        path = self.written("fake-omen", "#!/bin/sh\n" + text)
        os.chmod(path, os.stat(path).st_mode | stat.S_IXUSR)
        return omen.Local(path)
