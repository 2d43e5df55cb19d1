# SPDX-License-Identifier: Apache-2.0
"""Tables: their contents, and the places of errors. usage: FOLDER OF omen_bench"""
import os
import shutil
import subprocess
import sys
import unittest

BENCH = sys.argv.pop(1)
sys.path.insert(0, BENCH)
from omen_bench.parse import parse  # noqa: E402
from omen_bench.table import expand  # noqa: E402
from omen_bench.text import BenchError, size_of, time_of  # noqa: E402

GOOD = r'''# a comment
suite s  # another
title "a \"title\" that \
     goes on"
rounds 7
compare wall
also user peak
baseline b
set x "1 2"
column a
  format omen
  warm x ${x}
  env E ${x}
  when k
  needs cc ${x}
  command prog ${x} \
    tail
  expect states 5
column b
  published cpu ${v} 3
  scaled a cpu 6.8
  agree a 3
row r k=1 v=2
row q "v=a b"
target "is fast" geomean cpu b/a >= 2.5
target "all" every peak-per-state a <= ${v} where k = 1
'''
TOP = "suite s\ncolumn a\n command x\nrow r\n"
NAME = "a name may only have letters, digits, '.', '_' and '-'"
WAYS = "needs one of: command, published, recorded, listed, best"
BAD = (
    ("", "1:1: the table has no line 'suite NAME'"),
    ("suite s\n", "1:1: the table has no column"),
    ("suite s\ncolumn a\n command x\n", "1:1: the table has no row"),
    ("suite s\n  colum a\n", "2:3: unknown directive 'colum'; did you mean 'column'?"),
    ("suite s\nzzz\n", "2:1: unknown directive 'zzz'"),
    ("suite\n", "1:1: suite: too few words"),
    ("suite a b\n", "1:1: suite: too many words"),
    ("suite a/b\n", f"1:7: suite: {NAME}"),
    ("suite s\nformat pan\n", "2:1: format: must come after a column"),
    ("suite s\ntitle \"x\n", "2:7: missing '\"' at the end of the string"),
    ("suite s\ntitle \"x\"y\n", "2:10: expected a space after '\"'"),
    ("suite s\nnote \"x\\\n  y\" \\\n z\n", "2:1: note: too many words"),
    ("suite s\nnote " + "w " * 64, "2:132: more than 64 words"),
    ("rounds 0\n", "1:8: rounds: out of range"),
    ("rounds x\n", "1:8: rounds: not a number"),
    ("rounds nan\n", "1:8: rounds: not a number"),
    ("compare cpus\n", "1:9: no figure 'cpus'; did you mean 'cpu'?"),
    (TOP + "row r\n", "5:5: row: a row of this name already exists"),
    (TOP + "row q x\n", "5:7: row: expected NAME=VALUE"),
    ("timeout soon\n", "1:9: timeout: expected a time such as 90s or 5m"),
    ("memory 1X\n", "1:8: memory: expected a size such as 500M or 4G"),
    ("suite s\nrun a/b\n", f"2:5: run: {NAME}"),
    (TOP + "run x\n", "1:1: a table that runs other suites has no rows, columns, views or targets"),
    ("suite s\nplot bars\n", "2:1: plot: must come after a view"),
    (TOP + "view v x\n", "5:1: view v needs one of: sum, percent, mean, average, most"),
    (TOP + "view v x\n sum cpu\n", "5:1: view v needs 'of COLUMN...'"),
    (TOP + "view v x\n sum cpu\n mean cpu\n", "7:2: mean: the view already has a kind"),
    (TOP + "view v x\nview v y\n", "6:6: view: a view of this name already exists"),
    (TOP + "view v x\n sum cpu\n of a b\n", "5:1: no column 'b'"),
    (TOP + "view v x\n sum cpu\n of a/a\n", "5:1: view v: only a mean can have ratios"),
    (TOP + "view v x\n percent cpu c\n of a\n", "5:1: no column 'c'"),
    (TOP + "view v x\n sum cpu\n of a\n plot pie\n", "8:7: plot: expected none, bars or scatter"),
    (TOP + "view v x\n sum cpu\n of a\n plot scatter\n", "5:1: view v: a scatter plot needs two columns"),
    (TOP + "column a\n", "5:8: column: a column of this name already exists"),
    (TOP + "baseline b\n", "1:1: no column 'b'"),
    (TOP + "column b\n command x\n versus c\n", "5:1: no column 'c'"),
    (TOP + "target x every cpu b >= 1\n", "5:1: no column 'b'"),
    (TOP + "target x every cpu a > 1\n", "5:22: target: expected '>=' or '<='"),
    (TOP + "target x some cpu a >= 1\n", "5:10: target: expected 'every' or 'geomean'"),
    (TOP + "target x every cpu a >= 1 where\n",
     "5:1: target: expected TEXT KIND FIGURE COLUMNS OP NUMBER [where VARIABLE OP NUMBER]"),
    (TOP + "target x every cpu a >= 1 where k ! 1\n", "5:35: target: expected '<', '>' or '='"),
    (TOP + "column b\n", f"5:1: column b {WAYS}"),
    (TOP + "column b\n command x\n best cpu a\n", f"5:1: column b {WAYS}"),
    (TOP + "column b\n command x\n listed cpu f g k=v\n", f"5:1: column b {WAYS}"),
    (TOP + "column b\n listed cpu f g\n", "6:2: listed: too few words"),
    (TOP + "column b\n listed cpu f g k=v k\n", "6:21: listed: expected FIELD=VALUE"),
    (TOP + "column b\n listed cp f g k=v\n", "6:9: no figure 'cp'; did you mean 'cpu'?"),
    (TOP + "column b\n best cpu a c\n", "5:1: no column 'c'"),
    (TOP + "column b\n best cpu b\n", "5:1: column b is the best of a column that is not run"),
    (TOP + "column b\n command x\n scaled a cpu 1\n", "5:1: column b: only published figures can be scaled"),
    (TOP + "column b\n published cpu 1\n scaled b cpu 1\n", "5:1: column b is scaled by a column that is not run"),
    (TOP + "column b\n command x\n agree c 1\n", "5:1: no column 'c'"),
    (TOP + "column b\n expect state 1\n", "6:9: no figure 'state'; did you mean 'states'?"),
    (TOP + "column b\n format xml\n", "6:9: format: expected none, omen, pan, ltsmin, counts or code"),
    ("suite\0s", "1:1: the file has a zero byte"),
)


