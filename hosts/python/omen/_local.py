# SPDX-License-Identifier: Apache-2.0
"""The program on this machine, as a child process."""
from __future__ import annotations

import contextlib
import os
import re
import selectors
import shutil
import signal
import subprocess
import threading
from collections.abc import Generator, Iterator, Mapping
from typing import Literal

from ._backend import Argument, Backend, Line, Request, Source
from ._errors import BackendError

_CHUNK = 1 << 16
_GRACE_SECONDS = 2.0  # to end by itself, once it has been told to
_GLANCE_SECONDS = 0.25  # how often a process is looked after whose output somebody else keeps open


class Local(Backend):
    """Runs the program ``omen`` on this machine.

    Args:
        program: its name or path. None: what the environment variable ``OMEN`` says, or else the
            ``omen`` that is found on the ``PATH``.
        environment: of the program, in place of that of this process.

    A text goes to the program through a pipe; no file is written.
    """

    def __init__(self, program: str | os.PathLike[str] | None = None,
                 environment: Mapping[str, str] | None = None) -> None:
        self._program = None if program is None else os.fspath(program)
        self._environment = None if environment is None else dict(environment)

    def __repr__(self) -> str:
        return f"Local({self._program!r})"

    def program(self) -> str:
        """The path of the program. Raises `BackendError` where there is none."""
        name = self._program or os.environ.get("OMEN") or "omen"
        found = shutil.which(name)
        if found is None:
            raise BackendError(f"no program '{name}' (looked for in the environment variable OMEN, "
                               "then in PATH)")
        return found

    def run(self, request: Request) -> Generator[Line, None, int]:
        """See `Backend.run`. The process is ended when the generator is closed, or an exception
        (Ctrl-C) comes by: first by SIGTERM, and two seconds later by SIGKILL."""
        with _Feed() as feed:
            command = [self.program(), *_words(request, feed)]
            child = _Child(command, feed, self._environment)
            try:
                process = child.start()
                feed.started()
                yield from _talk(process, feed)
                return process.wait()
            finally:
                child.end()


class _Feed:
    """Texts on their way to the process, each through a pipe."""

    def __init__(self) -> None:
        self.stdin: int = subprocess.DEVNULL
        self.pending: dict[int, memoryview] = {}  # by the end that is written to
        self.names: dict[str, str] = {}  # what messages call them, and what they are
        self._theirs: list[int] = []

    def __enter__(self) -> _Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self.started()
        for fd in list(self.pending):
            self.done(fd)

    def add(self, source: Source, standard: bool) -> str:
        """The name by which the program is to read the text: standard input, or a pipe beside it."""
        theirs, ours = os.pipe()
        self._theirs.append(theirs)
        os.set_blocking(ours, False)
        self.pending[ours] = memoryview((source.text or "").encode("utf-8", "surrogateescape"))
        if standard:
            self.stdin, name = theirs, "-"
        else:
            name = f"/dev/fd/{theirs}"
        self.names[name] = f"<{source.what}>"
        return name

    def inherited(self) -> list[int]:
        return [fd for fd in self._theirs if fd != self.stdin]

    def started(self) -> None:
        """The other ends are the process's alone."""
        while self._theirs:
            os.close(self._theirs.pop())

    def write(self, fd: int) -> bool:
        """Writes what there is room for; false when there is no more to be written."""
        try:
            self.pending[fd] = self.pending[fd][os.write(fd, self.pending[fd][:_CHUNK]):]
        except BlockingIOError:
            return True
        except BrokenPipeError:  # it does not want the rest
            return False
        return bool(self.pending[fd])

    def done(self, fd: int) -> None:
        del self.pending[fd]
        os.close(fd)

    def renamed(self, message: str) -> str:
        """The message, about what was given and not about a pipe."""
        said = re.match(r"(omen: (?:warning: )?)(-|/dev/fd/\d+)(?=:)", message)
        if said is None or said[2] not in self.names:
            return message
        return said[1] + self.names[said[2]] + message[said.end():]


