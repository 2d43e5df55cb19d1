# SPDX-License-Identifier: Apache-2.0
"""Ten Promela families. Each docstring says why the property is violated, and how deep: in transitions, where an atomic
block is one. The depth of a Model counts the statements in it, as counterexamples do.
"""
from __future__ import annotations

from random import Random

from case import Family, Model, shuffled

# Jobs that share slots with the rest of the model: what makes breadth-first levels wide. (stages + 1)^jobs states.
_JOBS = """byte slots = {slots};   /* processors that are free */
byte stage[{jobs}];

proctype Job(byte me) {{
end: do
  :: atomic {{ stage[me] == 0 && slots > 0 -> slots--; stage[me] = 1 }}
  :: atomic {{ stage[me] > 0 && stage[me] < {stages} -> stage[me]++ }}
  :: atomic {{ stage[me] == {stages} -> stage[me] = 0; slots++ }}
  od
}}
"""


def _jobs(jobs: int, stages: int, spare: int = 1) -> str:
    return _JOBS.format(jobs=jobs, stages=stages, slots=jobs + spare)


def _init(rng: Random, runs: list[str], first: str = "") -> str:
    """The initial process, which starts the others in a random order."""
    return "init { atomic { " + first + "; ".join(shuffled(rng, runs)) + " } }\n"


def _runs(name: str, n: int) -> list[str]:
    return [f"run {name}({i})" for i in range(n)]


def pml_philosophers(rng: Random, mended: bool, n: int, meals: int) -> Model:
    """Philosophers take both forks at once, but after so many meals they grow hasty and take one after the other. If
    all are hasty and hold their left fork, none can go on. One that is not hasty holds no single fork, so its left
    neighbour gets its second one: all n must have had all their meals, two transitions each, before the last n.
    """
    text = f"""#define N {n}
#define MEALS {meals}
bool taken[N];
byte meals[N];

#define RIGHT ((me + 1) % N)
#define FIRST {"(me < N - 1 -> me : RIGHT)" if mended else "me"}
#define SECOND {"(me < N - 1 -> RIGHT : me)" if mended else "RIGHT"}

proctype Philosopher(byte me) {{
  do
  :: atomic {{ meals[me] < MEALS && !taken[me] && !taken[RIGHT] -> taken[me] = true; taken[RIGHT] = true }};
     atomic {{ meals[me]++; taken[me] = false; taken[RIGHT] = false }}
  :: atomic {{ meals[me] == MEALS && !taken[FIRST] -> taken[FIRST] = true }};
     atomic {{ !taken[SECOND] -> taken[SECOND] = true }};
     atomic {{ taken[me] = false; taken[RIGHT] = false }}
  od
}}
"""
    return Model(text + _init(rng, _runs("Philosopher", n)), ["--deadlock"], n * (2 * meals + 1) + 1,
                 2.0 ** n / 4 * (meals + 1) ** n)


def pml_leak(rng: Random, mended: bool, bound: int, jobs: int, stages: int) -> Model:
    """A producer reserves a credit and sends, or gives up. If it gives up while the consumer acknowledges, the credit is
    lost: a race that needs a message in the buffer, of which there is one less each time, and six transitions. The
    assertion fails when all credits but one are lost.
    """
    late = "credits++" if mended else "lost++"
    text = f"""#define CREDITS {bound + 1}
byte credits = CREDITS, queued, lost;
bool acknowledging;

{_jobs(jobs, stages)}
proctype Producer() {{
end: do
  :: atomic {{ credits > 0 && slots > 0 -> credits-- }};
     if
     :: queued++
     :: atomic {{ !acknowledging -> credits++ }}                              /* gives up */
     :: atomic {{ acknowledging -> acknowledging = false; {late}; assert(lost < CREDITS - 1) }}
     fi
  od
}}

proctype Consumer() {{
end: do
  :: atomic {{ queued > 0 -> queued--; acknowledging = true; credits++ }};
     acknowledging = false
  od
}}
"""
    runs = ["run Producer()", "run Consumer()"] + _runs("Job", jobs)
    return Model(text + _init(rng, runs), ["--assertions"], 7 * bound, 3.0 * bound ** 2 * (stages + 1) ** jobs)


def pml_scheduler(rng: Random, mended: bool, tasks: int, budget: int) -> Model:
    """A scheduler runs any task that has budget left. A task spends a unit of it or gives one to its neighbour. When
    the last unit is spent, no task can be chosen any more: each unit takes two transitions, dispatch and run.
    """
    choice = "\n".join(shuffled(rng, [f"  :: atomic {{ running == NONE && budget[{i}] > 0 -> running = {i} }}"
                                     for i in range(tasks)]))
    if mended:
        spent = " && ".join(f"budget[{i}] == 0" for i in range(tasks))
        choice += f"\n  :: atomic {{ running == NONE && {spent} -> budget[0] = {budget} }}"
    text = f"""#define N {tasks}
#define NONE N
byte budget[N] = {budget};
byte running = NONE;

active proctype Scheduler() {{
  do
{choice}
  od
}}

proctype Task(byte me) {{
end: do
  :: atomic {{ running == me -> budget[me]--; running = NONE }}
  :: atomic {{ running == me && budget[(me + 1) % N] < {budget} -> budget[me]--; budget[(me + 1) % N]++; running = NONE }}
  od
}}
"""
    return Model(text + _init(rng, _runs("Task", tasks)), ["--deadlock"], 2 * tasks * budget + 1,
                 (1.0 + budget) ** tasks * (tasks + 1))


