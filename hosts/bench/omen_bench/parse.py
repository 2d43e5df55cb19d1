# SPDX-License-Identifier: Apache-2.0
"""Parses a table.

    file      = { line }
    line      = [ directive { word } ] [ '#' anything ] end
    word      = { character but blank, '"', '#' at its start }
              | '"' { character | '\\' character } '"'
    directive = one of the names in DIRECTIVES

A '\\' before the end of a line joins the line with the next one, without the blanks at its start.
"""
from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .figures import FIGURES
from .table import Column, Ratio, Row, Table, Target, View
from .text import BenchError, Place, nearest, number_of, read_file, size_of, time_of

MOST_WORDS, MOST_ROUNDS = 64, 1000

_TOKEN = re.compile(r'(?P<space>[ \t\r]+|\\\n[ \t\r]*|#[^\n]*)|(?P<end>\n)'
                    r'|"(?P<quoted>(?:\\\n|\\[^\n]|[^"\\\n])*)(?P<close>"?)|(?P<word>[^ \t\r\n]+)')


@dataclass
class Word:
    text: str
    at: int  # position in the file


class Parser:
    """Reads the lines of a table. `words` are those of one line; the first one is the directive."""

    def __init__(self, file: str, text: str) -> None:
        self.text = text
        self.table = Table(file)
        self.words: list[Word] = []

    def place(self, at: int) -> Place:
        return Place(self.table.file, self.text.count("\n", 0, at) + 1, at - self.text.rfind("\n", 0, at))

    def fail(self, i: int, what: str) -> BenchError:
        """Returns an error at word i."""
        return self.place(self.words[i].at).error(f"{self.words[0].text}: {what}")

    def top(self, what: str) -> BenchError:
        return Place(self.table.file, 1, 1).error(what)

    # ---- lines ----

    def run(self) -> Table:
        if "\0" in self.text:
            raise self.top("the file has a zero byte")
        for found in _TOKEN.finditer(self.text):
            if found["end"] is not None:
                self.line()
            elif found["space"] is None:
                self.word(found)
        self.line()
        self.check()
        return self.table

    def word(self, found: re.Match[str]) -> None:
        if len(self.words) == MOST_WORDS:
            raise self.place(found.start()).error(f"more than {MOST_WORDS} words")
        text = found["word"]
        if text is None:
            if not found["close"]:
                raise self.place(found.start()).error("missing '\"' at the end of the string")
            if self.text[found.end():found.end() + 1] not in (*" \t\r\n\\", ""):
                raise self.place(found.end()).error("expected a space after '\"'")
            text = re.sub(r"\\(?:\n[ \t\r]*|(.))", lambda m: m[1] or "", found["quoted"])
        self.words.append(Word(text, found.start()))

    def line(self) -> None:
        if not self.words:
            return
        name, count = self.words[0].text, len(self.words) - 1
        known = DIRECTIVES.get(name)
        if known is None:
            raise self.place(self.words[0].at).error(f"unknown directive '{name}'{nearest(name, DIRECTIVES)}")
        if not known.least <= count <= known.most:
            raise self.fail(0, "too few words" if count < known.least else "too many words")
        if known.of == "column" and not self.table.columns:
            raise self.fail(0, "must come after a column")
        if known.of == "view" and not self.table.views:
            raise self.fail(0, "must come after a view")
        known.read(self)
        self.words = []

    # ---- words ----

    def __getitem__(self, i: int) -> str:
        return self.words[i].text

    def rest(self, first: int) -> list[str]:
        return [w.text for w in self.words[first:]]

    def number(self, i: int, low: float, high: float) -> float:
        n = number_of(self[i])
        if n is None:
            raise self.fail(i, "not a number")
        if not low <= n <= high:
            raise self.fail(i, "out of range")
        return n

    def figure(self, i: int) -> str:
        if self[i] not in FIGURES:
            raise self.place(self.words[i].at).error(f"no figure '{self[i]}'{nearest(self[i], FIGURES)}")
        return self[i]

    def name(self, i: int) -> str:
        """Returns a name that is valid in a file name and between ${ and }."""
        if not 0 < len(self[i]) <= 60 or self[i].startswith("."):
            raise self.fail(i, "not a valid name")
        if re.fullmatch(r"[a-zA-Z0-9._-]+", self[i]) is None:
            raise self.fail(i, "a name may only have letters, digits, '.', '_' and '-'")
        return self[i]

    def one_of(self, i: int, *names: str) -> str:
        if self[i] not in names:
            raise self.fail(i, f"expected {', '.join(names[:-1])} or {names[-1]}")
        return self[i]

    def ratio(self, i: int) -> Ratio:
        """Returns "A/B" or "A"; the columns are looked up after the whole table has been read."""
        column, slash, over = self[i].partition("/")
        return Ratio(column, over if slash else None)

    def fields(self, first: int) -> dict[str, str]:
        """Returns the words NAME=VALUE."""
        found = {}
        for i in range(first, len(self.words)):
            name, equals, value = self[i].partition("=")
            if not name or not equals:
                raise self.fail(i, "expected NAME=VALUE")
            found[name] = value
        return found

    @property
    def column(self) -> Column:
        """The column that the line belongs to."""
        return next(reversed(self.table.columns.values()))

    @property
    def view(self) -> View:
        return next(reversed(self.table.views.values()))

    # ---- checks at the end ----

    def check(self) -> None:
        t = self.table
        if not t.suite:
            raise self.top("the table has no line 'suite NAME'")
        if t.members:
            if t.columns or t.rows or t.views or t.targets:
                raise self.top("a table that runs other suites has no rows, columns, views or targets")
            return
        if not t.columns or not t.rows:
            raise self.top(f"the table has no {'row' if t.columns else 'column'}")
        self.known(Place(t.file, 1, 1), t.baseline)
        for c in t.columns.values():
            self.check_column(c)
        for g in t.targets:
            self.known(g.place, *g.ratio.columns())
        for v in t.views.values():
            self.check_view(v)

    def known(self, place: Place, *columns: str | None) -> None:
        """Fails unless the table has these columns."""
        for name in columns:
            if name is not None and name not in self.table.columns:
                raise place.error(f"no column '{name}'")

    def check_column(self, c: Column) -> None:
        by = None if c.scaled is None else c.scaled[0]
        self.known(c.place, c.agree, c.versus, by)
        if sum(bool(way) for way in (c.command, c.published, c.recorded, c.listed, c.best)) != 1:
            raise c.place.error(f"column {c.name} needs one of: command, published, recorded, listed, best")
        for name in [] if c.best is None else c.best[1]:
            self.known(c.place, name)
            if not self.table.columns[name].command:
                raise c.place.error(f"column {c.name} is the best of a column that is not run")
        if by is not None and c.published is None:
            raise c.place.error(f"column {c.name}: only published figures can be scaled")
        if by is not None and not self.table.columns[by].command:
            raise c.place.error(f"column {c.name} is scaled by a column that is not run")

    def check_view(self, v: View) -> None:
        self.known(v.place, v.to)
        if v.kind is None or not v.entries:
            needs = "one of: sum, percent, mean, average, most" if v.kind is None else "'of COLUMN...'"
            raise v.place.error(f"view {v.name} needs {needs}")
        if v.plot == "scatter" and len(v.entries) != 2:
            raise v.place.error(f"view {v.name}: a scatter plot needs two columns")
        for e in v.entries:
            self.known(v.place, *e.columns())
            if e.over is not None and v.kind != "mean":
                raise v.place.error(f"view {v.name}: only a mean can have ratios")


