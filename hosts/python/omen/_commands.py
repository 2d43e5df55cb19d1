# SPDX-License-Identifier: Apache-2.0
"""The commands on automata and lassos, and those that list plug-ins, devices and properties. (check and explore:
_check.py)
"""
from __future__ import annotations

import dataclasses
import os
from typing import Literal, Union, get_args, overload

from ._automaton import Automaton
from ._backend import Backend, Request
from ._decode import decode
from ._exchange import (HOLDS, INPUT, UNKNOWN, VIOLATED, Keyword, answer_to, fail, files_of, model_of, options_of,
                        parsed, source_of)
from ._info import Devices, OwnProperties, OwnProperty, Plugins
from ._lasso import Lasso
from ._results import EmptyResult, ReplayResult, Verdict

Path = Union[str, "os.PathLike[str]"]
AutomatonLike = Union[Automaton, str, "os.PathLike[str]"]
Acceptance = Literal["hoa", "ba", "buchi", "tgba", "generalized-buchi", "tgba:disjuncts", "generalized-buchi:disjuncts",
                     "tgba:pending", "generalized-buchi:pending", "tgra", "rabin", "tsa", "streett", "tfla", "fin-less"]


def empty(automaton: AutomatonLike, *, checker: str | None = None, terminal: str | None = None, weak: str | None = None,
          strong: str | None = None, schedule: Literal["auto", "concurrent", "sequential"] | None = None,
          seed: int | None = None, threads: int | None = None, memory: int | str | None = None,
          timeout: float | str | None = None, max_states: int | None = None,
          backend: Backend | None = None) -> EmptyResult:
    """Checks whether the language of an automaton is empty; "holds" means that it is.

    Args:
        automaton: an `Automaton`, a path, or a text (HOA, or a never claim).
        The others are those of `omen.check`.

    Returns the verdict, with an accepted word if there is one. Raises as `omen.check` does.
    """
    keywords: dict[str, Keyword] = dict(locals())
    keywords.pop("backend")
    source = source_of("automaton", keywords.pop("automaton"))
    text, status, said = answer_to(backend, Request("empty", (source,), (*options_of(keywords), ("json", None))))
    if status == UNKNOWN and not text:  # the limit was hit before there was any result
        return EmptyResult(model=source.path or "-", about="property", property="empty", verdict=Verdict.UNKNOWN,
                           reason=said[-1] if said else None, fault=None, parts=(), states=0, transitions=0,
                           seconds=0.0, memory_bytes=0, seed=seed or 0, threads=threads or 0, lasso=None)
    if status not in (HOLDS, VIOLATED, UNKNOWN):
        fail(status, said)
    return decode(EmptyResult, parsed(text, said))


def translate(formula: str, to: Acceptance = "hoa", *, translator: str | None = None, memory: int | str | None = None,
              timeout: float | str | None = None, backend: Backend | None = None) -> Automaton:
    """Translates LTL to an automaton.

    Args:
        formula: LTL in any syntax that omen reads: ``G(a -> F b)``, ``[] (a -> <> b)`` ...
        to: the acceptance condition; "hoa": that of the translator's result.
        translator: the translator, ``NAME[:OPTION=VALUE,...]`` or ``cmd:COMMAND``.
        memory, timeout, backend: as in `omen.check`.

    Raises as `omen.check` does, and `LimitError` if a limit was hit.
    """
    keywords: dict[str, Keyword] = {"to": _known(to, get_args(Acceptance)), "translator": translator, "memory": memory,
                                    "timeout": timeout}
    return Automaton(_text(backend, Request("translate", (formula,), options_of(keywords))))


@overload
def convert(automaton: AutomatonLike, to: Literal["never", "dot"], *, memory: int | str | None = None,
            timeout: float | str | None = None, backend: Backend | None = None) -> str: ...


@overload
def convert(automaton: AutomatonLike, to: Acceptance, *, memory: int | str | None = None,
            timeout: float | str | None = None, backend: Backend | None = None) -> Automaton: ...


