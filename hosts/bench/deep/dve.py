# SPDX-License-Identifier: Apache-2.0
"""Ten DVE families. Each docstring says why the property is violated, and how deep."""
from __future__ import annotations

from random import Random

from case import Family, Model, shuffled


def _process(name: str, states: str, init: str, trans: list[str], data: str = "", extra: str = "") -> str:
    body = ",\n".join(f"    {t}" for t in trans)
    return f"process {name} {{\n{data}  state {states};\n  init {init};\n{extra}  trans\n{body};\n}}\n"


def _model(rng: Random, globals_: str, processes: list[str]) -> str:
    return globals_ + "".join(shuffled(rng, processes)) + "system async;\n"


def _jobs(jobs: int, stages: int) -> tuple[str, list[str]]:
    """Jobs that share processors with the rest of the model, which needs one to go on: (stages + 1)^jobs states."""
    globals_ = f"byte free = {jobs + 1};\nbyte stage[{jobs}];\n"
    processes = [_process(f"Job{i}", "idle, busy", "idle", [
        f"idle -> busy {{ guard free > 0; effect free = free - 1, stage[{i}] = 1; }}",
        f"busy -> busy {{ guard stage[{i}] < {stages}; effect stage[{i}] = stage[{i}] + 1; }}",
        f"busy -> idle {{ guard stage[{i}] == {stages}; effect stage[{i}] = 0, free = free + 1; }}"])
        for i in range(jobs)]
    return globals_, processes


