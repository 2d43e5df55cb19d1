# SPDX-License-Identifier: Apache-2.0
"""Plots, drawn by gnuplot: of views, and of all rows (--gnuplot)."""
from __future__ import annotations

import math
import subprocess
from collections.abc import Iterable

from .results import OK, Results
from .table import Row, View
from .view import Shown

# Distinguishable on light and dark backgrounds, and with most colour vision deficiencies (Tol, bright and muted).
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#ee8866", "#44bb99", "#999999",
            "#882255")
_WIDTH, _HEIGHT = 960, 420


def _number(x: float) -> str:
    return " ?" if math.isnan(x) else f" {x:.6g}"


def _quoted(text: str) -> str:
    """Returns text in gnuplot's single quotes, in which ' is doubled."""
    return "'" + text.replace("'", "''") + "'"


# ---- views ----

def _axis(v: View) -> str:
    if v.kind == "percent":
        return f"{v.figure}, % of {v.to}"
    kinds = {"sum": "sum", "average": "mean", "most": "greatest", "mean": "geometric mean"}
    return f"{v.figure}, " + ("ratio (geometric mean)" if v.has_ratios() else kinds[str(v.kind)])


def _style(v: View) -> str:
    colours = "".join(f"set linetype {i} lc rgb '{c}' lw 1.5 pt 7\n" for i, c in enumerate(_COLOURS, 1))
    return (f"# gnuplot script\nset encoding utf8\nset datafile missing '?'\nset title {_quoted(v.title)}\n"
            "set border 3 lc rgb '#888888'\nset tics nomirror textcolor rgb 'black'\n"
            "set errorbars 0.5 lc rgb '#777777' lw 1\nset grid ytics lc rgb '#cccccc' lw 0.6 lt 1\n"
            "set key outside right top vertical Left reverse noenhanced samplen 1\n"
            f"{colours}set linetype cycle {len(_COLOURS)}\n")


def _bars(shown: Shown, data: str) -> tuple[str, str]:
    v, lines = shown.v, shown.lines
    entries = [e.value for line in lines for e in line.entries]
    known = [e.value for e in entries if e]
    text = "# line; for each column: value, low, high\n"
    for line in lines:
        text += f'"{line.label}"'
        for e in (e.value for e in line.entries):
            text += _number(e.value)
            text += "".join(_number(x) for x in ((e.low, e.high) if e.has_interval() else (e.value, e.value)))
        text += "\n"
    intervals = any(e.has_interval() for e in entries)
    # Small values would not be visible on a linear scale.
    logarithm = v.kind == "sum" and max([0.0, *known]) > 50 * min([x for x in known if x > 0], default=math.inf)
    script = f"set ylabel '{_axis(v)}'\nset style data histograms\nset style histogram "
    script += ("errorbars lw 1" if intervals else "clustered") + " gap 1.2\n"
    script += "set style fill solid 0.9 noborder\nset boxwidth 0.92 relative\n"
    script += "set logscale y\n" if logarithm else "set yrange [0:*]\n"
    tics = "rotate by -35 left" if len(lines) > 6 else "norotate center"
    script += f"set xrange [-0.6:{len(lines) - 0.4:.1f}]\nset xtics scale 0 {tics} noenhanced\n"
    if v.kind == "percent" or v.entries[0].over is not None:
        one = 100 if v.kind == "percent" else 1
        script += (f"set arrow 1 from graph 0, first {one} to graph 1, first {one} nohead lc rgb '#888888' dt 2 "
                   "front\n")
    # Entries without any value get no bar and no name.
    drawn = [k for k in range(len(v.entries)) if any(line.entries[k].value for line in lines)]
    plots = (f"'{data}' using {3 * k + 2}" + (f":{3 * k + 3}:{3 * k + 4}" if intervals else "")
             + f":xtic(1) title '{v.entries[k]}'" for k in drawn)
    return text, script + f'draw = "plot {", ".join(plots)}"\n'


def _group(v: View, row: Row) -> str:
    return row.variables.get(v.by[0], "-") if v.by else ""


def _points(shown: Shown, rows: Iterable[Row]) -> list[tuple[float, float, str]]:
    """Returns the points of rows for which both values are known."""
    r, v = shown.r, shown.v
    points = []
    for row in rows:
        cells = [r.cell(row, e.column) for e in v.entries]
        x, y = (c.median(v.figure) if c.state == OK else math.nan for c in cells)
        if shown.shows(row) and x > 0 and y > 0:
            points.append((x, y, row.name))
    return points


