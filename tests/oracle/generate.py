# SPDX-License-Identifier: Apache-2.0
"""Random automata and models of many shapes; `draw`, a random.Random, determines all choices."""
from spot import split

ACCEPTANCE = ("Rabin 1..2", "Streett 1..2", "co-Buchi", "generalized-Rabin 2 1 2", "random 1..4",
              "random 2..5 0.3", "parity rand rand 2..4", "generalized-co-Buchi 1..3")


def by_randaut(tools, draw, count, most_states, acceptance, most_aps=3, density=(0.0, 0.01, 0.03, 0.1, 0.4),
               marked=(0.01, 0.03, 0.1, 0.3)):
    """Returns automata with few edges up to dense graphs, which are mostly a single component."""
    options = ["--seed", str(draw.randrange(1 << 30)), "-n", str(count), "-Q", "1..%d" % most_states,
               "-A", acceptance, "-e", str(draw.choice(density)),
               "-a", str(draw.choice(marked))]
    if draw.random() < 0.3:
        options.append("-S")
    return split(tools.run("randaut", *options, str(draw.randrange(most_aps + 1))))


def label(draw, aps):
    literals = [draw.choice(("", "!")) + str(p) for p in range(aps) if draw.random() < 0.5]
    return "&".join(literals) or "t"


def hoa(aps, acceptance, edges):
    """Returns the HOA text; edges[q]: (label, target, sets) of each edge that leaves state q."""
    lines = ["HOA: v1", "States: %d" % len(edges), "Start: 0",
             " ".join(["AP: %d" % aps] + ['"p%d"' % p for p in range(aps)]),
             "Acceptance: " + acceptance, "--BODY--"]
    for q, leaving in enumerate(edges):
        lines.append("State: %d" % q)
        lines += ["[%s] %d {%s}" % (text, to, " ".join(map(str, sets))) for text, to, sets in leaving]
    return "\n".join(lines + ["--END--", ""])


def layered(draw, most_states):
    """Returns a generalized Buchi automaton whose edges lead forward, except a few that lead back a short way: many
    trivial components, and small ones.
    """
    states, aps, sets = draw.randint(1, most_states), draw.randrange(4), draw.randrange(6)
    back, marked = draw.choice((0.02, 0.1, 0.3)), draw.choice((0.1, 0.3, 0.6))
    edges = []
    for q in range(states):
        edges.append([])
        for _ in range(draw.randint(1, 3)):
            to = draw.randint(max(0, q - 4), q) if draw.random() < back else draw.randint(q + 1, q + 6)
            if to < states:
                marks = [s for s in range(sets) if draw.random() < marked]
                edges[q].append((label(draw, aps), to, marks))
    acceptance = " & ".join("Inf(%d)" % s for s in range(sets)) or "t"
    return hoa(aps, "%d %s" % (sets, acceptance), edges)


def products(tools, draw, count, folder):
    """Returns products of one random automaton with others, made by Spot. Factors with fewer edges or marks would
    have no common word.
    """
    how = {"most_aps": 1, "density": (0.2, 0.4), "marked": (0.2, 0.4)}
    path = folder.write("factor.hoa", by_randaut(tools, draw, 1, 6, "0..3", **how)[0])
    others = "".join(by_randaut(tools, draw, count, 12, "0..2", **how))
    return split(tools.run("autfilt", "--product=" + path, text=others))


class Model:
    """A graph whose states define the values of p0, p1, p2; a state without other successors is its own successor."""
    APS = 3

    def __init__(self, draw, most_states):
        states = draw.randint(1, most_states)
        ways = draw.choice((1, 2, 4))
        self.truth = [[draw.randrange(2) for _ in range(self.APS)] for _ in range(states)]
        self.to = []
        for q in range(states):
            low = q + 1 if draw.random() < 0.5 else 0
            wanted = draw.randint(0 if draw.random() < 0.1 else 1, ways)
            self.to.append(sorted({draw.randrange(low, states) for _ in range(wanted if low < states else 0)}))

    def hoa(self):
        edges = []
        for q, to in enumerate(self.to):
            text = "&".join(("" if true else "!") + str(p) for p, true in enumerate(self.truth[q]))
            edges.append([(text, t, ()) for t in to or [q]])
        return hoa(self.APS, "0 t", edges)

    def dve(self):
        lines = ["byte p%d = %d;" % (p, true) for p, true in enumerate(self.truth[0])]
        lines += ["process P {", "state " + ", ".join("s%d" % q for q in range(len(self.to))) + ";",
                  "init s0;"]
        ways = []
        for q, to in enumerate(self.to):
            for t in to:
                effect = ", ".join("p%d = %d" % (p, true) for p, true in enumerate(self.truth[t]))
                ways.append("  s%d -> s%d { effect %s; }" % (q, t, effect))
        if ways:
            lines += ["trans", ",\n".join(ways) + ";"]
        return "\n".join(lines + ["}", "system async;", ""])
