# SPDX-License-Identifier: Apache-2.0
"""Random Promela models, with orders of independent steps left out and without: random_orders.py NUMBER [SEED].

Takes NUMBER models from SEED on, as random_merging.py does, and compares the deadlocks of an exploration and the verdicts
of the same checks, with `--por always`, 1 to 8 workers, and `--por off`; the statements are merged or not. The program
itself checks each run that it finds. The variable OMEN names the program.
"""
import os
import random
import sys
import tempfile

import random_formulas
import random_merging
import random_models

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from seed import cases

PLAIN = ["--merge", "off", "--reset-dead", "off"]


def explored(path, por):
    status, answers = random_merging.omen("explore", path, *PLAIN, "--por", por)
    answer = answers[0] if answers else {}
    return status, answer.get("states"), answer.get("deadlocks")


def compare(path, k, sums):
    """Adds what was compared to sums; returns lines about differences."""
    wrong = []
    full, reduced = explored(path, "off"), explored(path, "always")
    if full[0] != 0:
        return wrong  # the model is refused, has an error or is too large
    if reduced[0] != 0 or reduced[1] > full[1] or reduced[2] != full[2]:
        return ["seed %d: explored: %s, reduced %s" % (k, full, reduced)]
    sums["models"] += 1
    sums["fewer"] += reduced[1] < full[1]
    sums["full"] += full[1]
    sums["reduced"] += reduced[1]
    r, workers = random.Random("orders %d" % k), random.Random("workers %d" % k)
    for options in random_merging.checks(r):
        if "--fairness" in options:
            continue  # refused: leaving out orders changes what is fair
        exact, _ = random_merging.verdict(path, options + PLAIN + ["--por", "off"])
        if exact in ("limit", "exit status 2"):
            continue  # too large, or there are no such labels
        for more in (PLAIN, ["--search", r.choice(["auto", "bfs", "dfs"])]):
            sums["compared"] += 1
            more = more + ["--threads", workers.choice(["1", "2", "4", "8"])]
            ours, _ = random_merging.verdict(path, options + more + ["--por", "always"])
            if ours != exact:
                wrong.append("seed %d: %s: %s, reduced %s" % (k, " ".join(options + more), exact, ours))
    return wrong


def main():
    number = int(sys.argv[1])
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    sums = {"models": 0, "fewer": 0, "full": 0, "reduced": 0, "compared": 0}
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pml")
        for k in cases(seed, number):
            with open(path, "w", encoding="utf-8") as f:
                f.write(random_formulas.text_of(k) if k % 3 else
                        random_models.Model(k).text() + "ltl one { []<>(x > 0) }\nltl two { <>[](y == 0) }\n")
            for line in compare(path, k, sums):
                bad += 1
                print(line, flush=True)
    print("%d models, %d with fewer states (%d of %d in all); %d verdicts compared, %d wrong"
          % (sums["models"], sums["fewer"], sums["reduced"], sums["full"], sums["compared"], bad))
    return 1 if bad or sums["compared"] == 0 or sums["fewer"] == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
