# SPDX-License-Identifier: Apache-2.0
"""The random cases of a suite, and its time budget: the Python side of seed.h."""
import os


def first(number):
    """Returns the first case of a suite, from its argument."""
    return number + int(os.environ.get("OMEN_SEED", "0"))


def cases(number, count):
    """Yields up to `count` cases from `number` on, moved by OMEN_SEED. There is at least one; no new one starts after
    OMEN_BUDGET seconds of CPU time, including children that have ended.
    """
    budget = float(os.environ.get("OMEN_BUDGET", "0"))
    for k in range(first(number), first(number) + count):
        yield k
        if 0 < budget <= sum(os.times()[:4]):
            return