def pml_wrap(rng: Random, mended: bool, modulus: int, jobs: int, stages: int) -> Model:
    """Sender and receiver number their messages. The sender's number wraps one too late, so the first wrap fails the
    assertion: after `modulus` rounds of four transitions, without any choice but that of the jobs beside it.
    """
    text = f"""#define M {modulus}
chan data = [1] of {{ short }};
chan acks = [1] of {{ bit }};

{_jobs(jobs, stages)}
proctype Sender() {{
  short seq;
end: do
  :: atomic {{ slots > 0 -> data!seq }};
     atomic {{ acks?_ -> if :: seq == {"M - 1" if mended else "M"} -> seq = 0 :: else -> seq++ fi }}
  od
}}

proctype Receiver() {{
  short expected, seq;
end: do
  :: data?seq;
     atomic {{ assert(seq == expected); expected = (expected + 1) % M; acks!1 }}
  od
}}
"""
    runs = ["run Sender()", "run Receiver()"] + _runs("Job", jobs)
    return Model(text + _init(rng, runs), ["--assertions"], 7 * modulus + 5, 4.0 * modulus * (stages + 1) ** jobs)


def pml_hold_and_wait(rng: Random, mended: bool, n: int, need: int, slack: int) -> Model:
    """n processes take units of a pool one by one, two transitions each, use them when they have `need`, and give all
    back. The pool has n (need - 1) - slack units: if it is empty while none has enough, none can go on. That takes
    all its units.
    """
    pool = n * (need - 1) + 1 if mended else n * (need - 1) - slack
    text = f"""byte pool = {pool};
byte held[{n}];

proctype User(byte me) {{
  do
  :: held[me] < {need} ->                                  /* asks */
     atomic {{ pool > 0 -> pool--; held[me]++ }}          /* and gets */
  :: atomic {{ held[me] == {need} -> pool = pool + {need}; held[me] = 0 }}
  od
}}
"""
    return Model(text + _init(rng, _runs("User", n)), ["--deadlock"], 2 * pool + n + 1,
                 (2.0 * need) ** n * 0.8)


def pml_levels(rng: Random, mended: bool, tanks: int, height: int) -> Model:
    """Pumps raise and lower the levels of tanks, and a tank can flow into the next one. The alarm does not expect that
    all are full at once. Levels rise one by one, so the depth is tanks * height.
    """
    full = " + ".join(f"level[{i}]" for i in range(tanks))
    text = f"""#define N {tanks}
byte level[N];

proctype Pump(byte me) {{
end: do
  :: atomic {{ level[me] < {height} -> level[me]++ }}
  :: atomic {{ level[me] > 0 -> level[me]-- }}
  :: atomic {{ level[me] > 2 && level[(me + 1) % N] < {height} -> level[me] = level[me] - 2; level[(me + 1) % N]++ }}
  od
}}
"""
    return Model(text + _init(rng, _runs("Pump", tanks)), ["--invariant", f"{full} < {tanks * height + mended}"],
                 tanks * height + 1, (1.0 + height) ** tanks)


def pml_keys(rng: Random, mended: bool, robots: int, length: int) -> Model:
    """Each robot starts one cell before a door at the end of its corridor, but its key lies at the other end. All
    robots behind their doors is what the invariant excludes: each walks `length` cells away from its goal, takes the
    key, and returns.
    """
    outside = " && ".join(f"at[{i}] == {length + 1}" for i in range(robots))
    text = f"""#define END {length}
byte at[{robots}] = END;
bool key[{robots}];

proctype Robot(byte me) {{
end: do
  :: atomic {{ at[me] > 0 -> at[me]-- }}
  :: atomic {{ at[me] < END -> at[me]++ }}
  :: atomic {{ at[me] == 0 && !key[me]{" && me > 0" if mended else ""} -> key[me] = true }}
  :: atomic {{ at[me] == END && key[me] -> at[me]++ }}
  od
}}
"""
    return Model(text + _init(rng, _runs("Robot", robots)), ["--invariant", f"!({outside})"],
                 robots * (2 * length + 2) + 1, (2.0 * length + 3) ** robots)


