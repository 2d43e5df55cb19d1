# SPDX-License-Identifier: Apache-2.0
"""Counterexamples: runs of a model, and words of an automaton."""
from __future__ import annotations

import builtins
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Union

from . import _html, _svg
from ._errors import BackendError, InputError

Value = Union[int, bool, str, tuple[Union[int, bool, str], ...]]
"""What a variable holds: a number, a truth value, the name of a location or of an mtype, or the elements
of an array."""


@dataclass(frozen=True)
class State:
    """A state of a run, with the transition that leaves it.

    ``state["P.x"]`` is the value of a variable, and iteration yields the variables' names.

    Attributes:
        index: its place in the run, from 0.
        transition: number of the transition in the model; "stutter" if the state has no successor
            and repeats itself; None if the run ends.
        label: label of the transition: its processes and their actions; None without one.
        place: file:line:column of the transition; or None.
        names, values: of the variables, in the order of the model.
        prints: the output of the transition, newlines included; None: nothing.
    """

    index: int
    transition: int | Literal["stutter"] | None
    label: str | None
    place: str | None
    names: tuple[str, ...] = field(repr=False)
    values: tuple[Value, ...]
    prints: str | None = None

    def __getitem__(self, name: str) -> Value:
        try:
            return self.values[self.names.index(name)]
        except ValueError:
            raise KeyError(name) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def changed(self, before: State) -> frozenset[str]:
        """Returns the names of the variables whose values differ from those of the earlier state."""
        return frozenset(n for n, a, b in zip(self.names, self.values, before.values) if a != b)


@dataclass(frozen=True)
class Lasso:
    """A run of a model: a stem, usually followed by a cycle that repeats for ever.

    In a notebook it is a table with marked changes and a shaded cycle, below a small sequence chart.

    Attributes:
        model: name of its model's file, without folders; "-" if the model was a text.
        property: the violated property, as "ltl=G p"; None: the run shows nothing about a property.
        reset_dead: the run is one of the model that forgets values which are not used again.
        overflow: "wrap" or "error".
        assertions: "ignored": the run continues after a failed assertion; None: it would end there.
        fairness, fair: the assumptions, as `omen.check` takes them; None: none.
        locations: names of the variables that hold locations of processes; None: those that have values with names.
        vars: names of the variables.
        states: from the initial one on.
        loop: index of the state in which the cycle begins; None: the run is finite.
        violated_at: index of the first state after which every continuation violates the property (beyond
            the last state: in a later round of the cycle); None: there is none, or it is unknown.
        definitions: macros that the model was read with, "NAME" or "NAME=VALUE" as in ``-D``.
    """

    model: str
    property: str | None
    reset_dead: bool
    overflow: str
    assertions: str | None
    fairness: str | None
    fair: str | None
    locations: tuple[str, ...] | None
    vars: tuple[str, ...]
    states: tuple[State, ...]
    loop: int | None
    violated_at: int | None
    definitions: tuple[str, ...]
    _document: Mapping[str, Any] = field(repr=False, compare=False)

    @builtins.property
    def stem(self) -> tuple[State, ...]:
        """The states before the cycle; all states if there is none."""
        return self.states if self.loop is None else self.states[:self.loop]

    @builtins.property
    def cycle(self) -> tuple[State, ...]:
        """The states of the cycle; empty if there is none."""
        return () if self.loop is None else self.states[self.loop:]

    def to_json(self) -> str:
        """Returns the run in the Informal Trace Format, as ``omen check --lasso FILE.json`` writes it."""
        return json.dumps(self._document, ensure_ascii=False)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes `to_json` to a file, for ``omen replay``. Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json() + "\n")

    @staticmethod
    def from_json(document: Mapping[str, Any]) -> Lasso:
        """Returns the run of an object in that format. Raises `BackendError` if the object is not a run."""
        try:
            meta, names = document["#meta"], tuple(document["vars"])
            states = tuple(_state(state, names) for state in document["states"])
            locations = tuple(meta["locations"]) if "locations" in meta else None
            return Lasso(meta["model"], meta["property"], meta["reset_dead"], meta["overflow"],
                         meta.get("assertions"), meta.get("fairness"), meta.get("fair"), locations, names, states,
                         document.get("loop"), meta.get("violated_at"), tuple(meta.get("definitions", ())),
                         document)
        except (KeyError, TypeError, AttributeError) as error:
            raise BackendError(f"not a valid lasso: {error!r}") from error

    @staticmethod
    def load(path: str | os.PathLike[str]) -> Lasso:
        """Returns the run in a file that `save` or ``--lasso`` wrote. Raises OSError, or `InputError`."""
        with open(path, encoding="utf-8") as file:
            try:
                return Lasso.from_json(json.load(file))
            except (ValueError, BackendError) as error:
                raise InputError(f"{os.fspath(path)}: {error}") from error

    def _repr_html_(self) -> str:
        return f"<div>{self._repr_svg_()}{_html.lasso_table(self)}</div>"

    def _repr_svg_(self) -> str:
        return _svg.sequence_chart(self)


def _state(state: Mapping[str, Any], names: tuple[str, ...]) -> State:
    meta = state["#meta"]
    values = tuple(tuple(state[n]) if isinstance(state[n], list) else state[n] for n in names)
    return State(meta["index"], meta["transition"], meta.get("label"), meta.get("place"), names, values,
                 meta.get("prints"))


@dataclass(frozen=True)
class Word:
    """A word that an automaton accepts.

    Attributes:
        labels: for each step, a formula of the propositions that are true and those that are false.
        loop: index of the label with which the cycle begins.
    """

    labels: tuple[str, ...]
    loop: int

    def _repr_html_(self) -> str:
        return _html.word_table(self)
