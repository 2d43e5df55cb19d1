# SPDX-License-Identifier: Apache-2.0
"""Decodes JSON into frozen dataclasses, by the annotations of their fields.

The dataclasses have the members of omen's JSON Schemas (``omen schema``). Unknown members are ignored, because a
later omen may add some. A missing member, a member of another type and another version of the schema are errors. A
field with a default is not one of these members.
"""
from __future__ import annotations

import dataclasses
import enum
import functools
import types
import typing
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from ._errors import BackendError

VERSION = 1  # supported version of the schemas

T = TypeVar("T")


def version_of(value: Mapping[str, Any]) -> None:
    """Raises `BackendError` unless the object has the version that this module supports."""
    if value.get("schema") != VERSION:
        raise BackendError(f"omen answers with version {value.get('schema')} of its schema; this module needs "
                           f"version {VERSION}")


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def decode(kind: type[T], value: object, where: str = "") -> T:
    """Returns the value as the given type: a dataclass, an enumeration, a tuple, a union or a plain type."""
    return cast(T, _decode(kind, value, where or kind.__name__))


def _decode(kind: Any, value: object, where: str) -> object:
    origin = typing.get_origin(kind)
    if origin in (types.UnionType, typing.Union):
        return _one_of(typing.get_args(kind), value, where)
    if origin is tuple and isinstance(value, list):
        item = typing.get_args(kind)[0]
        return tuple(_decode(item, v, f"{where}[{i}]") for i, v in enumerate(value))
    if origin is typing.Literal and value in typing.get_args(kind):
        return value
    if isinstance(kind, type):
        made = getattr(kind, "from_json", None)
        if made is not None and isinstance(value, dict):
            return made(value)
        if dataclasses.is_dataclass(kind) and isinstance(value, dict):
            return _members(kind, value, where)
        if issubclass(kind, enum.Enum) and value in [each.value for each in kind]:
            return kind(value)
        if kind is float and isinstance(value, (int, float)) and not isinstance(value, bool):
            return float(value)
        # bool is not accepted as a number.
        if isinstance(value, kind) and isinstance(value, bool) == (kind is bool):
            return value
    raise BackendError(f"{where}: unexpected value in omen's answer: {value!r:.100}")


def _one_of(kinds: tuple[Any, ...], value: object, where: str) -> object:
    if value is None and type(None) in kinds:
        return None
    rest = [kind for kind in kinds if kind is not type(None)]
    for kind in rest[:-1]:
        try:
            return _decode(kind, value, where)
        except BackendError:
            pass
    return _decode(rest[-1], value, where)


def _members(kind: type, value: Mapping[str, Any], where: str) -> object:
    made = {}
    for field in dataclasses.fields(kind):
        if field.name not in value and field.default is not dataclasses.MISSING:
            continue
        if field.name not in value:
            raise BackendError(f"{where}: omen's answer has no '{field.name}': omen may be older than this module")
        made[field.name] = _decode(_hints(kind)[field.name], value[field.name], f"{where}.{field.name}")
    return kind(**made)
