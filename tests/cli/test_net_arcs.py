# SPDX-License-Identifier: Apache-2.0
"""Random nets with inhibitor, reset and read arcs, weights and capacities, in the dialects of
several editors: compares the program's results with an interpreter of the net. --nets N: number of
nets; --first N: the number of the first net; a net is a function of its number.
"""
import json
import os
import sys
from random import Random

from cli import Case, main, run

STATES = 400


def number(option, default):
    """Removes an option of this script from the list and returns its value."""
    if option not in sys.argv:
        return default
    at = sys.argv.index(option)
    value = int(sys.argv[at + 1])
    del sys.argv[at:at + 2]
    return value


NETS, FIRST = number("--nets", 25), number("--first", 0)


class Net:
    """places: initial tokens, capacity or None. Transitions: arcs by kind, each a place and a
    number.
    """

    def __init__(self, random):
        count = random.randint(2, 5)
        self.tokens = [random.choice((0, 0, 1, 2, 3)) for _ in range(count)]
        self.capacity = [t + random.randint(0, 2) if random.random() < 0.4 else None for t in self.tokens]
        self.capacity = [c if c != 0 else None for c in self.capacity]
        self.transitions = [self.transition(random, count) for _ in range(random.randint(2, 5))]

    @staticmethod
    def transition(random, count):
        some = lambda most: random.sample(range(count), random.randint(0, min(most, count)))
        weight = lambda: random.choice((1, 1, 1, 2, 3))
        return {"take": {p: weight() for p in some(2)}, "give": {p: weight() for p in some(2)},
                "inhibitor": {p: weight() for p in some(2) if random.random() < 0.6},
                "reset": {p: 1 for p in some(1) if random.random() < 0.5},
                "read": {p: weight() for p in some(1) if random.random() < 0.4}}

    def fire(self, t, marking):
        """Returns the next marking, or None."""
        if any(marking[p] < n for kind in ("take", "read") for p, n in t[kind].items()):
            return None
        if any(marking[p] >= n for p, n in t["inhibitor"].items()):
            return None
        after = list(marking)
        for p, n in t["take"].items():
            after[p] -= n
        for p in t["reset"]:
            after[p] = 0
        for p, n in t["give"].items():
            after[p] += n
        if any(c is not None and m > c for c, m in zip(self.capacity, after)):
            return None
        return tuple(after)

    def explore(self):
        """Returns the markings, and for each marking its enabled transitions and successors; None:
        too many.
        """
        first = tuple(self.tokens)
        found, steps = [first], {}
        for marking in found:
            steps[marking] = []
            for number_of, t in enumerate(self.transitions):
                after = self.fire(t, marking)
                if after is None:
                    continue
                steps[marking].append((number_of, after))
                if after not in steps and after not in found:
                    found.append(after)
            if len(found) > STATES:
                return None
        return steps

    # ---- in an editor's dialect ----

    def text(self, style):
        attributes = style == "attributes"
        value = "value" if style == "values" else "text"
        label = lambda name, n: f"<{name}><{value}>{n}</{value}></{name}>"
        out = []
        for p, n in enumerate(self.tokens):
            c = self.capacity[p]
            if attributes:
                out.append(f'<place id="p{p}" initialMarking="{n}"' + (f' capacity="{c}"' if c else "") + "/>")
            else:
                out.append(f'<place id="p{p}">{label("initialMarking", n)}{label("capacity", c) if c else ""}</place>')
        for number_of, t in enumerate(self.transitions):
            out.append(f'<transition id="t{number_of}"/>')
            for kind in t:
                for p, n in t[kind].items():
                    if style == "values" and kind == "inhibitor":
                        n = t[kind][p] = 1  # PIPE's inhibitor arcs have no weight
                    ends = (f"t{number_of}", f"p{p}") if kind == "give" else (f"p{p}", f"t{number_of}")
                    out.append(self.arc(style, kind, *ends, n, label))
        types = {"attributes": "http://www.pnml.org/version-2009/grammar/ptnet", "values": "P/T net",
                 "arctype": "http://www.pnml.org/version-2009/grammar/pnmlcoremodel", "type": "ptnet"}
        return f'<pnml><net id="n" type="{types[style]}"><page id="g">{"".join(out)}</page></net></pnml>'

    @staticmethod
    def arc(style, kind, source, target, n, label):
        kind = kind if kind in ("inhibitor", "reset", "read") else "normal"
        start = f'<arc id="{source}{kind}{target}" source="{source}" target="{target}"'
        if style == "attributes":
            name = "tapnInhibitor" if kind == "inhibitor" and n % 2 else kind
            return f'{start} type="{name}" weight="{n}"/>'
        said = f"<arctype><text>{kind}</text></arctype>" if style == "arctype" else f'<type value="{kind}"/>'
        return f'{start}>{label("inscription", n) if n != 1 else ""}{said if kind != "normal" else ""}</arc>'


