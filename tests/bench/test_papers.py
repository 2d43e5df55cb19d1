# SPDX-License-Identifier: Apache-2.0
"""Suites that a table runs in turn, their views, pictures and page; and the papers' suites, on two small
rows. usage: FOLDER OF THE SUITES
"""
import csv
import glob
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ET

BENCH = os.path.join(os.path.dirname(os.environ["OMEN"]), "omen-bench")
CORPUS = os.environ.get("OMEN_CORPUS", "")
SUITES = sys.argv.pop(1)
HTML = "{http://www.w3.org/1999/xhtml}"
SVG = "{http://www.w3.org/2000/svg}svg"

# Imitates the output of omen; the arguments are expansions, seconds to wait, a log file and a line for it.
OMEN = """import json, sys, time
time.sleep(float(sys.argv[2]))
open(sys.argv[3], "a").write(sys.argv[4] + "\\n")
print(json.dumps({"states": 5, "verdict": "holds", "parts": [{"automaton_states": 2,
                  "converted_from": None, "counters": {"expansions": int(sys.argv[1])}}]}))
"""

MEMBER = """
suite NAME
title "NAME of two"
rounds 2
compare wall
baseline a
column a
  format omen
  command ${python} -IS ${dir}/omen.py ${n} 0.01 ${dir}/log NAME-${row}-a
column b
  format omen
  command ${python} -IS ${dir}/omen.py ${m} ${wait} ${dir}/log NAME-${row}-b
column gone
  needs no-such-program
  command no-such-program
view percent "NAME: in percent"
  percent expansions a
  of a b gone
  by kind
  plot bars
view speed-up "NAME: speed-up"
  mean wall
  of b/a
  by kind
  plot bars
view cloud "NAME: a & b"
  sum wall
  of a b
  by kind
  plot scatter
view nothing "NAME: not there"
  sum wall
  of gone
row r1 kind=weak n=100 m=50 wait=0.02
row r2 kind=strong n=200 m=300 wait=WAIT
"""
SET = 'suite both\ntitle "Both"\nnote "One & two."\nrun one two\n'


def read_csv(path):
    with open(path) as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


def one(pattern):
    found = glob.glob(pattern)
    assert len(found) == 1, (pattern, found)
    return found[0]


def text_of(element):
    return " ".join("".join(element.itertext()).split())