def pml_pattern(rng: Random, mended: bool, length: int, jobs: int, stages: int) -> Model:
    """Two clients take turns at a server in any order. It fails on one sequence of turns, of `length` bits, and forgets
    what it has seen at the first turn that differs: a walk finds it with probability 2^-length, a search that
    remembers states does not need to guess. A turn takes two transitions.
    """
    bits = [rng.randrange(2) for _ in range(length)]
    wanted = "\n".join(f"     :: seen == {i} -> want = {b}" for i, b in enumerate(bits))
    text = f"""byte seen;
byte turn = 2;

{_jobs(jobs, stages)}
proctype Client(byte me) {{
end: do
  :: atomic {{ turn == 2 && slots > 0 -> turn = me }}
  od
}}

active proctype Server() {{
  bit want;
end: do
  :: atomic {{ turn != 2 ->
     if
{wanted}
     fi;
     if
     :: turn == want -> {"seen = (seen + 1) % " + str(length) if mended else "seen++"}
     :: else -> seen = 0
     fi;
     want = 0;
     turn = 2;
     assert(seen < {length}) }}
  od
}}
"""
    return Model(text + _init(rng, _runs("Client", 2) + _runs("Job", jobs)), ["--assertions"], 5 * length + 4,
                 3.0 * length * (stages + 1) ** jobs)


def pml_ring(rng: Random, mended: bool, nodes: int, hops: int, backlog: int) -> Model:
    """A token carries the number of its hops. A node that gets it at hop `hops` takes it for lost and makes another one,
    so that two nodes may be in the critical section. Two transitions a hop; work for nodes comes in beside it.
    """
    last = "hop = 0" if mended else "ring[me]!0"
    text = f"""#define N {nodes}
chan ring[N] = [2] of {{ short }};
byte backlog[N];
byte inside;

proctype Node(byte me) {{
  short hop;
end: do
  :: atomic {{ ring[me]?hop -> inside++; assert(inside == 1); if :: backlog[me] > 0 -> backlog[me]-- :: else fi }};
     atomic {{ inside--; if :: hop == {hops} -> {last} :: else fi; hop++; ring[(me + 1) % N]!hop; hop = 0 }}
  :: atomic {{ backlog[me] < {backlog} -> backlog[me]++ }}
  od
}}
"""
    return Model(text + _init(rng, _runs("Node", nodes), "ring[0]!1; "), ["--assertions"], 6 * hops + 9,
                 2.0 * hops * (1 + backlog) ** nodes)


def pml_channels(rng: Random, mended: bool, pairs: int, size: int) -> Model:
    """A client may send requests before it reads replies, and a server replies to each. If both channels are full,
    neither can go on; a deadlock needs that in all pairs. The server then holds one request more, so 2 size + 1 are
    sent, and size are answered, with two transitions each, before the client decides to send another one.
    """
    text = f"""chan request[{pairs}] = [{size}] of {{ bit }};
chan reply[{pairs}] = [{size}] of {{ bit }};

proctype Client(byte me) {{
  do
  :: request[me]!1
  :: reply[me]?_
  od
}}

proctype Server(byte me) {{
  do
  :: request[me]?_; reply[me]!1
  od
}}
"""
    # The client would read a reply in a deadlock: it commits itself to send first.
    text = text.replace("  :: request[me]!1\n", f"  :: {'nfull(request[me])' if mended else 'skip'}; request[me]!1\n")
    return Model(text + _init(rng, _runs("Client", pairs) + _runs("Server", pairs)), ["--deadlock"],
                 pairs * (6 * size + 4) + 1, (4.0 * (1 + size) ** 2) ** pairs)


FAMILIES = [
    Family(pml_philosophers, {"n": 3, "meals": 4}, {"n": 3}, {"n": 6, "meals": 14}),
    Family(pml_leak, {"bound": 6, "jobs": 2, "stages": 3}, {"jobs": 1}, {"bound": 150, "jobs": 4, "stages": 6}),
    Family(pml_scheduler, {"tasks": 3, "budget": 5}, {"tasks": 4}, {"tasks": 6, "budget": 16}),
    Family(pml_wrap, {"modulus": 30, "jobs": 2, "stages": 3}, {"jobs": 1}, {"modulus": 2500, "jobs": 4, "stages": 8}),
    Family(pml_hold_and_wait, {"n": 3, "need": 5, "slack": 1}, {"n": 3}, {"n": 5, "need": 20, "slack": 4}),
    Family(pml_levels, {"tanks": 3, "height": 6}, {"tanks": 3}, {"tanks": 4, "height": 100}),
    Family(pml_keys, {"robots": 2, "length": 8}, {"robots": 2}, {"robots": 4, "length": 60}),
    Family(pml_pattern, {"length": 10, "jobs": 2, "stages": 3}, {"jobs": 1}, {"length": 60, "jobs": 5, "stages": 9}),
    Family(pml_ring, {"nodes": 3, "hops": 20, "backlog": 2}, {"nodes": 3, "backlog": 2},
           {"nodes": 5, "hops": 3000, "backlog": 6}),
    Family(pml_channels, {"pairs": 2, "size": 4}, {"pairs": 2}, {"pairs": 3, "size": 13}),
]