# ---- directives ----

@dataclass
class Directive:
    of: str  # table; column, view: it belongs to the one above it
    least: int  # number of words after the directive
    most: int
    read: Callable[[Parser], None]


DIRECTIVES: dict[str, Directive] = {}


def directive(name: str, of: str, least: int, most: int = -1) -> Callable[[Callable[[Parser], None]], None]:
    """Makes a function the reader of a directive. most: the same number; 0: any."""
    most = {-1: least, 0: MOST_WORDS}.get(most, most)

    def add(read: Callable[[Parser], None]) -> None:
        DIRECTIVES[name] = Directive(of, least, most, read)

    return add


def _member(name: str, of: str, least: int, most: int, value: Callable[[Parser], object], member: str = "") -> None:
    """Adds a directive that sets one member."""
    def read(p: Parser) -> None:
        setattr(getattr(p, of), member or name, value(p))

    directive(name, of, least, most)(read)


def _first(p: Parser) -> str:
    return p[1]


_member("suite", "table", 1, 1, lambda p: p.name(1))
_member("title", "table", 1, 1, _first)
_member("rounds", "table", 1, 1, lambda p: int(p.number(1, 1, MOST_ROUNDS)))
_member("compare", "table", 1, 1, lambda p: p.figure(1), "figure")
_member("baseline", "table", 1, 1, _first)
_member("run", "table", 1, 0, lambda p: [p.name(i) for i in range(1, len(p.words))], "members")
_member("require", "table", 1, 0, lambda p: p.rest(1))


@directive("timeout", "table", 1)
def _timeout(p: Parser) -> None:
    seconds = time_of(p[1])
    if seconds is None:
        raise p.fail(1, "expected a time such as 90s or 5m")
    p.table.timeout = seconds


@directive("memory", "table", 1)
def _memory(p: Parser) -> None:
    bytes_ = size_of(p[1])
    if bytes_ is None:
        raise p.fail(1, "expected a size such as 500M or 4G")
    p.table.memory = bytes_


@directive("also", "table", 1, len(FIGURES))
def _also(p: Parser) -> None:
    p.table.also.update(p.figure(i) for i in range(1, len(p.words)))


@directive("set", "table", 2)
def _set(p: Parser) -> None:
    p.table.variables[p.name(1)] = p[2]


@directive("note", "table", 1)
def _note(p: Parser) -> None:
    p.table.notes.append(p[1])


