# SPDX-License-Identifier: Apache-2.0
"""The parts of omen-bench, which compares programs. hosts/bench/README.md describes what it measures and how."""
