# SPDX-License-Identifier: Apache-2.0
"""The command line of omen-bench."""
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .parse import MOST_ROUNDS
from .text import nearest, number_of, size_of, time_of, usage


@dataclass
class Options:
    suite: str = ""
    out: str = ""
    csv: str = ""
    markdown: str = ""
    gnuplot: str = ""
    html: str = ""
    start: str = ""  # --from
    commit: str = ""
    given: dict[str, str] = field(default_factory=dict)  # variables: --set, --device
    rows: list[str] = field(default_factory=list)
    rounds: int = 0  # 0, here and below: not given
    timeout: float = 0  # seconds
    budget: float = 0  # seconds
    minutes: float = 0  # seconds
    memory: float = 0  # bytes
    help: bool = False
    list: bool = False
    resume: bool = False
    overwrite: bool = False
    quiet: bool = False
    verbose: bool = False


class _Refused(Exception):
    """The value of an option is not what it takes."""


def _wanted(value: float | None, what: str) -> float:
    if value is None:
        raise _Refused(what)
    return value


def _rounds(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_ROUNDS:
        raise _Refused(f"a number from 1 to {MOST_ROUNDS}")
    return int(text)


def _minutes(text: str) -> float:
    n = number_of(text)
    if n is None or not 0.01 <= n < 1e5:
        raise _Refused("a number of minutes")
    return n * 60


def _set(o: Options, text: str) -> None:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise _Refused("NAME=VALUE")
    o.given[name] = value


def _device(o: Options, text: str) -> None:
    o.given["device"] = text


def _rows(o: Options, text: str) -> None:
    o.rows += [name for name in text.split(",") if name]


def _to(member: str, read: Callable[[str], object] = str) -> Callable[[Options, str], None]:
    """Returns a function that sets a member of the options."""
    def put(o: Options, text: str) -> None:
        setattr(o, member, read(text))

    return put


def _flag(member: str) -> Callable[[Options, str], None]:
    return _to(member, lambda _: True)


_TIME, _SIZE = "a time such as {}", "a size such as 500M or 4G"
# Name, argument, help, and the function that takes the value.
_OPTIONS: Sequence[tuple[str, str, str, Callable[[Options, str], None]]] = (
    ("rounds", "K", "number of runs of each command (default: the suite's)", _to("rounds", _rounds)),
    ("rows", "NAME,...", "run only these rows", _rows),
    ("set", "NAME=VALUE", "set a variable of the table (corpus, omen, ...); may be repeated", _set),
    ("timeout", "TIME", "kill a command that runs longer, such as 90s or 5m",
     _to("timeout", lambda v: _wanted(time_of(v), _TIME.format("90s or 5m")))),
    ("memory", "SIZE", "kill a command that uses more memory, such as 500M or 4G",
     _to("memory", lambda v: _wanted(size_of(v), _SIZE))),
    ("budget", "TIME", "start no row after this time, such as 30m or 2h",
     _to("budget", lambda v: _wanted(time_of(v), _TIME.format("30m or 2h")))),
    ("minutes", "N", "end within N minutes; a running command is then stopped", _to("minutes", _minutes)),
    ("device", "NAME", "device of the suites gpu and device: gpu, cpu, 0, ...", _device),
    ("out", "DIR", "write DIR/DATE-COMMIT-SUITE.csv and .md after each row", _to("out")),
    ("resume", "", "continue the results in --out: keep complete rows", _flag("resume")),
    ("overwrite", "", "replace the results in --out", _flag("overwrite")),
    ("from", "FILE.csv", "run nothing: report on these results", _to("start")),
    ("commit", "TEXT", "commit that is measured (default: ask git)", _to("commit")),
    ("csv", "FILE", "write every run", _to("csv")),
    ("markdown", "FILE", "write the report", _to("markdown")),
    ("gnuplot", "NAME", "write NAME.dat and NAME.gp, which draws NAME.svg", _to("gnuplot")),
    ("html", "FILE", "write a page with all tables and plots", _to("html")),
    ("list", "", "list the suites", _flag("list")),
    ("quiet", "", "print no line for each run", _flag("quiet")),
    ("verbose", "", "-v: print progress and the estimated time left after each run", _flag("verbose")),
    ("help", "", "print this help", _flag("help")))


def help_text() -> str:
    lines = (f"  --{name:<10} {argument:<12} {what}\n" for name, argument, what, _ in _OPTIONS)
    return ("omen-bench SUITE|FILE.suite [OPTIONS]\n\nRuns the commands of a table and compares their time and "
            "memory.\n\nOptions:\n" + "".join(lines) +
            "\nExit status: 0 all targets met, 10 target not met, 20 a command failed, exceeded a limit\n"
            "or printed unexpected figures, 30 not everything was measured, 2 usage, 3 bad input,\n"
            "1 internal error.\n")


def _read_option(o: Options, word: str, more: list[str]) -> None:
    """Reads an option. `more` are the words after it; the option's value is removed there."""
    name, equals, value = word.removeprefix("--").partition("=")
    known = {n: (argument, take) for n, argument, _, take in _OPTIONS}
    if not word.startswith("--") or name not in known:
        hint = nearest(name, known).replace("'", "'--", 1) if word.startswith("--") else ""
        raise usage(f"no option '{word}'{hint} (see omen-bench --help)")
    argument, take = known[name]
    if not argument and equals:
        raise usage(f"option --{name} takes no value")
    if argument and not equals:
        value = more.pop(0) if more else ""
    if argument and not value:
        raise usage(f"option --{name} needs a value")
    try:
        take(o, value)
    except _Refused as e:
        raise usage(f"--{name} takes {e}, not '{value}'") from e


def read_options(words: Sequence[str]) -> Options:
    """Reads the command line without the program's name. Raises a BenchError."""
    o, more = Options(), list(words)
    while more:
        word = more.pop(0)
        if word == "-v":
            o.verbose = True
        elif word.startswith("-"):
            _read_option(o, word, more)
        elif o.suite:
            raise usage(f"unexpected argument '{word}'")
        else:
            o.suite = word
    if not (o.help or o.list or o.suite):
        raise usage("no suite given (see omen-bench --list and --help)")
    if o.resume and (o.overwrite or not o.out):
        raise usage("--resume needs --out, and excludes --overwrite")
    return o
