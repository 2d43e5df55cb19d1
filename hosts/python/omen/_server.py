# SPDX-License-Identifier: Apache-2.0
"""An omend, on this machine or another one, as a back end."""
from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import socket
import ssl
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Generator, Iterator
from typing import Any

from ._backend import Backend, Line, Request, Source
from ._errors import BackendError
from ._http import NoRedirections, SocketHandler, events_of

_ANSWER, _FILE = 64 << 20, 64 << 20  # limits in bytes
_SILENT_SECONDS = 60.0  # omend sends a sign of life every 15 s
_PAUSES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 8.0, 8.0)
_TEXTS = frozenset(("checker", "terminal", "weak", "strong", "schedule", "search", "guide", "translator", "device",
                    "verify-device", "exec", "store", "finite-runs", "fairness", "reset-dead", "merge", "por", "overflow",
                    "shortest", "progress-states", "spelling"))
_PROPERTIES = {"ltl": "ltl", "ltl-file": "ltl", "never": "never", "invariant": "invariant", "property": "name",
               "deadlock": "deadlock", "assertions": "assertions", "non-progress": "non-progress"}
_LIMITS = {"memory": "memory", "timeout": "timeout", "max-states": "max_states", "threads": "threads"}
_BROKEN = (OSError, http.client.HTTPException)


