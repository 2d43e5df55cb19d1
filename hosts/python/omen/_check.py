# SPDX-License-Identifier: Apache-2.0
"""Checks and explorations of a model."""
from __future__ import annotations

import contextlib
import dataclasses
import os
from collections.abc import Generator, Mapping
from typing import Literal, Union, cast

from ._backend import Backend, Request
from ._commands import AutomatonLike, Path
from ._decode import decode
from ._errors import BackendError, ModelError
from ._exchange import (HOLDS, INPUT, UNKNOWN, VIOLATED, Keyword, answer_to, converse, fail, files_of, log, model_of,
                        options_of, parsed)
from ._exploration import Exploration
from ._results import CheckResult, Note, Progress, Verdict

Event = Union[Progress, Note, CheckResult]
_FAULT = "error in the model"  # the reason of a result with a fault


def check(model: Path, *, ltl: str | None = None, ltl_file: Path | None = None, never: AutomatonLike | None = None,
          invariant: str | None = None, deadlock: bool = False, assertions: bool = False, non_progress: bool = False,
          progress_states: str | None = None, property: str | None = None, fail_fast: bool = False,
          checker: str | None = None, terminal: str | None = None, weak: str | None = None, strong: str | None = None,
          schedule: Literal["auto", "concurrent", "sequential"] | None = None, seed: int | None = None,
          search: Literal["auto", "bfs", "dfs", "best", "walk"] | None = None, guide: str | None = None,
          frontend: str | None = None, define: str | list[str] | None = None,
          include: Path | list[Path] | None = None, include_root: Path | list[Path] | None = None,
          spelling: Literal["omen", "spin", "psl"] | None = None,
          translator: str | None = None, device: int | str | None = None,
          verify_device: int | Literal["all", "again"] | None = None, exec: Literal["auto", "native", "vm"] | None = None,
          store: Literal["plain", "tree"] | None = None, finite_runs: Literal["stutter", "ignore"] | None = None,
          fairness: Literal["none", "weak", "strong"] | None = None, fair: str | list[str] | None = None,
          reset_dead: bool | None = None, merge: bool | None = None,
          por: Literal["off", "on", "always"] | None = None,
          overflow: Literal["wrap", "error"] | None = None,
          threads: int | None = None, memory: int | str | None = None, timeout: float | str | None = None,
          max_states: int | None = None, shortest: float | str | None = None,
          whole_run: bool = False, backend: Backend | None = None) -> CheckResult:
    """Checks one property of a model, or all properties that the model defines.

    Args:
        model: a path, or the text of a model (a string with a line end in it, or a `Text`).
        ltl: a formula that must hold on every run.
        ltl_file: a file with such a formula.
        never: an automaton that must accept no run: an `Automaton`, a path or a text.
        invariant: an expression that must be true in every reachable state.
        deadlock: every reachable state must have a successor.
        assertions: no assertion of the model may fail.
        non_progress: no infinite run may stop making progress; progress_states tells which states make it.
        property: the name of a property that the model defines (`properties` lists them). Without any property, all
            properties of the model are checked, and the result is the worst: the first that is violated, otherwise
            the first that is unknown. `check_iter` returns all of them.
        fail_fast: no property is checked after the first violation.
        checker, terminal, weak, strong: ``NAME[:OPTION=VALUE,...]``, the checker of all parts, or of one part.
        schedule: parts run at the same time ("concurrent"), or one after another ("sequential"). With "auto" they run
            at the same time or, with one thread, in turn.
        seed: the order of successors of a swarm.
        search: the orders of a search for a bad state: by turns ("auto"), level by level ("bfs"), or mostly depth-first,
            best-first or in random walks.
        guide: ``NAME[:OPTION=VALUE,...]``, what a best-first search goes by.
        frontend: the name of the front end that reads the model; "dve" by default for a text.
        define: macros of a model in a language with a preprocessor, ``NAME`` or ``NAME=VALUE``.
        include, include_root: folders in which included files are searched, or from which they may come.
        spelling: the syntax of ltl, ltl_file and fair; None: that of formulas in the model's language.
        translator: the translator of LTL, or ``cmd:COMMAND``.
        device: "auto", "none", "all", "cpu", "gpu", "host" or a number of `omen.devices`.
        verify_device: number of states that the CPU expands again; "all", or "again" to search twice.
        exec: how the CPU computes successors.
        store: how states are stored.
        finite_runs: a finite run repeats its last state ("stutter"), or is no run ("ignore").
        fairness, fair: process fairness, and formulas that are assumed.
        reset_dead: forget values that are not used again (default: True).
        merge: statements that concern only their process are not separate steps (default: if that is sound).
        por: leave out orders of steps that are independent, if a sample of states says that it pays ("on"), or always
            (default: "off").
        overflow: values that do not fit wrap, or are errors.
        threads: workers on the CPU.
        memory: limit, in bytes or as "2G".
        timeout: limit for all properties together, in seconds or as "10m".
        max_states: limit on stored states.
        shortest: time spent on the search for a shortest counterexample after one was found; as timeout.
        whole_run: keep the rest of a counterexample after the property is already violated.
        backend: the back end; None: the program on this machine (`Local`).

    If an assertion of the model fails during the check, it has a verdict of its own, ``result.assertion``. The
    property holds if it holds on all runs, including those that continue after a failed assertion. It is violated if
    a run without a failed assertion shows the violation; otherwise it is unknown.
    A limit that was hit is a result, "unknown". Raises `UsageError`, `InputError` (with file, line and
    column), `ModelError` if the model itself has an error, `InternalError` and `BackendError`. Other
    output of omen goes to the logger "omen".
    """
    keywords: dict[str, Keyword] = dict(locals())
    if not isinstance(ltl, (str, type(None))):
        raise TypeError("check() takes a single formula; use check_iter() for several")
    if len(_asked(keywords)) > 1:
        raise TypeError("check() takes a single property; use check_iter() for several")
    alone = _asked(keywords) != [""]
    results = []
    with contextlib.closing(_events(keywords, backend)) as events:
        for event in events:
            if isinstance(event, Note):
                log(event)
            elif isinstance(event, CheckResult):
                results.append(event)
    return _of_property(results) if alone else _worst(results)


