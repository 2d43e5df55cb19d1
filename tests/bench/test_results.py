# SPDX-License-Identifier: Apache-2.0
"""Agreement, targets, and results that are written and read again. usage: FOLDER OF omen_bench"""
import math
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
from omen_bench import csvfile  # noqa: E402
from omen_bench.figures import Figures, Sample  # noqa: E402
from omen_bench.parse import parse  # noqa: E402
from omen_bench.results import (ABSENT, DIFFERS, FAILED, MET, NONE, NOT_MEASURED, NOT_MET, OK, PENDING,  # noqa: E402
                                Results, judge)
from omen_bench.text import BenchError  # noqa: E402

TABLE = """suite s
baseline b
column a
 command x
column b
 command x
 agree a 2
row r1 big=1 need=3
row r2 big=0 need=9
row r3 big=1 need=3
target t1 geomean cpu b/a >= 2
target t2 every cpu b/a >= 3 where big = 1
target t3 every peak a <= ${need}
"""


class Fixture:
    def __init__(self, filled=True):
        self.r = Results(parse("t", TABLE), 2)
        self.rows = list(self.r.table.rows.values())
        for i, row in enumerate(self.rows if filled else ()):
            self.fill(i, "a", 1, 100)
            self.fill(i, "b", 0.5 if i == 1 else 4, 102)
            self.r.agree(row)

    def cell(self, row, column):
        return self.r.cell(self.rows[row], column)

    def fill(self, row, column, cpu, states):
        cell = self.cell(row, column)
        cell.end(OK)
        cell.samples = [Sample(Figures(cpu=cpu, states=states, peak=2)) for _ in range(self.r.rounds)]

    def judge(self, target):
        return judge(self.r, self.r.table.targets[target], {})


class Agreement(unittest.TestCase):
    def test_agreement(self):
        f = Fixture()
        self.assertEqual(f.cell(0, "b").state, OK)  # 102 is within 2
        # Fewer states never agree, and neither does an unknown number.
        for states in 103, 99, math.nan:
            f.fill(0, "b", 4, states)
            f.r.agree(f.rows[0])
            self.assertEqual(f.cell(0, "b").state, DIFFERS)
            self.assertEqual(f.cell(0, "b").note, f"{states} states, but a has 100")


class Targets(unittest.TestCase):
    def test_targets(self):
        f = Fixture()
        v = f.judge(0)  # cube root of 4 * 0.5 * 4
        self.assertEqual((v.judgement, v.used), (MET, 3))
        self.assertAlmostEqual(v.mean.value, 2)
        v = f.judge(1)  # r2 is excluded
        self.assertEqual((v.judgement, v.used), (MET, 2))
        self.assertEqual(f.judge(2).judgement, MET)  # 2 <= 3, 9, 3
        f.fill(2, "b", 2.5, 100)
        v = f.judge(1)
        self.assertEqual((v.judgement, v.worst, v.below), (NOT_MET, "r3", 1))
        self.assertEqual(f.judge(0).judgement, NOT_MET)

    def test_rows_that_are_not_whole(self):
        """A target with failed rows is never met; with missing ones, it is not judged as met. Differing rows are left
        out and counted."""
        f = Fixture()
        cell = f.cell(1, "b")
        cell.state = DIFFERS
        v = f.judge(0)
        self.assertEqual((v.judgement, v.differing, v.used), (MET, 1, 2))
        self.assertAlmostEqual(v.mean.value, 4)
        cell.state = ABSENT
        v = f.judge(0)
        self.assertEqual((v.judgement, v.missing), (NOT_MEASURED, 1))
        cell.state = PENDING
        self.assertEqual(f.judge(0).judgement, NOT_MEASURED)
        cell.state = FAILED
        v = f.judge(0)
        self.assertEqual((v.judgement, v.failed), (NOT_MET, 1))
        cell.state = NONE
        self.assertEqual(f.judge(0).judgement, MET)
        for s in f.cell(0, "a").samples:  # an unknown figure is missing, not 0
            s.figures["peak"] = math.nan
        self.assertEqual(f.judge(2).judgement, NOT_MEASURED)
        for row in f.rows:
            f.r.clear(row)
        self.assertEqual(f.judge(0).judgement, NOT_MEASURED)

    def test_a_bound_that_is_no_number(self):
        f = Fixture()
        f.rows[0].variables["need"] = "much"
        with self.assertRaisesRegex(BenchError, r"^t:13:1: target: '\$\{need\}' is not a number$"):
            f.judge(2)


