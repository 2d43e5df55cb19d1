# SPDX-License-Identifier: Apache-2.0
"""Views: their rows, their values, and how they are shown. usage: FOLDER OF omen_bench"""
import math
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
from omen_bench import csvfile  # noqa: E402
from omen_bench.figures import Figures, Sample  # noqa: E402
from omen_bench.page import Part, page  # noqa: E402
from omen_bench.parse import parse  # noqa: E402
from omen_bench.plot import plot  # noqa: E402
from omen_bench.results import ABSENT, DIFFERS, FAILED, LIMIT, NONE, OK, PENDING, Results  # noqa: E402
from omen_bench.suite import Progress  # noqa: E402
from omen_bench.text import BenchError  # noqa: E402
from omen_bench.view import Shown, views  # noqa: E402

TABLE = r"""suite s
title "A & B <c>"
note "n \"1\""
baseline a
compare wall
column a
 command x
column b
 command y <z
column c
 command z
row r1 kind=weak
row r2 kind=weak
row r3 kind=strong
view part "In % of a"
 percent wall a
 of b a c
 by kind
 plot bars
view total "Seconds"
 sum wall
 of a b
view ratio "Speed-up"
 mean wall
 of a/b
 by kind
 plot bars
view weak "Weak ones"
 sum states
 of a
 only kind weak
 by row
view cloud "a, b"
 sum wall
 of a b
 by kind
 plot scatter
view average "Average"
 average wall
 of a b
 by kind
view most "Most"
 most wall
 of a b
 by kind
"""


