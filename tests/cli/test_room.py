# SPDX-License-Identifier: Apache-2.0
"""Models that need more room than they were built for, and their runs."""
import json

from cli import Case, main, model

WORKERS = model("workers.pml")
AGAIN = "it is read again with promela:pool="


class Room(Case):
    def test_explore(self):
        """Each state except the last steps has one more process."""
        done = self.expect(0, "explore", WORKERS, "-v")
        sizes = [line.rsplit("=", 1)[1] for line in done.stderr.splitlines() if AGAIN in line]
        self.assertEqual(sizes, ["16", "32"])
        plenty = self.expect(0, "explore", WORKERS, "--frontend", "promela:pool=40")
        self.assertEqual(done.stdout.splitlines()[:3], plenty.stdout.splitlines()[:3])
        covered = json.loads(self.expect(0, "explore", WORKERS, "--coverage", "--json").stdout)
        self.assertEqual(covered["states"], json.loads(
            self.expect(0, "explore", WORKERS, "--frontend", "promela:pool=40", "--json").stdout)["states"])

    def test_asked_for(self):
        """A size given by the user is not changed."""
        done = self.expect(3, "explore", WORKERS, "--frontend", "promela:pool=8")
        self.assertIn('too many processes at a time, see the option "pool"', done.stderr)
        with open(WORKERS, encoding="utf-8") as f:
            done = self.expect(3, "explore", "-", "--frontend", "promela", stdin=f)
        self.assertIn("too many processes at a time", done.stderr)

    def test_check(self):
        """Finished properties keep their verdicts; the others are checked again with more room."""
        done = self.expect(10, "check", WORKERS, "--property", "enough", "--property", "few", "--property", "fewer", "-q")
        self.assertEqual([line for line in done.stdout.splitlines() if line.startswith("property")],
                         ["property enough: holds", "property few: violated", "property fewer: violated"])

    def test_limit(self):
        """255 processes are SPIN's limit, and the last size that is tried."""
        path = self.path("endless.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("proctype P() { run P(); false } init { run P(); false }\n")
        done = self.expect(3, "explore", path, "-v")
        sizes = [line.rsplit("=", 1)[1] for line in done.stderr.splitlines() if AGAIN in line]
        self.assertEqual(sizes, ["16", "32", "64", "128", "253"])
        self.assertIn("too many processes at a time", done.stderr)

    def test_beyond(self):
        """A lack of room ends a run: violations elsewhere are found, but nothing holds."""
        path = self.path("beside.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte x; proctype P() { run P(); false }\n"
                    "active proctype Q() { run P(); do :: x < 20 -> x++ :: else -> break od; assert(x < LIMIT) }\n")
        for search in ("auto", "bfs", "dfs"):
            for threads in ("1", "2"):
                how = ["--frontend", "promela:pool=3", "--search", search, "--threads", threads, "-q"]
                done = self.expect(10, "check", path, "-DLIMIT=20", *how)
                self.assertIn(": violated", done.stdout)
                self.assertNotIn("holds", done.stdout)
                done = self.expect(3, "check", path, "-DLIMIT=21", *how)
                self.assertNotIn("holds", done.stdout)
                self.assertIn("too many processes at a time", done.stderr)
        done = self.expect(3, "explore", path, "-DLIMIT=20", "--frontend", "promela:pool=3")
        self.assertIn("assert(x < 20)", done.stdout)

    def test_runs(self):
        """Runs with more processes than the model's initial size can be read."""
        for name in ("run.json", "run.trail"):
            path = self.path(name)
            self.expect(10, "check", WORKERS, "--property", "few", "--lasso", path, "-q")
            about = [] if name.endswith(".json") else ["--property", "few"]
            self.assertIn("accepted", self.expect(0, "replay", WORKERS, path, *about).stdout)
            self.assertIn("n<20", self.expect(0, "explain", WORKERS, path, *about, "--transitions", "off").stdout)
            self.assertIn("n = 20", self.expect(0, "show", path, WORKERS).stdout)
            self.expect(0, "simulate", WORKERS, "--load", path, "--steps", "1")
        self.assertIn("accepted", self.expect(0, "replay", "--trail", path, WORKERS, "--property", "few").stdout)
        with open(path, "w", encoding="utf-8") as f:
            f.write("1:300:1\n")
        self.assertIn("run.trail:1", self.expect(3, "replay", WORKERS, path, "--property", "few").stderr)


if __name__ == "__main__":
    main()
