# SPDX-License-Identifier: Apache-2.0
"""Errors, and texts that users and programs write: numbers, times, sizes, names."""
from __future__ import annotations

import difflib
import math
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass

NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"


class BenchError(Exception):
    """An error that ends the run. `status` is the exit status: 2 usage, 3 bad input or a failure of the system."""

    def __init__(self, message: str, status: int = 3) -> None:
        super().__init__(message)
        self.status = status


class Stopped(Exception):
    """A signal or the time limit ended the run: no further command is started."""


@dataclass(frozen=True)
class Place:
    """A place in a file, for messages."""

    file: str
    line: int
    column: int = 0

    def error(self, what: str) -> BenchError:
        at = f"{self.file}:{self.line}:" + (f"{self.column}:" if self.column != 0 else "")
        return BenchError(f"{at} {what}")


def usage(message: str) -> BenchError:
    return BenchError(message, 2)


def failure(what: str, error: OSError) -> BenchError:
    """Returns the error of an operation that the system refused."""
    return BenchError(f"{what}: {error.strerror}")


def number_of(text: str | None) -> float | None:
    """Returns the finite number that is the whole text, or None."""
    if text is None or re.fullmatch(NUMBER, text) is None:
        return None
    n = float(text)
    return n if math.isfinite(n) else None


def _quantity(text: str, units: dict[str, float], least: float, most: float) -> float | None:
    found = re.fullmatch(r"(\d+\.?\d*(?:[eE][+-]?\d+)?)([a-zA-Z]*)", text)
    if found is None or found[2] not in units:
        return None
    n = float(found[1]) * units[found[2]]
    return n if least <= n <= most else None


def time_of(text: str) -> float | None:
    """Reads "500ms", "90s", "20m", "2h", or seconds. Returns seconds; None if the text is none of these."""
    return _quantity(text, {"": 1, "s": 1, "ms": 1e-3, "m": 60, "h": 3600}, 0.001, 1e8)


def size_of(text: str) -> float | None:
    """Reads "200M", "4G", or bytes; K, M, G and T are powers of 1000. Returns bytes, or None."""
    bytes_ = _quantity(text, {"": 1, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12}, 1, 1e15)
    return None if bytes_ is None else math.floor(bytes_)


def nearest(name: str, names: Iterable[str]) -> str:
    """Returns "; did you mean 'NAME'?" with the name that was probably meant, or nothing."""
    known = list(names)
    begun = [n for n in known if name and n.startswith(name)]
    found = begun if len(begun) == 1 else difflib.get_close_matches(name, known, 1, 0.7)
    return f"; did you mean '{found[0]}'?" if found else ""


def plural(count: int, what: str) -> str:
    """Returns "1 row" or "2 rows"."""
    return f"{count} {what}" + ("" if count == 1 else "s")


def last_line(text: str) -> str:
    """Returns the last line that is not empty, limited to its last 160 characters, for a table."""
    line = text.rstrip(" \t\r\n\v\f\0").rsplit("\n", 1)[-1][-160:]
    return re.sub(r"[\x00-\x1f|]", " ", line)


def read_file(path: str) -> str:
    """Returns the text of a file. Bytes that are not UTF-8 are kept (write_file() writes them again)."""
    try:
        with open(path, encoding="utf-8", errors="surrogateescape", newline="") as f:
            return f.read()
    except OSError as e:
        raise failure(f"cannot open {path}", e) from e


def write_file(path: str, text: str) -> None:
    """Writes a file through a temporary name, so that a reader sees either the old file or the new one."""
    try:
        with open(path + ".part", "w", encoding="utf-8", errors="surrogateescape", newline="") as f:
            f.write(text)
        os.replace(path + ".part", path)
    except OSError as e:
        raise failure(f"cannot write {path}", e) from e