def _of_property(results: list[CheckResult]) -> CheckResult:
    """Returns the property's result, together with the one of an assertion that failed during the check."""
    *before, last = results  # there is one, otherwise an exception was raised
    return dataclasses.replace(last, assertion=before[0]) if before else last


def _worst(results: list[CheckResult]) -> CheckResult:
    order = (Verdict.VIOLATED, Verdict.UNKNOWN, Verdict.HOLDS)
    return min(results, key=lambda result: order.index(result.verdict))


def check_iter(model: Path, *, ltl: str | list[str] | None = None, ltl_file: Path | None = None,
               never: AutomatonLike | None = None, invariant: str | None = None, deadlock: bool = False,
               assertions: bool = False, non_progress: bool = False, progress_states: str | None = None,
               property: str | None = None, fail_fast: bool = False,
               checker: str | None = None, terminal: str | None = None, weak: str | None = None,
               strong: str | None = None, schedule: Literal["auto", "concurrent", "sequential"] | None = None,
               seed: int | None = None, search: Literal["auto", "bfs", "dfs", "best", "walk"] | None = None,
               guide: str | None = None, frontend: str | None = None, define: str | list[str] | None = None,
               include: Path | list[Path] | None = None, include_root: Path | list[Path] | None = None,
               spelling: Literal["omen", "spin", "psl"] | None = None, translator: str | None = None,
               device: int | str | None = None, verify_device: int | Literal["all", "again"] | None = None,
               exec: Literal["auto", "native", "vm"] | None = None, store: Literal["plain", "tree"] | None = None,
               finite_runs: Literal["stutter", "ignore"] | None = None,
               fairness: Literal["none", "weak", "strong"] | None = None, fair: str | list[str] | None = None,
               reset_dead: bool | None = None, merge: bool | None = None,
               por: Literal["off", "on", "always"] | None = None,
               overflow: Literal["wrap", "error"] | None = None,
               threads: int | None = None, memory: int | str | None = None, timeout: float | str | None = None,
               max_states: int | None = None, shortest: float | str | None = None,
               whole_run: bool = False, backend: Backend | None = None) -> Generator[Event, None, None]:
    """Checks properties of a model, and reports progress.

    Arguments are those of `check`, except that several properties may be given, and ltl may be a list. Properties are
    checked one after the other, in the order of the arguments. Yields `Progress` four times a second, a `Note` for
    each message of omen, and a `CheckResult` for each property as soon as it is known. A failing assertion of the
    model has a result of its own before that (``result.about``). The last result ends the iteration. With fail_fast,
    no property is checked after the first violation. Raises as `check` does, but a `ModelError` only after the
    results; the message of an exception has been yielded as a note before. Dropping or closing the iterator ends the
    check.
    """
    return _events(dict(locals()), backend)