def _words(request: Request, feed: _Feed) -> Iterator[str]:
    def word(value: Argument, standard: bool) -> str:
        if isinstance(value, str):
            return value
        if value.path is None:
            return feed.add(value, standard)
        return "./-" if value.path == "-" else value.path

    yield request.command
    for name, value in request.options:
        yield f"--{name}" if value is None else f"--{name}={word(value, False)}"
    yield "--"
    # The lasso of a model names it, by the same name each time: "-".
    for i, argument in enumerate(request.arguments):
        yield word(argument, i == 0)


class _Lines:
    """Bytes, cut into lines."""

    def __init__(self, stream: Literal["out", "err"]) -> None:
        self.stream = stream
        self._begun: list[bytes] = []  # of a line whose end has not come

    def more(self, data: bytes, feed: _Feed) -> Iterator[Line]:
        """The lines that are whole now; all of the rest when no data has come."""
        end = data.rfind(b"\n") + 1
        if data and end == 0:
            self._begun.append(data)
            return
        text = b"".join((*self._begun, data[:end])).decode("utf-8", "replace")
        self._begun = [data[end:]]
        # Not splitlines(): JSON may have other line ends inside of strings.
        for line in text.removesuffix("\n").split("\n") if text else ():
            yield Line(self.stream, feed.renamed(line) if self.stream == "err" else line)


def _talk(process: subprocess.Popen[bytes], feed: _Feed) -> Iterator[Line]:
    """Feeds the process and yields what it says, until it says no more or is no more."""
    assert process.stdout is not None and process.stderr is not None
    readers = {process.stdout.fileno(): _Lines("out"), process.stderr.fileno(): _Lines("err")}
    with selectors.DefaultSelector() as selector:
        for fd in readers:
            os.set_blocking(fd, False)
            selector.register(fd, selectors.EVENT_READ)
        for fd in feed.pending:
            selector.register(fd, selectors.EVENT_WRITE)
        while readers:
            over = process.poll() is not None
            ready = selector.select(_GLANCE_SECONDS)
            for key, _ in ready:
                if key.fd not in readers:
                    if not feed.write(key.fd):
                        selector.unregister(key.fd)
                        feed.done(key.fd)
                    continue
                data = os.read(key.fd, _CHUNK)
                yield from readers[key.fd].more(data, feed)
                if not data:
                    selector.unregister(key.fd)
                    del readers[key.fd]
            if over and not ready:  # somebody else has its output open
                break
    for reader in readers.values():
        yield from reader.more(b"", feed)
    for fd in list(feed.pending):  # it does not wait for the rest
        feed.done(fd)


class _Child:
    """A process that is known from its first moment on.

    An exception that comes by while Popen() works (Ctrl-C, which comes to the main thread) would leave
    a process of which nobody knows; so another thread starts it.
    """

    def __init__(self, command: list[str], feed: _Feed, environment: dict[str, str] | None) -> None:
        self._command, self._feed, self._environment = command, feed, environment
        self._process: subprocess.Popen[bytes] | None = None
        self._error: Exception | None = None
        self._settled = threading.Event()  # it runs, or it never will
        self._begun = False

    def start(self) -> subprocess.Popen[bytes]:
        """The process. Raises `BackendError` where there is none."""
        self._begun = True
        try:
            threading.Thread(target=self._start, daemon=True).start()
        except RuntimeError as error:
            self._error = error
            self._settled.set()
        self._settled.wait()
        if self._process is None:
            raise BackendError(f"cannot start {self._command[0]}: {self._error}") from self._error
        return self._process

    def _start(self) -> None:
        try:
            self._process = subprocess.Popen(
                self._command, stdin=self._feed.stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                pass_fds=self._feed.inherited(), env=self._environment, process_group=0)
        except (OSError, ValueError) as error:  # ValueError: a NUL byte in an argument
            self._error = error
        finally:
            self._settled.set()

    def end(self) -> None:
        """It is no more, whatever became of it."""
        if self._begun:
            self._settled.wait()
        if self._process is not None:
            _end(self._process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """It and what it has started are no more."""
    try:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(_GRACE_SECONDS)
    except BaseException as error:  # a second Ctrl-C, too
        if process.poll() is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if not isinstance(error, subprocess.TimeoutExpired):
            raise
    finally:
        for stream in process.stdout, process.stderr:
            if stream is not None:
                stream.close()
