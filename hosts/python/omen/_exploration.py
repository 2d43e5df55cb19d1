# SPDX-License-Identifier: Apache-2.0
"""The result of an exploration, with the statistics of its store and its device."""
from __future__ import annotations

from dataclasses import dataclass

from ._lasso import Lasso
from ._results import Code, Overflows, Verified


@dataclass(frozen=True, kw_only=True)
class Store:
    """The store of the states.

    Attributes:
        kind: "plain" or "tree".
        bytes_per_state: the sum of the next three.
        vector_bytes_per_state, index_bytes_per_state, side_bytes_per_state: vectors, or roots and
            inner nodes of trees; the index; side arrays.
        nodes: inner nodes of trees, without roots.
        index_entries, index_load: slots of the index, and the share of them that is occupied.
        look_ups, probes_per_look_up: look-ups of states; lines of the index read per look-up.
        growths: number of times that a shard of the index grew.
        longest_pause_seconds: longest time that workers waited for a growth.
        longest_pause_cpu_seconds: processor time of the growth that took the most of it.
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
    """The work queued on a device.

    Attributes:
        devices: number of devices that explored together.
        steps, idle_steps: one or several per level; steps queued in advance that had nothing to do.
        step_launches, launches: kernel launches of steps; all kernel launches.
        read_backs: number of times that the host waited for data from a device.
        exchanged: candidates that were sent from one device to another.
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
    """Memory traffic of kernels, divided by states or by transitions. Attributes as in `Traffic`."""

    launches: float
    sectors_read: float
    sectors_written: float
    atomics: float
    asked_read: float
    asked_written: float


@dataclass(frozen=True, kw_only=True)
class BufferTraffic:
    """Memory traffic of a kernel in one buffer. Attributes: buffer, its name; the others as in `Traffic`."""

    buffer: str
    sectors_read: int
    sectors_written: int
    atomics: int
    asked_read: int
    asked_written: int


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Traffic of kernels with global memory.

    Attributes:
        launches: kernel launches.
        sectors_read, sectors_written: sectors of 32 bytes, if a cache keeps them.
        atomics: atomic operations that may change memory.
        asked_read, asked_written: sectors requested, if there is no cache.
        per_state, per_transition: all of these, divided.
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
    """The traffic of one kernel. Attributes: kernel, its name; buffers, the traffic by buffer."""

    kernel: str
    buffers: tuple[BufferTraffic, ...]


@dataclass(frozen=True, kw_only=True)
class Counts:
    """Counts of the kernels of a counting device (``device="host:traced"``).

    Attributes:
        sector_bytes: size of a sector.
        kernels, total: by kernel, and the sum.
        read_backs: as in `Queue`.
    """

    sector_bytes: int
    kernels: tuple[KernelTraffic, ...]
    total: Traffic
    read_backs: int


@dataclass(frozen=True, kw_only=True)
class Statement:
    """A statement of a model.

    Attributes:
        file, line, column: its place; column 0: unknown.
        label: label of the first transition there.
    """

    file: str | None
    line: int
    column: int
    label: str | None


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """The statements of a model that some run executes.

    Attributes:
        statements: their number: places in the text that have transitions.
        never_done: the statements that no explored run executes.
    """

    statements: int
    never_done: tuple[Statement, ...]


@dataclass(frozen=True, kw_only=True)
class AssertionFailure:
    """Assertions at one place of a model's text that fail in some states.

    Attributes:
        file, line, column: the place; a line or column of 0 is unknown.
        text: text of the first assertion there.
        states: number of states in which one of them fails.
        run: the labels of the steps of a shortest run to such a state; None: no run is available.
    """

    file: str | None
    line: int
    column: int
    text: str | None
    states: int
    run: tuple[str | None, ...] | None


@dataclass(frozen=True, kw_only=True)
class Exploration:
    """The size of a model's state space, and the cost of the exploration.

    Attributes:
        model: the file as it was given; "-" if the model was a text.
        complete: all states were explored without an error in the model.
        reason: why the exploration is incomplete: "state limit", for example; None: it is complete.
        states, transitions, deadlocks, levels: reachable ones; levels are breadth-first levels.
        stored: states outside atomic sequences of Promela, which are those that SPIN stores; for other
            languages all states.
        failures: assertions that fail; None with ignore_assertions.
        overflows, overflow_trace: values that wrapped, and a trace to one.
        seconds, states_per_second, transitions_per_second: of the exploration alone.
        memory_bytes: memory of the states.
        store: None if a device kept the states.
        executor: executor of successor computations: "vm", "native", "opencl", "host" ...
        code: how long the CPU used each executor; None: it computed nothing.
        device: its name; None is the CPU.
        queue, counts: of a device; counts are those of a counting device.
        gave_up: the device that was tried first and failed, and why.
        verified: the verification of a device's result.
        limit_seconds, overtime_seconds: time until a limit was hit, and from then to the end.
        coverage: None if it was not requested.
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
    code: Code | None
    device: str | None
    queue: Queue | None
    counts: Counts | None
    gave_up: str | None
    verified: Verified | None
    limit_seconds: float | None
    overtime_seconds: float | None
    coverage: Coverage | None
    overflow_trace: Lasso | None
