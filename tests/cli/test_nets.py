# SPDX-License-Identifier: Apache-2.0
"""Petri nets whose places have no proved bound: unbounded ones, and bounded ones without a proof."""
import json
import os
import unittest

from cli import Case, main

CORPUS = os.environ.get("OMEN_CORPUS", "")
MOST = 2 ** 31 - 1


def net(places, transitions):
    """places: {id: tokens}; transitions: {id: (taken, given)}, each {place: tokens}."""
    parts = [f'<place id="{p}"><initialMarking><text>{n}</text></initialMarking></place>' for p, n in places.items()]
    for t, (takes, gives) in transitions.items():
        parts.append(f'<transition id="{t}"/>')
        for kind, arcs in (("take", takes), ("give", gives)):
            parts += [f'<arc id="{kind}-{t}-{p}" source="{p if kind == "take" else t}" '
                      f'target="{t if kind == "take" else p}"><inscription><text>{n}</text></inscription></arc>'
                      for p, n in arcs.items()]
    return ('<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml"><net id="n" '
            'type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">' + "".join(parts) +
            "</page></net></pnml>")


def moved(tokens, weight=1, back=True):
    """Moves the tokens of q to p, which has no proved bound: it is not proved that x and y are
    never marked together.
    """
    transitions = {"a": ({"x": 1}, {"y": 1}), "b": ({"y": 1}, {"x": 1}),
                   "never": ({"x": 1, "y": 1}, {"x": 1, "y": 1, "q": 1}), "t": ({"q": weight}, {"p": weight})}
    if back:
        transitions["u"] = ({"p": weight}, {"q": weight})
    return net({"x": 1, "y": 0, "q": tokens, "p": 0}, transitions)


GROWS = net({"a": 1, "b": 0, "p": 0}, {"t": ({"a": 1}, {"b": 1}), "u": ({"b": 1}, {"a": 1, "p": 1})})


