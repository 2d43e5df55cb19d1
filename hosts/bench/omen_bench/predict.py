# SPDX-License-Identifier: Apache-2.0
"""Upper bounds of the speed of published devices, derived from their memory traffic. Computation, kernel launches and
caches are not modelled.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .figures import Sample
    from .results import Results
    from .table import Row

# Bandwidths are those of the manufacturers' data sheets: NVIDIA H200, H100 (SXM5) and A100 80GB (SXM4) Tensor Core GPU
# data sheets; NVIDIA Ada GPU architecture white paper (RTX 4090); AMD Instinct MI300X data sheet. The name that a
# driver reports contains the name here.
_PUBLISHED = {"H200": 4.8e12, "H100": 3.35e12, "A100": 2.04e12, "RTX 4090": 1.01e12, "MI300X": 5.3e12}
_SECTOR = 32
# An assumption: an H200 performs about 3 G random word accesses per second, atomic or not. Other devices perform as
# many in proportion to their bandwidth.
_RANDOM_H200 = 3e9


def bandwidth_of(device: object) -> float:
    """Returns the published bandwidth, in bytes per second, of a device given by its driver's name; NaN if unknown."""
    return next((b for name, b in _PUBLISHED.items() if isinstance(device, str) and name in device), math.nan)


def _bytes_of(counts: Sample) -> float:
    """Returns the bytes that memory moves for a transition."""
    return _SECTOR * (counts["sectors-read"] + counts["sectors-written"])


def predict(counts: Sample, bandwidth: float) -> tuple[float, str]:
    """Returns transitions per second, and the limiting resource, from the counts per transition and a memory bandwidth
    in bytes per second. The rate is NaN if a count is missing.
    """
    random = _RANDOM_H200 * bandwidth / _PUBLISHED["H200"]
    limits = [(rate / per if per != 0 else math.inf, what) for rate, per, what in (
        (bandwidth, _bytes_of(counts), "bandwidth"), (random, counts["index-sectors"], "look-ups"),
        (random, counts["atomics"], "atomics"))]
    if any(math.isnan(rate) for rate, _ in limits):
        return math.nan, ""
    return min(limits, key=lambda limit: limit[0])


# ---- the report ----

def _counts_of(r: Results, row: Row) -> Sample | None:
    """Returns a run of the row that has counts."""
    runs = (c.samples[0] for c in r.cells(row) if c.state == "ok" and c.samples)
    return next((s for s in runs if not math.isnan(s["sectors-read"])), None)


def _explored(r: Results, row: Row) -> str | None:
    """Returns the first column that a device has explored."""
    for column in r.table.columns:
        cell = r.cell(row, column)
        if cell.state == "ok" and cell.samples:
            s = cell.samples[0]
            if s.executor == "opencl" and s["states"] > 0 and s["transitions"] > 0:
                return column
    return None


def _rate(r: Results, row: Row, column: str, counts: Sample | None) -> str:
    cell = r.cell(row, column)
    s = cell.samples[0]
    each = s["transitions"] / s["states"]
    seconds, size = cell.median("seconds"), cell.median("store-per-state")
    rate = s["states"] / seconds if seconds != 0 else math.inf
    text = f"{row.name}, {column}: {rate / 1e6:.3g} million states per second"
    if not math.isnan(size):
        text += f", {size:.1f} bytes per state"
    if counts is None:
        return text
    if not math.isnan(s["bandwidth"]):
        text += f", {100 * rate * each * _bytes_of(counts) / s['bandwidth']:.1f} % of its bandwidth"
    predictions = ((name, *predict(counts, bandwidth)) for name, bandwidth in _PUBLISHED.items())
    return text + "; predicted at most: " + ", ".join(
        f"{name} {most / each / 1e6:.0f} ({limit})" for name, most, limit in predictions)


_SHOWN = ("sectors-read", "sectors-written", "index-sectors", "atomics", "asked-read", "asked-written")
_HEADS = (
    "\nmemory accesses per transition\n"
    "row                  read  written    index  atomics  asked read  asked written\n",
    "\n## Memory accesses per transition\n\n| row | sectors read | written | of the index | atomics | asked read | "
    "asked written |\n|---|--:|--:|--:|--:|--:|--:|\n")


def predictions(r: Results, markdown: bool) -> str:
    """Returns the counts of rows that have counts, and states per second and bytes per state of rows that a device has
    explored. If such a row also has counts, the share of the device's bandwidth and the upper bounds for the published
    devices follow, for the same number of transitions per state.
    """
    rows = r.table.rows.values()
    counted = [(row.name, counts) for row in rows if (counts := _counts_of(r, row)) is not None]
    measured = [(row, column) for row in rows if (column := _explored(r, row)) is not None]
    line = "| %s | %.3f | %.3f | %.3f | %.3f | %.3f | %.3f |\n" if markdown else \
        "%-16s %8.3f %8.3f %8.3f %8.3f %11.3f %14.3f\n"
    out = _HEADS[markdown] if counted else ""
    out += "".join(line % (name, *(counts[f] for f in _SHOWN)) for name, counts in counted)
    if measured:
        out += "\n## Explored on a device\n\n" if markdown else "\n"
    for row, column in measured:
        out += ("- " if markdown else "") + _rate(r, row, column, _counts_of(r, row)) + "\n"
    if measured and counted:
        out += ("\n" if markdown else "") + (
            "Only the exploration is measured. Predictions are in millions of states per second. They are computed "
            "from published bandwidths and, for look-ups and atomics, from an assumed 3 G per second on an H200, "
            "scaled by bandwidth for the others.\n")
    return out
