# SPDX-License-Identifier: Apache-2.0
"""Writes the traces of this folder, the same on every machine: python3 generate.py
With --check, lists the files that differ from the generated ones instead.

A row is one of
  pool,threads,memory,thread_rate,memory_least,longest,patience,priority_step,horizon,half_life
  device,kind,slots,memory,rate,start          kind: 0 GPU, 1 accelerator, 2 CPU
  token,weight
  job,submitted,token,priority,threads_least,threads_most,memory,wish,devices,part,states,limit,work,searches
wish: 0 auto, 1 none, 2 any, 3 numbered; part: 0 unknown, 1 yes, 2 no (schedule.h). Times are in ms, memory in MiB,
rates in states/s. `work`: time of the job on one thread; `searches`: 1 if a device can do it.
"""
import os
import sys

SECOND, MINUTE = 1000, 60000
AUTO, NONE, ANY, NUMBERED = range(4)
UNKNOWN, YES, NO = range(3)


class Random:
    """splitmix64, the same generator as omen's."""

    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = self.state
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    def among(self, low, high):
        return low + self.next() % (high - low + 1)

    def skewed(self, low, high):
        """Returns the smallest of three numbers, so that most are near the low end."""
        return min(self.among(low, high) for _ in range(3))

    def one_of(self, *items):
        return items[self.next() % len(items)]


class Trace:
    def __init__(self, seed, what, threads, memory, weights=(1,), rate=1000000, least=256, longest=60 * MINUTE,
                 patience=60 * MINUTE, step=10 * MINUTE, horizon=MINUTE, half_life=60 * MINUTE, devices=()):
        self.random = Random(seed)
        self.head = [f"# {what}", f"# generate.py, seed {seed}",
                     f"pool,{threads},{memory},{rate},{least},{longest},{patience},{step},{horizon},{half_life}"]
        self.head += ["device," + ",".join(map(str, d)) for d in devices]
        self.head += [f"token,{w}" for w in weights]
        self.rate, self.jobs = rate, []

    def job(self, submitted, seconds, threads=(1, 1), token=0, priority=0, memory=0, wish=NONE, devices=0, part=NO,
            known=False, limit=None, searches=False):
        """Adds a job. seconds: on one thread. limit: in ms; by default twice the time on the fewest
        threads."""
        work = int(seconds * 1000)
        least, most = threads
        states = work * self.rate // 1000 if known else 0
        limit = limit if limit is not None else 2 * work // max(least, 1) + SECOND
        self.jobs.append((submitted, token, priority, least, most, memory, wish, devices, part, states, limit, work,
                          int(searches)))

    def text(self):
        rows = ["job," + ",".join(map(str, j)) for j in sorted(self.jobs)]
        return "\n".join(self.head + rows) + "\n"


def many_small():
    t = Trace(1, "many small jobs: one or two threads, a tenth of a second to ten", 16, 65536, (1, 1, 2))
    for _ in range(900):
        n = t.random.one_of(1, 1, 1, 2)
        t.job(t.random.among(0, 20 * SECOND), t.random.skewed(1, 100) / 10 * n, (n, n), t.random.among(0, 2),
              t.random.among(-2, 2), t.random.among(64, 2048))
    return t


def few_large():
    t = Trace(2, "few large jobs: a quarter of the threads to all of them, one to ten minutes", 32, 131072, (1, 1))
    for _ in range(80):
        n = t.random.one_of(8, 8, 12, 16, 16, 20, 24, 32)
        t.job(t.random.among(0, 10 * MINUTE), t.random.among(60, 600) * n, (n, n), t.random.among(0, 1), 0,
              n * t.random.among(512, 4096))
    for _ in range(300):
        n = t.random.one_of(1, 2, 4)
        t.job(t.random.among(0, 60 * MINUTE), t.random.among(30, 300) * n, (n, n), t.random.among(0, 1), 0,
              n * t.random.among(256, 1024))
    return t


def bursts(seed=3, size=120, count=6):
    t = Trace(seed, f"bursts of {size} jobs of any size, then nothing", 16, 65536, (1, 2, 1))
    for burst in range(count):
        token = t.random.among(0, 2)
        for _ in range(size):
            n = t.random.one_of(1, 1, 1, 2, 2, 4, 8)
            t.job(burst * 60 * MINUTE + t.random.among(0, 5 * SECOND), t.random.skewed(5, 120) * n, (n, n),
                  t.random.one_of(token, token, t.random.among(0, 2)), t.random.among(-1, 1),
                  n * t.random.among(128, 3072))
    return t


