# SPDX-License-Identifier: Apache-2.0
"""Tables and results that are changed at random: what can be read can be shown, and is written and read back
unchanged; for anything else there is an error message. usage: FOLDER OF omen_bench
"""
import glob
import itertools
import os
import random
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = sys.argv.pop(1)
sys.path[:0] = [BENCH, os.path.dirname(HERE)]
from omen_bench import csvfile  # noqa: E402
from omen_bench.page import Part, page  # noqa: E402
from omen_bench.parse import DIRECTIVES, parse  # noqa: E402
from omen_bench.plot import plot  # noqa: E402
from omen_bench.report import report  # noqa: E402
from omen_bench.results import Results  # noqa: E402
from omen_bench.table import expand  # noqa: E402
from omen_bench.text import BenchError, read_file  # noqa: E402
from seed import cases  # noqa: E402

TABLE = ("suite s\nrounds 2\nbaseline b\ncolumn a\n command x\ncolumn b\n command y\n agree a 1\nrow r\nrow q\n"
         "target t every cpu b/a >= 1\nview v w\n percent cpu a\n of b\n by k\n plot bars\n"
         "view u w\n sum cpu\n of a b\n plot scatter\n")
PIECES = [*DIRECTIVES, "\n", "\n", ",", ",", '"', "\\\n", "#", " ", "${a}", "=", "/", "0", "1e9", "nan", "-1", "cpu", "ok",
          "a", "b", "\0", "\r", "\x80"]


def texts(folder):
    return [read_file(f) for f in sorted(glob.glob(os.path.join(folder, "*")))]


def changed(text, chance):
    for _ in range(chance.choice((0, 1, 1, 2, 5))):
        at, n = chance.randrange(len(text) + 1), chance.choice((0, 1, 1, 3, 10, 40))
        piece = chance.choice(PIECES) if chance.random() < 0.8 else text[chance.randrange(len(text) + 1):][:40]
        text = text[:at] + piece + text[at + n:]
    return text


def show(results):
    """Makes the report, the page and the plots."""
    for markdown in (False, True):
        report(results, {}, markdown)
    page("page", results.table.notes, [Part(results)], "")
    return [plot(results, v, "name") for v in results.table.views.values()]


class Random(unittest.TestCase):
    def refused(self, e):
        self.assertRegex(str(e), r"^(fuzz:\d+:|no variable|'\$\{)")
        self.assertEqual(e.status, 3)

    def table(self, text):
        t = parse("fuzz", text)
        self.assertTrue(t.suite and (t.members or (t.columns and t.rows)))
        for c in t.columns.values():
            for word in c.command:
                try:
                    expand(word, {**t.variables, **next(iter(t.rows.values())).variables}, c.place)
                except BenchError as e:
                    self.refused(e)
        if not t.members and len(t.rows) * len(t.columns) < 1000:
            self.assertTrue(all(p == ("", "") for p in show(Results(t, 1))))

    def results(self, text):
        r, again = Results(parse("t", TABLE), 2), Results(parse("t", TABLE), 2)
        csvfile.take(r, "fuzz", text)
        out = csvfile.written(r)
        csvfile.take(again, "again", out)
        self.assertEqual(csvfile.written(again), out)
        show(r)

    def changes(self, number, seeds, look):
        """Looks at each seed as it is, and at changed ones. Some of them can be read."""
        read = 0
        later = (changed(chance.choice(seeds), chance) for chance in map(random.Random, cases(number, 2000)))
        for text in itertools.chain(seeds, later):
            try:
                look(text)
                read += 1
            except BenchError as e:
                self.refused(e)
        self.assertGreater(read, 0)

    def test_tables(self):
        self.changes(0, texts(os.path.join(HERE, "corpus", "table")) + texts(os.path.join(BENCH, "suites")), self.table)

    def test_results(self):
        self.changes(10000, texts(os.path.join(HERE, "corpus", "results")), self.results)


if __name__ == "__main__":
    unittest.main()
