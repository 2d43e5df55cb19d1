# SPDX-License-Identifier: Apache-2.0
"""Which random cases a suite takes, and for how long: see seed.h, of which this is the Python side."""
import os


def first(number):
    """The first case of a suite, from its argument."""
    return number + int(os.environ.get("OMEN_SEED", "0"))


def cases(number, count):
    """Up to `count` cases from `number` on, moved by OMEN_SEED; at least one, and no new one after OMEN_BUDGET
    seconds of CPU time, those of children that have ended included."""
    budget = float(os.environ.get("OMEN_BUDGET", "0"))
    for k in range(first(number), first(number) + count):
        yield k
        if 0 < budget <= sum(os.times()[:4]):
            return