class Server(Backend):
    """Sends checks to an omend.

    Args:
        url: ``http://HOST:PORT``, ``https://HOST:PORT`` or ``unix:PATH``.
        token: authenticates the user; None: the value of the environment variable ``OMEN_TOKEN``, if it is set.
        ca_file: certificates that verify the server's certificate; None: those of the system.

    Files are read here and sent as texts. A submission has an Idempotency-Key, so it creates one job even if it is sent
    again. An interrupted stream of events is resumed. A server supports `check`, `check_iter`, `plugins` and `devices`.
    """

    def __init__(self, url: str, token: str | None = None, ca_file: str | os.PathLike[str] | None = None) -> None:
        self.url = url
        self._token = token if token is not None else os.environ.get("OMEN_TOKEN") or None
        path = re.match(r"(?:http\+)?unix:(?://)?(/?.+)$", url)
        parts = urllib.parse.urlsplit("http://localhost" if path else url)
        if parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query or parts.fragment:
            raise ValueError(f"a server address must be http://HOST:PORT, https://HOST:PORT or unix:PATH, not {url!r}")
        if self._token is not None and not re.fullmatch(r"[!-~](?:[ -~]*[!-~])?", self._token):
            raise ValueError("a token must be one line of printable ASCII")
        self._base = urllib.parse.urlunsplit((parts.scheme, parts.netloc, parts.path.rstrip("/"), "", ""))
        handlers: list[urllib.request.BaseHandler] = [NoRedirections()]
        if path:
            handlers += [urllib.request.ProxyHandler({}), SocketHandler(path[1])]
        elif parts.scheme == "https":
            context = ssl.create_default_context(cafile=None if ca_file is None else os.fspath(ca_file))
            handlers.append(urllib.request.HTTPSHandler(context=context))
        self._opener = urllib.request.build_opener(*handlers)

    def __repr__(self) -> str:
        return f"Server({self.url!r})"

    def run(self, request: Request) -> Generator[Line, None, int]:
        """See `Backend.run`. The job is cancelled if the generator is closed or an exception is raised."""
        if request.command in ("plugins", "devices"):
            return self._listed(request.command)
        if request.command != "check":
            raise BackendError(f"a server does not support '{request.command}', only check, plugins and devices")
        return self._check(request)

    def _listed(self, what: str) -> Generator[Line, None, int]:
        value = self._ask("GET", f"/v1/{what}")
        yield Line("out", json.dumps({"schema": 1, **value}))
        return 0

    # ---- requests ----

    def _open(self, method: str, path: str, body: object = None, last_id: str | None = None,
              key: str | None = None) -> http.client.HTTPResponse:
        headers = {"Accept": "*/*"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if self._token is not None:
            headers["Authorization"] = "Bearer " + self._token
        if last_id is not None:
            headers["Last-Event-ID"] = last_id
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            headers["Content-Type"] = "application/json"
        request = urllib.request.Request(self._base + path, data, headers, method=method)
        answer: http.client.HTTPResponse = self._opener.open(request, timeout=_SILENT_SECONDS)
        return answer

    def _ask(self, method: str, path: str, body: object = None, key: str | None = None) -> dict[str, Any]:
        """Returns an answer that is an object. Raises `_Refused` and `BackendError`."""
        try:
            with self._open(method, path, body, key=key) as answer:
                text = answer.read(_ANSWER)
            value = json.loads(text)
        except urllib.error.HTTPError as error:
            raise _Refused(self.url, error) from error
        except _BROKEN as error:
            raise BackendError(f"no answer from {self.url}: {getattr(error, 'reason', error)}") from error
        except (ValueError, RecursionError) as error:
            raise BackendError(f"{self.url} is not an omend: {error}") from error
        if not isinstance(value, dict):
            raise BackendError(f"{self.url} is not an omend")
        return value

    def _again(self, path: str) -> dict[str, Any]:
        """Repeats a GET request until it is answered; such a request can be repeated safely."""
        for pause in _PAUSES:
            try:
                return self._ask("GET", path)
            except _Refused as error:
                if error.status < 500 and error.status != 429:
                    raise
            except BackendError:
                pass
            time.sleep(pause)
        return self._ask("GET", path)

    # ---- a check ----

    def _check(self, request: Request) -> Generator[Line, None, int]:
        try:
            job = _Job(request)
            if "language" not in job.body:
                job.body["language"] = _language(self._ask("GET", "/v1/plugins"), job.path)
        except _Wrong as error:
            yield Line("err", f"omen: {error}")
            return error.status
        over = False
        number: int | None = None
        try:
            try:
                number = self._submit(job)
            except _Refused as error:
                if error.exit_status == 1:
                    raise
                yield Line("err", f"omen: {job.renamed(error.message)}")
                return error.exit_status
            yield from self._follow(job, number)
            over = True
            return (yield from self._end(job, number))
        finally:
            if number is not None and not over:
                with contextlib.suppress(BackendError):
                    self._ask("DELETE", f"/v1/jobs/{number}")

    def _submit(self, job: _Job) -> int:
        """Submits the job once, even if the answer is lost, and returns its number. Old servers have no keys."""
        key = uuid.uuid4().hex
        try:
            answer = self._ask("POST", "/v1/jobs", job.body, key)
        except BackendError as error:
            if not _may_be_there(error):
                raise
            answer = self._submit_again(job, key, error)
        number = answer.get("id")
        if not isinstance(number, int) or number <= 0:
            raise BackendError(f"{self.url} accepted the job without giving its number")
        return number

    def _submit_again(self, job: _Job, key: str, error: BackendError) -> dict[str, Any]:
        if self._again("/healthz").get("submission_keys") is not True:
            label = urllib.parse.quote(str(job.body["label"]))
            jobs = self._ask("GET", f"/v1/jobs?label={label}").get("jobs")
            if not isinstance(jobs, list) or not jobs or not isinstance(jobs[0], dict):
                raise error
            return jobs[0]
        for pause in _PAUSES:
            time.sleep(pause)
            try:
                return self._ask("POST", "/v1/jobs", job.body, key)
            except BackendError as again:
                if isinstance(again, _Refused) and again.status not in (429, 502, 503, 504):
                    raise
                error = again
        raise error

    def _follow(self, job: _Job, number: int) -> Iterator[Line]:
        """Yields the output of the job until it has ended."""
        last: str | None = None
        failures = 0
        while True:
            before = last
            try:
                with self._open("GET", f"/v1/jobs/{number}/events", last_id=last) as stream:
                    for kind, name, data in events_of(stream):
                        last = name or last
                        yield from job.lines(kind, data)
                        if job.over:
                            return
                reason = "the stream ended"
            except urllib.error.HTTPError as error:
                if error.code < 500 and error.code != 429:
                    raise _Refused(self.url, error) from error
                reason = f"status {error.code}"
            except _BROKEN as error:
                reason = str(getattr(error, "reason", error))
            failures = failures + 1 if last == before else 0
            if failures >= len(_PAUSES):
                raise BackendError(f"the connection to {self.url} broke: {reason}; job {number} continues there")
            time.sleep(_PAUSES[failures])

    def _end(self, job: _Job, number: int) -> Generator[Line, None, int]:
        jobs = self._again(f"/v1/jobs?after={number - 1}&limit=1").get("jobs")
        found = jobs[0] if isinstance(jobs, list) and jobs else None
        if not isinstance(found, dict) or found.get("id") != number:
            raise BackendError(f"{self.url} no longer knows job {number}")
        taken, error = found.get("taken") or {}, found.get("error") or {}
        status = taken.get("status")
        if taken.get("ended_by") in (None, "cancelled") and isinstance(status, int):
            return status
        text = job.renamed(str(error.get("detail", "the job failed for an unknown reason")))
        if taken.get("ended_by") in ("memory", "time", "cancelled") or found.get("state") == "cancelled":
            yield Line("err", f"omen: {text if error else 'cancelled'}")
            return 30
        raise BackendError(text)


class _Refused(BackendError):
    """An answer with an error status."""

    def __init__(self, url: str, error: urllib.error.HTTPError) -> None:
        self.status, pointer, value = error.code, "", None
        with contextlib.suppress(*_BROKEN, ValueError, RecursionError):
            value = json.loads(error.read(_ANSWER))
        if isinstance(value, dict) and isinstance(value.get("detail"), str):
            pointer = str(value.get("pointer", ""))
            super().__init__(f"{url} refuses: {value['detail']}" + (f" ({pointer})" if pointer else ""))
        else:
            super().__init__(f"{url} answers with status {error.code} without a reason")
        model = pointer.startswith(("/model", "/name"))
        self.exit_status = (2 if pointer.startswith("/limits") else 3) if self.status in (413, 422) or model else \
            2 if self.status == 400 or (self.status == 403 and pointer) else 1


class _Wrong(Exception):
    """An input that cannot be sent, with omen's exit status for it."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def _may_be_there(error: BackendError) -> bool:
    """Returns True if the server may have accepted a submission that failed in this way. A gateway (502, 504) does
    not know.
    """
    if isinstance(error, _Refused):
        return error.status in (502, 504)
    reason = getattr(error.__cause__, "reason", error.__cause__)
    return not isinstance(reason, (ConnectionRefusedError, FileNotFoundError, socket.gaierror,
                                   ssl.SSLCertVerificationError))


def _text(source: Source) -> str:
    if source.path is None:
        return source.text or ""
    try:
        with open(source.path, "rb") as file:
            data = file.read(_FILE + 1)
        if len(data) > _FILE:
            raise _Wrong(f"{source.path}: too large for a server", 3)
        return data.decode()
    except OSError as error:
        raise _Wrong(f"cannot read {source.path}: {error.strerror}", 3) from error
    except UnicodeDecodeError as error:
        raise _Wrong(f"{source.path}: not UTF-8, which a server needs", 3) from error


def _language(plugins: dict[str, Any], path: str) -> str:
    """Returns the server's front end for a file of that name."""
    for plugin in plugins.get("plugins", ()):
        if isinstance(plugin, dict) and plugin.get("kind") == "frontend":
            if any(path.endswith(str(suffix)) for suffix in plugin.get("suffixes") or ()):
                return str(plugin.get("name"))
    raise _Wrong(f"{path}: no front end of the server reads files with this suffix", 2)


class _Job:
    """A submission and its results."""

    def __init__(self, request: Request) -> None:
        (source,) = request.arguments
        assert isinstance(source, Source)
        self.over = False
        self.path = source.path or "-"
        self.shown = "<model>" if source.path is None else source.path
        self.properties: list[str | None] = []  # names of the properties in results here; None: the server's name
        self.names: dict[str, str] = {}
        self._attempt = self._seen = self._told = self._answered = 0
        base = os.path.basename(self.path)
        plain = re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,99}", base) is not None
        self.there = base if plain else "model"
        self.names[self.there] = self.shown
        self.body: dict[str, Any] = {"model": _text(source), "properties": [], "options": {}, "limits": {},
                                     "label": f"{self.there} {uuid.uuid4().hex[:16]}"}
        if plain:
            self.body["name"] = base
        for name, value in request.options:
            self._add(name, value)

    def _add(self, name: str, value: str | Source | None) -> None:
        text = _text(value) if isinstance(value, Source) else value
        if name in _PROPERTIES:
            index = len(self.properties)
            self.body["properties"].append({_PROPERTIES[name]: True if text is None else text})
            self.properties.append(None)
            if isinstance(value, Source):
                file = value.path or f"<{value.what}>"
                self.names[f"never-{index + 1}.hoa" if name == "never" else "LTL formula"] = file
                self.properties[index] = file if name == "never" else " ".join(str(text).split())
        elif name == "frontend":
            self.body["language"] = text
        elif name == "fail-fast":
            self.body["options"][name] = True
        elif name == "fair":
            self.body["options"].setdefault("fair", []).append(text)
        elif name in _TEXTS:
            self.body["options"][name] = text
        elif name == "whole-run":
            self.body["options"][name] = True
        elif name in _LIMITS or name == "seed":
            number = name in ("max-states", "threads", "seed")
            if number and not re.fullmatch("[0-9]+", str(text)):
                raise _Wrong(f"--{name} takes a number, not '{text}'", 2)
            to = self.body["options"] if name == "seed" else self.body["limits"]
            to[_LIMITS.get(name, name)] = int(str(text)) if number else text
        elif name != "json-lines":
            raise _Wrong(f"a server does not support --{name}", 2)

    def renamed(self, message: str) -> str:
        """Returns a message with the local names of files."""
        said = re.match(r"((?:omen: )?(?:warning: )?)(.+?)(?=:)", message)
        if said is None or said[2] not in self.names:
            return message
        return said[1] + self.names[said[2]] + message[said.end():]

    def lines(self, kind: str, data: str) -> Iterator[Line]:
        """Yields the lines that the program would print."""
        if kind not in ("state", "note", "progress", "result"):
            return
        try:
            value = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise BackendError(f"invalid event from the server: {error}") from error
        if not isinstance(value, dict):
            raise BackendError("invalid event from the server")
        if kind == "state":
            self._enter(value)
        elif kind == "note":
            yield Line("err", self.renamed(str(value.get("text"))))
        elif kind == "progress":
            yield Line("out", json.dumps({"schema": 1, "progress": value}))
        else:
            self._seen += 1
            if self._seen > self._told:
                self._told = self._seen
                yield Line("out", json.dumps(self._result(value)))

    def _enter(self, value: dict[str, Any]) -> None:
        """Begins an attempt; it repeats the events of the previous attempts."""
        self.over = value.get("state") in ("done", "failed", "cancelled")
        if value.get("attempt") != self._attempt:
            self._attempt, self._seen = value.get("attempt"), 0  # type: ignore[assignment]

    def _result(self, value: dict[str, Any]) -> dict[str, Any]:
        value["model"] = self.path
        index = self._answered
        self._answered += (value.get("about") == "property" or
                           self.body["properties"][index:index + 1] == [{"assertions": True}])
        if value.get("about") == "assertion":
            value["property"] = self.renamed(str(value.get("property")))
        elif index < len(self.properties) and self.properties[index] is not None:
            value["property"] = self.properties[index]
        here = os.path.basename(self.path)
        for run in (value.get("lasso"), value.get("overflow_trace")) if here != self.there else ():
            if isinstance(run, dict):
                self._rename(run, here)
        return value

    def _rename(self, run: dict[str, Any], here: str) -> None:
        """Replaces the model's name in a run and in each place of the run."""
        metas = [run.get("#meta"), *(s.get("#meta") for s in run.get("states") or () if isinstance(s, dict))]
        for meta in metas:
            if isinstance(meta, dict):
                if meta.get("model") == self.there:
                    meta["model"] = here
                if str(meta.get("place")).startswith(self.there + ":"):
                    meta["place"] = here + str(meta["place"])[len(self.there):]
