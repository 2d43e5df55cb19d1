# SPDX-License-Identifier: Apache-2.0
"""--search and --guide: orders of a search for a bad state."""
import json

from cli import Case, main

ORDERS = ("auto", "bfs", "dfs", "best", "walk")
# Jobs that take turns in any order, and a clock: the clock's end lies deep, behind millions of states.
JOBS = "\n".join(f"byte n{i} = 0; process Job{i} {{ state s; init s; trans s -> s {{ guard n{i} + n{(i + 1) % 4} != 77; effect n{i} = (n{i} + 1) % 40; }}; }}"
                 for i in range(4))
CLOCK = """int t = 0;
process Clock {
state run, stop;
init run;
assert stop: t < 0;
trans
  run -> run { guard t < 500; effect t = t + 1; },
  run -> stop { guard t == 500; };
}
"""
DEEP = CLOCK + JOBS + "\nsystem async;\n"
# The terminal part of G p & F q has to see all of more than 10^9 states; the cycle of its weak part has 2.
LONG = """byte c0, c1, c2, c3, x;
active proctype A() { do :: c0++ :: c1++ :: (c2 + c3 != 500) -> c2++ :: (c2 + c3 != 500) -> c3++ od }
active proctype B() { do :: x = 1 :: x = 2 od }
ltl both { [](!(c0 == 7 && x == 3)) && <>(c1 == 200) }
"""
# 3,000 states, all of which have to be seen.
SMALL = """byte a = 0, b = 0;
process P { state s; init s; trans s -> s { guard a < 50; effect a = a + 1; }, s -> s { guard a > 0; effect a = a - 1; }; }
process Q { state s; init s; trans s -> s { guard b < 58; effect b = b + 1; }, s -> s { guard b > 0; effect b = b - 1; }; }
system async;
"""
# As the generated pml_keys, with a counter beside it that no invariant reads.
KEYS_PML = """byte at[4] = 60; bool key[4]; byte other;
proctype Walker(byte me) {
end: do
  :: atomic { at[me] > 0 -> at[me]-- }
  :: atomic { at[me] < 60 -> at[me]++ }
  :: atomic { at[me] == 0 && !key[me] -> key[me] = true }
  :: atomic { at[me] == 60 && key[me] -> at[me]++ }
  od
}
active proctype Other() { end: do :: other < 200 -> other++ :: other > 0 -> other = 0 od }
init { atomic { run Walker(2); run Walker(3); run Walker(0); run Walker(1) } }
"""
KEYS_DVE = "byte at[4] = {60, 60, 60, 60}; byte key[4]; byte other;\n" + "\n".join(
    f"process W{i} {{ state s; init s; trans s -> s {{ guard at[{i}] > 0 && at[{i}] < 61; effect at[{i}] = at[{i}] - 1; }}, "
    f"s -> s {{ guard at[{i}] < 60; effect at[{i}] = at[{i}] + 1; }}, s -> s {{ guard at[{i}] == 0; effect key[{i}] = 1; }}, "
    f"s -> s {{ guard at[{i}] == 60 && key[{i}] == 1; effect at[{i}] = 61; }}; }}" for i in range(4)) + """
process Other { state s; init s; trans s -> s { guard other < 200; effect other = other + 1; }, s -> s { effect other = 0; }; }
system async;
"""
POOL_PML = """byte pool = 91, held[5];
proctype User(byte me) {
  do
  :: held[me] < 20 -> atomic { pool > 0 -> pool--; held[me]++ }
  :: atomic { held[me] == 20 -> pool = pool + 20; held[me] = 0 }
  od
}
init { atomic { run User(0); run User(1); run User(2); run User(3); run User(4) } }
"""
POOL_DVE = "byte pool = 91; byte held[5];\n" + "\n".join(
    f"process U{i} {{ state s, w; init s; trans s -> w {{ guard held[{i}] < 20; }}, "
    f"w -> s {{ guard pool > 0; effect pool = pool - 1, held[{i}] = held[{i}] + 1; }}, "
    f"s -> s {{ guard held[{i}] == 20; effect pool = pool + 20, held[{i}] = 0; }}; }}" for i in range(5)) + "\nsystem async;\n"