def convert(automaton: AutomatonLike, to: Acceptance | Literal["never", "dot"], *, memory: int | str | None = None,
            timeout: float | str | None = None, backend: Backend | None = None) -> Automaton | str:
    """Converts an automaton to another acceptance condition, or to another format.

    Args:
        automaton: an `Automaton`, a path, or a text (HOA, or a never claim).
        to: "ba", "tgba", "tgra" and so on return an `Automaton`; "never" returns the text of a never
            claim, and "dot" the text of a graph for Graphviz.
        memory, timeout, backend: as in `omen.check`.

    Raises as `omen.check` does, and `LimitError` if a limit was hit.
    """
    keywords: dict[str, Keyword] = {"to": _known(to, (*get_args(Acceptance), "never", "dot")), "memory": memory,
                                    "timeout": timeout}
    text = _text(backend, Request("convert", (source_of("automaton", automaton),), options_of(keywords)))
    return text if to in ("never", "dot") else Automaton(text)


def _known(to: str, kinds: tuple[str, ...]) -> str:
    """Rejects other values that the program accepts, because these functions could not return their results."""
    if to not in kinds:
        raise ValueError(f"to must be one of {', '.join(kinds)}, not {to!r}")
    return to


def _text(backend: Backend | None, request: Request) -> str:
    text, status, said = answer_to(backend, request)
    if status != HOLDS:
        fail(status, said)
    return text


def replay(model: Path, lasso: Lasso | Path, *, ltl: str | None = None, ltl_file: Path | None = None,
           never: AutomatonLike | None = None, invariant: str | None = None, deadlock: bool = False,
           assertions: bool = False, non_progress: bool = False, progress_states: str | None = None,
           property: str | None = None,
           finite_runs: Literal["stutter", "ignore"] | None = None,
           fairness: Literal["none", "weak", "strong"] | None = None, fair: str | list[str] | None = None,
           frontend: str | None = None, define: str | list[str] | None = None,
           include: Path | list[Path] | None = None, include_root: Path | list[Path] | None = None,
           spelling: Literal["omen", "spin", "psl"] | None = None, memory: int | str | None = None,
           timeout: float | str | None = None, backend: Backend | None = None) -> ReplayResult:
    """Verifies a counterexample: it must be a run of the model and violate the property.

    Args:
        model: as in `omen.check`.
        lasso: a `Lasso`, a path, or a text. It names its model, which must be the same: a file by its
            name without folders, and any text as "-".
        ltl, and so on: the property; none: the one that the lasso names.
        The others are those of `omen.check`.

    A rejected lasso is a result, with the reason. Raises as `omen.check` does, and `LimitError` if a
    limit was hit.
    """
    keywords: dict[str, Keyword] = dict(locals())
    keywords.pop("backend")
    source, keywords["frontend"] = model_of(model, frontend)
    keywords.update(files_of(never, ltl_file))
    run = source_of("lasso", lasso)
    del keywords["model"], keywords["lasso"]
    text, status, said = answer_to(backend, Request("replay", (source, run), (*options_of(keywords), ("json", None))))
    if status not in (HOLDS, INPUT) or not text:
        fail(status, said)
    found = decode(ReplayResult, parsed(text, said))
    if run.path is not None:
        return found
    reason = None if found.reason is None else found.reason.replace(found.lasso + ":", "<lasso>:", 1)
    return dataclasses.replace(found, lasso="<lasso>", reason=reason)


def properties(model: Path, *, frontend: str | None = None, memory: int | str | None = None,
               timeout: float | str | None = None, backend: Backend | None = None) -> tuple[OwnProperty, ...]:
    """Returns the properties that a model defines, in the order in which they are checked. Arguments and exceptions
    are those of `omen.check`.
    """
    source, frontend = model_of(model, frontend)
    keywords: dict[str, Keyword] = {"frontend": frontend, "memory": memory, "timeout": timeout}
    text = _text(backend, Request("properties", (source,), (*options_of(keywords), ("json", None))))
    return decode(OwnProperties, parsed(text)).own


def plugins(*, backend: Backend | None = None) -> Plugins:
    """Returns the plug-ins that were loaded, and those that were refused."""
    return decode(Plugins, parsed(_text(backend, Request("plugins", (), (("json", None),)))))


def devices(*, backend: Backend | None = None) -> Devices:
    """Returns the devices that explorations and checks can use."""
    return decode(Devices, parsed(_text(backend, Request("devices", (), (("json", None),)))))