class Views(unittest.TestCase):
    def setUp(self):
        """a: 1, 2, 4 seconds; b: 2, 2, 1; c has no run."""
        self.r = Results(parse("t", TABLE), 2)
        for row, walls in zip(self.r.table.rows, ((1, 2), (2, 2), (4, 1))):
            for column, wall in zip("ab", walls):
                self.measured(row, column, wall)
            self.end(row, "c", ABSENT)

    def cell(self, row, column):
        return self.r.cell(self.r.table.rows[row], column)

    def measured(self, row, column, wall):
        self.cell(row, column).end(OK)
        self.cell(row, column).samples = [Sample(Figures(wall=wall, states=1234567)) for _ in range(2)]

    def end(self, row, column, state):
        self.cell(row, column).end(state, "because")
        self.cell(row, column).samples = []

    def show(self, view):
        return Shown(self.r, self.r.table.views[view])

    def values(self, view):
        return {line.label: [e.value.value for e in line.entries] for line in self.show(view).lines}

    def near(self, view, known):
        found = self.values(view)
        self.assertEqual(list(found), list(known))
        for label, values in known.items():
            for x, y in zip(found[label], values):
                self.assertAlmostEqual(x, y, places=9)

    def test_values(self):
        s = self.show("part")
        self.assertEqual([(line.label, line.rows) for line in s.lines], [("weak", 2), ("strong", 1), ("all", 3)])
        self.near("part", {"weak": [400 / 3, 100], "strong": [25, 100], "all": [500 / 7, 100]})
        self.assertTrue(math.isnan(s.lines[2].entries[2].value.value) and s.lines[2].entries[2].rows == 0)
        self.assertEqual(s.left_out, [])
        self.near("total", {"all": [7, 5]})
        self.near("average", {"weak": [1.5, 2], "strong": [4, 1], "all": [7 / 3, 5 / 3]})
        self.near("most", {"weak": [2, 2], "strong": [4, 1], "all": [4, 2]})
        self.near("ratio", {"weak": [math.sqrt(0.5)], "strong": [4], "all": [2 ** (1 / 3)]})  # 1/2, 1, 4
        self.assertAlmostEqual(self.show("ratio").lines[2].entries[0].value.low, 2 ** (1 / 3))
        self.near("weak", {"r1": [1234567], "r2": [1234567], "all": [2 * 1234567]})

    def test_rows_that_are_left_out(self):
        """A failed column excludes its row for all columns; a column that is not for a row excludes it only for
        itself."""
        for state in FAILED, LIMIT:
            self.end("r1", "b", state)
            s = self.show("part")
            self.assertEqual([row.name for row in s.left_out], ["r1"])
            self.assertEqual(s.lines[2].rows, 2)
            self.near("part", {"weak": [100, 100], "strong": [25, 100], "all": [100 * 3 / 6, 100]})
            self.assertEqual(s.notes(), "Left out: 1 row: r1 (b: because). ")
            # A column without any measurement excludes nothing.
            self.end("r1", "c", state)
            self.measured("r1", "b", 2)
            self.assertEqual(self.show("part").left_out, [])
        for state in ABSENT, NONE, DIFFERS:
            self.end("r1", "b", state)
            s = self.show("part")
            self.assertEqual(s.left_out, [])
            line = s.lines[2]
            self.assertEqual((line.rows, line.entries[0].rows, line.entries[1].rows), (3, 2, 3))
            self.assertAlmostEqual(line.entries[0].value.value, 100 * 3 / 6)  # of a over the same two rows
            self.assertEqual(s.differing, state == DIFFERS)
        self.end("r3", "a", PENDING)  # a row that was not run is in no line
        self.assertEqual(self.show("total").lines[0].rows, 2)

    def test_shown(self):
        out = views(self.r, False)
        self.assertIn("\nIn % of a\n"
                      "        rows        b        a  c\n"
                      "weak       2  133.3 %  100.0 %  -\n"
                      "strong     1   25.0 %  100.0 %  -\n"
                      "all        3   71.4 %  100.0 %  -\n", out)
        self.assertIn("     rows        a        b\nall     3  7.000 s  5.000 s\n", out)
        self.assertIn("strong     1  4.00 [4.00, 4.00]\n", out)
        self.assertIn("r1      1  1,234,567\n", out)
        self.assertIn("## Seconds\n\n|     | rows |       a |       b |\n|---|--:|--:|--:|\n"
                      "| all |    3 | 7.000 s | 5.000 s |\n", views(self.r, True))

    def test_plots(self):
        part, cloud = (self.r.table.views[name] for name in ("part", "cloud"))
        data, script = plot(self.r, part, "name")
        self.assertIn('"strong" 25 25 25 100 100 100 ? ? ?\n', data)
        self.assertIn("'name.dat' using 2:xtic(1) title 'b', 'name.dat' using 5", script)
        self.assertNotIn("title 'c'", script)
        self.assertIn("set output 'name.png'\n", script)
        data, script = plot(self.r, cloud, "name")
        self.assertEqual(data, '1 2 "r1"\n2 2 "r2"\n\n\n4 1 "r3"\n\n\n')
        self.assertIn("index 1 using 1:2 with points lt 2 ps 1 title 'strong'", script)
        for row in self.r.table.rows:  # nothing to draw
            self.end(row, "a", ABSENT)
        self.assertEqual((plot(self.r, part, "name"), plot(self.r, cloud, "name")), (("", ""), ("", "")))

    def test_page(self):
        out = page("x < y", self.r.table.notes, [Part(self.r)], "gnuplot is not installed")
        for text in ("<h1>x &lt; y</h1>", "<p>n &quot;1&quot;</p>", "<h2>A &amp; B &lt;c&gt;</h2>",
                     "Not measured: <b>c</b>: because", "No plots: gnuplot is not installed.", "y &lt;z", "71.4 %"):
            self.assertIn(text, out)

    def test_limits_are_kept(self):
        """A command that exceeded a limit is recorded as such, and taken over unchanged."""
        self.r.limits = "60 s"
        self.end("r1", "b", LIMIT)
        text = csvfile.written(self.r)
        self.assertIn("\n# limits: 60 s\n", text)
        other = Results(parse("t", TABLE), 2, limits="60 s")
        csvfile.take(other, "c", text)
        first = other.table.rows["r1"]
        self.assertEqual(other.cell(first, "b").state, LIMIT)
        self.assertTrue(other.cell(first, "b").failed() and other.done(first))
        other.limits = "61 s"
        with self.assertRaisesRegex(BenchError, "^c:7: limits was '60 s', but is now '61 s'$"):
            csvfile.take(other, "c", text)

    def test_progress(self):
        p = Progress(planned=40, started=1)
        self.assertEqual(p.text(2), "0 of 40 runs, 1 s")
        p.row(10)
        for _ in range(4):
            p.run()
        p.end_row()  # six runs did not take place
        self.assertEqual(p.text(101), "10 of 40 runs, 1 min 40 s; about 5 min 0 s left")
        p.deadline = 161
        self.assertEqual(p.text(101), "10 of 40 runs, 1 min 40 s; about 1 min 0 s left")
        p.row(30)
        p.end_row()
        self.assertEqual(p.text(7301), "40 of 40 runs, 2 h 1 min")


if __name__ == "__main__":
    unittest.main()