class Tables(unittest.TestCase):
    def test_good(self):
        t = parse("t", GOOD)
        self.assertEqual((t.suite, t.title, t.rounds, t.figure), ("s", 'a "title" that goes on', 7, "wall"))
        self.assertEqual(t.also, {"user", "peak"})
        a, b = t.columns.values()
        self.assertEqual((a.format, a.warm, a.command), ("omen", ["x", "${x}"], ["prog", "${x}", "tail"]))
        self.assertEqual((a.env, a.when, a.needs), ({"E": "${x}"}, "k", ["cc", "${x}"]))
        self.assertEqual(a.expect, [("states", "5")])
        self.assertEqual((b.published, b.scaled), (("cpu", ["${v}", "3"]), ("a", "cpu", 6.8)))
        self.assertEqual((b.agree, b.tolerance), ("a", 3))
        self.assertEqual(list(t.rows), ["r", "q"])
        self.assertEqual(t.rows["q"].variables, {"v": "a b", "row": "q"})
        fast, every = t.targets
        self.assertEqual((fast.every, fast.at_least, fast.ratio.over, fast.where), (False, True, "a", None))
        self.assertEqual((every.every, every.at_least, every.ratio.over), (True, False, None))
        self.assertEqual(every.where, ("k", "=", 1))

    def test_views(self):
        t = parse("t", "suite s\ntimeout 90s\nmemory 4G\ncolumn a\n command x\ncolumn b\n command y\n agree a 0 k\n"
                       "view v1 \"Table 1\"\n percent wall a\n of a b\n by k l\n only m 3\n plot bars\n"
                       "view v2 \"Figure 2\"\n mean expansions\n of a/b b\nrow r k=1\n")
        self.assertEqual((t.timeout, t.memory, t.columns["b"].agree_when), (90, 4e9, "k"))
        v, w = t.views.values()
        self.assertEqual((v.title, v.kind, v.to, v.by, v.only, v.plot),
                         ("Table 1", "percent", "a", ["k", "l"], ("m", "3"), "bars"))
        self.assertEqual(w.figure, "expansions")
        self.assertEqual([(e.column, e.over) for e in v.entries + w.entries],
                         [("a", None), ("b", None), ("a", "b"), ("b", None)])

    def test_a_suite_of_suites(self):
        self.assertEqual(parse("t", "suite all\nnote x\nrun one two\n").members, ["one", "two"])

    def test_times_and_sizes(self):
        cases = {"90": (90, 90), "500ms": (0.5, None), "2m": (120, None), "1h": (3600, None), "1.5G": (None, 1.5e9),
                 "200M": (None, 2e8), "3K": (None, 3000), "2T": (None, 2e12)}
        cases |= {text: (None, None) for text in ("", "0", "-1", "x", "5mm", "nan", "inf", "1e300", "0.5ms")}
        for text, known in cases.items():
            self.assertEqual((time_of(text), size_of(text)), known, text)

    def test_bad(self):
        for text, message in BAD:
            with self.assertRaises(BenchError) as raised:
                parse("t", text)
            self.assertEqual((str(raised.exception), raised.exception.status), (f"t:{message}", 3))

    def test_expansion(self):
        pairs = {"c": "${c}${c}", "b": "[${a}]", "a": "1"}
        self.assertEqual(expand("x${b}y${a}$z{}", pairs), "x[1]y1$z{}")
        for word, message in (("${d}", "no variable 'd'"), ("${a", "'${' without '}'"),
                              ("${c}", "'${c}' refers to itself")):
            with self.assertRaisesRegex(BenchError, message.replace("$", r"\$")):
                expand(word, pairs)

    @unittest.skipUnless(shutil.which("mypy"), "no mypy")
    def test_types(self):
        cache = os.path.join(os.environ.get("XDG_CACHE_HOME", os.devnull), "mypy")
        done = subprocess.run(["mypy", "--strict", "--cache-dir", cache, os.path.join(BENCH, "omen_bench")],
                              capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
