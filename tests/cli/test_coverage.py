# SPDX-License-Identifier: Apache-2.0
"""explore --coverage: the statements that no run executes."""
import json

from cli import Case, main, model

NEVER, PROMELA = model("never.dve"), model("never.pml")
LIST = ["never executed: 2 of 5 statements", f"  {NEVER}:10:3: A: busy -> lost", f"  {NEVER}:11:3: A: lost -> idle"]


def listed(text):
    lines = text.splitlines()
    return lines[next(i for i, line in enumerate(lines) if line.startswith("never executed")):]


class Coverage(Case):
    def test_list(self):
        for how in ("--threads", "1"), ("--threads", "3"), ("--exec", "native", "-q"):
            done = self.expect(0, "explore", NEVER, "--coverage", *how)
            self.assertEqual(listed(done.stdout), LIST, how)
        plain = self.expect(0, "explore", NEVER)
        self.assertNotIn("never executed", plain.stdout)
        self.assertEqual(done.stdout.splitlines()[:3], plain.stdout.splitlines()[:3])

    def test_promela(self):
        done = self.expect(0, "explore", PROMELA, "--coverage")
        self.assertEqual([line.split(": ")[1] for line in listed(done.stdout)[1:]], ["P:0"] * 3)
        self.assertEqual([line.split(":")[1:3] for line in listed(done.stdout)[1:]],
                         [["8", "5"], ["8", "24"], ["8", "38"]])

    def test_all_is_done(self):
        """The figures cover all states, even if all statements are executed before all states are
        visited.
        """
        done = self.expect(0, "explore", model("mutex.dve"), "--coverage")
        plain = self.expect(0, "explore", model("mutex.dve"))
        self.assertEqual(listed(done.stdout), ["never executed: 0 of 8 statements"])
        self.assertEqual(done.stdout.splitlines()[:4], plain.stdout.splitlines()[:4])

    def test_json(self):
        found = json.loads(self.expect(0, "explore", NEVER, "--coverage", "--json").stdout)
        self.assertEqual(found["coverage"], {"statements": 5, "never_done": [
            {"file": NEVER, "line": 10, "column": 3, "label": "A: busy -> lost"},
            {"file": NEVER, "line": 11, "column": 3, "label": "A: lost -> idle"}]})
        found = json.loads(self.expect(0, "explore", NEVER, "--json").stdout)
        self.assertIsNone(found["coverage"])

    def test_limits(self):
        """After a limit, the list has the statements not executed so far; after an error of the
        model, those not executed before it.
        """
        done = self.expect(30, "explore", model("big.dve"), "--coverage", "--max-states", "10")
        self.assertIn("incomplete: ", done.stdout)
        self.assertIn("never executed: ", done.stdout)
        self.expect(3, "explore", model("fault.dve"), "--coverage")
        self.expect(2, "explore", NEVER, "--coverage", "--output", "x.dot")
        done = self.expect(2, "explore", NEVER, "--coverage", "--device", "host")
        self.assertIn("leave out --device", done.stderr)
        self.expect(0, "explore", NEVER, "--coverage", "--device", "none")


if __name__ == "__main__":
    main()
