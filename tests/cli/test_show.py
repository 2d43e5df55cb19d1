# SPDX-License-Identifier: Apache-2.0
"""Counterexamples in every format, by --lasso and by omen show, with the model and without, with any
names; and invalid input.
"""
import json
import os
import re
import xml.etree.ElementTree as ET

from cli import main, model
from formats import FORMATS, SVG, Formats, Page, clean

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "cli", "demo")
STARVATION, LOSSY = (os.path.join(DEMO, f"{name}.dve") for name in ("starvation", "lossy"))
SERVED, DELIVERED = "G(Client_0.waiting -> F Client_0.served)", "GF Receiver.deliver"

# No part of a name may become markup, a command of dot, a field or a row, or be lost.
HOSTILE = ("</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "a\"b,c\r\nd'e",
           "<!--<script>", "\\N\\G\"];x->y", "&lt;&amp;&#60;", "]]>", "=1+1", "\u2028\u2029",
           "\u2603 \U0001f600", "a\nb", "%n%s", "${x}", "{|}")


class Runs(Formats):
    def source(self, path):
        with open(path, encoding="utf-8") as f:
            return f.read()

    def check_alone(self, lasso):
        """Without the model the output is the same, except for the model's text and for values that no
        state has.
        """
        kept = {name: self.text(name) for name in FORMATS}
        self.show(lasso)
        for name in FORMATS:
            if name not in ("json", "html", "svg"):
                self.assertEqual(self.text(name), kept[name], name)
        self.check_page(lasso, None)
        svgs = [[(e.tag, e.text) for e in ET.fromstring(text).iter()] for text in (kept["svg"], self.text("svg"))]
        self.assertEqual(*svgs)

    def test_every_way(self):
        """A check writes the same files as omen show, also to standard output."""
        self.keep(STARVATION, "--ltl", SERVED)
        for name in FORMATS:
            other = self.path(f"again.{name}")
            self.check(10, STARVATION, "--ltl", SERVED, "--threads", "1", "--lasso", other)
            with open(other, encoding="utf-8", newline="") as f:
                self.assertEqual(f.read(), self.text(name), name)
            done = self.expect(0, "show", self.paths["json"], STARVATION, "--as", name)
            self.assertEqual(done.stdout, self.text(name).replace("\r\n", "\n"), name)

    def test_pairs(self):
        lasso = self.keep(STARVATION, "--ltl", SERVED)
        data, svg = self.check_all(lasso, self.source(STARVATION))
        self.assertEqual([p["name"] for p in data["processes"]], ["Client_0", "Client_1", "Client_2", "Server"])
        for transition in data["transitions"]:
            who = [data["processes"][p]["name"] for p in transition["who"]]
            self.assertEqual(who, re.findall(r"(\w+): ", transition["label"]))
            channel = re.search(r"\((\w+)\)$", transition["label"])
            self.assertEqual(transition.get("channel"), channel and channel.group(1))
            self.assertEqual(transition.get("sign"), channel and "=")
        texts = [e.text for e in svg.iter(SVG + "text")]
        for word in "Client_0", "Server", "waiting", "ask_0", "cycle":
            self.assertIn(word, texts)
        self.check_alone(lasso)

    def test_messages(self):
        lasso = self.keep(LOSSY, "--ltl", DELIVERED, "--merge", "off", "--reset-dead", "off")
        data, svg = self.check_all(lasso, self.source(LOSSY))
        states = self.steps(lasso)
        self.assertGreater(len(data["messages"]), 2)
        # Messages are matched by the channel's slots; each received message was sent before, the oldest
        # first.
        waiting = {"data": [], "acks": []}
        for step, channel, put, other, text in data["messages"]:
            label = states[step - 1]["#meta"]["label"]
            self.assertTrue(label.endswith(f"({channel}{'!' if put else '?'})"))
            if put:
                waiting[channel].append((step, text))
                self.assertEqual(text, f"({states[step]['data.0'][0]}, {states[step]['data.1'][0]})"
                                 if channel == "data" else str(states[step]["acks"][0]))
            else:
                self.assertEqual((other, text), waiting[channel].pop(0))
        by_step = {m[0]: m for m in data["messages"]}
        for step, _, put, other, _ in data["messages"]:
            if put and other:
                self.assertEqual(by_step[other][3], step)
        self.assertEqual(len([m for m in data["messages"] if m[2] and m[3] == 0]),
                         sum(len(w) for w in waiting.values()))
        lines = [e for e in svg.iter(SVG + "line") if e.get("class") == "arrow"]
        self.assertEqual(len(lines), len([m for m in data["messages"] if m[2]]))
        self.check_alone(lasso)

    def test_computed_channels(self):
        """Promela: the channel of a message is an element of an array, by a computed index or a parameter."""
        path = self.path("computed.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("chan q[3] = [2] of { byte, bool };\n"
                    "active proctype S() { byte i; do :: i < 3 -> q[i]!i + 5, true; i++ :: else -> break od }\n"
                    "proctype R(chan c) { byte v; c?v, _; assert(v != 6) }\n"
                    "init { byte k; do :: k < 3 -> run R(q[k]); k++ :: else -> break od }\n")
        lasso = self.keep(path, "--merge", "off", "--search", "bfs")
        data = self.check_page(lasso, self.source(path))
        self.check_svg(lasso)
        self.assertIn("(q[*]!)", self.text("txt"))
        states = self.steps(lasso)
        for step, channel, put, _, text in data["messages"]:
            after, before = states[step][channel + ".len"], states[step - 1][channel + ".len"]
            self.assertEqual(after - before, 1 if put else -1)
            self.assertEqual(text, f"({int(channel[2]) + 5}, true)")
        self.assertEqual([(c, put) for _, c, put, _, _ in data["messages"]][-1], ("q[1]", 0))

    def test_channels_of_processes(self):
        """Channels of several processes, which messages pass on, have no name in common."""
        path = self.path("homes.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("chan home = [1] of { chan };\n"
                    "proctype C() { chan own = [1] of { byte }; byte v; home!own; own?v; assert(v != 2) }\n"
                    "active proctype H() { chan c; byte n; do :: home?c -> c!n; n++ od }\n"
                    "init { atomic { run C(); run C(); run C() } }\n")
        lasso = self.keep(path, "--merge", "off", "--search", "bfs")
        data = self.check_page(lasso, self.source(path))
        self.check_svg(lasso)
        self.assertIn("(*!)", self.text("txt"))
        sent = [c for _, c, put, _, text in data["messages"] if put and c != "home"]
        self.assertEqual(len(set(sent)), 3)
        self.assertTrue(all(re.fullmatch(r"C:\d\.own", c) for c in sent), sent)

    def test_messages_out_of_turn(self):
        """Promela: sorted sends, receives from the middle, copies; equal messages."""
        path = self.path("sorted.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("mtype = { low, high }; chan q = [4] of { byte, mtype };\n"
                    "active proctype S() { atomic { q!!3, low; q!!1, high; q!!2, low; q!!1, high } }\n"
                    "active proctype R() { byte v; len(q) == 4; q??2, low; q?<v, _>; q?v, high; q?v, _; q??v, low;"
                    " assert(false) }\n")
        lasso = self.keep(path, "--merge", "off")
        data = self.check_page(lasso, self.source(path))
        lines = [e for e in self.check_svg(lasso).iter(SVG + "line") if e.get("class") == "arrow"]
        self.assertEqual(len(lines), 4)
        self.assertEqual([(put, text) for _, _, put, _, text in data["messages"]],
                         [(1, "(3, low)"), (1, "(1, high)"), (1, "(2, low)"), (1, "(1, high)"),
                          (0, "(2, low)"), (0, "(1, high)"), (0, "(1, high)"), (0, "(3, low)")])
        number = {m[0]: i for i, m in enumerate(data["messages"])}
        self.assertEqual([number[other] for _, _, _, other, _ in data["messages"]], [7, 5, 4, 6, 2, 1, 3, 0])

    def test_runs_that_end(self):
        for question in ((model("ends.dve"), "--deadlock"),
                         (model("mutex.dve"), "--invariant", "not A.crit")):
            lasso = self.keep(*question)
            self.assertNotIn("loop", lasso)
            self.check_all(lasso, self.source(question[0]))
            self.check_alone(lasso)

    def test_states_that_are_repeated(self):
        lasso = self.keep(model("ends.dve"), "--ltl", "G F false", "--whole-run")
        self.assertEqual(lasso["states"][-1]["#meta"]["transition"], "stutter")
        data, _ = self.check_all(lasso, self.source(model("ends.dve")))
        self.assertEqual(data["moves"][-1], -1)
        self.assertEqual(self.check_trail(lasso)[-1], -1)

    def test_all_processes_at_once(self):
        path = self.path("sync.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte x = 0;\nprocess A { state a, b; init a; trans a -> b { effect x = 1; }, b -> a {}; }\n"
                    "process B { state c; init c; trans c -> c {}; }\n"
                    "process C { state d, e; init d; trans d -> e {}, e -> d {}; }\nsystem sync;\n")
        lasso = self.keep(path, "--ltl", "F false", "--whole-run")
        data, _ = self.check_all(lasso, self.source(path))
        self.assertEqual({tuple(t["who"]) for t in data["transitions"]}, {(0, 1, 2)})
        self.check_alone(lasso)

    def test_several_violations_and_fairness(self):
        kept = self.path("run.html")
        self.check(10, STARVATION, "--ltl", SERVED, "--ltl", SERVED.replace("_0", "_1"), "--fairness", "weak",
                   "--lasso", kept)
        for path, client in (kept, "_0"), (self.path("run.2.html"), "_1"):
            self.paths["html"] = path
            data = json.loads(Page(self.text("html")).scripts[0][1])
            self.assertEqual((data["property"], data["fairness"]),
                             ("ltl=" + SERVED.replace("_0", client), "weak"))


