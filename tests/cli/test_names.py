# SPDX-License-Identifier: Apache-2.0
"""Values are shown by their names everywhere; values without a name are numbers."""
import json
import re

from cli import main, model, validator, VALIDATES
from formats import FORMATS, Formats, shown

MTYPES = model("mtypes.pml")
VIOLATED = "--ltl", "!F (last == 7 && seen[0] == nak)"


class Names(Formats):
    def values(self, lasso, name):
        return {shown(v) for s in lasso["states"] for v in (s[name] if isinstance(s[name], list) else [s[name]])}

    def setUp(self):
        super().setUp()
        self.lasso = self.keep(MTYPES, *VIOLATED)
        with open(MTYPES, encoding="utf-8") as f:
            self.source = f.read()

    def test_lasso(self):
        if VALIDATES:
            validator("lasso").validate(self.lasso)
        for name, wanted in {"last": {"0", "7"}, "seen": {"nak"}, "crate.kind": {"0", "apple"}, "Sender.own": {"pear"},
                             "line.0": {"0", "7"}, "line.1": {"0", "1"}, "plain": {"2"}}.items():
            self.assertLessEqual(wanted, self.values(self.lasso, name), name)
        self.assertEqual(self.lasso["#meta"]["locations"], ["Sender", "Taker"])
        found = self.expect(10, "check", MTYPES, "--property", "early").stdout
        for value in "last = msg", "seen[1] = msg", "line.0[0] = msg", "line.1[0] = 2", "line.2[0] = pear":
            self.assertIn(value, found)

    def test_formats(self):
        """With the model and without."""
        self.check_csv(self.lasso)
        self.check_dot(self.lasso)
        data, svg = self.check_page(self.lasso, self.source), self.check_svg(self.lasso)
        self.assertEqual([p["name"] for p in data["processes"]], ["Sender", "Taker"])
        self.assertIn(", crate.kind = apple", "".join(e.text or "" for e in svg.iter()))
        kept = {name: self.text(name) for name in FORMATS}
        self.show(self.lasso)
        for name in "dot", "csv", "svg":
            self.assertEqual(self.text(name), kept[name], name)
        self.assertEqual([p["name"] for p in self.check_page(self.lasso, None)["processes"]], ["Sender", "Taker"])

    def write(self, lasso):
        path = self.path("changed.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(lasso, f)
        return path

    def test_read(self):
        """Written values can be read, also numbers of earlier versions, and no other names."""
        self.expect(0, "replay", MTYPES, self.paths["json"])
        numbers = {"nak": 2, "msg": 1, "ack": 3, "apple": 2, "pear": 1}
        old = json.loads(json.dumps(self.lasso))
        for state in old["states"]:
            for name in "last", "seen", "crate.kind", "Sender.own", "line.0", "line.2":
                value = state[name]
                state[name] = [numbers.get(v, v) for v in value] if isinstance(value, list) else numbers.get(value, value)
        del old["#meta"]["locations"]
        self.expect(0, "replay", MTYPES, self.write(old))
        self.expect(0, "simulate", MTYPES, "--load", self.write(old), "--steps", "3")
        for name, value in ("last", "apple"), ("Sender.own", "ack"), ("plain", "ack"), ("Sender", 1), ("last", 256):
            new = json.loads(json.dumps(self.lasso))
            new["states"][1][name] = value
            done = self.expect(3, "replay", MTYPES, self.write(new))
            self.assertIn(f"'{name}' has a value that the variable cannot hold", done.stderr)
        new = json.loads(json.dumps(self.lasso))
        new["#meta"]["locations"] = ["last"]
        self.assertIn("locations", self.expect(3, "replay", MTYPES, self.write(new)).stderr)

    def test_elsewhere(self):
        """In graphs, explanations and simulations."""
        self.expect(0, "explore", MTYPES, "--output", self.path("g.json"))
        with open(self.path("g.json"), encoding="utf-8") as f:
            graph = json.load(f)
        for name, values in ("last", {0, 7, "msg"}), ("crate.kind", {0, "apple", "pear"}):
            at = graph["vars"].index(name)
            self.assertEqual({s["values"][at] for s in graph["graph"]}, values)
        self.expect(0, "explore", MTYPES, "--output", self.path("g.dot"))
        with open(self.path("g.dot"), encoding="utf-8") as f:
            self.assertIn("seen = [nak, msg]", f.read())
        self.check(10, MTYPES, "--invariant", "last != msg", "--lasso", self.path("i.json"))
        self.assertIn("last != msg", self.expect(0, "explain", MTYPES, self.path("i.json")).stdout)
        done = self.expect(0, "simulate", MTYPES, "--steps", "1000", "--seed", "1", "--break", "last == msg")
        self.assertTrue(re.search(r"last = msg.*\n(.*\n)*.*breakpoint", done.stdout), done.stdout)

    def test_states(self):
        """The states are those of the same model with bytes."""
        plain = re.sub(r"mtype(:fruit)?( = \{.*)?(?=[ ;,}])", lambda m: "" if m[2] else "byte", self.source)
        for i, name in enumerate(["msg", "nak", "ack"], 1):
            plain = re.sub(rf"\b{name}\b", str(i), plain)
        plain = re.sub(r"\bapple\b", "2", re.sub(r"\bpear\b", "1", plain)).replace("mtype", "byte")
        path = self.path("plain.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(re.sub(r"(?m)^;$|^byte;$", "", plain))
        figures = [re.findall(r"(?m)^(?:states|transitions|deadlocks|levels): \d+", self.expect(0, "explore", m).stdout)
                   for m in (MTYPES, path)]
        self.assertEqual(*figures)
        self.assertEqual(len(figures[0]), 4)


if __name__ == "__main__":
    main()
