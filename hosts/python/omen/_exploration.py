# SPDX-License-Identifier: Apache-2.0
"""The result of an exploration, with what its store and its device did."""
from __future__ import annotations

from dataclasses import dataclass

from ._lasso import Lasso
from ._results import Overflows, Verified


@dataclass(frozen=True, kw_only=True)
class Store:
    """What states were kept in.

    Attributes:
        kind: "plain" or "tree".
        bytes_per_state: the sum of the next three.
        vector_bytes_per_state, index_bytes_per_state, side_bytes_per_state: vectors, or roots and
            inner nodes of trees; the index; side arrays.
        nodes: inner nodes of trees, roots left out.
        index_entries, index_load: slots of the index, and how many of them are taken.
        look_ups, probes_per_look_up: of states; lines of the index that were looked at.
        growths: of shards of the index.
        longest_pause_seconds: workers waited so long for a growth.
        longest_pause_cpu_seconds: processor time of the growth which took the most of it.
    """

    kind: str
    bytes_per_state: float | None
    vector_bytes_per_state: float | None
    index_bytes_per_state: float | None
    side_bytes_per_state: float | None
    nodes: int
    index_entries: int
    index_load: float | None
    look_ups: int
    probes_per_look_up: float | None
    growths: int
    longest_pause_seconds: float
    longest_pause_cpu_seconds: float


@dataclass(frozen=True, kw_only=True)
class Queue:
    """What a device was asked to do.

    Attributes:
        devices: that explored together.
        steps, idle_steps: one a level, or several; queued ahead, with nothing to do.
        step_launches, launches: kernels of steps; all kernels.
        read_backs: how often the host waited for what a device wrote.
        exchanged: candidates that went from one device to another.
    """

    devices: int
    steps: int
    idle_steps: int
    step_launches: int
    launches: int
    read_backs: int
    exchanged: int


@dataclass(frozen=True, kw_only=True)
class Each:
    """What kernels did to memory, divided by states or by transitions. Attributes as `Traffic`."""

    launches: float
    sectors_read: float
    sectors_written: float
    atomics: float
    asked_read: float
    asked_written: float


@dataclass(frozen=True, kw_only=True)
class BufferTraffic:
    """What a kernel did to one buffer. Attributes: buffer, its name; the others as `Traffic`."""

    buffer: str
    sectors_read: int
    sectors_written: int
    atomics: int
    asked_read: int
    asked_written: int


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """What kernels did to global memory.

    Attributes:
        launches: of kernels.
        sectors_read, sectors_written: of 32 bytes, if some cache keeps them.
        atomics: that may change something.
        asked_read, asked_written: sectors that are asked for, if there is no cache.
        per_state, per_transition: all of this, divided.
    """

    launches: int
    sectors_read: int
    sectors_written: int
    atomics: int
    asked_read: int
    asked_written: int
    per_state: Each | None
    per_transition: Each | None


@dataclass(frozen=True, kw_only=True)
class KernelTraffic(Traffic):
    """The same of one kernel. Attributes: kernel, its name; buffers, the same by buffer."""

    kernel: str
    buffers: tuple[BufferTraffic, ...]


@dataclass(frozen=True, kw_only=True)
class Counts:
    """What a device that counts (``device="host:traced"``) says of its kernels.

    Attributes:
        sector_bytes: size of a sector.
        kernels, total: by kernel, and of all.
        read_backs: as `Queue` has them.
    """

    sector_bytes: int
    kernels: tuple[KernelTraffic, ...]
    total: Traffic
    read_backs: int


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of a model.

    Attributes:
        file, line, column: where it stands; column 0: not known.
        label: of the first transition there.
    """

    file: str | None
    line: int
    column: int
    label: str | None


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What of a model some run does.

    Attributes:
        statements: how many there are: places in the text that have transitions.
        never_done: those that no run has that was explored.
    """

    statements: int
    never_done: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class AssertionFailure:
    """Assertions at one place of a model's text that fail in some states.

    Attributes:
        file, line, column: the place; a line or column of 0 is not known.
        text: of the first assertion there.
        states: in how many states one of them fails.
        run: the labels of the steps of a shortest run to such a state; None: none could be had.
    """

    file: str | None
    line: int
    column: int
    text: str | None
    states: int
    run: tuple[str | None, ...] | None


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """The size of a model's state space, and what it took to find that out.

    Attributes:
        model: the file as it was given; "-" where the model was a text.
        complete: all states were explored, and the model went wrong in none.
        reason: why it is not complete: "state limit", for example; None: it is.
        states, transitions, deadlocks, levels: reachable; levels are breadth-first ones.
        stored: states outside atomic sequences of Promela, which are those that SPIN stores; of other
            languages all.
        failures: assertions that fail; None with ignore_assertions.
        overflows, overflow_trace: values that wrapped, and how to get there.
        seconds, states_per_second, transitions_per_second: of the exploration alone.
        memory_bytes: held for states.
        store: None where a device kept the states.
        executor: who computed successors: "vm", "native", "opencl", "host" ...
        device: its name; None is the CPU.
        queue, counts: of a device; counts of one that counts.
        gave_up: the device that was asked first and could not do it, and why.
        verified: what stands behind a device.
        limit_seconds, overtime_seconds: to the moment a limit was hit, and from then to the end.
        coverage: None where nobody asked.
    """

    model: str
    complete: bool
    reason: str | None
    states: int
    stored: int
    transitions: int
    deadlocks: int
    levels: int
    failures: tuple[AssertionFailure, ...] | None
    overflows: Overflows | None
    seconds: float
    states_per_second: float | None
    transitions_per_second: float | None
    memory_bytes: int
    store: Store | None
    executor: str | None
    device: str | None
    queue: Queue | None
    counts: Counts | None
    gave_up: str | None
    verified: Verified | None
    limit_seconds: float | None
    overtime_seconds: float | None
    coverage: Coverage | None
    overflow_trace: Lasso | None
