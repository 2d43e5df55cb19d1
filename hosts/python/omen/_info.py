# SPDX-License-Identifier: Apache-2.0
"""Lists of what is available: plug-ins, devices, and the properties of a model."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A file or folder that is not a valid plug-in. Attributes: path, and reason."""

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PluginOption:
    """An option of a plug-in: ``NAME:OPTION=VALUE``.

    Attributes:
        name: as written in the command.
        default: a string if its values have names.
        low, high: the least and the largest value; None if values have names.
        values: the names of its values; None if they are numbers.
        help: its purpose.
    """

    name: str
    default: int | str
    low: int | None
    high: int | None
    values: tuple[str, ...] | None
    help: str | None


@dataclass(frozen=True, kw_only=True)
class Rank:
    """The conditions under which a checker is a default.

    Attributes:
        rank: a better checker has a greater rank.
        strengths: of parts.
        least, most: number of workers; most is None for any number.
    """

    rank: int
    strengths: tuple[str, ...]
    least: int
    most: int | None


@dataclass(frozen=True, kw_only=True)
class CheckerInfo:
    """The capabilities of a checker.

    Attributes:
        strengths: of parts that it decides.
        acceptance: classes of acceptance that it supports.
        runs: how it runs: "parallel", "sequential", "device" ...
        ranks: the conditions under which it is a default.
        most_workers: the most workers that it can use; None: any number.
    """

    strengths: tuple[str, ...]
    acceptance: tuple[str, ...]
    runs: tuple[str, ...]
    ranks: tuple[Rank, ...]
    most_workers: int | None


@dataclass(frozen=True, kw_only=True)
class Plugin:
    """A plug-in that can be used.

    Attributes:
        kind: "frontend", "translator" or "checker".
        name: unique within its kind.
        summary: one line.
        path: path of its file.
        citation: paper and section that it implements; or None.
        options: options that it accepts.
        checker: the capabilities of a checker; otherwise None.
        suffixes: of files that a front end reads; otherwise None.
        rank: of a translator that may be the default; otherwise None.
    """

    kind: Literal["frontend", "translator", "checker", "guide"]
    name: str
    summary: str
    path: str
    citation: str | None
    options: tuple[PluginOption, ...]
    checker: CheckerInfo | None
    suffixes: tuple[str, ...] | None
    rank: int | None


@dataclass(frozen=True, kw_only=True)
class Plugins:
    """The contents of the plug-in folders. Attributes: plugins, and refused."""

    plugins: tuple[Plugin, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, kw_only=True)
class Device:
    """A device that explorations and checks can use.

    Attributes:
        number: value of ``device`` that selects it; None: the host, which is selected by its name.
        name, platform, driver, version: as the driver reports them.
        kind: "cpu", "gpu", "accelerator" or "host".
        backend: the back end that runs kernels there: "opencl" or "host".
        compute_units, memory_bytes, largest_allocation: as the driver reports them.
        work_group, work_items: greatest size of a work-group, and most work-items at a time.
        tuned: a long run has determined the best parameters.
        reason: why it cannot be used; None: it can.
    """

    number: int | None
    name: str
    kind: str
    backend: str
    platform: str
    driver: str
    version: str
    compute_units: int
    memory_bytes: int
    largest_allocation: int
    work_group: int
    work_items: int
    tuned: bool
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class Devices:
    """The devices.

    Attributes:
        devices: those of OpenCL, and the host.
        default: number of the device that ``device="auto"`` selects; or None.
        reason: why there are no OpenCL devices; None: there are some.
    """

    devices: tuple[Device, ...]
    default: int | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class OwnProperty:
    """A property that a model defines.

    Attributes:
        name: its name in results.
        kind: "formula", "automaton", "assertions", "deadlock" or "non-progress".
        option: the argument of `omen.check` that requests it alone, in the command's spelling; "property" takes the name.
        formula: as ``ltl`` takes it with spelling "omen"; None: it is not a formula.
        assertions: their number; None: the property is not about assertions.
        default: it is checked if no property is requested.
    """

    name: str
    kind: Literal["formula", "automaton", "assertions", "deadlock", "non-progress"]
    option: Literal["property", "assertions", "deadlock", "non-progress"]
    formula: str | None
    assertions: int | None
    default: bool


@dataclass(frozen=True, kw_only=True)
class OwnProperties:
    """The output of `omen properties`: the properties of a model, in the order in which they are checked."""

    model: str
    own: tuple[OwnProperty, ...]