class Files(unittest.TestCase):
    def test_files(self):
        f, g = Fixture(), Fixture(False)
        f.cell(1, "b").samples = []
        f.cell(1, "b").end(ABSENT, 'there is no "x, y"\nhere')
        f.cell(0, "a").samples[1].verdict = "holds"
        text = csvfile.written(f.r)
        csvfile.take(g.r, "c", text)
        self.assertEqual(csvfile.written(g.r), text)
        self.assertTrue(g.r.done(g.rows[0]) and g.r.done(g.rows[1]))
        # A row with a failure, or with fewer rounds, is run again.
        f.cell(0, "a").state = FAILED
        f.cell(2, "b").samples.pop()
        g = Fixture(False)
        csvfile.take(g.r, "c", csvfile.written(f.r))
        self.assertEqual([g.r.done(row) for row in g.rows], [False, True, False])

    def test_older_files(self):
        """Results with fewer figures than now, in another order, and one run of them."""
        older = ("# suite: s\n# commit: unknown\n# rounds: 2\nrow,column,round,state,verdict,executor,states,wall,note\n"
                 "r1,a,1,ok,holds,vm,7,0.5,\nr1,a,2,ok,,,7,0.75,\nr1,b,1,ok,,,7,3,\nr1,b,2,ok,,,7,,\n")
        g = Fixture(False)
        csvfile.take(g.r, "c", older)
        samples = g.cell(0, "a").samples
        self.assertEqual([(s["wall"], s["states"]) for s in samples], [(0.5, 7), (0.75, 7)])
        self.assertTrue(math.isnan(samples[1]["atomics"]))
        s = csvfile.sample_of("c", older, "r1", "b")
        self.assertTrue(s["wall"] == 3 and math.isnan(s["cpu"]))
        self.assertIsNone(csvfile.sample_of("c", older, "two", "b"))
        with self.assertRaises(BenchError):
            csvfile.sample_of("c", "x", "two", "b")

    def test_bad_files(self):
        names = "row,column,round,state,verdict,executor,wall,note\n"
        for text, message in (
                ("", "1: not results of a suite"),
                ("# suite: other\n", "1: suite was 'other', but is now 's'"),
                ("# suite: s\n# commit: 123\n", "2: commit was '123', but is now 'unknown'"),
                ("row,column\n", "1: not results of a suite"),
                ("row,column,round,state,verdict,executor,mood,note\n", "1: the results have other figures"),
                (names + "x,a,1,ok,,,2\n", "2: the number of fields differs from the number of names"),
                (names + "r1,a,1,ok,,,2,\nr1,a,3,ok,,,2,\n", "3: not the next round"),
                (names + "r1,a,x,ok,,,2,\n", "2: not a number"), (names + "r1,a,1,ok,,,x,\n", "2: not a number"),
                (names + "r1,a,1,fine,,,2,\n", "2: unknown state"), (names + "\"x\"y\n", "2: expected a comma")):
            g = Fixture(False)
            with self.assertRaises(BenchError) as raised:
                csvfile.take(g.r, "c", text)
            self.assertEqual(str(raised.exception), f"c:{message}")
            self.assertFalse(g.r.done(g.rows[0]))

    def test_look_up(self):
        text = 'name,kind,seconds,"a ""b"""\nx,1,2.5,"p,q"\nx,2,3.5,\n\n"y\nz",1,,last\nx,2\n'

        def look_up(*words, file=text):
            try:
                return csvfile.look_up(["c", *words], file)
            except BenchError as e:
                return str(e)

        self.assertEqual(look_up("seconds", "name=x", "kind=1"), "2.5")
        self.assertEqual(look_up('a "b"', "name=x", "kind=1"), "p,q")
        self.assertEqual(look_up("seconds", "name=x", "kind=2"), "3.5")
        self.assertEqual(look_up("seconds", "name=y\nz"), "")
        self.assertEqual(look_up("seconds", "name=x", "kind=3"), None)
        self.assertEqual(look_up("second", "name=x"), "c:1: no field 'second'")
        self.assertEqual(look_up("seconds", "nam=x"), "c:1: no field 'nam'")
        self.assertEqual(look_up("seconds", "name"), "c:1: expected FIELD=VALUE")
        self.assertEqual(look_up("seconds", "name=x"), "c:3: more than one matching line")
        self.assertEqual(look_up("a", "b=c", file=""), "c:1: no field 'a'")
        self.assertEqual(look_up("a", "a=x", file='a\n"x"y\n'), "c:2: expected a comma")


if __name__ == "__main__":
    unittest.main()