FORMS = """byte x, y, a[4]; bool b; chan c = [3] of { byte };
active proctype P() {
  do
  :: x < 9 -> x++
  :: x == 9 -> x = 0
  :: y = x
  :: atomic { x > 0 -> a[x % 4] = y; x-- }
  :: b = !b
  :: c!x
  :: c?y
  :: y < 12 -> y = (y + 5) % 11
  od
}
"""


def pool_net():
    """Six users take tokens one by one from a pool of 116 and give them back when they have 21."""
    places = {"pool": 116} | {f"held{i}": 0 for i in range(6)} | {f"lacks{i}": 21 for i in range(6)}
    arcs = []
    for i in range(6):
        arcs += [("pool", f"take{i}", 1), (f"lacks{i}", f"take{i}", 1), (f"take{i}", f"held{i}", 1),
                 (f"held{i}", f"give{i}", 21), (f"give{i}", "pool", 21), (f"give{i}", f"lacks{i}", 21)]
    names = sorted({name for a, b, _ in arcs for name in (a, b)} - set(places))
    return ('<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" '
            'type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="p">' +
            "".join(f'<place id="{p}"><initialMarking><text>{n}</text></initialMarking></place>' for p, n in places.items()) +
            "".join(f'<transition id="{t}"/>' for t in names) +
            "".join(f'<arc id="a{k}" source="{a}" target="{b}"><inscription><text>{n}</text></inscription></arc>'
                    for k, (a, b, n) in enumerate(arcs)) + "</page></net></pnml>\n")


