# SPDX-License-Identifier: Apache-2.0
"""Additions to urllib: Unix sockets, server-sent events, and no redirections."""
from __future__ import annotations

import http.client
import socket
import urllib.request
from collections.abc import Iterator
from typing import Any

from ._errors import BackendError

_EVENT = 257 << 20  # limit in bytes


def events_of(stream: http.client.HTTPResponse) -> Iterator[tuple[str, str, str]]:
    """Yields (type, id, data) of server-sent events; an incomplete event is dropped."""
    event: dict[str, str] = {}
    while True:
        line = stream.readline(_EVENT)
        if not line.endswith(b"\n"):
            if len(line) >= _EVENT:
                raise BackendError("an event of the server is too long")
            return
        text = line.decode("utf-8", "replace").rstrip("\r\n")
        if text == "":
            if "data" in event:
                yield event.get("event", "message"), event.get("id", ""), event["data"]
            event = {}
        elif not text.startswith(":"):
            name, _, value = text.partition(":")
            value = value.removeprefix(" ")
            event[name] = event["data"] + "\n" + value if name == "data" and "data" in event else value


class NoRedirections(urllib.request.HTTPRedirectHandler):
    """Refuses redirections, so that a token is sent only to its own server."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class _SocketConnection(http.client.HTTPConnection):
    def __init__(self, path: str, host: str, **more: Any) -> None:
        super().__init__(host, **more)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        if isinstance(self.timeout, (int, float)):
            self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class SocketHandler(urllib.request.HTTPHandler):
    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path

    def http_open(self, req: urllib.request.Request) -> http.client.HTTPResponse:
        path = self._path

        def connect(host: str, **more: Any) -> _SocketConnection:
            return _SocketConnection(path, host, **more)

        return self.do_open(connect, req)  # type: ignore[arg-type]
