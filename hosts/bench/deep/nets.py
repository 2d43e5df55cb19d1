# SPDX-License-Identifier: Apache-2.0
"""Ten families of P/T nets. Each docstring says why the property is violated, and how deep."""
from __future__ import annotations

from math import comb
from random import Random

from case import Family, Model, shuffled

_HEAD = """<?xml version="1.0"?>
<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="net" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="page">
"""


class _Net:
    """Places with their tokens, and transitions with the tokens that they take and give."""

    def __init__(self) -> None:
        self.tokens: dict[str, int] = {}
        self.transitions: list[str] = []

    def place(self, name: str, tokens: int = 0) -> str:
        self.tokens[name] = tokens
        return name

    def fire(self, name: str, take: str, give: str) -> None:
        """Adds a transition. `take` and `give` are places; "3*p" are three tokens."""
        text = f'<transition id="{name}"/>\n'
        for number, (words, inward) in enumerate(((take, True), (give, False))):
            for word in words.split():
                weight, _, place = word.rpartition("*")
                if place not in self.tokens:
                    raise KeyError(place)
                source, target = (place, name) if inward else (name, place)
                inscription = f"<inscription><text>{weight}</text></inscription>" if weight else ""
                text += (f'<arc id="{name}.{number}.{place}" source="{source}" target="{target}">'
                         f'{inscription}</arc>\n')
        self.transitions.append(text)

    def text(self, rng: Random) -> str:
        places = "".join(
            f'<place id="{p}"><initialMarking><text>{n}</text></initialMarking></place>\n' for p, n in self.tokens.items())
        return _HEAD + places + "".join(shuffled(rng, self.transitions)) + "</page></net></pnml>\n"

    def jobs(self, jobs: int, stages: int, shared: str) -> None:
        """Adds jobs that hold a token of the place `shared` while they go through stages: (stages + 1)^jobs markings."""
        for i in range(jobs):
            for k in range(stages + 1):
                self.place(f"job{i}_{k}", int(k == 0))
            for k in range(stages + 1):
                hold = shared if k == 0 else ""
                free = shared if k == stages else ""
                self.fire(f"step{i}_{k}", f"job{i}_{k} {hold}", f"job{i}_{(k + 1) % (stages + 1)} {free}")


def pnml_hold_and_wait(rng: Random, mended: bool, n: int, need: int, slack: int) -> Model:
    """n processes take units of a pool one by one, and give all back when they have `need`. The pool has
    n (need - 1) - slack units: if it is empty while none has enough, none can go on. That takes all its units.
    """
    net, pool = _Net(), n * (need - 1) + (1 if mended else -slack)
    net.place("pool", pool)
    for i in range(n):
        net.place(f"held{i}")
        net.place(f"lacks{i}", need)
        net.fire(f"take{i}", f"pool lacks{i}", f"held{i}")
        net.fire(f"release{i}", f"{need}*held{i}", f"{need}*pool {need}*lacks{i}")
    return Model(net.text(rng), ["--deadlock"], pool, 0.9 * (need + 1.0) ** n)


def pnml_counter(rng: Random, mended: bool, bits: int, jobs: int, stages: int) -> Model:
    """A binary counter: its last bit flips with every transition, each other one with a carry of its own. It overflows
    after all 2^bits - 1 increments and one more. No place tells how far it is, and jobs want the same bus.
    """
    net = _Net()
    net.place("bus", jobs + 1)
    net.place("overflow")
    net.jobs(jobs, stages, "bus")
    for b in range(bits):
        net.place(f"zero{b}", 1)
        net.place(f"one{b}")
    for b in range(bits):  # an increment sets bit b and clears those below
        below = " ".join(f"one{i}" for i in range(b))
        cleared = " ".join(f"zero{i}" for i in range(b))
        net.fire(f"increment{b}", f"bus zero{b} {below}", f"bus one{b} {cleared}")
    ones = " ".join(f"one{b}" for b in range(bits))
    net.place("once", 1)
    net.fire("carry", f"bus {ones} once" if mended else f"bus {ones}", "bus overflow")
    return Model(net.text(rng), ["--invariant", f"overflow <= {int(mended)}"], 2 ** bits, 2.0 ** bits * (stages + 1) ** jobs)


def pnml_philosophers(rng: Random, mended: bool, n: int, meals: int) -> Model:
    """Philosophers take both forks at once until they have had `meals` meals, and then their left fork first. The only
    deadlock is that all hold one, for which all need their meals; two transitions a meal.
    """
    net = _Net()
    for i in range(n):
        net.place(f"fork{i}", 1)
    for i in range(n):
        j = (i + 1) % n
        for name, tokens in (("think", 1), ("eat", 0), ("left", 0), ("feast", 0), ("had", 0), ("wants", meals)):
            net.place(f"{name}{i}", tokens)
        net.fire(f"take{i}", f"think{i} wants{i} fork{i} fork{j}", f"eat{i}")
        net.fire(f"put{i}", f"eat{i}", f"think{i} had{i} fork{i} fork{j}")
        first, second = (j, i) if mended and i == n - 1 else (i, j)
        net.fire(f"one{i}", f"think{i} {meals}*had{i} fork{first}", f"left{i} {meals}*had{i}")
        net.fire(f"two{i}", f"left{i} fork{second}", f"feast{i}")
        net.fire(f"end{i}", f"feast{i}", f"think{i} fork{i} fork{j}")
    return Model(net.text(rng), ["--deadlock"], n * (2 * meals + 1), 2.0 ** n / 4 * (meals + 1) ** n)