class Search(Case):
    def written(self, name, text):
        path = self.path(name)
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def result(self, status, *args):
        return json.loads(self.check(status, *args, "--json").stdout)

    def test_a_deep_bug_is_found_early(self):
        path = self.written("deep.dve", DEEP)
        for name in ("--assertions", "--invariant=t < 500"):
            with self.subTest(name):
                found = self.result(10, path, name, "--threads", "1", "--max-states", "100000")
                self.assertEqual(found["verdict"], "violated")
        # Level by level, it lies behind more states than that.
        self.assertEqual(self.result(30, path, "--assertions", "--search", "bfs", "--max-states", "100000")["verdict"], "unknown")

    def test_a_part_that_takes_long_does_not_delay_another(self):
        path = self.written("long.pml", LONG)
        options = "--property", "both", "--threads", "1", "--device", "none"
        found = self.result(10, path, *options, "--max-states", "100000", "--timeout", "60s")
        self.assertEqual([(p["strength"], p["verdict"]) for p in found["parts"]],
                         [("terminal", "unknown"), ("weak", "nonempty")])
        self.assertLess(found["parts"][1]["states"], 5000)
        # One after another, there is no answer.
        found = self.result(30, path, *options, "--schedule", "sequential", "--timeout", "1s")
        self.assertEqual(found["reason"], "time limit")
        # The clock ends the part that runs and the one that waits.
        deep = self.written("deep.pml", LONG.replace("<>(c1 == 200)", "[]<>(x == 4 || c2 != 255 || c3 != 255)"))
        found = self.result(30, deep, *options, "--timeout", "1s", "--search", "bfs")
        self.assertEqual((found["reason"], len(found["parts"])), ("time limit", 2))
        for part in found["parts"]:
            self.assertGreater(part["states"], 1 << 14)
        self.assertLess(sum(p["seconds"] for p in found["parts"]), found["seconds"] * 1.2)

    def test_several_workers(self):
        path = self.written("deep.dve", DEEP)
        self.assertEqual(self.result(10, path, "--assertions", "--threads", "3")["verdict"], "violated")

    def test_all_orders_agree(self):
        path = self.written("small.dve", SMALL)
        for invariant, status in (("a + b < 200", 0), ("a + b < 90", 10), ("a != 50 || b != 0", 10)):
            for order in ORDERS:
                with self.subTest(invariant=invariant, order=order):
                    found = self.result(status, path, "--invariant", invariant, "--search", order, "--threads", "2")
                    if status == 0:
                        self.assertEqual(found["states"], 51 * 59)
                    else:
                        # The levels look on for about as long as the search has taken.
                        self.assertIn(found["minimal"], [True] if order == "bfs" else [True, False])

    def test_figures_are_the_same(self):
        path = self.written("small.dve", SMALL)
        figures = set()
        for order in ORDERS:
            found = self.result(0, path, "--invariant", "a < 60", "--search", order)
            figures.add((found["states"], found["transitions"]))
        self.assertEqual(len(figures), 1)

    def test_what_is_not_known_to_be_minimal(self):
        path = self.written("deep.dve", DEEP)
        found = self.result(10, path, "--assertions", "--search", "dfs", "--threads", "1")
        self.assertIn(found["minimal"], (True, False))
        shortest = self.written("line.dve", CLOCK + "system async;\n")
        self.assertEqual(self.result(10, shortest, "--assertions", "--search", "bfs", "--merge", "off")["minimal"], True)

    def test_guides(self):
        path = self.written("deep.dve", DEEP)
        for guide in ("distance", "novelty", "relaxed"):
            found = self.result(10, path, "--invariant", "t < 500", "--guide", guide, "--search", "best", "--max-states", "100000")
            self.assertEqual(found["verdict"], "violated")
        done = self.check(2, path, "--assertions", "--guide", "distanc")
        self.assertIn("did you mean 'distance'?", done.stderr)
        done = self.check(2, path, "--assertions", "--guide", "novelty:x=1")
        self.assertIn("novelty", done.stderr)
        for search in "bfs", "dfs", "walk":  # a guide is never ignored
            for prop in ("--assertions", "--ltl=G F t == 0"):
                done = self.check(2, path, prop, "--guide", "novelty", "--search", search)
                self.assertIn("a guide (novelty) is for a best-first search", done.stderr)
        done = self.check(2, path, "--ltl=G F t == 0", "--guide", "noveltie")  # also where no search uses it
        self.assertIn("did you mean 'novelty'?", done.stderr)
        done = self.check(2, path, "--assertions", "--search", "deep")
        self.assertIn("--search takes one of auto, bfs, dfs, best, walk, not 'deep'", done.stderr)

    def test_a_guide_that_cannot_help_says_so(self):
        path = self.written("small.dve", SMALL)
        done = self.check(0, path, "--deadlock", "--guide", "relaxed")
        self.assertIn("guide relaxed cannot help", done.stderr)
        done = self.check(0, path, "--deadlock", "--guide", "distance")
        self.assertNotIn("cannot help", done.stderr)
        done = self.check(0, path, "--invariant", "true", "--guide", "enabled")
        self.assertIn("guide enabled cannot help", done.stderr)
        # Too many conditions: the walls of a labyrinth.
        walls = " ".join(f"s -> s {{ guard (a * b + {i}) % 60 == {i % 7} && b < {i % 50}; effect a = (a * {i} + b) % 60; }}," for i in range(300))
        path = self.written("large.dve", "byte a = 1, b = 0; process P { state s; init s; trans " + walls +
                            " s -> s { guard b < 50; effect b = b + 1; }; }\nsystem async;\n")
        done = self.check(10, path, "--invariant", "b < 50 || a != 1", "--guide", "relaxed")
        self.assertIn("guide relaxed cannot help", done.stderr)

    def test_keys_that_lie_away_from_the_goal(self):
        """Walkers start at a door whose key lies at the other end: in all languages, only the guide `relaxed` finds it."""
        goal = " && ".join(f"at[{i}] == 61" for i in range(4))
        for name, text in (("keys.pml", KEYS_PML), ("keys.dve", KEYS_DVE)):
            path = self.written(name, text)
            found = self.result(10, path, "--invariant", f"!({goal})", "--threads", "1", "--max-states", "400000")
            self.assertEqual(found["verdict"], "violated")
            self.result(30, path, "--invariant", f"!({goal})", "--threads", "1", "--max-states", "400000", "--guide", "distance")

    def test_a_way_there_and_back(self):
        """Each tank has to be filled before it can be emptied: what comes first counts twice, else no state is nearer."""
        path = self.written("tanks.dve", "\n".join(
            f"byte t{i} = 1, open{i} = 0; process P{i} {{ state s; init s; trans s -> s {{ guard t{i} < 60; effect t{i} = t{i} + 1; }}, "
            f"s -> s {{ guard t{i} == 60 and open{i} == 0; effect open{i} = 1; }}, "
            f"s -> s {{ guard t{i} > 0 and open{i} == 1; effect t{i} = t{i} - 1; }}; }}" for i in range(4)) + "\nsystem async;\n")
        found = self.result(10, path, "--invariant", "not (t0 == 0 and t1 == 0 and t2 == 0 and t3 == 0)", "--guide", "relaxed",
                            "--search", "best", "--threads", "1", "--max-states", "10000")
        self.assertEqual(found["verdict"], "violated")

    def test_a_pool_that_runs_empty(self):
        """Users hold what others wait for: only the guide `distance` comes near the deadlock."""
        for name, text in (("pool.pml", POOL_PML), ("pool.dve", POOL_DVE), ("pool.pnml", pool_net())):
            path = self.written(name, text)
            limits = "--threads", "1", "--max-states", "30000"
            with self.subTest(name):
                found = self.result(10, path, "--deadlock", "--search", "best", *limits)
                self.assertEqual(found["verdict"], "violated")
                self.result(10, path, "--deadlock", "--search", "best", "--guide", "distance", *limits)
                self.result(30, path, "--deadlock", "--search", "best", "--guide", "enabled", *limits)

    def test_what_the_guide_relaxed_understands(self):
        """Values taken from others, elements by computed indices, messages, remainders, products, shifts and resets."""
        path = self.written("forms.pml", FORMS)
        for invariant in ("x != 9", "!(y == 7 && x == 2)", "a[2] + a[1] < 11", "!(x * y == 35)", "x % 7 != 6", "!(a[x & 3] == 6 && b)",
                          "(x << 1) != 14", "!b || -x > -8", "x / 3 < 3", "!(b && (y | 8) == 13)", "!(~y == -6)", "!(a[0] == a[1] && a[1] == 4)",
                          "(x == 8) <= b"):
            with self.subTest(invariant):
                found = self.result(10, path, "--invariant", invariant, "--guide", "relaxed", "--search", "best", "--max-states", "300000")
                self.assertEqual(found["verdict"], "violated")
        found = self.result(10, path, "--ltl", "!<>(x == 3 && <> (y == 5 && <> x == 8))", "--guide", "relaxed")
        self.assertEqual(found["verdict"], "violated")

    def test_formulas(self):
        """Checkers that search depth-first follow near successors first: two coins that meet far out, again and again."""
        path = self.written("coins.dve", "\n".join(
            f"int c{i} = 0; process P{i} {{ state s; init s; trans s -> s {{ guard c{i} < 250; effect c{i} = c{i} + 1; }}, "
            f"s -> s {{ guard c{i} > 0; effect c{i} = c{i} - 1; }}; }}" for i in range(3)) + "\nsystem async;\n")
        for formula, checker in (("G F !(c0 > 240 && c1 > 240 && c2 > 240)", "weak-hybrid"),
                                 ("F G !(c0 > 240 && c1 > 240 && c2 > 240)", "dijkstra"),
                                 ("F G !(c0 > 240 && c1 > 240 && c2 > 240)", "ufscc")):
            with self.subTest(checker):
                found = self.result(10, path, "--ltl", formula, "--checker", checker, "--threads", "1", "--max-states", "100000")
                self.assertEqual(found["verdict"], "violated")
        done = self.check(30, path, "--ltl", "F G !(c0 > 240 && c1 > 240 && c2 > 240)", "--checker", "dijkstra", "--threads", "1",
                          "--search", "dfs", "--max-states", "100000")
        self.assertIn("checker dijkstra searches in an order of its own", done.stderr)
        done = self.check(10, path, "--ltl", "G F c0 > 9", "--guide", "novelty", "--max-states", "100000")
        self.assertIn("guide novelty is not used: its estimates cannot order the successors of a state", done.stderr)
        done = self.check(0, path, "--ltl", "G F c0 > 9", "--plan")
        self.assertIn("search: successors that are near first, now and then (guides: distance)", done.stdout)

    def test_a_checker_with_an_order_of_its_own(self):
        path = self.written("small.dve", SMALL)
        done = self.check(0, path, "--deadlock", "--checker", "weak-hybrid", "--search", "dfs")
        self.assertIn("checker weak-hybrid searches in an order of its own", done.stderr)

    def test_the_plan_names_them(self):
        path = self.written("small.dve", SMALL)
        done = self.check(0, path, "--deadlock", "--plan")
        self.assertIn("search: level by level, and deep by turns (guides: distance, enabled, novelty, relaxed)", done.stdout)
        done = self.check(0, path, "--deadlock", "--plan", "--search", "bfs")
        self.assertIn("search: level by level\n", done.stdout)


if __name__ == "__main__":
    main()
