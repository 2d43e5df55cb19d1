# SPDX-License-Identifier: Apache-2.0
"""Checks that headers of core/device are only included downwards: see its README.md."""
import os
import re
import sys

# From the lowest to the highest layer; files of one layer may include each other.
LAYERS = (
    {"backend", "device", "sizing", "kept", "kernels"},
    {"opencl/api", "opencl/commands", "opencl/compile", "opencl/devices", "opencl/driver",
     "opencl/opencl", "opencl/program", "opencl/trial", "opencl/wire", "opencl/probe",
     "opencl/builder", "host/barrier", "host/devices", "host/host", "host/memory", "host/program",
     "host/stream", "host/turns", "host/trace",
     "dry/dry"},
    {"queue", "builds"},
    {"grow", "segments", "state_table", "quotient", "keys"},
    {"member", "steps", "trim", "tune", "fixpoint"},
    {"again", "engine", "exchange", "explore", "hidden", "paths", "texts", "verify"},
    {"devices", "selftest", "opencl/serve"},
)


def main(folder):
    level = {name: i for i, layer in enumerate(LAYERS) for name in layer}
    wrong, seen = [], set()
    for at, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(at, name), folder)
            stem, kind = os.path.splitext(path)
            if kind not in (".c", ".h"):
                continue
            seen.add(stem)
            if stem not in level:
                wrong.append(f"{path} is in no layer")
                continue
            with open(os.path.join(at, name), encoding="utf-8") as text:
                included = re.findall(r'^#include "([^"]+)\.h"', text.read(), re.M)
            for header in included:
                own = os.path.normpath(os.path.join(os.path.dirname(stem), header))
                header = own if os.path.exists(os.path.join(folder, own + ".h")) else header
                if level.get(header, 0) > level[stem]:
                    wrong.append(f"{path} includes {header}.h, which is above it")
    wrong += [f"{name} is in a layer, and nowhere else" for name in sorted(set(level) - seen)]
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
