# SPDX-License-Identifier: Apache-2.0
"""Results, as frozen dataclasses: the members of omen's JSON Schemas, by the same names."""
from __future__ import annotations

import builtins
import enum
from dataclasses import dataclass
from typing import Literal, NoReturn

from . import _html
from ._lasso import Lasso, Word


class Verdict(enum.StrEnum):
    """What became of a property."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What stands behind a device that found nothing.

    Attributes:
        known_answer: it passed the known-answer test of its kernels.
        states: of its states that the CPU expanded again, and agrees on.
        again: the device searched a second time, and came to the same.
    """

    known_answer: bool
    states: int
    again: bool


@dataclass(frozen=True, kw_only=True)
class Counters:
    """What a checker counted.

    Attributes:
        expansions: computations of a state's successors.
        repeated: of those, beyond one for each state.
        red: states that a second search entered, each time.
        unions, finds: of a union-find.
        retries: steps done again because of another worker.
        blocked_seconds: that workers waited for each other, all together.
        peak_stack: entries of search stacks, of each worker when they were most.
        auxiliary_bytes: of the part's memory, what is not the stored states.
    """

    expansions: int
    repeated: int
    red: int
    unions: int
    finds: int
    retries: int
    blocked_seconds: float
    peak_stack: int
    auxiliary_bytes: int


@dataclass(frozen=True, kw_only=True)
class Part:
    """The automaton's share of one strength, and what its checker found.

    Attributes:
        strength: "terminal", "weak", "strong" or "non-accepting".
        automaton_states, automaton_edges: as the checker took it.
        conversion: of its acceptance, for the checker; None: none.
        converted_from: states of the automaton before the conversion.
        checker: its name.
        device: its name; None is the CPU.
        gave_up: the checker and the device that were asked first and could not do it, and why.
        shares_states: its states are kept with those of other parts; ``memory_bytes`` counts the store.
        states, transitions: of the product: stored, explored.
        sccs: components; None: not counted.
        seconds, memory_bytes: that it took.
        verdict: does the product with it have an accepting run? "empty", "nonempty" or "unknown".
        coverage: estimated, of a search that hashes states into bits.
        verified: what stands behind a device that found nothing.
        counters: None for a device, which does not count.
    """

    strength: str
    automaton_states: int
    automaton_edges: int
    conversion: str | None
    converted_from: int | None
    checker: str
    device: str | None
    gave_up: str | None
    shares_states: bool
    states: int
    transitions: int
    sccs: int | None
    seconds: float
    memory_bytes: int
    verdict: Literal["empty", "nonempty", "unknown"]
    coverage: float | None
    verified: Verified | None
    counters: Counters | None


@dataclass(frozen=True, kw_only=True)
class Overflow:
    """A value that did not fit what it was assigned to.

    Attributes:
        place: file:line:column of what is assigned to.
        variable: with its index, where it is of an array.
        value: that was assigned.
        stored: what it wrapped to.
        low, high: what the variable holds.
        transition: its label; None: an initial value.
    """

    place: str
    variable: str
    value: int
    stored: int
    low: int
    high: int
    transition: str | None


@dataclass(frozen=True, kw_only=True)
class Overflows:
    """Values that wrapped.

    Attributes:
        count: assignments, as they were met, and initial values.
        first: one of the first that were met.
    """

    count: int
    first: Overflow


@dataclass(frozen=True, kw_only=True)
class Fairness:
    """What is assumed of endless runs.

    Attributes:
        kind: "none", "weak" or "strong": of processes.
        processes: that it is about.
        formulas: of ``fair``.
        sets: acceptance sets that it takes.
    """

    kind: str
    processes: int
    formulas: tuple[str, ...]
    sets: int


