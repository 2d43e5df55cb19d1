# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this module."""
from __future__ import annotations

import re
from typing import Generic, TypeVar

# The first place in a message; a file name may contain colons, but not with numbers between them.
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): ")

Result = TypeVar("Result")


class Error(Exception):
    """The base class of all exceptions that this module defines.

    Attributes:
        message: omen's message, without the program's name.
        file: the file of the message, as it was given; ``<model>``, ``<automaton>`` and so on for a text,
            ``LTL formula`` for a formula; None if the message names no place.
        line, column: the place in it, both from 1; or None.
        messages: all messages in order, ending with ``message``; without warnings.
    """

    def __init__(self, message: str, messages: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        place = _PLACE.match(message)
        self.message = message
        self.messages = messages or (message,)
        self.file = None if place is None else place["file"]
        self.line = None if place is None else int(place["line"])
        self.column = None if place is None else int(place["column"])
        for other in self.messages:
            if other != message:
                self.add_note(other)


class UsageError(Error):
    """An option, a name or a combination of them does not exist."""


class InputError(Error):
    """A model, a formula, an automaton or a lasso is wrong or cannot be read."""


class ModelError(InputError, Generic[Result]):
    """The exploration of the model met an error in it (an index out of range, for example).

    Attributes:
        result: the result up to the error, with a trace to the error if there is one.
    """

    def __init__(self, message: str, messages: tuple[str, ...], result: Result) -> None:
        super().__init__(message, messages)
        self.result = result


class LimitError(Error):
    """A command whose result cannot express a limit hit one: a translation or a conversion."""


class InternalError(Error):
    """An error of omen itself."""


class BackendError(Error):
    """omen cannot be run, was killed, or gave an answer that this module does not understand."""
