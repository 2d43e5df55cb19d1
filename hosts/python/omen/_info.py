# SPDX-License-Identifier: Apache-2.0
"""What is there: plug-ins, devices, and the properties of a model."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, kw_only=True)
class Refused:
    """A file, or a folder, that is no plug-in. Attributes: path, and reason."""

    path: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class PluginOption:
    """An option of a plug-in: ``NAME:OPTION=VALUE``.

    Attributes:
        name: as it is written.
        default: a string where its values have names.
        low, high: the least and the largest value; None where values have names.
        values: their names; None where they are numbers.
        help: what it is for.
    """

    name: str
    default: int | str
    low: int | None
    high: int | None
    values: tuple[str, ...] | None
    help: str | None


@dataclass(frozen=True, kw_only=True)
class Rank:
    """Where a checker is a default.

    Attributes:
        rank: a better checker says more.
        strengths: of parts.
        least, most: workers; most is None for any number.
    """

    rank: int
    strengths: tuple[str, ...]
    least: int
    most: int | None


@dataclass(frozen=True, kw_only=True)
class CheckerInfo:
    """What a checker can do.

    Attributes:
        strengths: of parts that it decides.
        acceptance: classes of acceptance that it takes.
        runs: how it runs: "parallel", "sequential", "device" ...
        ranks: where it is a default.
        most_workers: that it can use; None: any number.
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
        summary: in a line.
        path: of its file.
        citation: paper and section that it is from; or None.
        options: that it takes.
        checker: what a checker can do; else None.
        suffixes: of files that a front end reads; else None.
        rank: of a translator that may be the default; else None.
    """

    kind: Literal["frontend", "translator", "checker"]
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
    """What was found in the folders of plug-ins. Attributes: plugins, and refused."""

    plugins: tuple[Plugin, ...]
    refused: tuple[Refused, ...]


@dataclass(frozen=True, kw_only=True)
class Device:
    """A device that explorations and checks can use.

    Attributes:
        number: as ``device`` takes it; None: the host, which is taken by its name.
        name, platform, driver, version: as the driver says.
        kind: "cpu", "gpu", "accelerator" or "host".
        backend: who runs kernels there: "opencl" or "host".
        compute_units, memory_bytes, largest_allocation: as the driver says.
        work_group, work_items: of a work-group, and at once, at most.
        tuned: a long run has tried what is best.
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
        default: number of the device that ``device="auto"`` takes; or None.
        reason: why there are none of OpenCL; None: there are.
    """

    devices: tuple[Device, ...]
    default: int | None
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class OwnProperty:
    """A property that a model brings along.

    Attributes:
        name: as its result names it.
        kind: "formula", "automaton", "assertions", "deadlock" or "non-progress".
        option: the argument of `omen.check` that asks for it alone, as the command has it; "property" takes the name.
        formula: as ``ltl`` takes it with spelling "omen"; None: it is none.
        assertions: how many there are; None: it is not about them.
        default: it is checked if nothing is asked for.
    """

    name: str
    kind: Literal["formula", "automaton", "assertions", "deadlock", "non-progress"]
    option: Literal["property", "assertions", "deadlock", "non-progress"]
    formula: str | None
    assertions: int | None
    default: bool


@dataclass(frozen=True, kw_only=True)
class OwnProperties:
    """What `omen properties` prints: the properties of a model, in the order in which they are checked."""

    model: str
    own: tuple[OwnProperty, ...]
