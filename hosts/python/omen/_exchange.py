# SPDX-License-Identifier: Apache-2.0
"""Requests and their answers, read as JSON or as text; failures become exceptions."""
from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import signal
from collections.abc import Generator, Iterator, Mapping
from typing import Any, NoReturn, Union, cast

from ._backend import Argument, Backend, Request, Source, Text
from ._decode import version_of
from ._errors import BackendError, InputError, InternalError, LimitError, UsageError
from ._local import Local
from ._results import Note

HOLDS, VIOLATED, USAGE, INPUT, UNKNOWN = 0, 10, 2, 3, 30  # exit statuses
logger = logging.getLogger("omen")

# The types of the functions' arguments; _option() defines the options that each becomes.
Keyword = Union[None, bool, int, float, str, "os.PathLike[str]", tuple[str, ...], list[str],
                "list[str | os.PathLike[str]]", Source]
_TIMES = ("timeout", "shortest")
_FLAGS = ("assertions", "coverage", "deadlock", "fail_fast", "ignore_assertions", "non_progress", "whole_run")


def _time(value: Keyword) -> str:
    """Returns a time as omen's options take it: a number of seconds is converted to ms, a text is kept."""
    if isinstance(value, (int, float)) and 0 < value < math.inf:
        return f"{max(1, round(value * 1000))}ms"
    return str(value)


def _option(name: str, value: Keyword) -> Iterator[tuple[str, Argument | None]]:
    option = name.replace("_", "-")
    if value is None or (name in _FLAGS and value is False):
        return
    if name in _FLAGS:
        yield option, None
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield option, os.fspath(each)
    elif isinstance(value, Source):
        yield option, value
    elif isinstance(value, bool):
        yield option, "on" if value else "off"
    elif name in _TIMES:
        yield option, _time(value)
    else:
        yield option, os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def options_of(keywords: Mapping[str, Keyword]) -> tuple[tuple[str, Argument | None], ...]:
    """Returns the arguments of a function as options of the command, in their order; None gives no option."""
    return tuple(option for name, value in keywords.items() for option in _option(name, value))


def model_of(given: str | os.PathLike[str], frontend: str | None) -> tuple[Source, str | None]:
    """Returns the model and its front end; a text has no file name that would determine one."""
    source = Source.of("model", given)
    return source, "dve" if frontend is None and source.path is None else frontend


def source_of(what: str, given: object) -> Source:
    """Returns the source of an automaton, a lasso or a formula: an object with a text, a text or a path."""
    for member in "hoa", "to_json":
        text = getattr(given, member, None)
        if text is not None:
            return Source.of(what, Text(text() if callable(text) else text))
    return Source.of(what, cast("str | os.PathLike[str]", given))


def files_of(never: object, ltl_file: object) -> dict[str, Keyword]:
    """Returns the sources of properties that are files, or texts in place of files."""
    return {"never": None if never is None else source_of("automaton", never),
            "ltl_file": None if ltl_file is None else source_of("formula", ltl_file)}


def _plain(message: str) -> tuple[str, bool]:
    """Returns the text of a message, and True if it is a warning."""
    text = message.removeprefix("omen: ")
    return text.removeprefix("warning: "), text.startswith("warning: ")


def converse(backend: Backend | None, request: Request) -> Generator[str | Note, None, tuple[int, tuple[str, ...]]]:
    """Yields lines of results, and notes, as they arrive. Returns the status, and the messages that are not warnings;
    an error is the last of them.
    """
    said: list[str] = []
    with contextlib.closing((backend or Local()).run(request)) as answer:
        while True:
            try:
                line = next(answer)
            except StopIteration as end:
                status = cast(int, end.value)
                break
            if line.stream == "out":
                yield line.text
            elif line.text.strip():
                text, warning = _plain(line.text)
                if not warning:
                    said.append(text)
                yield Note(text=text, warning=warning)
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = str(-status)
        raise BackendError(f"omen was ended by signal {name}", (*said,))
    return status, (*said,)


def log(note: Note) -> None:
    """Logs a note to the logger "omen", for functions that do not yield notes."""
    logger.log(logging.WARNING if note.warning else logging.INFO, "%s", note.text)


def answer_to(backend: Backend | None, request: Request) -> tuple[str, int, tuple[str, ...]]:
    """Returns all results as a text, the status, and the messages. Notes are logged."""
    lines = []
    with contextlib.closing(converse(backend, request)) as answer:
        while True:
            try:
                item = next(answer)
            except StopIteration as end:
                status, said = cast("tuple[int, tuple[str, ...]]", end.value)
                break
            if isinstance(item, Note):
                log(item)
            else:
                lines.append(item + "\n")
    return "".join(lines), status, said


def fail(status: int, said: tuple[str, ...]) -> NoReturn:
    """Raises the exception for a status that is not a verdict, or that came without a result."""
    message = said[-1] if said else f"omen ended with status {status} and without a message"
    kinds = {USAGE: UsageError, INPUT: InputError, UNKNOWN: LimitError, 1: InternalError}
    raise kinds.get(status, BackendError)(message, said)


def parsed(text: str, said: tuple[str, ...] = ()) -> dict[str, Any]:
    """Parses an object of the version that this module supports. Raises `BackendError`."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise BackendError(f"omen's answer is incomplete: {error}", said) from error
    if not isinstance(value, dict):
        raise BackendError("omen's answer is not an object", said)
    version_of(value)
    return value