class Names(Formats):
    def lasso(self, names):
        """Returns a run that has these names everywhere."""
        a, b, c, *_ = names
        place = f"{a.replace('/', '')}:3:7"
        state = {a: names[-1], f"{a}.x": 3, b: [True, False], c: [names[0], names[1]]}
        step = {"transition": 2, "label": f"{a}: {b} -> {c}", "place": place}
        states = [{"#meta": {"index": i, **step}, **state, f"{a}.x": i} for i in range(3)]
        return {"#meta": {"format": "ITF", "model": a, "property": f"ltl={b}", "reset_dead": False,
                          "overflow": "wrap"},
                "vars": list(state), "states": states, "loop": 1}

    def test_hostile_names(self):
        for turn in range(0, len(HOSTILE), 3):
            names = [*HOSTILE[turn:], *HOSTILE[:turn]]
            with self.subTest(names[:3]):
                lasso = self.show(self.lasso(names))
                self.check_trail(lasso)
                self.check_csv(lasso)
                self.check_svg(lasso)
                texts = self.check_dot(lasso)
                if texts is not None:
                    label = clean(lasso["states"][0]["#meta"]["label"].replace("\n", " "))
                    self.assertIn(re.sub(r"\s+", " ", label),
                                  [re.sub(r"\s+", " ", t or "") for t in texts])
                self.check_page(lasso, None)
                self.assertEqual(Page(self.text("html")).title, f"{clean(names[0])}: a run")

    def test_bytes_that_are_no_text(self):
        """A model's comments may contain any bytes; the page is UTF-8."""
        path = self.path("m.dve")
        with open(model("mutex.dve"), "rb") as f:
            text = b"// \xff\xfe </script> <!-- \xc3\x28 \r\n" + f.read()
        with open(path, "wb") as f:
            f.write(text)
        lasso = self.keep(path, "--ltl", "G F A.crit")
        self.check_all(lasso, text.replace(b"\xff", "\ufffd".encode()).replace(b"\xfe", "\ufffd".encode())
                       .replace(b"\xc3\x28", "\ufffd(".encode()).decode())

    def test_what_is_no_process(self):
        """Named values alone make no process: a label must contain the name before a colon."""
        lasso = self.lasso(["state", "flag", "mode", "on"])
        for state in lasso["states"]:
            state["#meta"]["label"] = "tick (line!)"
        data = self.check_page(self.show(lasso, ("html", "trail")), None)
        self.assertEqual(data["processes"], [])
        self.assertEqual([(t["who"], "sign" in t) for t in data["transitions"]], [([], False)])
        self.assertEqual(self.check_trail(lasso), [-1, -1, -1, -1])

    def test_numbers_of_every_size(self):
        lasso = self.lasso(["P", "flag", "mode", "on"])
        for values in ([0, 255, 7], [-1, 0, 127], [-300, 0, 300], [-2147483648, 2147483646, 0], [5, 5, 5]):
            for state, value in zip(lasso["states"], values):
                state["P.x"] = value
            self.check_page(self.show(lasso, ("html", "csv")), None)
            self.check_csv(lasso)


