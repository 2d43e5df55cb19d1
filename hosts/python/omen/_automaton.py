# SPDX-License-Identifier: Apache-2.0
"""Omega-automata as texts in the HOA format, and their drawings."""
from __future__ import annotations

import builtins
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from . import _html
from ._errors import Error

if TYPE_CHECKING:
    from ._backend import Backend

MOST_DRAWN = 150  # most states of a drawing
_SECONDS = 10  # time limit of Graphviz
_HEADER = re.compile(r"(?m)^([A-Za-z][\w-]*):[ \t]*(.*)$")
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


@dataclass(frozen=True)
class Automaton:
    """An automaton on infinite words, as omen writes it.

    In a notebook it is drawn if Graphviz (``dot``) is installed; otherwise its text is shown.

    Attributes:
        hoa: the text, in the HOA format.
    """

    hoa: str

    def __str__(self) -> str:
        return self.hoa

    def _header(self, name: str) -> str | None:
        body = self.hoa.partition("--BODY--")[0]
        return next((line[2].strip() for line in _HEADER.finditer(body) if line[1] == name), None)

    def _quoted(self, name: str) -> tuple[str, ...]:
        return tuple(re.sub(r"\\(.)", r"\1", text) for text in _QUOTED.findall(self._header(name) or ""))

    @builtins.property
    def name(self) -> str | None:
        """The name, or None."""
        return next(iter(self._quoted("name")), None)

    @builtins.property
    def states(self) -> int | None:
        """The number of states, or None if the text does not state it."""
        said = self._header("States")
        return int(said) if said is not None and said.isdecimal() else None

    @builtins.property
    def propositions(self) -> tuple[str, ...]:
        """The atomic propositions."""
        return self._quoted("AP")

    @builtins.property
    def acceptance(self) -> str | None:
        """The acceptance condition, such as "2 Inf(0)&Inf(1)"."""
        return self._header("Acceptance")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the text to a file. Raises OSError."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.hoa)

    def dot(self, *, backend: Backend | None = None) -> str:
        """Returns the automaton as a graph for Graphviz. Raises as `omen.convert` does."""
        from ._commands import convert
        return convert(self, "dot", backend=backend)

    def _repr_svg_(self) -> str | None:
        """Returns a drawing by Graphviz; None if Graphviz or omen is missing, or if the automaton is too large."""
        program = shutil.which("dot")
        if program is None or (self.states or 0) > MOST_DRAWN:
            return None
        try:
            drawn = subprocess.run([program, "-Tsvg"], input=self.dot().encode(), capture_output=True, check=True,
                                   timeout=_SECONDS).stdout.decode()
        except (Error, OSError, ValueError, subprocess.SubprocessError):
            return None
        return drawn[drawn.index("<svg"):] if "<svg" in drawn else None

    def _repr_html_(self) -> str:
        return self._repr_svg_() or _html.preformatted(self.hoa)