@dataclass(frozen=True, kw_only=True)
class Progress:
    """What a check has done so far.

    Attributes:
        states, transitions: stored, explored, by all parts.
        seconds: since the check of the property began.
        memory_bytes: resident size of the process.
        parts_running: parts that are being checked.
    """

    states: int
    transitions: int
    seconds: float
    memory_bytes: int
    parts_running: int


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something that omen says beside results.

    Attributes:
        text: a line.
        warning: it is a warning, and not a notice.
    """

    text: str
    warning: bool


class _Judged:
    """A verdict is none of true and false."""

    verdict: Verdict

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict may be unknown and has no truth value: use .verdict, .holds or .violated")

    @builtins.property
    def holds(self) -> bool:
        """It is proven. Where this is False, it may still be unknown."""
        return self.verdict is Verdict.HOLDS

    @builtins.property
    def violated(self) -> bool:
        """It is refuted. Where this is False, it may still be unknown."""
        return self.verdict is Verdict.VIOLATED


@dataclass(frozen=True, kw_only=True)
class CheckResult(_Judged):
    """What became of one property of a model. It has no truth value: a verdict may be unknown.

    Attributes:
        model: the file as it was given; "-" where the model was a text.
        about: what the verdict is about: "property", or an "assertion" of the model that fails.
        property: its text, or its name; of an assertion its place, "FILE:LINE:COLUMN".
        verdict: holds, violated or unknown.
        reason: of unknown: "time limit", for example; of violated, where there is no lasso: why.
        fault: where the model goes wrong, too; or what the assertion says that fails.
        parts: by strength.
        states, transitions, seconds: of all parts.
        memory_bytes: peak resident size.
        seed: of the order of successors.
        threads: workers on the CPU.
        overflows: values that wrapped; None: none did.
        minimal: is it known that no counterexample has fewer states? None: nobody asked.
        fairness: what is assumed; None: nothing.
        together: so many properties were checked by one exploration, whose figures these are; None: it was by itself.
        of: so many properties the check has; those that `fail_fast` leaves out, too.
        overflow_trace: to the state that the first overflowing transition leaves.
        lasso: the counterexample; None: there is none.
        assertion: of a property's result, what `check` says of an assertion that fails; None: none was seen to fail.
            The property then holds if it does on all runs, which go on where an assertion fails, and is violated if a run
            shows that on which none does; else it is unknown.
    """

    model: str
    about: Literal["property", "assertion"]
    property: str
    verdict: Verdict
    reason: str | None
    fault: str | None
    parts: tuple[Part, ...]
    states: int
    transitions: int
    seconds: float
    memory_bytes: int
    seed: int
    threads: int
    overflows: Overflows | None
    minimal: bool | None
    fairness: Fairness | None
    together: int | None
    of: int
    overflow_trace: Lasso | None
    lasso: Lasso | None
    assertion: CheckResult | None = None

    def _repr_html_(self) -> str:
        run = "" if self.lasso is None else self.lasso._repr_html_()
        return f"<div>{_html.verdict_line(self)}{run}</div>"


@dataclass(frozen=True, kw_only=True)
class EmptyResult(_Judged):
    """Is the language of an automaton empty? ``holds``: it is. Attributes as `CheckResult` has them.

    Attributes:
        lasso: a word that it accepts; None: there is none.
    """

    model: str
    about: Literal["property"]
    property: str
    verdict: Verdict
    reason: str | None
    fault: str | None
    parts: tuple[Part, ...]
    states: int
    transitions: int
    seconds: float
    memory_bytes: int
    seed: int
    threads: int
    lasso: Word | None

    def _repr_html_(self) -> str:
        word = "" if self.lasso is None else self.lasso._repr_html_()
        return f"<div>{_html.verdict_line(self)}{word}</div>"


@dataclass(frozen=True, kw_only=True)
class ReplayResult:
    """What the referee says of a counterexample.

    Attributes:
        model, lasso: the files as they were given; "-" and "<lasso>" where they were texts.
        property: what it was replayed for; None: the lasso could not be read.
        verdict: "accepted" or "rejected".
        reason: of rejected.
        states: of the lasso; None: it could not be read.
        loop: the state in which the cycle begins; None: there is none.
        violated_at: the first state after which every continuation violates the property, as the lasso says;
            None: it says none.
    """

    model: str
    lasso: str
    property: str | None
    verdict: Literal["accepted", "rejected"]
    reason: str | None
    states: int | None
    loop: int | None
    violated_at: int | None

    @builtins.property
    def accepted(self) -> bool:
        """It shows what it should."""
        return self.verdict == "accepted"

    def __bool__(self) -> bool:
        return self.accepted