class NetArcs(Case):
    def instance(self, text, **files):
        folder = self.path("instance")
        os.makedirs(folder, exist_ok=True)
        for name, content in {"model.pnml": text, **{k + ".xml": v for k, v in files.items()}}.items():
            with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
                f.write(content if name == "model.pnml" else f"<property-set>{content}</property-set>")
        return folder

    def answers(self, folder, examination, *more):
        done = run("mcc", folder, examination, "--json", *more)
        self.assertEqual(done.returncode, 0, (folder, examination, more, done.stderr))
        return {a["id"]: a["answer"] for a in json.loads(done.stdout)["answers"]}

    def one(self, case):
        random = Random(case)
        net = Net(random)
        text = net.text(("attributes", "values", "arctype", "type")[case % 4])
        steps = net.explore()
        if steps is None:
            return False
        markings, places = list(steps), range(len(net.tokens))
        transitions = range(len(net.transitions))
        deadlocks = sum(not s for s in steps.values())
        fires = [{t for t, _ in steps[m]} for m in markings]
        # A marking to search for, which may be reachable or not.
        wanted = random.choice(markings) if random.random() < 0.5 else tuple(random.randint(0, 3) for _ in places)
        equal = "".join(f"<integer-le><tokens-count><place>p{p}</place></tokens-count><integer-constant>{n}"
                        f"</integer-constant></integer-le><integer-le><integer-constant>{n}</integer-constant>"
                        f"<tokens-count><place>p{p}</place></tokens-count></integer-le>" for p, n in enumerate(wanted))
        prop = lambda name, f: f"<property><id>{name}</id><formula>{f}</formula></property>"
        ef = lambda f: f"<exists-path><finally>{f}</finally></exists-path>"
        fireable = lambda t: f"<is-fireable><transition>t{t}</transition></is-fireable>"
        folder = self.instance(
            text, UpperBounds="".join(prop(f"b{p}", f"<place-bound><place>p{p}</place></place-bound>") for p in places),
            ReachabilityCardinality=prop("c", ef(f"<conjunction>{equal}</conjunction>")),
            ReachabilityFireability="".join(prop(f"f{t}", ef(fireable(t))) for t in transitions),
            LTLFireability=prop("l", f"<all-paths><globally><finally>{fireable(0)}</finally></globally></all-paths>"))
        model = os.path.join(folder, "model.pnml")
        said = json.loads(self.expect(0, "explore", model, "--json", "--device", "none").stdout)
        self.assertEqual((said["states"], said["transitions"], said["deadlocks"]),
                         (len(markings), sum(map(len, steps.values())), deadlocks), case)
        never = "!(" + " && ".join(f"p{p} == {n}" for p, n in enumerate(wanted)) + ")"
        self.expect(10 if wanted in steps else 0, "check", model, "--invariant", never, "--device", "none")
        most = [max(m[p] for m in markings) for p in places]
        stable = [all(m[p] == net.tokens[p] for m in markings) for p in places]
        expected = {
            "StateSpace": {"STATES": len(markings), "TRANSITIONS": sum(map(len, steps.values())),
                           "MAX_TOKEN_PER_MARKING": max(map(sum, markings)), "MAX_TOKEN_IN_PLACE": max(most)},
            "ReachabilityDeadlock": {"ReachabilityDeadlock": deadlocks > 0},
            "OneSafe": {"OneSafe": max(most) <= 1},
            "QuasiLiveness": {"QuasiLiveness": all(any(t in f for f in fires) for t in transitions)},
            "StableMarking": {"StableMarking": any(stable)},
            "Liveness": {"Liveness": self.live(steps, len(net.transitions))},
            "UpperBounds": {f"b{p}": most[p] for p in places},
            "ReachabilityCardinality": {"c": wanted in steps},
            "ReachabilityFireability": {f"f{t}": any(t in f for f in fires) for t in transitions},
            "LTLFireability": {"l": self.always_again(steps)}}
        names = list(expected) if case % 5 == 0 else random.sample(list(expected), 4)
        for name in names:
            for more in ((), ("--reductions", "off")):
                self.assertEqual(self.answers(folder, name, *more), expected[name],
                                 (case, name, more, text))
        return True

    @staticmethod
    def live(steps, count):
        """True if from each marking every transition can fire at some time."""
        for start in steps:
            seen, todo, fired = {start}, [start], set()
            while todo:
                for t, after in steps[todo.pop()]:
                    fired.add(t)
                    if after not in seen:
                        seen.add(after)
                        todo.append(after)
            if len(fired) < count:
                return False
        return True

    @staticmethod
    def always_again(steps):
        """True if on all runs t0 is enabled infinitely often (the last marking of a finite run
        repeats): there is no cycle and no end among the markings in which it is not.
        """
        bad = {m for m, s in steps.items() if all(t != 0 for t, _ in s)}
        if any(not steps[m] for m in bad):
            return False
        while True:  # markings without a successor in the set are on no cycle
            left = {m for m in bad if any(after in bad for _, after in steps[m])}
            if left == bad:
                return not bad
            bad = left

    def test_random(self):
        done = 0
        for case in range(FIRST, FIRST + 20 * NETS):
            done += self.one(case)
            if done == NETS:
                return
        self.fail(f"only {done} nets were small enough")


if __name__ == "__main__":
    main()