class Several(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("omen.py", OMEN)
        self.write("both.suite", SET)
        for name in "one", "two":
            self.write(name + ".suite", MEMBER.replace("NAME", name).replace("WAIT", "0.02"))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)

    def command(self, *args):
        return [BENCH, self.path("both.suite"), "--set", f"python={sys.executable}", "--set",
                f"dir={self.folder.name}", "--commit", "abc", *args]

    def run_bench(self, status, *args, **env):
        done = subprocess.run(self.command(*args), capture_output=True, text=True, timeout=100,
                              env={**os.environ, "TMPDIR": self.folder.name, **env})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done

    def log(self):
        with open(self.path("log")) as f:
            return f.read().split()

    def page(self, name="out/*-abc-both.html"):
        """Returns the page, parsed as XML; it must not refer to external files."""
        path = one(self.path(name))
        root = ET.parse(path).getroot()
        for element in root.iter():
            for key, value in element.attrib.items():
                if key in ("src", "href", "{http://www.w3.org/1999/xlink}href"):
                    self.assertTrue(value.startswith("#"), value)
        ids = [e.get("id") for e in root.iter() if e.get("id") is not None]
        self.assertEqual(len(ids), len(set(ids)))
        with open(path) as f:
            self.assertNotRegex(f.read(), r"@import|url\(\s*['\"]?http")
        return root

    def tables(self, page):
        """Returns {title: rows of cells} of the views in the page."""
        found, title = {}, None
        for e in page.iter():
            if e.tag == HTML + "h3":
                title = text_of(e)
            elif e.tag == HTML + "table" and title is not None:
                found.setdefault(title, [[text_of(c) for c in row] for row in e.iter(HTML + "tr")])
        return found

    def test_interrupted_and_gone_on_with(self):
        out = ("--out", self.path("out"))
        self.write("two.suite", MEMBER.replace("NAME", "two").replace("WAIT", "60"))
        work = subprocess.Popen(self.command(*out, "-v"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "TMPDIR": self.folder.name})
        said = []
        for line in work.stderr:
            said.append(line)
            if "r2 a: round 1" in line and self.log()[-1] == "two-r2-a":
                break
        work.send_signal(signal.SIGINT)
        text, more = work.communicate(timeout=50)
        self.assertEqual(work.returncode, 30, text + more)
        # Three columns of two rows, two rounds, two suites; the two absent ones of the first row are skipped.
        self.assertRegex("".join(said), r"omen-bench: 7 of 24 runs, \d+ s; about \d+ s left\n")
        self.assertEqual({r["row"] for r in read_csv(one(self.path("out/*-abc-one.csv")))}, {"r1", "r2"})
        self.assertEqual({r["row"] for r in read_csv(one(self.path("out/*-abc-two.csv")))}, {"r1"})
        self.assertIn("Stopped before all rows were run.", text_of(self.page()))

        self.write("two.suite", MEMBER.replace("NAME", "two").replace("WAIT", "0.02"))
        self.assertRegex(self.run_bench(2, *out).stderr, "already exists: --resume")
        before = self.log()
        done = self.run_bench(0, *out, "--resume")
        self.assertEqual(sorted(self.log()[len(before):]), ["two-r2-a"] * 2 + ["two-r2-b"] * 2)
        self.assertRegex(done.stdout, r"one: one of two\n(.*\n)+two: two of two\n")

        page = self.page()
        tables = self.tables(page)
        text = text_of(page)
        self.assertNotIn("Stopped before", text)
        for name in "one", "two":
            rows = read_csv(one(self.path(f"out/*-abc-{name}.csv")))
            self.assertEqual({(r["row"], r["column"], r["round"]) for r in rows if r["wall"]},
                             {(r, c, k) for r in ("r1", "r2") for c in "ab" for k in "12"})
            self.assertEqual({r["expansions"] for r in rows if r["column"] == "b" and r["row"] == "r2"}, {"300"})
            self.assertEqual(tables[f"{name}: in percent"], [
                ["", "rows", "a", "b", "gone"], ["weak", "1", "100.0 %", "50.0 %", "-"],
                ["strong", "1", "100.0 %", "150.0 %", "-"], ["all", "2", "100.0 %", "116.7 %", "-"]])
            self.assertEqual([row[0] for row in tables[f"{name}: speed-up"]], ["", "weak", "strong", "all"])
            self.assertEqual(tables[f"{name}: a & b"][0], ["", "rows", "a", "b"])
            self.assertIn("Not measured: gone: no-such-program not found", text)
            self.assertIn(f"{name}: not there Not measured.", text)
        for word in ("Both", "One & two.", "commit abc", "machine", "${python} -IS ${dir}/omen.py", "2 of 2 rows"):
            self.assertIn(word, text)
        self.check_pictures(page)
        self.run_bench(0, *out, "--resume") # nothing remains to be done
        self.assertEqual(len(self.log()), len(before) + 4)

    def check_pictures(self, page):
        drawn = [e for e in page.iter() if e.tag == SVG]
        if shutil.which("gnuplot") is None:
            self.assertIn("No plots: gnuplot is not installed.", text_of(page))
            self.assertEqual(drawn, [])
            return
        self.assertEqual(len(drawn), 6)
        for name in "one", "two":
            for view in "percent", "speed-up", "cloud":
                base = one(self.path(f"out/*-abc-{name}-{view}.svg"))[:-4]
                self.assertEqual(ET.parse(base + ".svg").getroot().tag, SVG)
                with open(base + ".png", "rb") as f:
                    self.assertEqual(f.read(8), b"\x89PNG\r\n\x1a\n")
            self.assertEqual(glob.glob(self.path(f"out/*-abc-{name}-nothing.*")), [])

    def test_without_gnuplot(self):
        done = self.run_bench(0, "--out", self.path("out"), "--rounds", "1", PATH=self.path("nowhere"))
        self.assertIn("no pictures: gnuplot is not installed\n", done.stderr)
        page = self.page()
        self.assertIn("No plots: gnuplot is not installed.", text_of(page))
        self.assertIn("one: in percent", self.tables(page))
        self.assertEqual(glob.glob(self.path("out/*.svg")), [])

    def test_a_page_alone(self):
        self.run_bench(0, "--html", self.path("p.html"), "--rounds", "1", "--rows", "r1")
        self.assertIn("1 of 2 rows", text_of(self.page("p.html")))
        self.assertFalse(os.path.exists(self.path("out")))

    def test_what_is_refused(self):
        self.assertRegex(self.run_bench(2, "--rows", "r9").stderr, "no row 'r9'")
        self.assertRegex(self.run_bench(2, "--csv", "x").stderr, "both runs several suites: --csv")
        self.write("both.suite", "suite both\nrun one none\n")
        self.assertRegex(self.run_bench(2).stderr, "no suite 'none'")
        self.write("both.suite", "suite both\nrun both\n")
        self.assertRegex(self.run_bench(3).stderr, "suite both itself runs other suites")

    def test_the_time_is_for_all(self):
        self.write("one.suite", MEMBER.replace("NAME", "one").replace("WAIT", "60"))
        self.run_bench(30, "--out", self.path("out"), "--minutes", "0.05")
        self.assertNotIn("two-r1-a", self.log())
        self.assertIn("Stopped before all rows were run.", text_of(self.page()))


class Papers(unittest.TestCase):
    """The suites themselves, with the checkers of this build."""
    @unittest.skipUnless(os.path.isdir(CORPUS), "no corpus")
    def test_two_small_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "out")
            done = subprocess.run([BENCH, "papers", "--rows",
                                   "elevator2.1-4,bakery.4_010,bakery.4_002,mcs.1-2,bakery.4_009", "--rounds", "1",
                                   "--out", out, "--commit", "abc"], capture_output=True, text=True, timeout=150)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            runs = {(r["row"], r["column"]): r for name in ("gs", "renault", "rabin", "streett", "testing")
                    for r in read_csv(one(f"{out}/*-abc-papers-{name}.csv"))}
            for row, column, verdict in (("elevator2.1-4", "dijkstra", "holds"), ("bakery.4_010", "ufscc-2", "violated"),
                                         ("bakery.4_002", "tgba", "violated"), ("bakery.4_002", "rabinizer3", "violated"),
                                         ("mcs.1-2", "streett", "violated"), ("mcs.1-2", "translated", "violated"),
                                         ("bakery.4_009", "ta", "holds")):
                self.assertEqual(runs[row, column]["state"], "ok")
                self.assertEqual(runs[row, column]["verdict"], verdict)
                self.assertGreater(int(runs[row, column]["expansions"]), 0)
            page = text_of(ET.parse(one(f"{out}/*-abc-papers.html")).getroot())
            for suite in "gs", "renault", "unionfind", "schedule", "rabin", "streett", "testing":
                with open(os.path.join(SUITES, f"papers-{suite}.suite"), encoding="utf-8") as f:
                    titles = re.findall(r'^view \S+ "(.*)"$', f.read(), re.M)
                self.assertGreater(len(titles), 2)
                for title in titles:
                    self.assertIn(title, page)


if __name__ == "__main__":
    unittest.main()