def explore(model: Path, *, device: int | str | None = None, verify_device: int | Literal["all", "again"] | None = None,
            exec: Literal["auto", "native", "vm"] | None = None, store: Literal["plain", "tree"] | None = None,
            reset_dead: bool | None = None, merge: bool | None = None,
            por: Literal["off", "on", "always"] | None = None,
            overflow: Literal["wrap", "error"] | None = None,
            threads: int | None = None, memory: int | str | None = None, timeout: float | str | None = None,
            max_states: int | None = None, coverage: bool = False, ignore_assertions: bool = False,
            errors: int | None = None, frontend: str | None = None,
            define: str | list[str] | None = None, include: Path | list[Path] | None = None,
            include_root: Path | list[Path] | None = None,
            backend: Backend | None = None) -> Exploration:
    """Counts the states of a model. Arguments are those of `check` (but reset_dead and merge are False by default), and
    coverage: also report statements that no run executes; only the CPU can do that.
    ignore_assertions: assertions of the model are not evaluated.
    errors: the exploration ends after this many failed assertions, counted by state and place.

    If an assertion fails, the exploration continues, and the result lists the failed assertions. A limit that
    was hit gives an incomplete result. Raises as `check` does, but not for assertions.
    """
    keywords: dict[str, Keyword] = dict(locals())
    source, keywords["frontend"] = model_of(model, frontend)
    del keywords["model"], keywords["backend"]
    text, status, said = answer_to(backend, Request("explore", (source,), (*options_of(keywords), ("json", None))))
    if status == UNKNOWN and not text:  # the limit was hit before there was any result
        return _unexplored(source.path or "-", said[-1] if said else None)
    if status not in (HOLDS, VIOLATED, UNKNOWN, INPUT) or not text:
        fail(status, said)
    found = decode(Exploration, parsed(text, said))
    if status == INPUT:
        raise ModelError(said[-1] if said else _FAULT, said, found)
    return found


def _events(keywords: dict[str, Keyword], backend: Backend | None) -> Generator[Event, None, None]:
    """Yields the events of check_iter(), given its arguments by name."""
    source, keywords["frontend"] = model_of(cast(Path, keywords.pop("model")), cast("str | None", keywords["frontend"]))
    keywords.update(files_of(keywords["never"], keywords["ltl_file"]))
    keywords.pop("backend", None)
    if keywords["ltl"] == [] or keywords["ltl"] == ():
        raise ValueError("ltl is an empty list")
    asked = _asked(keywords)
    request = Request("check", (source,), (*options_of(keywords), ("json-lines", None)))
    results: list[CheckResult] = []
    with contextlib.closing(converse(backend, request)) as answer:
        while True:
            try:
                item = next(answer)
            except StopIteration as end:
                status, said = cast("tuple[int, tuple[str, ...]]", end.value)
                break
            event = item if isinstance(item, Note) else _event(parsed(item))
            if isinstance(event, CheckResult):
                results.append(event)
            yield event
    if status == INPUT and any(result.reason == _FAULT for result in results):
        raise ModelError(said[-1] if said else _FAULT, said, next(r for r in results if r.reason == _FAULT))
    if status not in (HOLDS, VIOLATED, UNKNOWN):
        fail(status, said)
    answered = 0
    for result in results:  # of an assertion: accompanies a property, or answers for all assertions
        answered += result.about == "property" or asked[answered:answered + 1] == ["assertions"]
    if keywords.get("fail_fast") and status == VIOLATED:
        return
    for formula in asked[answered:]:
        if status != UNKNOWN:
            raise BackendError("omen gave no result", said)
        # The limit was hit before there was any result.
        yield _unknown(source.path or "-", formula, said[-1] if said else None, keywords)


def _asked(keywords: Mapping[str, Keyword]) -> list[str]:
    """Returns the possible names of each requested property, in the order of their results."""
    names: list[str] = []
    for name in "ltl", "ltl_file", "never", "invariant", "deadlock", "assertions", "non_progress", "property":
        value = keywords[name]
        if isinstance(value, (list, tuple)):
            names += [str(item) for item in value]
        elif value is not None and value is not False:
            names.append(name if value is True else str(value))
    return names or [""]


def _event(value: Mapping[str, object]) -> Progress | CheckResult:
    if "progress" in value:
        return decode(Progress, value["progress"])
    return decode(CheckResult, value)


def _unknown(model: str, formula: str, reason: str | None, keywords: Mapping[str, Keyword]) -> CheckResult:
    def number(name: str) -> int:
        value = keywords[name]
        return value if isinstance(value, int) else 0

    return CheckResult(model=model, about="property", property=formula, verdict=Verdict.UNKNOWN, reason=reason,
                       fault=None, parts=(), states=0, transitions=0, seconds=0.0, memory_bytes=0, seed=number("seed"),
                       threads=number("threads"), code=None, overflows=None, minimal=None, fairness=None, together=None,
                       of=1, overflow_trace=None, lasso=None)


def _unexplored(model: str, reason: str | None) -> Exploration:
    return Exploration(model=model, complete=False, reason=reason, states=0, stored=0, transitions=0, deadlocks=0,
                       levels=0, failures=None, overflows=None, seconds=0.0, states_per_second=None,
                       transitions_per_second=None, memory_bytes=0, store=None, executor=None, code=None, device=None,
                       queue=None, counts=None, gave_up=None, verified=None, limit_seconds=None, overtime_seconds=None,
                       coverage=None, overflow_trace=None)