def mixed_gpu():
    t = Trace(4, "two GPUs, one four times as fast: jobs that must have one, may have one, or want none", 16, 65536,
              (1, 1, 1), devices=((0, 1, 16384, 80000000, 500), (0, 1, 8192, 20000000, 500)))
    for _ in range(1000):
        n = t.random.one_of(1, 1, 2, 4)
        wish = t.random.one_of(AUTO, AUTO, AUTO, AUTO, NONE, NONE, ANY, NUMBERED)
        small = t.random.among(0, 2) == 0
        seconds = t.random.among(1, 20) / 10 if small else t.random.skewed(20, 160)
        searches = wish != NONE and (wish != AUTO or t.random.among(0, 3) != 0)
        devices = {ANY: 1, NUMBERED: t.random.one_of(1, 2, 2)}.get(wish, 0)
        t.job(t.random.among(0, 30 * SECOND), seconds * n, (n, n), t.random.among(0, 2), 0, t.random.among(128, 3072),
              wish, devices, YES if searches else NO, searches, searches=searches)
    return t


def memory_bound():
    t = Trace(5, "memory is what there is too little of", 64, 65536, (1, 1))
    for _ in range(500):
        t.job(t.random.among(0, MINUTE), t.random.skewed(10, 300), (1, 1), t.random.among(0, 1), 0,
              t.random.one_of(1024, 2048, 2048, 4096, 8192, 16384))
    return t


def open_needs():
    t = Trace(6, "jobs that say nothing of what they need", 32, 65536, (1, 1, 1, 1))
    for _ in range(600):
        t.job(t.random.among(0, 2 * MINUTE), t.random.skewed(1, 1500), (0, 0), t.random.among(0, 3), limit=0)
    return t


def greedy():
    t = Trace(7, "one token sends 600 jobs at once, three others some now and then", 16, 65536, (1, 1, 1, 1))
    for _ in range(600):
        n = t.random.one_of(1, 2, 4)
        t.job(0, t.random.among(20, 90) * n, (n, n), 0, 100, n * 1024)
    for token in (1, 2, 3):
        for k in range(60):
            n = t.random.one_of(1, 2, 4)
            t.job(k * MINUTE // 2 + t.random.among(0, 20 * SECOND), t.random.among(20, 90) * n, (n, n), token, 0,
                  n * 1024)
    return t


def hostile():
    t = Trace(8, "a stream of short narrow jobs that never lets the machine run empty, beside jobs that need all of it",
              8, 16384, (4, 1), longest=2 * MINUTE, patience=2 * MINUTE)
    for k in range(1500):
        t.job(k * 5 * SECOND // 4, t.random.among(8, 12), (1, 1), 0, 100, 64, limit=15 * SECOND)
    for k in range(6):
        t.job(MINUTE + k * 4 * MINUTE, 8 * 20, (8, 8), 1, -100, 512, limit=MINUTE)
    return t


def graham():
    m = 8
    t = Trace(9, "Graham's example: one job as long as the best schedule, and whoever does not know starts it last", m,
              65536)
    for k in range(m * (m - 1)):
        t.job(0, 10, (1, 1), memory=64, limit=100 * SECOND)
    t.job(1, 10 * m, (1, 1), memory=64, limit=100 * SECOND)
    return t


def halves():
    t = Trace(10, "jobs of 5 and 3 of 8 threads: pairs fit exactly, but of two kinds that come in no order", 8, 65536)
    for _ in range(200):
        n = t.random.one_of(5, 3)
        t.job(t.random.among(0, 10 * SECOND), t.random.among(30, 60) * n, (n, n), memory=256)
    return t


def short_bursts():
    return bursts(11, 40, 10)


TRACES = {"many-small": many_small, "few-large": few_large, "bursts": bursts, "mixed-gpu": mixed_gpu,
          "memory-bound": memory_bound, "open-needs": open_needs, "greedy": greedy, "hostile": hostile,
          "graham": graham, "halves": halves, "short-bursts": short_bursts}


def main():
    folder, differ = os.path.dirname(os.path.abspath(__file__)), []
    for name, make in TRACES.items():
        path, text = os.path.join(folder, name + ".csv"), make().text()
        if sys.argv[1:] != ["--check"]:
            with open(path, "w", encoding="ascii") as out:
                out.write(text)
            continue
        with open(path, encoding="ascii") as there:
            if there.read() != text:
                differ.append(name)
    unknown = {n[:-4] for n in os.listdir(folder) if n.endswith(".csv")} - set(TRACES)
    if differ or unknown:
        sys.exit(f"not as generated: {', '.join(differ)}; unknown: {', '.join(sorted(unknown))}")


main()
