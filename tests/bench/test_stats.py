# SPDX-License-Identifier: Apache-2.0
"""Known answers of the statistics. usage: FOLDER OF omen_bench"""
import math
import sys
import unittest

sys.path.insert(0, sys.argv.pop(1))
from omen_bench.stats import geomean, median  # noqa: E402


def alone(values):
    """A row without a divisor."""
    return tuple((v, 1) for v in values)


class Stats(unittest.TestCase):
    def test_median(self):
        odd = [9, 1, 5]
        self.assertEqual(median(odd), 5)
        self.assertEqual(median([4, 1, 3, 100]), 3.5)
        self.assertEqual(median([9]), 9)
        self.assertTrue(math.isnan(median([])))
        self.assertEqual(odd, [9, 1, 5])

    def near(self, e, value, low, high):
        for x, y in (e.value, value), (e.low, low), (e.high, high):
            self.assertAlmostEqual(x / y, 1, places=9)

    def test_geomean(self):
        two, eight = ((2, 1),) * 3, ((8, 1),) * 3
        self.near(geomean((two, eight)), 4, 4, 4)
        self.near(geomean((two,)), 2, 2, 2)

    def test_rounds_are_pairs(self):
        """Both sides of a round are drawn together: a slowdown of both does not widen the interval."""
        self.near(geomean((((10, 5), (40, 20), (20, 10), (80, 40)),)), 2, 2, 2)

    def test_interval(self):
        """Two rounds: the median of a draw is 1, 2 or 3 with probability 1/4, 1/2, 1/4."""
        self.near(geomean((alone([1, 3]),)), math.sqrt(4), 1, 3)
        # Five rounds: at most 2.5 % of the medians are 10 or 11.
        five = geomean((alone([10, 11, 12, 13, 14]),))
        self.assertAlmostEqual(five.value, 12)
        self.assertTrue(10 - 1e-9 <= five.low <= 11 + 1e-9 and 13 - 1e-9 <= five.high <= 14 + 1e-9)
        geomean.cache_clear()
        self.assertEqual(geomean((alone([10, 11, 12, 13, 14]),)), five)
        # Rows with other numbers of rounds: as the program printed it before.
        rows = (alone([1, 3]), ((5, 2), (6, 2), (9, 3)), alone([7, 7.5, 8, 8.5]))
        self.near(geomean(rows), 3.595983174073905, 2.685842677472416, 4.203058995983081)

    def test_what_is_not_known(self):
        once = geomean((alone([4]),))
        self.assertEqual(once.value, 4)
        self.assertFalse(once.has_interval())
        for rows in ((alone([]),), (((4, 0), (4, 0)),), ()):
            self.assertFalse(geomean(rows))


if __name__ == "__main__":
    unittest.main()
