# SPDX-License-Identifier: Apache-2.0
"""What the steps of a run print stands in its trace."""
import re

from cli import Case, main, model

PRINTS = model("prints.pml")
TEXT = ['l is 5', ', m two', 'and 100% of "n": 3\tf 10 A', 'one', '7', '8', 'step 0', 'step 1', 'started 1, -2 left over']


def printed(text):
    return re.findall(r"^       \| (.*)$", text, re.M)


class Prints(Case):
    def test_check(self):
        """Whatever of it nobody reads again, and search forgets."""
        for resets in "on", "off":
            done = self.expect(10, "check", PRINTS, "--ltl", "!G F (n == 8)", "--reset-dead", resets,
                               "--threads", "1")
            self.assertEqual([t for t in printed(done.stdout) if " of " not in t or t in TEXT][:len(TEXT)], TEXT)
            self.assertIn("round", printed(done.stdout))

    def test_files(self):
        for name in "run.json", "run.trail":
            path = self.path(name)
            self.expect(10, "check", PRINTS, "--property", "small", "--lasso", path, "-q")
            self.assertEqual(printed(self.expect(0, "show", path, PRINTS).stdout)[:6], TEXT[:6])
        done = self.expect(0, "simulate", PRINTS, "--steps", "20", "--seed", "3")
        self.assertEqual(printed(done.stdout)[:len(TEXT)], TEXT)

    def test_nothing(self):
        """A model that prints nothing has traces as before."""
        done = self.expect(10, "check", model("workers.pml"), "--property", "fewer")
        self.assertEqual(printed(done.stdout), [])


if __name__ == "__main__":
    main()
