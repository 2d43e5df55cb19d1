# SPDX-License-Identifier: Apache-2.0
"""State graphs of models as files, and drawings of automata."""
import json
import os
import re
import shutil
import subprocess
from xml.etree import ElementTree

from cli import Case, limited, main, model

MUTEX = model("mutex.dve")
EDGE = re.compile(r'\((\d+), "([^"]*)", (\d+)\)')


def peterson(state):
    """Returns the successors of a state of mutex.dve, computed from its text: label, state."""
    (want0, want1), turn, a, b = state
    found = []
    if a == "idle":
        found.append(("A: idle -> ask", ((1, want1), turn, "ask", b)))
    if a == "ask":
        found.append(("A: ask -> wait", ((want0, want1), 1, "wait", b)))
    if a == "wait" and (want1 == 0 or turn == 0):
        found.append(("A: wait -> crit", ((want0, want1), turn, "crit", b)))
    if a == "crit":
        found.append(("A: crit -> idle", ((0, want1), turn, "idle", b)))
    if b == "idle":
        found.append(("B: idle -> ask", ((want0, 1), turn, a, "ask")))
    if b == "ask":
        found.append(("B: ask -> wait", ((want0, want1), 0, a, "wait")))
    if b == "wait" and (want0 == 0 or turn == 1):
        found.append(("B: wait -> crit", ((want0, want1), turn, a, "crit")))
    if b == "crit":
        found.append(("B: crit -> idle", ((want0, 0), turn, a, "idle")))
    return found


