# SPDX-License-Identifier: Apache-2.0
"""Where requests go.

A back end takes one request, a command of omen with its options and inputs, and gives back what the
command says, line by line, and its exit status. Nothing here knows of processes or of the network:
`Local` (in _local.py) starts a program, and another back end may send the request to a server.
"""
from __future__ import annotations

import abc
import os
from collections.abc import Generator
from dataclasses import dataclass
from typing import Literal, Union


class Text(str):
    """A text that is meant as such: a model, an automaton or a lasso of one line.

    Where a path or a text is expected, a string with a line end in it is a text, and any other is a
    path; ``Text("...")`` is always a text, a ``pathlib.Path`` always a path.
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
        """The source that a path or a text stands for, as `Text` says."""
        if isinstance(given, Text) or (isinstance(given, str) and "\n" in given):
            return Source(what, None, str(given))
        return Source(what, os.fspath(given), None)


Argument = Union[str, Source]


@dataclass(frozen=True)
class Request:
    """A command, as it would be typed.

    Attributes:
        command: "check", "explore" and so on.
        arguments: what stands behind it without a name: the model, the formula, ...
        options: names without dashes, in order, some perhaps several times, with their values: None
            for an option that takes none. Properties are among them (``("ltl", "G p")``), as are
            limits (``("timeout", "10s")``).
    """

    command: str
    arguments: tuple[Argument, ...] = ()
    options: tuple[tuple[str, Argument | None], ...] = ()


@dataclass(frozen=True)
class Line:
    """A line of an answer, without its end.

    Attributes:
        stream: "out" for results, "err" for what else is said.
        text: the line. In messages, the name of a text is that of what it is: ``<model>:3:1: ...``.
    """

    stream: Literal["out", "err"]
    text: str


class Backend(abc.ABC):
    """Carries requests out."""

    @abc.abstractmethod
    def run(self, request: Request) -> Generator[Line, None, int]:
        """Carries out the request: yields lines as they come, and returns the exit status.

        Status and lines are those of the command-line program (0, 10, 30, 2, 3, 1); a status below 0
        says by which signal it was ended. Whoever closes the generator, or lets go of it, wants no
        more: nothing that was started for it may stay behind. Raises `BackendError` where the
        request cannot be carried out at all.
        """
