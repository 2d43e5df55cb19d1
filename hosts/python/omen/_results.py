# SPDX-License-Identifier: Apache-2.0
"""Results as frozen dataclasses: the members of omen's JSON Schemas, by the same names."""
from __future__ import annotations

import builtins
import enum
from dataclasses import dataclass
from typing import Literal, NoReturn

from . import _html
from ._lasso import Lasso, Word


class Verdict(enum.StrEnum):
    """The verdict on a property."""

    HOLDS = "holds"
    VIOLATED = "violated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Verified:
    """The verification of a device that found no violation.

    Attributes:
        known_answer: the device passed the known-answer test of its kernels.
        states: number of its states that the CPU expanded again with the same result.
        again: the device searched a second time with the same result.
    """

    known_answer: bool
    states: int
    again: bool


@dataclass(frozen=True, kw_only=True)
class Counters:
    """The counters of a checker.

    Attributes:
        expansions: computations of a state's successors.
        repeated: expansions beyond one for each state.
        red: states that a second search entered, each time.
        unions, finds: of a union-find.
        retries: steps repeated because of another worker.
        blocked_seconds: time that workers waited for each other, in total.
        peak_stack: entries of search stacks: the sum of each worker's maximum.
        auxiliary_bytes: memory of the part other than the stored states.
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
    """The part of the automaton of one strength, and its checker's result.

    Attributes:
        strength: "terminal", "weak", "strong" or "non-accepting".
        automaton_states, automaton_edges: as passed to the checker.
        conversion: conversion of its acceptance for the checker; None: none.
        converted_from: states of the automaton before the conversion.
        checker: its name.
        device: its name; None is the CPU.
        gave_up: the checker and the device that were tried first and failed, and why.
        shares_states: its states are kept with those of other parts; ``memory_bytes`` includes the store.
        states, transitions: of the product: stored, explored.
        sccs: components; None: not counted.
        seconds, memory_bytes: time and memory that it took.
        verdict: "nonempty" if the product with this part has an accepting run, "empty" or "unknown".
        coverage: an estimate, for a search that hashes states into bits.
        verified: the verification of a device that found no violation.
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
    """A value that did not fit the variable that it was assigned to.

    Attributes:
        place: file:line:column of the variable in the assignment.
        variable: with its index, if it is an array.
        value: the assigned value.
        stored: the wrapped value.
        low, high: range of the variable.
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
        count: assignments, each time they were met, and initial values.
        first: one of the first that were met.
    """

    count: int
    first: Overflow


@dataclass(frozen=True, kw_only=True)
class CodeRate:
    """What the workers did while one kind of executor was in use.

    Attributes:
        states: states that they expanded, repeated expansions included.
        cpu_seconds: processor time of their threads, storing the states included.
        states_per_second: of processor time; None: no time was measured.
    """

    states: int
    cpu_seconds: float
    states_per_second: float | None


@dataclass(frozen=True, kw_only=True)
class Code:
    """How the CPU computed successors.

    Attributes:
        interpreter: the executor in use until there was native code: "vm", or "table" for nets; None: there was
            native code from the first state on.
        interpreter_seconds, quick_seconds, native_seconds: time during which it was in use, native code that was
            compiled quickly, and native code that was compiled to be fast.
        compiler_seconds: time for which compilers ran beside the search.
        cached: native code came from the cache.
        compiling: a compiler goes on in the background, and its code will be cached.
        quick_compiler_seconds: part of compiler_seconds for native code that is ready sooner.
        text_bytes: size of the generated C text; 0: none was generated.
        interpreter_rate, quick_rate, native_rate: what the workers did with each of them.
    """

    interpreter: str | None
    interpreter_seconds: float
    quick_seconds: float
    native_seconds: float
    compiler_seconds: float
    cached: bool
    compiling: bool
    quick_compiler_seconds: float
    text_bytes: int
    interpreter_rate: CodeRate
    quick_rate: CodeRate
    native_rate: CodeRate


@dataclass(frozen=True, kw_only=True)
class Fairness:
    """The assumptions on infinite runs.

    Attributes:
        kind: "none", "weak" or "strong": fairness of processes.
        processes: number of processes that the fairness covers.
        formulas: the formulas of ``fair``.
        sets: number of acceptance sets that it adds.
    """

    kind: str
    processes: int
    formulas: tuple[str, ...]
    sets: int


@dataclass(frozen=True, kw_only=True)
class Progress:
    """The progress of a check.

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
    """A message of omen that is not a result.

    Attributes:
        text: a line.
        warning: True for a warning, False for a notice.
    """

    text: str
    warning: bool


class _Judged:
    """The base class of results with a verdict, which has no truth value."""

    verdict: Verdict

    def __bool__(self) -> NoReturn:
        raise TypeError("a verdict may be unknown and has no truth value: use .verdict, .holds or .violated")

    @builtins.property
    def holds(self) -> bool:
        """True if the property is proven. If False, it may still be unknown."""
        return self.verdict is Verdict.HOLDS

    @builtins.property
    def violated(self) -> bool:
        """True if the property is refuted. If False, it may still be unknown."""
        return self.verdict is Verdict.VIOLATED


@dataclass(frozen=True, kw_only=True)
class CheckResult(_Judged):
    """The result of one property of a model. It has no truth value, because a verdict may be unknown.

    Attributes:
        model: the file as it was given; "-" if the model was a text.
        about: the subject of the verdict: "property", or an "assertion" of the model that fails.
        property: its text, or its name; of an assertion its place, "FILE:LINE:COLUMN".
        verdict: holds, violated or unknown.
        reason: of unknown: "time limit", for example; of violated without a lasso: why there is none.
        fault: the place of an error in the model, too; or the text of the assertion that fails.
        parts: by strength.
        states, transitions, seconds: of all parts.
        memory_bytes: peak resident size.
        seed: of the order of successors.
        threads: workers on the CPU.
        code: how the CPU computed successors; None: it computed none.
        overflows: values that wrapped; None: none did.
        minimal: True if it is proven that no counterexample has fewer states; None: not requested.
        fairness: the assumptions; None: none.
        together: number of properties checked by one exploration, whose figures these are; None: one alone.
        of: number of properties of the check, including those that `fail_fast` leaves out.
        overflow_trace: to the state that the first overflowing transition leaves.
        lasso: the counterexample; None: there is none.
        assertion: in a property's result of `check`: the result of a failing assertion; None: none was seen to fail.
            The property then holds if it holds on all runs, including those that continue after a failed assertion. It
            is violated if a run without a failed assertion shows the violation; otherwise it is unknown.
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
    code: Code | None
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
    """The result of an emptiness check; ``holds``: the automaton's language is empty. Attributes as in `CheckResult`.

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
    """The result of verifying a counterexample.

    Attributes:
        model, lasso: the files as they were given; "-" and "<lasso>" if they were texts.
        property: the property that it was replayed for; None: the lasso could not be read.
        verdict: "accepted" or "rejected".
        reason: why it was rejected.
        states: of the lasso; None: it could not be read.
        loop: the state in which the cycle begins; None: there is none.
        violated_at: the first state after which every continuation violates the property, according to the
            lasso; None: the lasso names none.
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
        """True if the counterexample is a run of the model that violates the property."""
        return self.verdict == "accepted"

    def __bool__(self) -> bool:
        return self.accepted
