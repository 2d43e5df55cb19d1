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
_GRACE_SECONDS = 2.0  # time to end after SIGTERM
_GLANCE_SECONDS = 0.25  # interval of checks for a process that ended while another process keeps its output open


class Local(Backend):
    """Runs the program ``omen`` on this machine.

    Args:
        program: its name or path. None: the value of the environment variable ``OMEN``, or else the
            ``omen`` on the ``PATH``.
        environment: the program's environment, in place of this process's.

    A text is passed to the program through a pipe; no file is written.
    """

    def __init__(self, program: str | os.PathLike[str] | None = None,
                 environment: Mapping[str, str] | None = None) -> None:
        self._program = None if program is None else os.fspath(program)
        self._environment = None if environment is None else dict(environment)

    def __repr__(self) -> str:
        return f"Local({self._program!r})"

    def program(self) -> str:
        """Returns the path of the program. Raises `BackendError` if it is not found."""
        name = self._program or os.environ.get("OMEN") or "omen"
        found = shutil.which(name)
        if found is None:
            raise BackendError(f"no program '{name}' (looked for in the environment variable OMEN, "
                               "then in PATH)")
        return found

    def run(self, request: Request) -> Generator[Line, None, int]:
        """See `Backend.run`. If the generator is closed or an exception (Ctrl-C) is raised, the process is ended:
        first by SIGTERM, two seconds later by SIGKILL.
        """
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
    """Texts that are sent to the process, each through a pipe."""

    def __init__(self) -> None:
        self.stdin: int = subprocess.DEVNULL
        self.pending: dict[int, memoryview] = {}  # by the write end
        self.names: dict[str, str] = {}  # from the names in messages to the kinds of the texts
        self._theirs: list[int] = []

    def __enter__(self) -> _Feed:
        return self

    def __exit__(self, *_: object) -> None:
        self.started()
        for fd in list(self.pending):
            self.done(fd)

    def add(self, source: Source, standard: bool) -> str:
        """Returns the name by which the program reads the text: standard input, or an additional pipe."""
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
        """Closes the read ends, which only the process needs."""
        while self._theirs:
            os.close(self._theirs.pop())

    def write(self, fd: int) -> bool:
        """Writes as much as the pipe accepts; returns False when everything has been written."""
        try:
            self.pending[fd] = self.pending[fd][os.write(fd, self.pending[fd][:_CHUNK]):]
        except BlockingIOError:
            return True
        except BrokenPipeError:  # the process does not read the rest
            return False
        return bool(self.pending[fd])

    def done(self, fd: int) -> None:
        del self.pending[fd]
        os.close(fd)

    def renamed(self, message: str) -> str:
        """Returns the message with the name of the pipe replaced by that of the input."""
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
    # A lasso names its model; a model that is a text always has the same name, "-".
    for i, argument in enumerate(request.arguments):
        yield word(argument, i == 0)


class _Lines:
    """Splits bytes into lines."""

    def __init__(self, stream: Literal["out", "err"]) -> None:
        self.stream = stream
        self._begun: list[bytes] = []  # of a line whose end has not arrived

    def more(self, data: bytes, feed: _Feed) -> Iterator[Line]:
        """Yields the lines that are complete; without new data, the incomplete rest."""
        end = data.rfind(b"\n") + 1
        if data and end == 0:
            self._begun.append(data)
            return
        text = b"".join((*self._begun, data[:end])).decode("utf-8", "replace")
        self._begun = [data[end:]]
        # Not splitlines(): strings in JSON may contain other line ends.
        for line in text.removesuffix("\n").split("\n") if text else ():
            yield Line(self.stream, feed.renamed(line) if self.stream == "err" else line)


def _talk(process: subprocess.Popen[bytes], feed: _Feed) -> Iterator[Line]:
    """Feeds the process and yields its output, until the output is closed or the process has ended."""
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
            if over and not ready:  # another process keeps the output open
                break
    for reader in readers.values():
        yield from reader.more(b"", feed)
    for fd in list(feed.pending):  # the process does not read the rest
        feed.done(fd)


class _Child:
    """A process that is recorded as soon as it is started.

    An exception during Popen() (Ctrl-C is raised in the main thread) would leave a process without a record.
    Therefore another thread starts it.
    """

    def __init__(self, command: list[str], feed: _Feed, environment: dict[str, str] | None) -> None:
        self._command, self._feed, self._environment = command, feed, environment
        self._process: subprocess.Popen[bytes] | None = None
        self._error: Exception | None = None
        self._settled = threading.Event()  # the process has started, or failed to start
        self._begun = False

    def start(self) -> subprocess.Popen[bytes]:
        """Starts and returns the process. Raises `BackendError` if it cannot be started."""
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
        """Ends the process, if it was started."""
        if self._begun:
            self._settled.wait()
        if self._process is not None:
            _end(self._process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and its descendants."""
    try:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            process.wait(_GRACE_SECONDS)
    except BaseException as error:  # including a second Ctrl-C
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
