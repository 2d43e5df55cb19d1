# SPDX-License-Identifier: Apache-2.0
"""The Python module with omend as its back end: the same results as on this machine."""
import dataclasses
import os
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from server import BIG, DEMO, OMEND, SECONDS, Case, endless, until  # noqa: E402

import omen  # noqa: E402

STARVATION = os.path.join(DEMO, "starvation.dve")
LASSO = "G(Client_0.waiting -> F Client_0.served)"
NEVER = "never { T0: do :: (Client_0.waiting) -> goto a :: true -> goto T0 od; accept_a: a: do :: true -> goto a od }"
SAME = {"device": "none", "exec": "vm", "threads": 1}


def timeless(result):
    parts = tuple(dataclasses.replace(p, seconds=0, memory_bytes=0, counters=None) for p in result.parts)
    return dataclasses.replace(result, seconds=0, memory_bytes=0, code=None, parts=parts)


class Python(Case):
    def setUp(self):
        super().setUp()
        for name in list(os.environ):
            if name.lower().endswith("_proxy") or name == "OMEN_TOKEN":
                del os.environ[name]

    def same(self, model, backend, **more):
        here = omen.check(model, **more, **SAME)
        there = omen.check(model, **more, **SAME, backend=backend)
        self.assertEqual(timeless(here), timeless(there))
        return there

    def test_results(self):
        there = omen.Server(self.start().address)
        with open(STARVATION) as f:
            text = f.read()
        self.assertTrue(self.same(STARVATION, there, ltl=LASSO).violated)
        self.same(text, there, ltl=LASSO, fairness="weak", fair=["GF Server.free"], seed=3, max_states=1000)
        self.same(STARVATION, there, deadlock=True, timeout=SECONDS, memory="500M")
        self.assertEqual(self.same(BIG, there, deadlock=True, max_states=500).verdict, omen.Verdict.UNKNOWN)
        result = self.same(text, there, ltl=LASSO)
        self.assertEqual(omen.replay(text, result.lasso).verdict, "accepted")
        self.assertTrue(omen.check(STARVATION, never=NEVER + "\n", backend=there).violated)
        self.assertIn("dve", [p.name for p in omen.plugins(backend=there).plugins])
        events = list(omen.check_iter(STARVATION, ltl=[LASSO, "G true"], deadlock=True, backend=there))
        self.assertEqual([e.verdict.value for e in events if isinstance(e, omen.CheckResult)],
                         ["violated", "holds", "holds"])

    def test_errors(self):
        s = self.start()
        there = omen.Server(s.address)
        for kind, pattern, model, more in (
                (omen.InputError, "nobody", STARVATION, {"ltl": "G(nobody.x)"}), (omen.InputError, "cannot read", "/no.dve", {}),
                (omen.UsageError, "no front end", __file__, {}), (omen.UsageError, "device", STARVATION, {"device": "x"}),
                (omen.UsageError, "does not allow", STARVATION, {"translator": "cmd:true"}),
                (omen.InputError, "no front end reads 'cobol'", STARVATION, {"frontend": "cobol"})):
            with self.assertRaisesRegex(kind, pattern):
                omen.check(model, backend=there, **more)
        with self.assertRaises(omen.InputError) as caught:
            omen.check("process P {\nstate a init a;\n}\nsystem async;\n", backend=there)
        self.assertEqual((caught.exception.file, caught.exception.line), ("<model>", 2))
        with self.assertRaisesRegex(omen.BackendError, "does not support 'explore'"):
            omen.explore(STARVATION, backend=there)
        s.stop()
        with self.assertRaisesRegex(omen.BackendError, "no answer"):
            omen.check(STARVATION, backend=there)
        for url in "ftp://x", "http://", "http://me:secret@x", "https://x?y":
            self.assertRaises(ValueError, omen.Server, url)

    def test_let_go(self):
        """Closing the iterator cancels the job."""
        s = self.start()
        events = omen.check_iter(endless(), deadlock=True, **SAME, backend=omen.Server(s.address))
        self.assertIsInstance(next(events), (omen.Progress, omen.Note))
        events.close()
        until(lambda: s.job(1)["state"] == "cancelled")

    def test_tokens_and_sockets(self):
        word = "a long enough word for this"
        hashed = subprocess.run([OMEND, "--hash-token"], input=word + "\n", capture_output=True, text=True, check=True)
        s = self.start(config=f'tokens = ({{ name = "a"; hash = "{hashed.stdout.strip()}"; role = "submit"; }});')
        self.assertTrue(omen.check(STARVATION, deadlock=True, backend=omen.Server(s.address, token=word)).holds)
        with self.assertRaisesRegex(omen.BackendError, "refuses") as caught:
            omen.check(STARVATION, deadlock=True, backend=omen.Server(s.address, token=word + "!"))
        self.assertNotIn(word, str(caught.exception))
        self.assertRaises(ValueError, omen.Server, s.address, token="a\nb")
        path = os.path.join(self.folder.name, "s")
        process = subprocess.Popen([OMEND, "--listen", "unix:" + path, "--data", os.path.join(self.folder.name, "d")],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.wait, SECONDS)
        self.addCleanup(process.terminate)
        process.stdout.readline()
        self.assertTrue(omen.check(STARVATION, deadlock=True, backend=omen.Server("unix:" + path)).holds)


if __name__ == "__main__":
    unittest.main()
