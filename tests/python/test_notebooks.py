# SPDX-License-Identifier: Apache-2.0
"""The display in notebooks: well-formed and complete, and texts of a model are never markup."""
import os
import shutil
import unittest
import xml.etree.ElementTree as ElementTree
from unittest import mock

import omen
from omen import _html, _svg
from support import CPU, Case, demo, read

STARVATION = demo("starvation")
SERVED = "G(Client_0.waiting -> F Client_0.served)"
SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = "<script>alert('x')</script>&\"</svg>]]>\x1b\0\ud800--><img src=x onerror=y>"


def state(index, values, names=("x", "P"), label=None, transition=0):
    return {"#meta": {"index": index, "transition": transition, "label": label, "place": "m:1:1"},
            **dict(zip(names, values))}


def lasso(states, loop=None, names=("x", "P"), name="m"):
    document = {"#meta": {"format": "ITF", "model": name, "property": name, "reset_dead": False, "overflow": "wrap"},
                "vars": list(names), "states": states}
    return omen.Lasso.from_json(document if loop is None else {**document, "loop": loop})


def parse(markup):
    """Parses notebook HTML, which is also XML."""
    return ElementTree.fromstring(markup.encode())


def texts(element):
    return ["".join(cell.itertext()) for cell in element]


class Lassos(Case):
    def setUp(self):
        super().setUp()
        self.run_ = omen.check(STARVATION, ltl=SERVED, **CPU).lasso

    def test_table(self):
        table = parse(_html.lasso_table(self.run_)).find("table")
        self.assertEqual(texts(table.find("thead/tr")), ["state", *self.run_.vars, "transition"])
        rows = list(table.find("tbody"))
        self.assertEqual(len(rows), len(self.run_.states))
        for row, at, before in zip(rows, self.run_.states, (None, *self.run_.states)):
            cells = list(row)
            number = ("" if at.index < self.run_.loop else "\u21bb " if at.index == self.run_.loop else "\u2502 ")
            self.assertEqual(cells[0].text, f"{number}{at.index}")
            self.assertEqual("rgba(74,125,255" in row.get("style"), at.index >= self.run_.loop)
            for name, cell in zip(at.names, cells[1:]):
                self.assertEqual(cell.text, _html.shown(at[name]))
                self.assertEqual("bold" in cell.get("style"), before is not None and before[name] != at[name])
            self.assertTrue(cells[-1].text.startswith(at.label))
        self.assertTrue(cells[-1].text.endswith(f"\u2192 {self.run_.loop}"))

    def test_chart(self):
        chart = parse(self.run_._repr_svg_())
        heads = [t for t in chart.findall(SVG + "text") if t.get("font-weight") == "bold"]
        self.assertEqual(texts(heads), ["Client_0", "Client_1", "Client_2", "Server"])
        at = {head.text: head.get("x") for head in heads}
        drawn = [(e.get("x1"), e.get("x2")) for e in chart.findall(SVG + "line") if e.get("x1") != e.get("x2")]
        dots = [e.get("cx") for e in chart.findall(SVG + "circle")]
        for step in self.run_.states:
            here = [at[name] for name in _svg.processes_of(step)]
            self.assertIn(step.label, [e.text for e in chart.findall(SVG + "text")])
            if len(here) == 2:
                self.assertEqual(drawn.pop(0), (here[0], here[1]))
            else:
                self.assertEqual(dots.pop(0), here[0])
        self.assertEqual((drawn, dots), ([], []))
        shade = chart.find(SVG + "rect")
        steps = sorted(int(t.get("y")) for t in chart.findall(SVG + "text") if t.text == self.run_.states[-1].label)
        top, height = int(shade.get("y")), int(shade.get("height"))
        self.assertTrue(top < steps[-1] < top + height)
        # The label of the first state of the cycle is inside, that of the state before it is not.
        rows = {int(t.text): int(t.get("y")) for t in chart.findall(SVG + "text") if t.get("opacity")}
        self.assertTrue(rows[self.run_.loop - 1] < top < rows[self.run_.loop])

    def test_whole(self):
        for result in (omen.check(STARVATION, ltl=SERVED, **CPU), omen.check(demo("mutex"), **CPU)):
            shown = parse(result._repr_html_())
            self.assertIn(f": {result.verdict}; {result.states} states", "".join(shown.find("p").itertext()))
            self.assertEqual(shown.find(".//table") is not None, result.violated)
            self.assertEqual(shown.find(f".//{SVG}svg") is not None, result.violated)

    def test_runs_that_end(self):
        finite = lasso([state(0, (0, "a"), label="P: a -> b"), state(1, (1, "b"), transition=None)])
        self.assertIsNone(parse(finite._repr_svg_()).find(SVG + "rect"))
        self.assertIn("the run ends here", texts(parse(finite._repr_svg_())))
        self.assertIn("2 states, no cycle", _html.lasso_table(finite))
        stutters = lasso([state(0, (0, "a"), transition="stutter")], 0)
        self.assertIn("stutter", texts(parse(stutters._repr_svg_())))
        one = lasso([state(0, (0, "a"), transition=None)])
        self.assertIn("1 state,", _html.lasso_table(one))

    def test_long_runs(self):
        long = lasso([state(i, (i, "a"), label="P: a -> a") for i in range(5000)], 4000)
        rows = parse(_html.lasso_table(long)).find("table/tbody")
        self.assertEqual(len(rows), _html.MOST_ROWS + 1)
        self.assertIn("4700 states omitted", "".join(rows.itertext()))
        chart = parse(long._repr_svg_())
        self.assertEqual(len(chart.findall(SVG + "circle")), _svg.MOST_STEPS)
        self.assertLess(len(long._repr_html_()), 200_000)
        # The cycle begins in the omitted part: the gap is shaded, the steps before it are not.
        inside = lasso([state(i, (i, "a"), label="P: a -> a") for i in range(5000)], 100)
        top = int(parse(inside._repr_svg_()).find(SVG + "rect").get("y"))
        numbers = [int(t.get("y")) for t in parse(inside._repr_svg_()).findall(SVG + "text") if t.get("opacity")]
        self.assertEqual(sum(y < top for y in numbers), _svg.MOST_STEPS // 2)

    def test_hostile_texts(self):
        names = (HOSTILE, "P")
        for label in (HOSTILE, f"{HOSTILE}: a -> b | P: c -> d ({HOSTILE})", f"P: {HOSTILE}"):
            run = lasso([state(i, (HOSTILE, (HOSTILE, 1)), names, label) for i in range(3)], 1, names, HOSTILE)
            for markup in run._repr_html_(), run._repr_svg_(), _html.word_table(omen.Word((HOSTILE,), 0)):
                shown = parse(markup)
                names_ = {element.tag.removeprefix(SVG) for element in shown.iter()}
                self.assertLessEqual(names_, {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "svg", "text",
                                              "line", "circle", "path", "rect"})
                attributes = {a for element in shown.iter() for a in element.attrib}
                self.assertFalse({a for a in attributes if a.startswith("on") or a in ("src", "href")}, attributes)
                self.assertIn("<script>alert('x')</script>&\"</svg>]]>\ufffd\ufffd\ufffd-->", "".join(shown.itertext()))


class Automata(Case):
    def test_drawn(self):
        automaton = omen.translate("G(a -> F b)")
        if shutil.which("dot") is None:
            self.skipTest("no Graphviz")
        svg = automaton._repr_svg_()
        self.assertTrue(svg.startswith("<svg"))
        shown = [t.text for t in parse(svg).iter(SVG + "text")]
        for text in "0", "1", "a & !b", "Acceptance: 1 Inf(0)":
            self.assertIn(text, [t.replace("\xa0", " ") for t in shown])
        self.assertEqual(automaton._repr_html_(), svg)

    def test_as_text(self):
        """Without Graphviz, without omen, and if the automaton is too large for a drawing."""
        automaton = omen.translate("G(a -> F b)")
        expected = _html.preformatted(automaton.hoa)
        self.assertEqual("".join(parse(expected).itertext()), automaton.hoa)
        with mock.patch.dict(os.environ, PATH=self.folder):
            self.assertIsNone(automaton._repr_svg_())
            self.assertEqual(automaton._repr_html_(), expected)
        with mock.patch.dict(os.environ, OMEN="/none"):
            self.assertEqual(automaton._repr_html_(), expected)
        self.assertIsNone(omen.Automaton(automaton.hoa.replace("States: 2", "States: 1000"))._repr_svg_())
        self.assertIsNone(omen.Automaton("nonsense")._repr_svg_())

    def test_hostile_propositions(self):
        hostile = "<script>alert(1)</script>&\\\"</svg>"
        text = read(os.path.join(os.path.dirname(__file__), "..", "cli", "models", "buchi.hoa"))
        automaton = omen.Automaton(text.replace("A.crit", hostile).replace("infinitely often", hostile))
        for markup in filter(None, (automaton._repr_html_(), automaton._repr_svg_(), _html.preformatted(automaton.hoa))):
            self.assertNotIn("<script", markup)
            self.assertIn("<script>alert(1)", "".join(parse(markup).itertext()).replace("\xa0", " "))
        found = omen.empty(automaton.hoa)
        self.assertNotIn("<script", found._repr_html_())
        self.assertIn("<script>alert(1)", "".join(parse(found._repr_html_()).itertext()))


if __name__ == "__main__":
    unittest.main()
