# SPDX-License-Identifier: Apache-2.0
"""A run as a sequence chart: a lifeline for each process, steps from top to bottom. Colours are those of the
surrounding text, so that the chart is legible on light and on dark backgrounds.
"""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ._html import escaped, shortened

if TYPE_CHECKING:
    from ._lasso import Lasso, State

MOST_STEPS = 80
_ROW, _HEAD, _LEFT, _CHARACTER = 22, 34, 64, 7  # sizes in pixels
_PROCESS = re.compile(r"([^:]+): ")


def processes_of(state: State) -> list[str]:
    """Returns the processes that take part in the step, by its label: "P: a -> b | Q: c -> d"."""
    named = (_PROCESS.match(piece) for piece in (state.label or "").split(" | "))
    return [name[1] for name in named if name is not None]


@dataclass
class _Chart:
    """The elements so far, and the position of the next step."""

    lifelines: dict[str, int]  # positions by process
    text_at: int
    elements: list[str]
    y: int = _HEAD

    def add(self, element: str) -> None:
        self.elements.append(element)

    def text(self, x: int, text: str, more: str = "") -> None:
        self.add(f'<text x="{x}" y="{self.y + 4}" {more}>{escaped(text)}</text>')

    def head_of_arrow(self, x: int, y: int, to_the_right: bool) -> None:
        back = x - 7 if to_the_right else x + 7
        self.add(f'<path d="M{x},{y} L{back},{y - 4} L{back},{y + 4} z" fill="currentColor"/>')

    def step(self, state: State, violated: bool) -> None:
        """Adds an arrow between two processes, dots for other numbers of processes, and the label."""
        at = [self.lifelines[p] for p in processes_of(state)]
        if len(at) == 2 and at[0] != at[1]:
            self.add(f'<line x1="{at[0]}" y1="{self.y}" x2="{at[1]}" y2="{self.y}" stroke="currentColor"/>')
            self.head_of_arrow(at[1], self.y, at[1] > at[0])
        else:
            for x in at:
                self.add(f'<circle cx="{x}" cy="{self.y}" r="4" fill="currentColor"/>')
        self.text(12, str(state.index), 'opacity="0.6"')
        words = state.label or str(state.transition or "the run ends here")
        self.text(self.text_at, words + (" (violated from here on)" if violated else ""))

    def gap(self, between: int) -> None:
        self.text(self.text_at, f"\u22ee {between} steps omitted", 'font-style="italic"')


def _cycle(chart: _Chart, top: int, bottom: int, width: int) -> None:
    """Adds the shade of the cycle, and the arrow from its end to its start."""
    chart.elements.insert(0, f'<rect x="4" y="{top - 11}" width="{width - 8}" height="{bottom - top + 22}" rx="4" '
                             'fill="#4a7dff" fill-opacity="0.14"/>')
    chart.add(f'<path d="M52,{bottom} H40 V{top} H52" fill="none" stroke="currentColor"/>')
    chart.head_of_arrow(54, top, True)


def sequence_chart(lasso: Lasso) -> str:
    """Returns the chart as an SVG document. The middle of a long run is left out."""
    first, between, last = shortened(lasso.states, MOST_STEPS)
    names = list(dict.fromkeys(p for s in (*first, *last) for p in processes_of(s)))
    # In the order of the model, if it has them.
    names.sort(key=lambda name: lasso.vars.index(name) if name in lasso.vars else len(lasso.vars))
    lifelines, x = {}, _LEFT
    for name in names:
        half = max(50, len(name) * _CHARACTER // 2 + 10)
        lifelines[name] = x + half
        x += 2 * half
    chart = _Chart(lifelines, x + 10, [])
    rows: list[State | int] = [*first, *([between] if between else []), *last]
    top = None
    for row in rows:
        if isinstance(row, int):
            chart.gap(row)
            inside = lasso.loop is not None and len(first) > lasso.loop
        else:
            chart.step(row, row.index == lasso.violated_at)
            inside = lasso.loop is not None and row.index >= lasso.loop
        if inside and top is None:
            top = chart.y
        chart.y += _ROW
    height, bottom = chart.y, chart.y - _ROW
    longest = max((len(s.label or "") for s in (*first, *last)), default=0)
    longest += 24 if lasso.violated_at is not None else 0
    width = chart.text_at + max(longest, 24) * _CHARACTER + 16
    if top is not None:
        _cycle(chart, top, bottom, width)
    heads = [f'<text x="{at}" y="14" text-anchor="middle" font-weight="bold">{escaped(name)}</text>'
             f'<line x1="{at}" y1="20" x2="{at}" y2="{bottom + 8}" stroke="currentColor" stroke-opacity="0.35"/>'
             for name, at in lifelines.items()]
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="sans-serif" font-size="12" fill="currentColor">{"".join(heads + chart.elements)}</svg>')