def dve_vault(rng: Random, mended: bool, accounts: int, cap: int) -> Model:
    """Each account grows by 4 and shrinks by 3 and moves 2 to the next one. The invariant excludes one exact balance of
    all accounts, so the sum of the distances falls and rises on the way to it. Every balance can be reached, because
    4 - 3 = 1. Depth: steps of 4 up to the cap, and a few corrections.
    """
    target = [cap - 1 - rng.randrange(4) for _ in range(accounts)]
    gain, loss, move = (4, 2, 2) if mended else (4, 3, 2)  # mended: balances stay even
    target[0] -= mended and target[0] % 2 == 0
    processes = []
    for i in range(accounts):
        j = (i + 1) % accounts
        processes.append(_process(f"Account{i}", "open", "open", shuffled(rng, [
            f"open -> open {{ guard a[{i}] <= {cap - gain}; effect a[{i}] = a[{i}] + {gain}; }}",
            f"open -> open {{ guard a[{i}] >= {loss}; effect a[{i}] = a[{i}] - {loss}; }}",
            f"open -> open {{ guard a[{i}] >= {move} and a[{j}] <= {cap - move}; "
            f"effect a[{i}] = a[{i}] - {move}, a[{j}] = a[{j}] + {move}; }}"])))
    goal = " && ".join(f"a[{i}] == {t}" for i, t in enumerate(target))
    return Model(_model(rng, f"byte a[{accounts}];\n", processes), ["--invariant", f"!({goal})"],
                 accounts * (cap // 4 + 1), (cap + 1.0) ** accounts)


def dve_lock_step(rng: Random, mended: bool, rounds: int, jobs: int, stages: int) -> Model:
    """Master and slave meet on two channels, and each counts the rounds. The slave misses the last one of them, so that
    the master asserts a false count: 3 transitions a round, without any choice but that of the jobs beside it.
    """
    globals_, processes = _jobs(jobs, stages)
    processes += [
        _process("Master", "work, wait, compare", "work", [
            "work -> wait { guard free > 0; sync request!count; effect count = count + 1; }",
            "wait -> compare { sync answer?seen; }",
            f"compare -> work {{ guard count == seen; effect seen = 0, count = count % {rounds + 1}; }}",
            "compare -> wrong { guard count != seen; }"],
            "  int count = 0;\n  int seen = 0;\n", "  assert wrong: false;\n").replace("compare;", "compare, wrong;", 1),
        _process("Slave", "ready, reply", "ready", [
            "ready -> reply { sync request?got; }",
            f"reply -> ready {{ guard got < {rounds}; sync answer!got + 1; effect got = 0; }}",
            f"reply -> ready {{ guard got == {rounds}; sync answer!got{' + 1' if mended else ''}; effect got = 0; }}"],
            "  int got = 0;\n")]
    return Model(_model(rng, globals_ + "channel {int} request;\nchannel {int} answer;\n", processes),
                 ["--assertions"], 3 * rounds + 3, 3.0 * rounds * (stages + 1) ** jobs)


def dve_jugs(rng: Random, mended: bool, puzzles: int, large: int, small: int) -> Model:
    """Two jugs of coprime capacities measure every volume, so each puzzle can be solved: one unit is wanted in the
    larger jug. On the way there the volumes jump, so a distance of integers says nothing. A puzzle that is solved
    stays so. The invariant says that not all are: puzzles * 2 (large + small) is a bound of the depth.
    """
    if mended:  # even capacities, so no odd volume is ever measured
        large, small = 2 * (large // 2), 2 * (small // 2)
    processes = []
    for i in range(puzzles):
        a, b = f"a{i}", f"b{i}"
        processes.append(_process(f"Puzzle{i}", "busy, solved", "busy", shuffled(rng, [
            f"busy -> busy {{ guard {a} < {large}; effect {a} = {large}; }}",
            f"busy -> busy {{ guard {b} < {small}; effect {b} = {small}; }}",
            f"busy -> busy {{ guard {a} > 0; effect {a} = 0; }}",
            f"busy -> busy {{ guard {b} > 0; effect {b} = 0; }}",
            f"busy -> busy {{ guard {a} > 0 and {a} + {b} <= {small}; effect {b} = {a} + {b}, {a} = 0; }}",
            f"busy -> busy {{ guard {a} + {b} > {small} and {b} < {small}; effect {a} = {a} + {b} - {small}, {b} = {small}; }}",
            f"busy -> busy {{ guard {b} > 0 and {a} + {b} <= {large}; effect {a} = {a} + {b}, {b} = 0; }}",
            f"busy -> busy {{ guard {a} + {b} > {large} and {a} < {large}; effect {b} = {a} + {b} - {large}, {a} = {large}; }}",
            f"busy -> solved {{ guard {a} == 1; effect {a} = 0, {b} = 0; }}"])))
    variables = "".join(f"byte a{i};\nbyte b{i};\n" for i in range(puzzles))
    goal = " && ".join(f"Puzzle{i}.solved" for i in range(puzzles))
    one = 0 if mended else _jug_steps(large, small)
    return Model(_model(rng, variables, processes), ["--invariant", f"!({goal})"], puzzles * (one + 1),
                 (2.0 * (large + small) + 1) ** puzzles)


def _jug_steps(large: int, small: int) -> int:
    """Returns the pourings of a shortest way to one unit in the larger jug."""
    level, seen, steps = {(0, 0)}, {(0, 0)}, 0
    while not any(a == 1 for a, _ in level):
        after = set()
        for a, b in level:
            down, up = min(a, small - b), min(b, large - a)
            after |= {(large, b), (a, small), (0, b), (a, 0), (a - down, b + down), (a + up, b - up)}
        level = after - seen
        seen |= level
        steps += 1
    return steps


def dve_lock_order(rng: Random, mended: bool, n: int, rounds: int) -> Model:
    """n processes enter each round together, by a barrier, and lock the two locks beside them in the order of their
    numbers. In the last round all lock their own lock first, and a ring of waiting processes is a deadlock. A round
    takes a transition for the barrier and five of each process.
    """
    processes = []
    for i in range(n):
        first, second = sorted((i, (i + 1) % n))
        own, other = (first, second) if mended else (i, (i + 1) % n)
        last = f"round == {rounds}"
        processes.append(_process(f"P{i}", "arrive, start, one, two", "start", [
            f"start -> one {{ guard round < {rounds} and lock[{first}] == 0; effect lock[{first}] = 1; }}",
            f"one -> two {{ guard round < {rounds} and lock[{second}] == 0; effect lock[{second}] = 1; }}",
            f"start -> one {{ guard {last} and lock[{own}] == 0; effect lock[{own}] = 1; }}",
            f"one -> two {{ guard {last} and lock[{other}] == 0; effect lock[{other}] = 1; }}",
            f"two -> arrive {{ effect lock[{first}] = 0, lock[{second}] = 0, arrived = arrived + 1; }}",
            f"arrive -> start {{ guard go[{i}] == 1; effect go[{i}] = 0; }}"]))
    release = ", ".join(f"go[{i}] = 1" for i in range(n))
    rest = " and ".join(f"go[{i}] == 0" for i in range(n))
    processes.append(_process("Barrier", "b", "b", [
        f"b -> b {{ guard arrived == {n} and round < {rounds}; effect arrived = 0, round = round + 1, {release}; }}",
        f"b -> b {{ guard arrived == {n} and round == {rounds} and {rest}; effect arrived = 0, {release}; }}"]))
    return Model(_model(rng, f"byte lock[{n}];\nbyte go[{n}];\nbyte arrived;\nint round = 0;\n", processes),
                 ["--deadlock"], rounds * (4 * n + 1) + n, rounds * 3.5 ** n)


def dve_drift(rng: Random, mended: bool, bound: int, jobs: int, stages: int) -> Model:
    """Two clocks tick, one of them by interrupts that are lost while a job holds the last processor. A synchronisation
    halves the difference; it is possible at any time, so random walks stay near 0. `bound` is reached if it is not
    done: one tick each.
    """
    globals_, processes = _jobs(jobs, stages)
    processes += [
        _process("Ticks", "even, odd", "even", shuffled(rng, [
            f"even -> odd {{ guard drift < {bound - mended}; effect drift = drift + 1; }}",
            "odd -> even { guard free > 0 and drift > 0; effect drift = drift - 1; }",
            "odd -> even { guard free == 1; }"])),
        _process("Sync", "idle", "idle", ["idle -> idle { guard drift > 1; effect drift = drift / 2; }"])]
    return Model(_model(rng, globals_ + "int drift = 0;\n", processes), ["--invariant", f"drift < {bound}"],
                 2 * bound + jobs, 2.0 * bound * (stages + 1) ** jobs)


def dve_laps(rng: Random, mended: bool, nodes: int, laps: int, work: int) -> Model:
    """A token goes round a ring of nodes and counts laps. Node 0 breaks down, at a location of its own, when the count
    is at its limit. A node with the token may work first; work is added beside it. A lap takes nodes transitions.
    """
    processes = []
    for i in range(nodes):
        count = (f", laps = (laps + 1) % {laps}" if mended else f", laps = (laps + 1) % {laps + 1}") if i == 0 else ""
        trans = [f"idle -> idle {{ guard work[{i}] < {work}; effect work[{i}] = work[{i}] + 1; }}",
                 f"idle -> holds {{ guard at == {i}; }}",
                 f"holds -> holds {{ guard work[{i}] > 0; effect work[{i}] = work[{i}] - 1; }}",
                 f"holds -> idle {{ effect at = {(i + 1) % nodes}{count}; }}"]
        states, extra = "idle, holds", ""
        if i == 0:
            trans += [f"holds -> broken {{ guard laps == {laps}; }}"]
            states, extra = "idle, holds, broken", "  assert broken: false;\n"
        processes.append(_process(f"Node{i}", states, "idle", shuffled(rng, trans), "", extra))
    return Model(_model(rng, f"byte work[{nodes}];\nbyte at = 0;\nint laps = 0;\n", processes), ["--assertions"],
                 2 * nodes * laps + 2, 2.0 * nodes * laps * (work + 1) ** nodes)


def dve_retries(rng: Random, mended: bool, limit: int, jobs: int, stages: int) -> Model:
    """A sender repeats a message until it is acknowledged; medium and acknowledgement may be lost. The last of `limit`
    repetitions without an answer in between leads to an assertion; each answer starts the count again, so that a
    random walk needs exponentially many tries. A try takes 2 transitions.
    """
    globals_, processes = _jobs(jobs, stages)
    processes += [
        _process("Sender", "send, wait, lost, broken", "send", shuffled(rng, [
            f"send -> wait {{ guard free > 0 and tries < {limit}; sync out!bit; effect tries = tries + 1; }}",
            "wait -> send { sync back?; effect tries = 0, bit = 1 - bit; }",
            "wait -> lost { sync drop?; }",
            f"lost -> send {{ guard tries < {limit}; }}",
            f"lost -> {'send' if mended else 'broken'} {{ guard tries == {limit}; effect tries = 0; }}"]),
            "  byte bit = 0;\n", "  assert broken: false;\n"),
        _process("Medium", "empty, full", "empty", shuffled(rng, [
            "empty -> full { sync out?carried; }",
            "full -> empty { sync back!; effect carried = 0; }",
            "full -> empty { sync drop!; effect carried = 0; }"]), "  byte carried = 0;\n")]
    return Model(_model(rng, globals_ + "channel {byte} out;\nchannel back;\nchannel drop;\nint tries = 0;\n", processes),
                 ["--assertions"], 3 * limit + 1, 6.0 * limit * (stages + 1) ** jobs)


def dve_airlocks(rng: Random, mended: bool, locks: int, pressure: int, crews: int) -> Model:
    """In each airlock people go out one by one: in at full pressure, out at none. Between two of them the pressure, which
    the goal does not mention, has to fall and rise again: a plateau. The invariant says that not all are outside at
    once; 2 * pressure + 6 transitions for each of them.
    """
    stuck = " and false"  # the outer door of the first airlock does not open
    processes = []
    for i in range(locks):
        p, left = f"pressure[{i}]", f"inside[{i}]"
        processes += [
            _process(f"Pump{i}", "shut", "shut", shuffled(rng, [
                f"shut -> shut {{ guard {p} > 0 and inner[{i}] == 0; effect {p} = {p} - 1; }}",
                f"shut -> shut {{ guard {p} < {pressure} and outer[{i}] == 0; effect {p} = {p} + 1; }}"])),
            _process(f"Crew{i}", "indoors, between", "indoors", shuffled(rng, [
                f"indoors -> indoors {{ guard {p} == {pressure}; effect inner[{i}] = 1 - inner[{i}]; }}",
                f"indoors -> between {{ guard inner[{i}] == 1 and {left} > 0; effect {left} = {left} - 1; }}",
                f"between -> between {{ guard {p} == {pressure}; effect inner[{i}] = 1 - inner[{i}]; }}",
                f"between -> between {{ guard {p} == 0{stuck * (mended and i == 0)}; effect outer[{i}] = 1 - outer[{i}]; }}",
                f"between -> indoors {{ guard outer[{i}] == 1; effect outside[{i}] = outside[{i}] + 1, outer[{i}] = 0; }}",
                f"between -> indoors {{ guard inner[{i}] == 1; effect {left} = {left} + 1; }}"]))]
    goal = " && ".join(f"outside[{i}] == {crews}" for i in range(locks))
    start = ", ".join([str(pressure)] * locks)
    people = ", ".join([str(crews)] * locks)
    text = (f"byte pressure[{locks}] = {{{start}}};\nbyte inside[{locks}] = {{{people}}};\nbyte outside[{locks}];\n"
            f"byte inner[{locks}];\nbyte outer[{locks}];\n")
    return Model(_model(rng, text, processes), ["--invariant", f"!({goal})"],
                 locks * (crews * (2 * pressure + 5) - pressure), (3.0 * pressure * crews) ** locks)


def dve_maze(rng: Random, mended: bool, length: int, loops: int, jobs: int, stages: int) -> Model:
    """At each of `length` forks one of two ways leads on, the other one into a loop of `loops` locations that is never
    left: a random walk arrives with probability 2^-length. The graph of locations shows the way. The assertion is at
    its end, after a transition for each fork and one into it.
    """
    globals_, processes = _jobs(jobs, stages)
    trans = []
    for i in range(length):
        lost = mended and i == length - 1
        fork = [f"f{i} -> {'l0' if lost else f'd{i}'} {{ guard free > 0; }}",
                f"f{i} -> l{rng.randrange(loops)} {{ guard free > 0; }}"]
        trans += shuffled(rng, fork) + [f"d{i} -> f{i + 1} {{ guard free > 0; }}"]
    trans += [f"l{i} -> l{(i + 1) % loops} {{ guard free > 0; }}" for i in range(loops)]
    states = ", ".join([f"f{i}" for i in range(length + 1)] + [f"d{i}" for i in range(length)] +
                       [f"l{i}" for i in range(loops)])
    processes.append(_process("Visitor", states, "f0", trans, "", f"  assert f{length}: false;\n"))
    return Model(_model(rng, globals_, processes), ["--assertions"], 2 * length,
                 (2.0 * length + loops) * (stages + 1) ** jobs)


def dve_wavefront(rng: Random, mended: bool, n: int, stages: int) -> Model:
    """Workers in a ring go through stages; none may be ahead of a neighbour by more than one. After the last stage all
    stop: a deadlock as deep as all stages together, with few states at each of them.
    """
    processes = []
    for i in range(n):
        left, right = f"stage[{(i - 1) % n}]", f"stage[{(i + 1) % n}]"
        processes.append(_process(f"Worker{i}", "w", "w", [
            f"w -> w {{ guard stage[{i}] < {stages} and stage[{i}] <= {left} and stage[{i}] <= {right}; "
            f"effect stage[{i}] = stage[{i}] + 1; }}"]))
    if mended:
        done = " and ".join(f"stage[{i}] == {stages}" for i in range(n))
        reset = ", ".join(f"stage[{i}] = 0" for i in range(n))
        processes.append(_process("Restart", "r", "r", [f"r -> r {{ guard {done}; effect {reset}; }}"]))
    return Model(_model(rng, f"int stage[{n}];\n", processes), ["--deadlock"], n * stages, stages * 2.4 ** n)


FAMILIES = [
    Family(dve_vault, {"accounts": 2, "cap": 15}, {"accounts": 3}, {"accounts": 4, "cap": 110}),
    Family(dve_lock_step, {"rounds": 20, "jobs": 2, "stages": 3}, {"jobs": 1},
           {"rounds": 5000, "jobs": 4, "stages": 7}),
    Family(dve_jugs, {"puzzles": 2, "large": 7, "small": 5}, {"puzzles": 2}, {"puzzles": 3, "large": 113, "small": 84}),
    Family(dve_lock_order, {"n": 3, "rounds": 4}, {"n": 4}, {"n": 7, "rounds": 3400}),
    Family(dve_drift, {"bound": 12, "jobs": 2, "stages": 3}, {"jobs": 1}, {"bound": 500, "jobs": 5, "stages": 8}),
    Family(dve_laps, {"nodes": 3, "laps": 5, "work": 2}, {"nodes": 3}, {"nodes": 5, "laps": 300, "work": 6}),
    Family(dve_retries, {"limit": 8, "jobs": 2, "stages": 3}, {"jobs": 1}, {"limit": 200, "jobs": 5, "stages": 8}),
    Family(dve_airlocks, {"locks": 2, "pressure": 3, "crews": 2}, {"locks": 2},
           {"locks": 3, "pressure": 30, "crews": 4}),
    Family(dve_maze, {"length": 6, "loops": 4, "jobs": 2, "stages": 3}, {"jobs": 1},
           {"length": 80, "loops": 300, "jobs": 5, "stages": 9}),
    Family(dve_wavefront, {"n": 4, "stages": 10}, {"n": 5}, {"n": 9, "stages": 10000}),
]