@directive("row", "table", 1, 0)
def _row(p: Parser) -> None:
    name = p.name(1)
    if name in p.table.rows:
        raise p.fail(1, "a row of this name already exists")
    p.table.rows[name] = Row(name, p.place(p.words[0].at), {**p.fields(2), "row": name})


@directive("target", "table", 6, 10)
def _target(p: Parser) -> None:
    """target TEXT every|geomean FIGURE COLUMN[/COLUMN] >=|<= NUMBER [where VARIABLE <|>|= NUMBER]"""
    if len(p.words) != 7 and (len(p.words) != 11 or p[7] != "where"):
        raise p.fail(0, "expected TEXT KIND FIGURE COLUMNS OP NUMBER [where VARIABLE OP NUMBER]")
    if p[2] not in ("every", "geomean"):
        raise p.fail(2, "expected 'every' or 'geomean'")
    figure = p.figure(3)
    if p[5] not in (">=", "<="):
        raise p.fail(5, "expected '>=' or '<='")
    where = None
    if len(p.words) == 11:
        variable = p.name(8)
        if p[9] not in ("<", ">", "="):
            raise p.fail(9, "expected '<', '>' or '='")
        where = (variable, p[9], p.number(10, -float("inf"), float("inf")))
    p.table.targets.append(Target(p[1], p.place(p.words[0].at), p[2] == "every", figure, p.ratio(4), p[5] == ">=",
                                  p[6], where))


@directive("column", "table", 1)
def _column(p: Parser) -> None:
    name = p.name(1)
    if name in p.table.columns:
        raise p.fail(1, "a column of this name already exists")
    p.table.columns[name] = Column(name, p.place(p.words[0].at))


_member("when", "column", 1, 1, lambda p: p.name(1))
_member("needs", "column", 1, 0, lambda p: p.rest(1))
_member("format", "column", 1, 1, lambda p: p.one_of(1, "none", "omen", "pan", "ltsmin", "counts", "code"))
_member("if", "column", 1, 1, _first, "only_if")
_member("prepare", "column", 1, 1, _first)
_member("before", "column", 1, 1, _first)
_member("warm", "column", 0, 0, lambda p: p.rest(1))
_member("command", "column", 1, 0, lambda p: p.rest(1))
_member("published", "column", 2, 0, lambda p: (p.figure(1), p.rest(2)))
_member("best", "column", 2, 0, lambda p: (p.figure(1), p.rest(2)))
_member("recorded", "column", 2, 2, lambda p: (p[1], p.name(2)))
_member("scaled", "column", 3, 3, lambda p: (p[1], p.figure(2), p.number(3, 1e-9, 1e12)))
_member("status", "column", 1, 1, _first)
_member("versus", "column", 1, 1, _first)


@directive("env", "column", 2)
def _env(p: Parser) -> None:
    p.column.env[p.name(1)] = p[2]


@directive("listed", "column", 4, 0)
def _listed(p: Parser) -> None:
    for i in range(4, len(p.words)):
        if "=" not in p[i]:
            raise p.fail(i, "expected FIELD=VALUE")
    p.column.listed.append((p.figure(1), p.rest(2)))


@directive("expect", "column", 2)
def _expect(p: Parser) -> None:
    p.column.expect.append((p[1] if p[1] in ("verdict", "executor") else p.figure(1), p[2]))


@directive("agree", "column", 2, 3)
def _agree(p: Parser) -> None:
    p.column.tolerance = p.number(2, 0, 1e9)
    p.column.agree = p[1]
    if len(p.words) == 4:
        p.column.agree_when = p.name(3)


@directive("view", "table", 2)
def _view(p: Parser) -> None:
    name = p.name(1)
    if name in p.table.views:
        raise p.fail(1, "a view of this name already exists")
    p.table.views[name] = View(name, p[2], p.place(p.words[0].at))


def _kind(p: Parser) -> None:
    """Reads the kind of a view: sum FIGURE, percent FIGURE COLUMN, mean FIGURE, average FIGURE, most FIGURE."""
    if p.view.kind is not None:
        raise p.fail(0, "the view already has a kind")
    p.view.kind, p.view.figure = p[0], p.figure(1)
    if p[0] == "percent":
        p.view.to = p[2]


for _name in ("sum", "percent", "mean", "average", "most"):
    directive(_name, "view", 2 if _name == "percent" else 1)(_kind)
_member("of", "view", 1, 0, lambda p: [p.ratio(i) for i in range(1, len(p.words))], "entries")
_member("by", "view", 1, 0, lambda p: [p.name(i) for i in range(1, len(p.words))])
_member("only", "view", 2, 2, lambda p: (p.name(1), p[2]))
_member("plot", "view", 1, 1, lambda p: p.one_of(1, "none", "bars", "scatter"))


def parse(file: str, text: str) -> Table:
    """Parses a table. Raises a BenchError with file:line:column if the text is not a valid table."""
    return Parser(file, text).run()


def read_table(file: str) -> Table:
    return parse(file, read_file(file))