class Nets(Case):
    def write(self, text):
        path = self.path("m.pnml")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return path

    def explored(self, path, *more, status=0):
        done = self.expect(status, "explore", path, "--json", *more)
        result = json.loads(done.stdout)
        self.fits("explore", result)
        return result, done.stderr

    def checked(self, path, *more, status=0):
        done = self.expect(status, "check", path, "--json", *more)
        result = json.loads(done.stdout)
        return result[0] if isinstance(result, list) else result, done.stderr

    def test_unbounded(self):
        path = self.write(GROWS)
        why = "the net is unbounded: firing t, u from the initial marking adds tokens to place p"
        result, _ = self.explored(path, status=30)
        self.assertEqual((result["complete"], result["reason"]), (False, why))
        self.assertIn(f"incomplete: {why}\n", self.expect(30, "explore", path).stdout)
        # A given state limit is used up.
        result, _ = self.explored(path, "--max-states", "700", status=30)
        self.assertEqual((result["complete"], result["states"]), (False, 700))
        # Every violation that can be found is found, at any height; an unknown verdict has a
        # reason.
        for most in 0, 254, 255, 300, 1000:
            result, _ = self.checked(path, "--invariant", f"p <= {most}", status=10)
            self.assertEqual(len(result["lasso"]["states"]), 2 * (most + 1) + 1)
        # The last one is violated, but by no run that repeats.
        for prop in (("--invariant", "a + b <= 1"), ("--ltl", "G(a + b == 1 || p >= 10)"), ("--deadlock",),
                     ("--ltl", "G p <= 400")):
            result, said = self.checked(path, *prop, status=30)
            self.assertEqual(result["verdict"], "unknown")
            self.assertEqual(result["reason"], f"p exceeds 16 bits; {why}")
            self.assertIn("p has no proved bound", said)
        for limit in ("--max-states", "500"), ("--timeout", "1s"):
            result, _ = self.checked(path, "--invariant", "a + b <= 1", *limit, "--exec", "vm", "--quiet", status=30)
            self.assertTrue(result["reason"].endswith(f"; {why}"), result["reason"])

    def test_violated_in_time(self):
        """A cycle without additional tokens."""
        path = self.write(net({"a": 1, "p": 0}, {"t": ({"a": 1}, {"a": 1, "p": 1}), "u": ({"a": 1}, {"a": 1})}))
        result, _ = self.checked(path, "--ltl", "F p >= 1", status=10)
        self.assertEqual(result["verdict"], "violated")
        self.checked(path, "--ltl", "G p <= 70", status=10)

    def test_widths(self):
        """One token fewer than a width can hold, exactly as many, and one more."""
        for most, next_bits in (255, 16), (65535, 32):
            for tokens in most - 2, most - 1, most, most + 1:
                path = self.write(moved(tokens))
                result, said = self.explored(path)
                self.assertEqual((result["states"], result["deadlocks"]), (2 * (tokens + 1), 0))
                self.assertEqual(result["transitions"], 2 * (tokens + 1) + 2 * 2 * tokens)
                # C1: a state from which one more token might not fit is not expanded.
                self.assertEqual(f"starting again with {next_bits}" in said, tokens >= most, tokens)
                self.expect(0, "check", path, "--invariant", f"p + q == {tokens}", "--quiet")
                self.expect(0, "check", path, "--ltl", f"G p <= {tokens}", "--quiet")
                result, _ = self.checked(path, "--invariant", f"p < {tokens}", status=10)
                last = result["lasso"]["states"][-1]
                self.assertEqual((int(last["p"]), int(last["q"])), (tokens, 0))

    def test_all_that_there_are(self):
        for tokens, weight in (MOST, MOST), (MOST, MOST // 3), (MOST - 1, (MOST - 1) // 2):
            path = self.write(moved(tokens, weight))
            result, _ = self.explored(path)
            self.assertEqual(result["states"], 2 * (tokens // weight + 1))
            self.checked(path, "--invariant", f"p < {tokens // weight * weight}", status=10)

    def test_too_many(self):
        """Beyond the largest width, nothing is concluded, least of all from a count that has
        wrapped.
        """
        places = {"x": 1, "y": 0, "q": 2, "p": 0}
        path = self.write(net(places, {
            "a": ({"x": 1}, {"y": 1}), "never": ({"x": 1, "y": 1}, {"x": 1, "y": 1, "q": 1}),
            "t": ({"q": 1}, {"p": MOST})}))
        result, _ = self.explored(path, status=30)
        self.assertEqual(result["reason"], "p exceeds 31 bits")
        for prop in (("--invariant", "p >= 0"), ("--invariant", "x + y == 1"), ("--ltl", "G p >= 0"), ("--deadlock",)):
            result, _ = self.checked(path, *prop, status=30)
            self.assertEqual((result["verdict"], result["reason"]), ("unknown", "p exceeds 31 bits"))
        self.checked(path, "--invariant", f"p < {MOST}", status=10)

    def test_contest(self):
        """omen mcc, which builds its models without files."""
        folder = self.path("instance")
        os.makedirs(folder)
        for text, answers in (
                (moved(300), {"STATES": 602, "TRANSITIONS": 602 + 4 * 300, "MAX_TOKEN_IN_PLACE": 300,
                              "MAX_TOKEN_PER_MARKING": 301}),
                (GROWS, dict.fromkeys(["STATES", "TRANSITIONS", "MAX_TOKEN_IN_PLACE", "MAX_TOKEN_PER_MARKING"], "+inf"))):
            with open(os.path.join(folder, "model.pnml"), "w", encoding="utf-8") as f:
                f.write(text)
            said = json.loads(self.expect(0, "mcc", folder, "StateSpace", "--json").stdout)
            self.assertEqual({a["id"]: a["answer"] for a in said["answers"]}, answers)

    @unittest.skipUnless(CORPUS, "no corpus")
    def test_corpus(self):
        for name, place in ("DoubleLock-PT-p1s1", "l24"), ("VehicularWifi-COL-none", None):
            path = os.path.join(CORPUS, "mcc", name, "model.pnml")
            if not os.path.exists(path):
                continue
            result, _ = self.explored(path, status=30)
            self.assertRegex(result["reason"], "^the net is unbounded: firing .* adds tokens to place " +
                             (place or "") + ("$" if place else ""))


if __name__ == "__main__":
    main()
