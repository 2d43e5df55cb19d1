# SPDX-License-Identifier: Apache-2.0
"""A self-contained HTML page with all results of a run. It is XML, too."""
from __future__ import annotations

import html
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .results import ABSENT, DIFFERS, LIMIT, OK, Cell, Results
from .table import Ratio, View
from .text import plural, read_file
from .view import Line, Shown, preference, value_text

_STYLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "page.css")


@dataclass
class Part:
    results: Results
    pictures: str = ""  # view NAME is drawn in PICTURES-NAME.svg; "": no pictures


def _escaped(text: str) -> str:
    """Characters that XML does not allow are left out."""
    return html.escape(re.sub(r"[\x00-\x08\x0b-\x1f]", "", text)).replace("&#x27;", "'")


def _items(texts: Iterable[str]) -> str:
    return "".join(f"<li>{text}</li>\n" for text in texts)


def _terms(terms: Iterable[tuple[str, str]]) -> str:
    return "<dl>\n" + "".join(f"<dt>{name}</dt><dd>{text}</dd>\n" for name, text in terms) + "</dl>\n"


def _table(heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f"<th>{h}</th>" for h in ("", *heads))
    return (f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>\n' + "".join(f"{row}\n" for row in rows)
            + "</tbody></table></div>")


def _origin(r: Results) -> str:
    """Returns the head of a part's results, or the values that all parts share."""
    return _terms((name, _escaped(getattr(r, name))) for name in ("date", "commit", "machine", "command"))


# ---- views ----

def _picture(p: Part, v: View) -> str:
    path = f"{p.pictures}-{v.name}.svg"
    if not p.pictures or v.plot == "none" or not os.path.exists(path):
        return ""
    _, start, svg = read_file(path).partition("<svg")
    if not start:
        return ""
    # Prefixes names within a picture with the picture's name, because one page contains several.
    name = f"{p.results.table.suite}-{v.name}-"
    svg = re.sub(r""" id=['"]|href=['"]#|url\(#""", lambda mark: mark[0] + name, start + svg)
    return f"<figure>{svg}</figure>\n"


def _view_line(v: View, line: Line, last: bool) -> str:
    sign = preference(v)
    known = [e for e in line.entries if e.value]
    most = max([0.0, *(e.value.value for e in known)])
    whole = [e for e in known if e.rows == line.rows]
    best = max(whole, key=lambda e: sign * e.value.value) if whole and len(known) > 1 and sign != 0 else None
    out = '<tr class="all">' if last else "<tr>"
    out += f"<th>{_escaped(line.label)}</th><td>{line.rows}</td>"
    for e in line.entries:
        if not e.value:
            out += '<td class="soft">-</td>'
            continue
        width = 100 * e.value.value / most if most > 0 else 0
        kind = "v best" if e is best else "v"
        out += f'<td class="{kind}" style="--w:{width:.1f}%">{value_text(v, e.value.value)}'
        if e.value.has_interval():
            out += f" <small>[{e.value.low:.2f}, {e.value.high:.2f}]</small>"
        if e.rows != line.rows:
            out += f" <small>({plural(e.rows, 'row')})</small>"
        out += "</td>"
    return out + "</tr>"


def _view(p: Part, v: View) -> str:
    shown = Shown(p.results, v)
    out = f'<h3 id="{p.results.table.suite}-{v.name}">{_escaped(v.title)}</h3>\n'
    if shown.any():
        several = len(shown.lines) > 1
        lines = (_view_line(v, line, several and line is shown.lines[-1]) for line in shown.lines)
        out += _picture(p, v) + _table(("rows", *map(str, v.entries)), lines) + "\n"
    else:
        out += '<p class="soft">Not measured.</p>\n'
    return out + (f'<p class="soft">{_escaped(shown.notes())}</p>\n' if shown.notes() else "")


# ---- a part ----

def _cell(v: View, c: Cell) -> str:
    out = '<td class="bad" title="' if c.failed() or c.state == DIFFERS else '<td title="'
    out += _escaped(c.note) + '">'
    if c.state in (OK, DIFFERS):
        out += value_text(v, c.median(v.figure))
    if c.failed():
        out += "limit" if c.state == LIMIT else "failed"
    return out + {DIFFERS: " (states differ)", ABSENT: "absent"}.get(c.state, "") + "</td>"


def _rows(r: Results) -> str:
    t = r.table
    v = View("", "", next(iter(t.columns.values())).place, "sum", t.figure, entries=[Ratio("")])
    rows = (f"<tr><th>{row.name}</th>{''.join(_cell(v, c) for c in r.cells(row))}</tr>"
            for row in t.rows.values() if r.done(row))
    return (f"<details><summary>Every row: {t.figure}, median of {plural(r.rounds, 'round')}</summary>\n"
            f"{_table(t.columns, rows)}</details>\n")


def _never_measured(r: Results) -> dict[str, list[str]]:
    """Returns the columns without a run, by the reason."""
    found: dict[str, list[str]] = {}
    for column in r.table.columns:
        cells = r.column(column)
        why = next((c.note for c in reversed(cells) if c.note), "")
        if why and not any(c.samples for c in cells):
            found.setdefault(why, []).append(column)
    return found


def _facts(r: Results) -> str:
    t = r.table
    done = sum(r.done(row) for row in t.rows.values())
    limits = f"; limits of a run: {r.limits}" if r.limits else ""
    facts = ["Stopped before all rows were run."] if r.interrupted else []
    facts += [f"Not measured: <b>{', '.join(names)}</b>: {_escaped(why)}" for why, names in _never_measured(r).items()]
    facts += map(_escaped, t.notes)
    return (f"<p>{done} of {len(t.rows)} rows, {plural(r.rounds, 'round')} each{limits}.</p>\n"
            f"<ul>\n{_items(facts)}</ul>\n")


def _part(p: Part, alone: bool) -> str:
    t = p.results.table
    commands = ((c.name, f"<code>{_escaped(' '.join(c.command))}</code>") for c in t.columns.values())
    return (f'<section id="{t.suite}">\n<h2>{_escaped(t.heading())}</h2>\n' + (_origin(p.results) if alone else "")
            + _facts(p.results) + "".join(_view(p, v) for v in t.views.values()) + _rows(p.results)
            + f"<details><summary>Commands</summary>\n{_terms(commands)}</details>\n</section>\n")


def _contents(p: Part) -> str:
    t = p.results.table
    views = _items(f'<a href="#{t.suite}-{v.name}">{_escaped(v.title)}</a>' for v in t.views.values())
    return f'<a href="#{t.suite}">{_escaped(t.heading())}</a><ul>\n{views}</ul>'


def page(title: str, notes: Iterable[str], parts: Sequence[Part], no_pictures: str) -> str:
    """Returns the page. no_pictures: why there are no pictures, or ""."""
    out = ('<!DOCTYPE html>\n<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head><meta charset="utf-8"/>'
           '<meta name="viewport" content="width=device-width,initial-scale=1"/>\n'
           f"<title>{_escaped(title)}</title>\n<style>\n{read_file(_STYLE)}</style></head>\n"
           f"<body>\n<h1>{_escaped(title)}</h1>\n")
    if len(parts) > 1:
        out += _origin(parts[0].results)
    out += "".join(f"<p>{_escaped(n)}</p>\n" for n in notes)
    if no_pictures:
        out += f'<p class="soft">No plots: {no_pictures}.</p>\n'
    out += f"<nav><ul>\n{_items(map(_contents, parts))}</ul></nav>\n"
    return out + "".join(_part(p, len(parts) == 1) for p in parts) + "</body></html>\n"