def _scatter(shown: Shown, data: str) -> tuple[str, str]:
    """A block for each value of the first variable, separated by two blank lines."""
    v, rows = shown.v, shown.r.table.rows.values()
    groups = {name: _points(shown, (row for row in rows if _group(v, row) == name))
              for name in dict.fromkeys(_group(v, row) for row in rows)}
    groups = {name: points for name, points in groups.items() if points}
    if not groups:
        return "", ""
    text = "".join("".join(f'{x:.6g} {y:.6g} "{name}"\n' for x, y, name in points) + "\n\n"
                   for points in groups.values())
    values = [n for points in groups.values() for x, y, _ in points for n in (x, y)]
    span = f"[{min(values) / 1.3:.6g}:{max(values) * 1.3:.6g}]"
    script = (f"set xlabel '{v.entries[0]}: {v.figure}'\nset ylabel '{v.entries[1]}: {v.figure}'\n"
              "set logscale xy\nset grid xtics ytics lc rgb '#cccccc' lw 0.6 lt 1\nset size square\n"
              f"set xrange {span}\nset yrange {span}\n"
              "draw = \"plot x with lines lc rgb '#888888' dt 2 notitle")
    script += "".join(f", '{data}' index {i} using 1:2 with points lt {i + 1} ps 1 title '{name}'"
                      for i, name in enumerate(groups))
    return text, script + '"\n'


def plot(r: Results, v: View, name: str) -> tuple[str, str]:
    """Returns data and script of a plot. The script reads NAME.dat and writes NAME.svg and NAME.png in gnuplot's
    working directory. Both are empty if the view has no plot or no measured entry.
    """
    if v.plot == "none":
        return "", ""
    shown = Shown(r, v)
    if v.plot == "scatter":
        data, script = _scatter(shown, name + ".dat")
    else:
        data, script = _bars(shown, name + ".dat") if shown.any() else ("", "")
    if not script:
        return "", ""
    size = f"size {_WIDTH},{_HEIGHT}"
    # The title is above each picture.
    return data, _style(v) + script + (
        f"set terminal svg {size} noenhanced font 'sans-serif,13'\nset output '{name}.svg'\neval(draw)\nset output\n"
        "if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n"
        f"  set terminal pngcairo {size} noenhanced font 'sans-serif,11'\n}} else {{\n  set terminal png {size}\n}}\n"
        f"set output '{name}.png'\neval(draw)\nset output\n")


def draw(folder: str, name: str) -> str:
    """Runs gnuplot with FOLDER/NAME.gp. Returns "", or why there is no picture."""
    try:
        done = subprocess.run(["gnuplot", f"{name}.gp"], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=60, check=False)
    except FileNotFoundError:
        return "gnuplot is not installed"
    except (OSError, subprocess.TimeoutExpired):
        return "gnuplot failed"
    return "" if done.returncode == 0 else "gnuplot failed"


# ---- all rows ----

def plot_rows(r: Results, data: str, picture: str) -> tuple[str, str]:
    """Returns data and script for gnuplot: a group of bars per row, a bar per column, with the range of its rounds.
    The script reads the file `data` and writes `picture`.
    """
    t = r.table
    text = f"# {t.figure} of suite {t.suite}; for each column: median, least, most\n# row"
    text += "".join(f" {name}" for name in t.columns) + "\n"
    for row in t.rows.values():
        text += f'"{row.name}"'
        for cell in r.cells(row):
            known = [s[t.figure] for s in cell.samples if not math.isnan(s[t.figure])]
            text += _number(cell.median(t.figure))
            text += _number(min(known, default=math.nan)) + _number(max(known, default=math.nan))
        text += "\n"
    plots = (f"'{data}' using {3 * i + 2}:{3 * i + 3}:{3 * i + 4}:xtic(1) title '{name}'"
             for i, name in enumerate(t.columns))
    return text, (
        f"# gnuplot script\nset terminal svg size 1200,500 noenhanced\nset output '{picture}'\n"
        f"set title '{t.suite}, commit {r.commit}'\nset ylabel '{t.figure}'\nset logscale y\n"
        "set datafile missing '?'\nset style data histograms\nset style histogram errorbars gap 1\n"
        "set style fill solid\nset xtics rotate by -45\nset key top left\nplot " + ", \\\n     ".join(plots) + "\n")
