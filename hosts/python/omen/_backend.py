# SPDX-License-Identifier: Apache-2.0
"""The interface of back ends.

A back end takes one request, which is a command of omen with its options and inputs. It returns the command's output,
line by line, and its exit status. This module depends neither on processes nor on the network: `Local` (in _local.py)
starts a program, and another back end may send the request to a server.
"""
from __future__ import annotations

import abc
import os
from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, Union


class Text(str):
    """A string that is always taken as a text: a model, an automaton or a lasso of one line.

    If a path or a text is expected, a string that contains a line end is a text, and any other string is a path;
    ``Text("...")`` is always a text, a ``pathlib.Path`` always a path.
    """


@dataclass(frozen=True)
class Source:
    """An input of a command: a file by its path, or a text.

    Attributes:
        what: "model", "automaton", "lasso" or "formula".
        path: the file; None for a text.
        text: the text; None for a file.
    """

    what: str
    path: str | None
    text: str | None

    @staticmethod
    def of(what: str, given: str | os.PathLike[str]) -> Source:
        """Returns the source that a path or a text stands for, as `Text` defines."""
        if isinstance(given, Text) or (isinstance(given, str) and "\n" in given):
            return Source(what, None, str(given))
        return Source(what, os.fspath(given), None)


Argument = Union[str, Source]


@dataclass(frozen=True)
class Request:
    """A command, as typed on a command line.

    Attributes:
        command: "check", "explore" and so on.
        arguments: the positional arguments: the model, the formula, ...
        options: names without dashes and their values, in order; a name may occur several times. The value
            of an option without one is None. Properties are options (``("ltl", "G p")``), and so are
            limits (``("timeout", "10s")``).
    """

    command: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[tuple[str, Argument | None], ...] = ()


@dataclass(frozen=True)
class Line:
    """A line of an answer, without its end.

    Attributes:
        stream: "out" for results, "err" for all other output.
        text: the line. Messages name a text by its kind: ``<model>:3:1: ...``.
    """

    stream: Literal["out", "err"]
    text: str


class Backend(abc.ABC):
    """Executes requests."""

    @abc.abstractmethod
    def run(self, request: Request) -> Generator[Line, None, int]:
        """Executes the request: yields lines as they arrive, and returns the exit status.

        Status and lines are those of the command-line program (0, 10, 30, 2, 3, 1); a status below 0 is the negated
        number of the signal that ended it. If the caller closes or drops the generator, the request is abandoned:
        nothing that was started for it may remain. Raises `BackendError` if the request cannot be executed at all.
        """
