# SPDX-License-Identifier: Apache-2.0
"""What the families of deep bugs share: the description of a model, and sizes."""
from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Model:
    """A model with one property that it violates.

    options: of `omen check`, without the file; they state the property. depth: steps of a shortest counterexample as
    omen prints it, computed from the sizes, up to a quarter off; without meaning if the model is mended. states:
    the magnitude of the reachable states.
    """

    text: str
    options: list[str]
    depth: int
    states: float


@dataclass(frozen=True)
class Family:
    """make(rng, mended, **sizes) builds a model. `small` are sizes whose models are searched exhaustively within a second,
    `full` sizes with 10^7 to 10^9 states. `narrow` replaces some of the full sizes: the bug is about as deep, but there
    are only 10^3 to 10^7 states. rng decides what must not matter, such as the order of processes. A mended
    model does not have the bug, and the property holds.
    """

    make: Callable[..., Model]
    small: dict[str, int]
    narrow: dict[str, int]
    full: dict[str, int]

    @property
    def name(self) -> str:
        return self.make.__name__

    @property
    def suffix(self) -> str:
        return "." + self.name.partition("_")[0]

    def build(self, size: str = "full", seed: int = 0, mended: bool = False) -> Model:
        """Returns the model of a size: small, narrow or full. The same seed gives the same text."""
        sizes = {"small": self.small, "narrow": self.full | self.narrow, "full": self.full}[size]
        return self.make(random.Random(f"{self.name} {seed}"), mended, **sizes)


def shuffled(rng: random.Random, items: list[str]) -> list[str]:
    """Returns the items in a random order, so that no order of processes or options leads to the bug by itself."""
    items = list(items)
    rng.shuffle(items)
    return items