class Graphs(Case):
    def graph(self, path, kind, *args):
        """Returns the text of a model's graph, and the result of explore."""
        file = self.path(f"graph.{kind}")
        said = json.loads(self.expect(0, "explore", path, "--output", file, "--device", "none",
                                      "--json", *args).stdout)
        with open(file, encoding="utf-8") as f:
            return f.read(), said

    def test_every_state_and_edge_of_a_model(self):
        """Compares with another interpreter of the model, in breadth-first order."""
        text, said = self.graph(MUTEX, "json")
        found = json.loads(text)
        initial = ((0, 0), 0, "idle", "idle")
        states, numbers, edges = [initial], {initial: 0}, []
        for state in states:
            for label, target in peterson(state):
                if target not in numbers:
                    numbers[target] = len(states)
                    states.append(target)
                edges.append((numbers[state], label, numbers[target]))
        labels = [row["label"] for row in found["transition_table"]]
        self.assertEqual([(tuple(s["values"][0]), *s["values"][1:]) for s in found["graph"]], states)
        self.assertEqual([(i, labels[t], to) for i, s in enumerate(found["graph"])
                          for t, to in s["edges"]], edges)
        self.assertEqual((found["states"], found["transitions"]), (len(states), len(edges)))
        self.assertEqual((said["states"], said["transitions"]), (len(states), len(edges)))
        self.assertEqual(found["vars"], ["want", "turn", "A", "B"])
        self.assertEqual(found["transition_table"][0]["place"], "mutex.dve:9:3")
        lines = self.graph(MUTEX, "aut")[0].splitlines()
        self.assertEqual(lines[0], f"des (0, {len(edges)}, {len(states)})")
        self.assertEqual(lines[1:], [f'({a}, "{label}", {b})' for a, label, b in edges])
        lines = self.graph(MUTEX, "dot")[0].splitlines()
        self.assertEqual([line for line in lines if "label=\"A: " in line or "label=\"B: " in line],
                         [f'  s{a} -> s{b} [label="{label}"];' for a, label, b in edges])
        self.assertIn(r'  s1 [label="want = [1, 0]\lturn = 0\lA = ask\lB = idle\l"];', lines)

    def test_schema(self):
        for name in "wraps.dve", "mutex.dve":
            self.fits("graph", json.loads(self.graph(model(name), "json")[0]))

    def test_several_workers_write_the_same(self):
        """A model of 80,802 states: levels and deadlocks in the result are those of the graph."""
        one, said = self.graph(model("near.dve"), "aut", "--threads", "1", "--exec", "vm")
        for args in (("--threads", "3", "--exec", "native"), ("--threads", "2", "--store", "plain")):
            again, figures = self.graph(model("near.dve"), "aut", *args)
            self.assertTrue(one == again, args)
            self.assertEqual(figures["transitions"], said["transitions"])
        head, *lines = one.splitlines()
        self.assertEqual(head, f"des (0, {said['transitions']}, {said['states']})")
        self.assertEqual(len(lines), said["transitions"])
        ways = [[] for _ in range(said["states"])]
        for line in lines:
            start, _, end = EDGE.fullmatch(line).groups()
            ways[int(start)].append(int(end))
        level = {0: 0}
        for state in range(said["states"]):  # each is a successor of an earlier one
            for target in ways[state]:
                level.setdefault(target, level[state] + 1)
        self.assertEqual(sorted(level), list(range(said["states"])))
        self.assertEqual(max(level.values()) + 1, said["levels"])
        self.assertEqual(sum(not w for w in ways), said["deadlocks"])

    def test_several_ways_to_a_state(self):
        """Transitions with the same ends are separate edges, and so are loops."""
        path = self.path("same.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("byte x;\nprocess P { state a, b; init a;\ntrans a -> b {}, a -> b { effect x = 0; },"
                    " b -> b {}, b -> b { guard x == 0; }; }\nsystem async;\n")
        text, said = self.graph(path, "aut")
        self.assertEqual(text, 'des (0, 4, 2)\n(0, "P: a -> b", 1)\n(0, "P: a -> b", 1)\n'
                               '(1, "P: b -> b", 1)\n(1, "P: b -> b", 1)\n')
        self.assertEqual((said["states"], said["transitions"]), (2, 4))

    def test_the_form_of_the_model(self):
        path = self.path("dead.dve")
        with open(path, "w", encoding="utf-8") as f:
            f.write("process P { byte k; state a, b, c; init a;\ntrans a -> b { effect k = 1; }, "
                    "a -> b { effect k = 2; }, b -> c { guard k > 0; }; }\nsystem async;\n")
        for reset, states in ("off", 5), ("on", 4):
            found = json.loads(self.graph(path, "json", "--reset-dead", reset)[0])
            self.assertEqual((found["reset_dead"], found["states"]), (reset == "on", states))

    def test_graphviz_reads_it(self):
        if shutil.which("dot") is None:
            self.skipTest("no dot (Debian: graphviz)")
        done = subprocess.run(["dot", "-Tplain"], input=self.graph(MUTEX, "dot")[0], text=True,
                              capture_output=True, check=True, timeout=60)
        self.assertEqual(len(re.findall("^edge ", done.stdout, re.M)), 34 + 1)
        self.assertEqual(len(re.findall("^node ", done.stdout, re.M)), 20 + 1)

    def test_no_part_of_a_graph(self):
        """The limit on the size is exact; if anything ends the work early, no file remains."""
        file = self.path("graph.aut")
        self.expect(0, "explore", MUTEX, "--output", file, "--output-limit", "20")
        os.remove(file)
        done = self.expect(30, "explore", MUTEX, "--output", file, "--output-limit", "19")
        self.assertRegex(done.stderr, r"graph\.aut is not written: the model has more than 19 states.*"
                                      r"--output-limit")
        self.assertIn("incomplete: state limit\nstates: 19\n", done.stdout)
        done = self.expect(30, "explore", MUTEX, "--output", file, "--max-states", "19")
        self.assertRegex(done.stderr, r"graph\.aut is not written: state limit\n$")
        done = limited("explore", model("big.dve"), "--output", file, "--output-limit", "1000000000")
        self.assertEqual(done.returncode, 30)
        self.assertRegex(done.stderr, r"graph\.aut is not written: time limit\n$")
        self.expect(3, "explore", model("fault.dve"), "--output", file)
        self.refused(2, "leave out --device", "explore", MUTEX, "--output", file, "--device", "host")
        self.refused(3, "cannot write to .*No such file", "explore", MUTEX, "--output",
                     self.path("none/graph.aut"))
        self.refused(2, r"--output takes a file that ends in \.dot or \.aut or \.json, not 'x\.svg'",
                     "explore", MUTEX, "--output", "x.svg")
        self.refused(2, "--output-limit is only for --output", "explore", MUTEX, "--output-limit", "3")
        self.refused(2, "--output-limit must be more than 0", "explore", MUTEX, "--output", file,
                     "--output-limit", "0")
        self.assertEqual(os.listdir(self.folder.name), [])

class Draw(Case):
    def program(self, text):
        """Creates a folder whose dot runs that text; returns an environment in which it is the only
        dot.
        """
        os.mkdir(self.path("bin"))
        with open(self.path("bin/dot"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(self.path("bin/dot"), 0o755)
        return {"PATH": self.path("bin") + ":/usr/bin:/bin"}

    def test_pictures(self):
        if shutil.which("dot") is None:
            self.skipTest("no dot (Debian: graphviz)")
        for given in "G(p -> F q)", model("three.hoa"):
            graph = self.expect(0, "draw", given, "--to", "dot").stdout
            self.assertEqual(graph, self.expect(0, "convert" if given.endswith(".hoa") else "translate",
                                                given, "--to", "dot").stdout)
            tree = ElementTree.fromstring(self.expect(0, "draw", given).stdout)
            kinds = [group.get("class") for group in tree.iter("{http://www.w3.org/2000/svg}g")]
            self.assertEqual(kinds.count("edge"), len(re.findall(r"^  [si]\d+ -> ", graph, re.M)))
            self.assertEqual(kinds.count("node"), len(re.findall(r"^  [si]\d+ \[", graph, re.M)))
        with open(model("three.hoa"), encoding="utf-8") as f:
            self.assertIn("<svg", self.expect(0, "draw", "-", "--to", "svg", stdin=f).stdout)
        # Without shell or HTML interpretation: any proposition name is text in the drawing.
        tree = ElementTree.fromstring(self.expect(0, "draw", '"a<b>&lt;$(x)&y;"').stdout)
        self.assertIn("a<b>&lt;$(x)&y;", [t.text for t in tree.iter("{http://www.w3.org/2000/svg}text")])

    def test_what_is_a_formula(self):
        self.refused(3, "LTL formula:1:", "draw", "G (p ->")
        self.refused(3, "none.hoa", "draw", self.path("none.hoa"))
        self.refused(3, r"three\.dve|bad\.hoa", "draw", model("bad.hoa"))
        self.refused(2, "--to takes one of svg, dot, not 'png'", "draw", "p", "--to", "png")

    def test_programs_that_fail(self):
        self.refused(2, r"cannot start 'dot': No such file .*graphviz.*--to dot", "draw", "p",
                     env={"PATH": self.path("nowhere")})
        self.assertIn("digraph", self.expect(0, "draw", "p", "--to", "dot",
                                             env={"PATH": self.path("nowhere")}).stdout)
        env = self.program('[ "$*" = -Tsvg ] || exit 9\ncase $(cat) in *Acceptance*) ;; *) exit 8;; esac\n'
                           "$DO\n")
        for what, status, pattern in (("exit 7", 3, "dot ended with status 7: $"),
                                      ("kill -9 $$", 3, "dot was killed by signal 9"),
                                      ("true", 3, "dot has written nothing")):
            self.refused(status, pattern, "draw", "F p", env={**env, "DO": "eval " + what})
        self.assertEqual(self.expect(0, "draw", "F p", env={**env, "DO": "echo <svg/>"}).stdout, "<svg/>\n")
        self.refused(30, "time limit", "draw", "F p", "--timeout", "300ms", env={**env, "DO": "sleep 60"})


if __name__ == "__main__":
    main()