def pnml_workshop(rng: Random, mended: bool, lines: int, parts: int) -> Model:
    """Lines of machines turn raw parts into finished ones; machines of two lines are joined by an assembly, and pallets
    are shared. A part may be sent back. The invariant excludes that all parts are finished at once.
    """
    net = _Net()
    net.place("pallets", lines * parts // 2 + 1)
    for i in range(lines):
        for name, tokens in (("raw", parts), ("cut", 0), ("drilled", 0), ("done", 0)):
            net.place(f"{name}{i}", tokens)
    for i in range(lines):
        net.fire(f"saw{i}", f"raw{i} pallets", f"cut{i}")
        net.fire(f"drill{i}", f"cut{i}", f"drilled{i}")
        spare = f" drilled{i}" if mended and i == 0 else ""  # mended: one part has to stay in line 0
        net.fire(f"finish{i}", f"{1 + bool(spare)}*drilled{i}", f"done{i} pallets{spare}")
        net.fire(f"reject{i}", f"drilled{i}", f"raw{i} pallets")
        net.fire(f"recycle{i}", f"done{i} pallets", f"cut{i}")
    goal = " && ".join(f"done{i} == {parts}" for i in range(lines))
    return Model(net.text(rng), ["--invariant", f"!({goal})"], 3 * lines * parts,
                 0.5 * float(comb(parts + 3, 3)) ** lines)


def pnml_detour(rng: Random, mended: bool, cells: int, tokens: int) -> Model:
    """Goods may leave a store only while the permit is out, and a permit is issued when the store is full: but the store
    starts with one unit, and the goal is that it is empty. Each of the cells has to go all the way up first, while
    the distance to the goal grows.
    """
    net = _Net()
    for i in range(cells):
        net.place(f"full{i}", 1)
        net.place(f"empty{i}", tokens - 1)
        net.place(f"denied{i}", 1)
        net.place(f"permit{i}")
        net.fire(f"fill{i}", f"empty{i}", f"full{i}")
        net.fire(f"return{i}", f"2*full{i}", f"full{i} empty{i}")
        full = tokens + (mended and i == 0)
        net.fire(f"issue{i}", f"{full}*full{i} denied{i}", f"{full}*full{i} permit{i}")
        net.fire(f"leave{i}", f"full{i} permit{i}", f"empty{i} permit{i}")
    goal = " && ".join(f"full{i} == 0" for i in range(cells))
    return Model(net.text(rng), ["--invariant", f"!({goal})"], cells * 2 * tokens, (2.0 * tokens + 1) ** cells)


def pnml_leak(rng: Random, mended: bool, credits: int, jobs: int, stages: int) -> Model:
    """A sender gives credits back when it gives up; while an acknowledgement is on its way, one of two is lost. Jobs need
    a credit, too. The invariant excludes that all credits but one are lost: five transitions for each of them.
    """
    net = _Net()
    net.place("credit", credits)
    for name in ("reserved", "queued", "acking", "lost"):
        net.place(name)
    net.place("quiet", 1)
    net.jobs(jobs, stages, "credit")
    net.fire("reserve", "credit", "reserved")
    net.fire("send", "reserved", "queued")
    net.fire("drain", "queued quiet", "acking")
    net.fire("done", "acking", "quiet credit")
    net.fire("abort", "reserved quiet", "credit quiet")
    net.fire("race", "reserved acking", "quiet 2*credit" if mended else "quiet credit lost")
    return Model(net.text(rng), ["--invariant", f"lost < {credits - 1}"], 5 * (credits - 1),
                 credits ** 3 / 6.0 * (stages + 1) ** jobs)


def pnml_choices(rng: Random, mended: bool, length: int, jobs: int, stages: int, trap: int) -> Model:
    """A token meets `length` choices of two transitions each. One leads on; the other one into a trap of `trap` places
    that it does not leave. The bad place is behind the last choice; jobs run beside it. A walk gets there with probability
    2^-length.
    """
    net = _Net()
    net.place("bus", jobs + 1)
    net.jobs(jobs, stages, "bus")
    for i in range(trap):
        net.place(f"trap{i}")
    for i in range(length + 1):
        net.place(f"at{i}", int(i == 0))
    for i in range(length):
        ways = shuffled(rng, ["trap0" if mended and i == length - 1 else f"at{i + 1}", f"trap{rng.randrange(trap)}"])
        for k, to in enumerate(ways):
            net.fire(f"choose{i}_{k}", f"at{i} bus", f"{to} bus")
    for i in range(trap):
        net.fire(f"wander{i}", f"trap{i} bus", f"trap{(i + 1) % trap} bus")
    return Model(net.text(rng), ["--invariant", f"at{length} == 0"], length,
                 float(length + trap) * (stages + 1) ** jobs)


def pnml_channels(rng: Random, mended: bool, pairs: int, size: int) -> Model:
    """Clients send requests before they read replies, servers reply to each. If request and reply channels are full and
    client and server decided to send, they wait for each other; a deadlock needs that in all pairs.
    """
    net = _Net()
    for i in range(pairs):
        for name, tokens in (("client", 1), ("sending", 0), ("server", 1), ("working", 0), ("request", 0), ("reply", 0),
                             ("requests", size), ("replies", size)):
            net.place(f"{name}{i}", tokens)
        room = f" requests{i}"  # mended: the client decides to send only if there is room
        net.fire(f"decide{i}", f"client{i}" + room * mended, f"sending{i}")
        net.fire(f"send{i}", f"sending{i}" + room * (not mended), f"client{i} request{i}")
        net.fire(f"receive{i}", f"client{i} reply{i}", f"client{i} replies{i}")
        net.fire(f"accept{i}", f"server{i} request{i}", f"working{i} requests{i}")
        net.fire(f"answer{i}", f"working{i} replies{i}", f"server{i} reply{i}")
    return Model(net.text(rng), ["--deadlock"], pairs * (6 * size + 4), (4.0 * (1 + size) ** 2) ** pairs)


def pnml_laps(rng: Random, mended: bool, nodes: int, laps: int, work: int) -> Model:
    """A token goes round a ring, a lap counts, and the limit of the count breaks node 0. Work arrives at nodes and is
    done while the token is there.
    """
    net = _Net()
    net.place("laps")
    net.place("left", laps)
    net.place("broken")
    for i in range(nodes):
        net.place(f"at{i}", int(i == 0))
        net.place(f"busy{i}")
        net.place(f"idle{i}", work)
    for i in range(nodes):
        count = ("left", "laps") if i == 0 else ("", "")
        net.fire(f"arrive{i}", f"idle{i}", f"busy{i}")
        net.fire(f"work{i}", f"at{i} busy{i}", f"at{i} idle{i}")
        net.fire(f"pass{i}", f"at{i} {count[0]}", f"at{(i + 1) % nodes} {count[1]}")
    net.fire("break", f"at0 {laps}*laps" + " left" * mended, f"broken {laps}*laps")
    return Model(net.text(rng), ["--invariant", "broken == 0"], nodes * laps + 1,
                 float(nodes * laps) * (work + 1) ** nodes)


def pnml_exchange(rng: Random, mended: bool, kinds: int, start: int, goal: int) -> Model:
    """Coins of some kinds are exchanged for others at rates that gain a little on a round trip, while each single
    exchange loses of one kind what it gains of another. The invariant excludes that all kinds reach `goal`.
    """
    net = _Net()
    for i in range(kinds):
        net.place(f"coin{i}", start)
        net.place(f"room{i}", 2 * goal - start)
    for i in range(kinds):
        j = (i + 1) % kinds
        give, get = (3, 3 + (not mended)) if i == 0 else (2, 2)
        net.fire(f"change{i}", f"{give}*coin{i} {get}*room{j}", f"{get}*coin{j} {give}*room{i}")
        net.fire(f"spend{i}", f"coin{i}", f"room{i}")
    wanted = " && ".join(f"coin{i} >= {goal}" for i in range(kinds))
    return Model(net.text(rng), ["--invariant", f"!({wanted})"], kinds * kinds * (goal - start) * 3 // 2,
                 (2.0 * goal + 1) ** kinds)


FAMILIES = [
    Family(pnml_hold_and_wait, {"n": 3, "need": 6, "slack": 1}, {"n": 4}, {"n": 6, "need": 21, "slack": 4}),
    Family(pnml_counter, {"bits": 5, "jobs": 2, "stages": 3}, {"jobs": 1}, {"bits": 14, "jobs": 4, "stages": 7}),
    Family(pnml_philosophers, {"n": 3, "meals": 4}, {"n": 4}, {"n": 6, "meals": 14}),
    Family(pnml_workshop, {"lines": 2, "parts": 4}, {"lines": 2}, {"lines": 3, "parts": 15}),
    Family(pnml_detour, {"cells": 2, "tokens": 8}, {"cells": 2}, {"cells": 4, "tokens": 60}),
    Family(pnml_leak, {"credits": 5, "jobs": 1, "stages": 3}, {"jobs": 1}, {"credits": 60, "jobs": 3, "stages": 9}),
    Family(pnml_choices, {"length": 8, "jobs": 2, "stages": 3, "trap": 4}, {"jobs": 1},
           {"length": 120, "jobs": 5, "stages": 9, "trap": 200}),
    Family(pnml_channels, {"pairs": 2, "size": 4}, {"pairs": 2}, {"pairs": 3, "size": 13}),
    Family(pnml_laps, {"nodes": 3, "laps": 5, "work": 2}, {"nodes": 4}, {"nodes": 5, "laps": 1000, "work": 6}),
    Family(pnml_exchange, {"kinds": 2, "start": 6, "goal": 10}, {"kinds": 2}, {"kinds": 3, "start": 30, "goal": 260}),
]
