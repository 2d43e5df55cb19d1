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

    def explored(self, text, options, *more, status=0):
        """Returns the figures of a model that is read with these options, or the message with status 2 or 3."""
        path = self.path("many.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        done = self.expect(status, "explore", path, "--frontend", "promela:" + options, "--json", *more, "--exec", "vm")
        return done.stderr if status in (2, 3) else json.loads(done.stdout)

    def test_more_than_a_byte(self):
        """An option allows more processes than SPIN, started in a counted loop, by each other, or active ones."""
        many = """int n; bool go; pid last;
            proctype W() { last = _pid; go -> skip }
            init { do :: n < 300 -> run W(); n++; (last == n) :: else -> break od; assert(_nr_pr == 301 && last == 300) }"""
        found = self.explored(many, "processes=301")
        self.assertEqual((found["states"], found["failures"]), (1803, []))
        self.assertIn("too many processes at a time", self.explored(many, "pool=8", status=3))
        self.assertIn('more than 255 processes may run: reduce the option "pool"', self.explored(many, "pool=300", status=2))
        links = """proctype L(int k; chan up) {
            chan down = [1] of { byte };
            if :: k < 300 -> run L(k + 1, down); down?_ :: else fi; up!1 }
            init { chan c = [1] of { byte }; run L(1, c); c?_ }"""
        self.assertIn("states", self.explored(links, "processes=400", "--max-states", "3000", status=30))
        few = self.explored(links.replace("300", "9"), "processes=400")
        for figure in "states", "transitions", "deadlocks", "levels":
            self.assertEqual(few[figure], self.explored(links.replace("300", "9"), "pool=16")[figure])
        waits = "bool b; active [300] proctype P() { b }"
        self.assertEqual(self.explored(waits, "processes=300")["states"], 1)
        self.assertIn("255", self.explored(waits, "processes=255", status=3))

    def test_a_text_too_long_to_compile(self):
        path = self.path("long.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("bool b; proctype W() { byte x; b -> x = 1; x = 2; x = 3; x = 4; x = 5; x = 6 }\n"
                    "init { do :: run W() :: break od }\n")
        done = self.expect(2, "explore", path, "--frontend", "promela:processes=4001,pool=4000", "--exec", "native",
                           "--max-states", "10")
        self.assertRegex(done.stderr, r"no native code: its text would have \d+ bytes")

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
