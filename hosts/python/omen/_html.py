# SPDX-License-Identifier: Apache-2.0
"""HTML for notebooks. Styles are attributes of elements, because notebooks keep no others. Anything marked by a
colour is also marked in another way.
"""
from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from ._lasso import Lasso, State, Value, Word
    from ._results import CheckResult, EmptyResult

MOST_ROWS = 300  # rows of a table; more would be too long to read
_CHANGED = "background:rgba(255,190,0,.35);font-weight:bold"
_CYCLE = "background:rgba(74,125,255,.14)"
_CELL = "padding:2px 8px;text-align:left;white-space:nowrap"
# Characters that XML does not allow, not even as references.
_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")

T = TypeVar("T")


def escaped(value: object) -> str:
    """Returns the value as text of HTML or XML, between tags or in an attribute."""
    return html.escape(_UNPRINTABLE.sub("\ufffd", str(value)))


def shortened(items: Sequence[T], most: int) -> tuple[Sequence[T], int, Sequence[T]]:
    """Returns the first and the last items, at most `most` together, and the number of items between them."""
    if len(items) <= most:
        return items, 0, ()
    return items[:most // 2], len(items) - 2 * (most // 2), items[len(items) - most // 2:]


def shown(value: Value) -> str:
    """Returns the value of a variable as text."""
    return "[" + ", ".join(map(str, value)) + "]" if isinstance(value, tuple) else str(value)


def _row(cells: Iterable[str], style: str = "") -> str:
    return f'<tr style="{style}">{"".join(cells)}</tr>'


def _cell(text: object, style: str = "", tag: str = "td") -> str:
    return f'<{tag} style="{_CELL};{style}">{escaped(text)}</{tag}>'


def _table(heads: Iterable[str], rows: Iterable[str], caption: str) -> str:
    return ('<div style="overflow-x:auto"><table style="border-collapse:collapse">'
            f'<caption style="text-align:left;white-space:nowrap">{escaped(caption)}</caption>'
            f'<thead>{_row(_cell(head, tag="th") for head in heads)}</thead>'
            f'<tbody>{"".join(rows)}</tbody></table></div>')


def _place_in_cycle(index: int, loop: int | None) -> tuple[str, str]:
    """Returns the marker of a row of the cycle, and its shade."""
    if loop is None or index < loop:
        return str(index), ""
    return f"\u21bb {index}" if index == loop else f"\u2502 {index}", _CYCLE


def _state_row(lasso: Lasso, state: State) -> str:
    number, shade = _place_in_cycle(state.index, lasso.loop)
    if state.index == lasso.violated_at:
        number += " \u2717"
    changed = state.changed(lasso.states[state.index - 1]) if state.index > 0 else frozenset()
    then = state.label or str(state.transition or "")
    if lasso.loop is not None and state.index == len(lasso.states) - 1:
        then += f" \u2192 {lasso.loop}"
    cells = [_cell(number)]
    cells += [_cell(shown(value), _CHANGED if name in changed else "") for name, value in zip(state.names, state.values)]
    return _row([*cells, _cell(then, "font-style:italic")], shade)


def lasso_table(lasso: Lasso) -> str:
    """Returns a table of the states of a run: changed values are marked, the cycle is shaded."""
    first, between, last = shortened(lasso.states, MOST_ROWS)
    rows = [_state_row(lasso, state) for state in first]
    if between:
        rows.append(_row([_cell("\u22ee"), f'<td colspan="{len(lasso.vars) + 1}">{between} states omitted</td>']))
    rows += [_state_row(lasso, state) for state in last]
    caption = f"{len(lasso.states)} state{'s' if len(lasso.states) != 1 else ''}"
    caption += ", no cycle" if lasso.loop is None else f", \u21bb the cycle begins in state {lasso.loop}"
    if lasso.violated_at is not None:
        caption += f", violated from step {lasso.violated_at}"
    return _table(["state", *lasso.vars, "transition"], rows, caption)


def word_table(word: Word) -> str:
    """Returns a table of the labels of a word; the cycle is shaded."""
    def row(at: int) -> str:
        number, shade = _place_in_cycle(at, word.loop)
        return _row([_cell(number), _cell(word.labels[at])], shade)

    first, between, last = shortened(range(len(word.labels)), MOST_ROWS)
    rows = [row(at) for at in first]
    if between:
        rows.append(_row([_cell("\u22ee"), _cell(f"{between} steps omitted")]))
    rows += [row(at) for at in last]
    return _table(["step", "label"], rows, f"{len(word.labels)} steps, \u21bb the cycle begins at {word.loop}")


def verdict_line(result: CheckResult | EmptyResult) -> str:
    """Returns a line with property, verdict and figures."""
    reason = "" if result.reason is None else f" ({result.reason})"
    return (f"<p>property <code>{escaped(result.property)}</code>: <b>{escaped(result.verdict + reason)}</b>; "
            f"{result.states} states, {result.transitions} transitions, {result.seconds:.2f} s</p>")


def preformatted(text: str) -> str:
    """Returns a text as preformatted HTML."""
    return f"<pre>{escaped(text)}</pre>"