class Failures(Formats):
    def setUp(self):
        super().setUp()
        self.good = self.path("good.json")
        self.check(10, STARVATION, "--ltl", SERVED, "--lasso", self.good)
        with open(self.good, encoding="utf-8") as f:
            self.lasso = json.load(f)

    def write(self, lasso):
        with open(self.path("bad.json"), "w", encoding="utf-8") as f:
            f.write(lasso if isinstance(lasso, str) else json.dumps(lasso))
        return self.path("bad.json")

    def changed(self, **more):
        return self.write({**self.lasso, **more})

    def test_usage(self):
        self.refused(2, "--as takes one of txt, json, html, svg, dot, csv, trail, view, not 'png'", "show",
                     self.good, "--as", "png")
        self.refused(2, "usage: omen show RUN.json", "show")
        self.refused(2, "one argument too many", "show", self.good, STARVATION, "x")
        self.refused(2, "--lasso takes a file that ends in .txt or .json or .html or .svg or .dot or .csv "
                     "or .trail or .view, not 'x.png'", "check", STARVATION, "--lasso", "x.png")

    def test_lassos_that_are_none(self):
        states = self.lasso["states"]
        first = states[0]
        for text, why in (("[]", "'{' is expected"), ("{", "expected"), ("{}", "not a lasso"),
                          ('{"states": [{"x": {}}]}', "have different types"),
                          ('{"states": [{"x": [1]}, {"x": 1}]}', "same length"),
                          ('{"states": [{"x": [1, true]}]}', "have different types"),
                          ('{"states": [{"x": 2147483647}]}', "out of range"),
                          ('{"states": [{"x": []}]}', "same length"),
                          ('{"states": [{"#meta": {"transition": 1048576}}]}', "1048575 can be shown"),
                          (json.dumps(self.lasso) + "x", "not a lasso"),
                          (json.dumps({**self.lasso, "vars": ["x"]}), "not a lasso"),
                          (json.dumps({**self.lasso, "vars": [*self.lasso["vars"][1:], "x"]}), "'vars' names"),
                          (json.dumps({**self.lasso, "loop": 99}), "index of a state"),
                          (json.dumps({**self.lasso, "states": []}), "not a lasso"),
                          (json.dumps({**self.lasso, "states": 7}), "not a lasso"),
                          (json.dumps({**self.lasso, "states": [first, {**first, "Server": True}]}), "have different types"),
                          (json.dumps({**self.lasso, "more": 7}), "not a lasso")):
            with self.subTest(text[:70]):
                self.refused(3, why, "show", self.write(text), "--as", "html")

    def test_lassos_of_something_else(self):
        """With the model they are verified; without it they cannot be."""
        back = self.changed(loop=len(self.lasso["states"]) - 1)
        self.expect(0, "show", back)
        self.refused(3, "does not lead", "show", back, STARVATION)
        self.refused(3, "not a run of model", "show", self.good, LOSSY)
        about = {**self.lasso["#meta"], "property": "ltl=G(Client_0.waiting -> F true)"}
        self.refused(3, "the formula holds on it|does not accept it", "show", self.changed(**{"#meta": about}),
                     STARVATION, "--as", "csv")
        about["property"] = None
        done = self.expect(0, "show", self.changed(**{"#meta": about}), STARVATION)
        self.assertIn("records no property, so it was not checked", done.stderr)

    def test_files(self):
        self.refused(3, "cannot", "show", self.path("nowhere.json"))
        self.refused(3, "cannot", "show", self.good, self.path("nowhere.dve"))
        self.refused(3, "cannot write", "show", self.good, "--output", self.path("no/x.html"))
        self.refused(3, "does not lead", "show", self.changed(loop=len(self.lasso["states"]) - 1), STARVATION, "--output",
                     self.path("x.html"))
        self.assertEqual([n for n in os.listdir(self.folder.name) if n.startswith("x")], [])

    def test_limits(self):
        reader, writer = os.pipe()  # nothing is written to it
        try:
            self.refused(30, "time limit", "show", "-", "--timeout", "200ms", stdin=reader)
        finally:
            os.close(reader)
            os.close(writer)

    def test_standard_input(self):
        with open(self.good, encoding="utf-8") as f:
            kept = f.read()
            f.seek(0)
            self.assertEqual(self.expect(0, "show", "-", "--as", "json", stdin=f).stdout, kept)


if __name__ == "__main__":
    main()
