# SPDX-License-Identifier: Apache-2.0
"""Each command of each program once, with short run times: the tests of whole programs under sanitizers.

A command that the overview lists and that is not tested here fails the test.
"""
import json
import os
import re
import signal
import subprocess
import unittest

from cli import DEMO, MODELS, OMEN, Case, main, model, run

HERE = os.path.dirname(os.path.abspath(OMEN))
CPU = ("--device", "none", "--exec", "vm", "--threads", "2")
PROPERTY = ("--ltl", "G(Client_0.waiting -> F Client_0.served)")
STARVATION = os.path.join(DEMO, "starvation.dve")
PML = os.path.join(MODELS, "workers.pml")
NET = os.path.join(DEMO, "philosophers.pnml")


class Smoke(Case):
    # COMMAND: (exit status, arguments); RUN is a counterexample of STARVATION.
    COMMANDS = {
        "check": [(10, STARVATION, *PROPERTY, *CPU), (0, model("mutex.dve"), "--deadlock", *CPU),
                  (10, NET, "--deadlock", *CPU), (10, STARVATION, *PROPERTY, "--device", "none", "--json")],
        "empty": [(10, os.path.join(MODELS, "buchi.hoa"), "--threads", "2")],
        "explore": [(0, model("mutex.dve"), *CPU), (0, PML, *CPU), (0, NET, *CPU),
                    (0, model("mutex.dve"), "--device", "none", "--exec", "native", "--store", "tree")],
        "mcc": [(0, "FOLDER", "ReachabilityDeadlock")],
        "translate": [(0, "G(request -> F grant)"), (0, "G p", "--spelling", "spin")],
        "convert": [(0, os.path.join(MODELS, "rabin.hoa"), "--to", "buchi")],
        "draw": [(0, "G(request -> F grant)", "--to", "dot")],
        "strength": [(0, os.path.join(MODELS, "three.hoa"))],
        "replay": [(0, STARVATION, "RUN", *PROPERTY)],
        "show": [(0, "RUN", "--as", "txt"), (0, "RUN", "--as", "html"), (0, "RUN", STARVATION, "--as", "json")],
        "explain": [(0, STARVATION, "RUN", *PROPERTY, "--each", "2s")],
        "simulate": [(0, model("mutex.dve"), "--steps", "5")],
        "properties": [(0, model("mutex.dve"))],
        "plugins": [(0,)],
        "devices": [(0,)],
        "schema": [(0,), (0, "check")],
    }

    def test_every_command(self):
        listed = re.findall(r"(?m)^  omen ([a-z]+) ", self.expect(0, "--help").stdout)
        self.assertGreater(len(listed), 10)
        self.assertLessEqual(set(listed), set(self.COMMANDS), "commands that this test does not know")
        self.expect(10, "check", STARVATION, *PROPERTY, *CPU, "--lasso", self.path("run.json"), timeout=300)
        os.mkdir(self.path("net"))
        os.symlink(NET, self.path("net/model.pnml"))
        places = {"RUN": self.path("run.json"), "FOLDER": self.path("net")}
        for command in listed:
            for status, *arguments in self.COMMANDS[command]:
                self.expect(status, command, *(places.get(a, a) for a in arguments), timeout=300)
        for arguments in ("--version",), ("help", "check"):
            self.expect(0, *arguments)

    @unittest.skipUnless(os.path.exists(os.path.join(HERE, "omend")), "omend is not built")
    def test_server(self):
        """A job from its submission to its result, and the end on SIGTERM."""
        with subprocess.Popen([os.path.join(HERE, "omend"), "--listen", "unix:" + self.path("socket"),
                               "--data", self.folder.name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True) as omend:
            try:
                line = ""
                while "listens" not in line:
                    line = omend.stdout.readline() or self.fail("omend ended")
                done = run("check", "--server", "unix:" + self.path("socket"), STARVATION, *PROPERTY, "--json",
                           timeout=300)
                self.assertEqual(done.returncode, 10, done.stderr)
                self.assertEqual(json.loads(done.stdout)["verdict"], "violated")
            finally:
                omend.send_signal(signal.SIGTERM)
                said = omend.stdout.read()
            self.assertEqual(omend.wait(300), 0, said)

    @unittest.skipUnless(os.path.exists(os.path.join(HERE, "omen-bench")), "omen-bench is not built")
    def test_bench(self):
        done = subprocess.run([os.path.join(HERE, "omen-bench"), "--list"], capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    main()
