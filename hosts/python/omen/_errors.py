# SPDX-License-Identifier: Apache-2.0
"""What goes wrong, as exceptions."""
from __future__ import annotations

import re
from typing import Generic, TypeVar

# The first place of a message; a file may have colons in its name, but no numbers between them.
_PLACE = re.compile(r"(?P<file>.+?):(?P<line>\d+):(?P<column>\d+): ")

Result = TypeVar("Result")


class Error(Exception):
    """Everything that this module raises of its own.

    Attributes:
        message: what omen said, without its name.
        file: what the message is about, as it was given; ``<model>``, ``<automaton>`` and so on for
            a text, ``LTL formula`` for a formula; None where the message names no place.
        line, column: the place in it, both from 1; or None.
        messages: everything that was said, in order, ``message`` at its end; warnings left out.
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
    """An option, a name or a combination of them that does not exist."""


class InputError(Error):
    """A model, a formula, an automaton or a lasso is wrong, or cannot be read."""


class ModelError(InputError, Generic[Result]):
    """The model goes wrong where it is explored (an index out of range, say).

    Attributes:
        result: what was found until then, with the trace to the error where there is one.
    """

    def __init__(self, message: str, messages: tuple[str, ...], result: Result) -> None:
        super().__init__(message, messages)
        self.result = result


class LimitError(Error):
    """A limit was hit by something that has no result to say so in: a translation, a conversion."""


class InternalError(Error):
    """An error of omen itself."""


class BackendError(Error):
    """omen cannot be run, was killed, or answers something that this module does not understand."""
