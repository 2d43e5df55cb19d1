# SPDX-License-Identifier: Apache-2.0
"""Medians, ratios of medians and their geometric means, with confidence intervals.

Intervals are percentile bootstraps (Efron, Tibshirani: An Introduction to the Bootstrap, 1993, chapter 13) at 95 %.
Rounds are drawn with replacement, and both sides of a ratio use the same draw, because the runs of one round shared
the same machine conditions. Rows are never drawn: they are the whole population, not a sample. The generator has a
fixed seed, so the same figures give the same interval.
"""
from __future__ import annotations

import functools
import itertools
import math
import statistics
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_RESAMPLES, _SEED, _WORD = 2000, 20070501, (1 << 64) - 1


@dataclass(frozen=True)
class Estimate:
    """value is NaN if unknown; low and high are NaN below two rounds, or if a draw of the rounds has no mean."""

    value: float = math.nan
    low: float = math.nan
    high: float = math.nan

    def __bool__(self) -> bool:
        return not math.isnan(self.value)

    def has_interval(self) -> bool:
        return not math.isnan(self.low)


# The figures of one row: rounds of a and of its divisor b.
Rounds = tuple[tuple[float, float], ...]


def median(values: Sequence[float]) -> float:
    """Returns the median; NaN for no values."""
    return statistics.median(values) if values else math.nan


@functools.lru_cache(maxsize=2)
def _words(power: int) -> array[int]:
    """Returns 2^power random numbers of 32 bits: the upper halves of splitmix64 (G. Steele, D. Lea, C. Flood, Fast
    splittable pseudorandom number generators, OOPSLA 2014).
    """
    def words() -> Iterator[int]:
        state = _SEED
        for _ in range(1 << power):
            state = (state + 0x9e3779b97f4a7c15) & _WORD
            z = ((state ^ state >> 30) * 0xbf58476d1ce4e5b9) & _WORD
            z = ((z ^ z >> 27) * 0x94d049bb133111eb) & _WORD
            yield (z ^ z >> 31) >> 32

    return array("I", words())


def _pick(words: Iterator[int], n: int) -> tuple[int, ...]:
    """Draws n times from [0, n) (D. Lemire, Fast random integer generation in an interval, ACM Transactions on
    Modeling and Computer Simulation 29, 2019).
    """
    least = (1 << 32) % n
    picked: tuple[int, ...] = ()
    while len(picked) < n:
        some = itertools.islice(words, n - len(picked))
        picked += tuple(w * n >> 32 for w in some if w * n & 0xffffffff >= least)
    return picked


@functools.lru_cache(maxsize=8)
def _draws(counts: tuple[int, ...]) -> list[list[tuple[int, ...]]]:
    """Returns, for each resample and row, the rounds that are drawn. Rows have `counts` rounds."""
    # Some more words than those that are wanted, because a few are rejected.
    words = iter(_words((_RESAMPLES * (sum(counts) + 1)).bit_length()))
    return [[_pick(words, n) for n in counts] for _ in range(_RESAMPLES)]


class _Ratio(dict[tuple[int, ...], float]):
    """The logarithms of median(a) / median(b) of one row, by the rounds that are drawn."""

    def __init__(self, rounds: Rounds) -> None:
        super().__init__()
        self.rounds = rounds

    def __missing__(self, picked: tuple[int, ...]) -> float:
        a = median([self.rounds[i][0] for i in picked])
        b = median([self.rounds[i][1] for i in picked])
        self[picked] = math.log(a / b) if a > 0 and b > 0 else math.nan
        return self[picked]


@functools.lru_cache(maxsize=100000)
def geomean(rows: tuple[Rounds, ...]) -> Estimate:
    """Returns the geometric mean over the rows of median(a) / median(b). It is NaN if a row has no rounds or a
    median is not positive. Reports ask again and again for the same ones while a suite runs.
    """
    if not rows or not all(rows):
        return Estimate()
    ratios = [_Ratio(r) for r in rows]

    def mean(picks: Sequence[tuple[int, ...]]) -> float:
        total = 0.0
        for ratio, picked in zip(ratios, picks):
            total += ratio[picked]
        return math.exp(total / len(rows))

    value = mean([tuple(range(len(r))) for r in rows])
    if math.isnan(value) or min(map(len, rows)) < 2:
        return Estimate(value)
    means = sorted(mean(picks) for picks in _draws(tuple(map(len, rows))))
    if any(map(math.isnan, means)):  # the median of some draw is not positive
        return Estimate(value)
    return Estimate(value, means[_RESAMPLES // 40], means[_RESAMPLES - 1 - _RESAMPLES // 40])
