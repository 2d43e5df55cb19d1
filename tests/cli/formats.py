# SPDX-License-Identifier: Apache-2.0
"""Reads every format of a counterexample with Python's own libraries and compares it with the lasso
in JSON.
"""
import base64
import csv
import hashlib
import html.parser
import io
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ET

from cli import Case

FORMATS = ("txt", "json", "html", "svg", "dot", "csv", "trail")
SVG = "{http://www.w3.org/2000/svg}"


class Page(html.parser.HTMLParser):
    """The parts of a page that a browser would find."""
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.scripts, self.styles, self.attributes, self.policy, self.title = [], [], [], None, ""
        self.tags, self.open = [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.tags.append(tag)
        self.attributes += [(tag, name) for name in attributes]
        if tag == "script":
            self.scripts.append([attributes, ""])
        if attributes.get("http-equiv") == "Content-Security-Policy":
            self.policy = attributes["content"]
        if tag not in ("meta", "link"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.open and self.open[-1] == "style":
            self.styles.append(data)
        elif self.open and self.open[-1] == "title":
            self.title += data


def elements(names, values):
    """Returns values under their names in the formats: an array's elements one by one."""
    made = {}
    for name in names:
        value = values[name]
        if isinstance(value, list):
            made.update((f"{name}[{i}]", v) for i, v in enumerate(value))
        else:
            made[name] = value
    return made


def named(variable, n):
    """Returns the JSON form of a variable's value."""
    names = variable.get("names", [])
    name = names[n] if 0 <= n < len(names) else None
    return name if name is not None else n != 0 if variable.get("bool") else n


def shown(value):
    return ("true" if value else "false") if isinstance(value, bool) else str(value)


def clean(text, but=""):
    """Replaces the characters that XML does not allow; CSV keeps line breaks."""
    return re.sub(f"(?![{but}])[\x00-\x1f\x7f-\x9f\ufffe\uffff]" if but else
                  "[\x00-\x1f\x7f-\x9f\ufffe\uffff]", "\ufffd", text)


class Formats(Case):
    def setUp(self):
        super().setUp()
        self.paths = {}

    def keep(self, *question, status=10):
        """Runs a check that keeps its counterexample; returns the lasso in JSON, and writes all
        other formats of it.
        """
        for name in FORMATS:
            self.paths[name] = self.path(f"run.{name}")
            if name == "json":
                self.check(status, *question, "--threads", "1", "--lasso", self.paths[name])
        for name in FORMATS:
            if name != "json":
                self.expect(0, "show", self.paths["json"], question[0], "--output", self.paths[name])
        return json.loads(self.text("json"))

    def show(self, lasso, formats=FORMATS):
        """Does the same with a lasso given as an object, without its model."""
        self.paths["json"] = self.path("run.json")
        with open(self.paths["json"], "w", encoding="utf-8") as f:
            json.dump(lasso, f)
        for name in formats:
            if name != "json":
                self.paths[name] = self.path(f"run.{name}")
                self.expect(0, "show", self.paths["json"], "--output", self.paths[name])
        return lasso

    def text(self, name):
        with open(self.paths[name], encoding="utf-8", newline="") as f:
            return f.read()

    def steps(self, lasso):
        """Returns the states, and the loop state again if the run is infinite."""
        states = lasso["states"]
        return states + ([states[lasso["loop"]]] if "loop" in lasso else [])

    def check_csv(self, lasso):
        text = self.text("csv")
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        names = list(elements(lasso["vars"], lasso["states"][0]))
        self.assertTrue(text.endswith("\r\n"))
        self.assertEqual(rows[0], ["state", "part", "transition", "processes", "label", "place",
                                   "violated", *(clean(n, "\r\n") for n in names)])
        self.assertEqual(len(rows), 1 + len(lasso["states"]))
        for i, (row, state) in enumerate(zip(rows[1:], lasso["states"])):
            meta = state["#meta"]
            part = "trace" if "loop" not in lasso else "stem" if i < lasso["loop"] else "cycle"
            step = meta["transition"]
            self.assertEqual(row[:3], [str(i), part, "" if step is None else str(step)])
            self.assertEqual(row[4:], [clean(cell, "\r\n") for cell in (
                meta.get("label", ""), meta.get("place", ""),
                "yes" if i >= lasso["#meta"].get("violated_at", i + 1) else "",
                *map(shown, elements(lasso["vars"], state).values()))])
        return rows

    def check_trail(self, lasso):
        lines, wanted = self.text("trail").splitlines(), []
        for i, state in enumerate(self.steps(lasso)[:-1], 1):
            step = state["#meta"]["transition"]
            if lasso.get("loop") == i - 1:
                wanted.append(("-1", "-1"))
            wanted.append((str(i), str(-1 if step == "stutter" else step)))
        for line in lines:
            self.assertRegex(line, r"^-?\d+:-?\d+:-?\d+$")
        self.assertEqual([(line.split(":")[0], line.split(":")[2]) for line in lines], wanted)
        return [int(line.split(":")[1]) for line in lines]

    def check_page(self, lasso, source):
        """Checks that the page has the data of the lasso, and nothing else."""
        page = Page(self.text("html"))
        self.assertEqual([a for a, _ in page.scripts], [{"type": "application/json", "id": "omen-run"}, {}])
        self.assertEqual(page.tags, ["html", "head", "meta", "meta", "meta", "title", "style", "body",
                                     "noscript", "script", "script"])
        self.assertEqual([n for _, n in page.attributes if n.startswith("on") or n == "style"], [])
        self.assertNotIn("unsafe", page.policy)
        for kind, text in ("script", page.scripts[1][1]), ("style", page.styles[0]):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            self.assertIn(f"{kind}-src 'sha256-{digest}'", page.policy)
        self.assertNotRegex(page.scripts[1][1] + page.styles[0], r"https?://(?!www.w3.org/2000/svg)|@import|url\((?!#)")
        self.assertNotIn("<", page.scripts[0][1])
        data = json.loads(page.scripts[0][1])
        self.assertEqual(data["property"], lasso["#meta"]["property"])
        self.assertEqual(data["model"], lasso["#meta"]["model"])
        self.assertEqual(data["loop"], lasso.get("loop"))
        self.assertEqual(data["violated"], lasso["#meta"].get("violated_at"))
        self.assertEqual(data["source"], source)
        self.check_data(data, lasso)
        return data

    def check_data(self, data, lasso):
        states = self.steps(lasso)
        kinds = [v for v in data["variables"] for _ in range(max(v["length"], 1))]
        now = list(data["initial"])
        self.assertEqual([v["name"] for v in data["variables"]], lasso["vars"])
        self.assertEqual(len(data["moves"]), len(states) - 1)
        self.assertEqual(len(data["changes"]), len(states) - 1)
        for i, state in enumerate(states):
            for k in range(0, len(data["changes"][i - 1]) if i else 0, 2):
                element, value = data["changes"][i - 1][k:k + 2]
                self.assertNotEqual(now[element], value)
                now[element] = value
            told = [named(v, n) for v, n in zip(kinds, now)]
            self.assertEqual(told, list(elements(lasso["vars"], state).values()))
            if i:
                self.check_move(data, i, states[i - 1]["#meta"])

    def check_move(self, data, step, meta):
        move = data["moves"][step - 1]
        if move == -1:
            self.assertEqual(meta["transition"], "stutter")
            return
        transition = data["transitions"][move]
        place = "" if transition["file"] is None else transition["file"] + "".join(
            f":{transition[key]}" for key in ("line", "column") if transition[key])
        self.assertEqual((transition["number"], transition["label"], place),
                         (meta["transition"], meta["label"], meta["place"]))

    def check_svg(self, lasso):
        root = ET.fromstring(self.text("svg"))
        self.assertEqual(root.tag, SVG + "svg")
        self.assertEqual({e.tag.replace(SVG, "") for e in root.iter()} -
                         {"svg", "title", "style", "defs", "marker", "path", "rect", "text", "line",
                          "circle"}, set())
        numbers = [e.text for e in root.iter(SVG + "text") if e.get("class") == "soft end"]
        self.assertEqual(numbers, [str(i) for i in range(len(self.steps(lasso)))])
        self.assertEqual(len([e for e in root.iter() if e.get("class") == "cycle"]), "loop" in lasso)
        width, height = float(root.get("width")), float(root.get("height"))
        for e in root.iter():
            for name, most in ("x", width), ("cx", width), ("x1", width), ("x2", width), ("y", height), \
                    ("cy", height), ("y1", height), ("y2", height):
                if e.get(name) is not None:
                    self.assertLessEqual(0, float(e.get(name)))
                    self.assertLessEqual(float(e.get(name)), most)
        return root

    def check_dot(self, lasso):
        """Checks the graph; with Graphviz, too, if it is installed."""
        text = self.text("dot")
        count = len(lasso["states"])
        edges = re.findall(r"^  s(\d+) -> s(\d+) \[", text, re.M)
        self.assertEqual(edges, [(str(i), str(i + 1 if i + 1 < count else lasso["loop"]))
                                 for i in range(len(self.steps(lasso)) - 1)])
        if shutil.which("dot") is None:
            return
        done = subprocess.run(["dot", "-Tsvg", self.paths["dot"]], capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        graph = ET.fromstring(done.stdout)
        titles = {kind: [e.find(SVG + "title").text for e in graph.iter(SVG + "g") if e.get("class") == kind]
                  for kind in ("node", "edge", "cluster")}
        self.assertEqual(set(titles["node"]), {f"s{i}" for i in range(count)})
        self.assertEqual(sorted(titles["edge"]), sorted(f"s{a}->s{b}" for a, b in edges))
        self.assertEqual(titles["cluster"], ["cluster_cycle"] * ("loop" in lasso))
        return [e.text for e in graph.iter(SVG + "text")]

    def check_all(self, lasso, source):
        self.check_csv(lasso)
        self.check_trail(lasso)
        self.check_dot(lasso)
        return self.check_page(lasso, source), self.check_svg(lasso)
