# SPDX-License-Identifier: Apache-2.0
"""Small models, explored and checked on a device and on the CPU: states, transitions and verdicts
agree, the device did the work, and its states are those of the vm.

    sample.py OMEN DEMO MODELS [few]    DEMO, MODELS: folders; the device is $OMEN_TEST_DEVICE
"""
import json
import os
import subprocess
import sys

OMEN, DEMO, MODELS = sys.argv[1:4]
FEW = sys.argv[4:] == ["few"] # only the first checks, for a slow simulator
DEVICE = os.environ["OMEN_TEST_DEVICE"]

EXPLORED = [(DEMO, "lossy.dve"), (DEMO, "mutex.dve"), (DEMO, "starvation.dve"), (MODELS, "ends.dve"), (MODELS, "wraps.dve")]
# (model, property, expected verdict)
CHECKED = [
    (DEMO, "mutex.dve", ["--ltl", "G(P_0.waiting -> F P_0.critical)"], "holds"),
    (DEMO, "mutex.dve", ["--invariant", "not (P_0.critical and P_1.critical)"], "holds"),
    (DEMO, "starvation.dve", ["--ltl", "G(Client_0.waiting -> F Client_0.served)"], "violated"),
    (DEMO, "starvation.dve", ["--invariant", "not (Client_0.served and Client_1.served)"], "holds"),
    (DEMO, "starvation.dve", ["--invariant", "not Client_0.served"], "violated"),
    (MODELS, "mutex.dve", ["--ltl", "F A.crit"], "violated"),
    (MODELS, "ends.dve", ["--deadlock"], "violated"),
]


def run(device, *args):
    # Without a device, a single worker explores: two could expand the same state and count its
    # transitions twice.
    where = ["--device", "none", "--threads", "1"] if device == "none" else ["--device", device, "--verify-device", "all"]
    done = subprocess.run([OMEN, *args, "--json", *where], capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr) # includes a simulator's reports
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{' '.join(args)}: on {device}: status {done.returncode}, {done.stdout[:200]}")


def differences(here, there, keys):
    return [f"{key} {there[key]}, on the CPU {here[key]}" for key in keys if here[key] != there[key]]


def by_device(part):
    """Returns an error if the device gave up. The CPU takes over if a state of the device is wrong
    or missing."""
    return [] if part["device"] and not part["gave_up"] else [f"the device gave up: {part['gave_up']}"]


def explored(path):
    here, there = (run(device, "explore", path) for device in ("none", DEVICE))
    return differences(here, there, ("states", "transitions", "deadlocks", "levels", "overflows")) + by_device(there)


def checked(path, options, verdict):
    here, there = (run(device, "check", path, *options) for device in ("none", DEVICE))
    wrong = [] if here["verdict"] == verdict else [f"on the CPU it is {here['verdict']}, not {verdict}"]
    # The part of a product that is explored before a violation is not deterministic.
    wrong += differences(here, there, ("verdict",) + (("states", "transitions") if verdict == "holds" else ()))
    return wrong + [w for part in there["parts"] for w in by_device(part)]


def main():
    listed = subprocess.run([OMEN, "devices"], capture_output=True, text=True, check=False).stdout
    if DEVICE == "cpu" and "(cpu)" not in listed:
        print("skipped: there is no OpenCL device that is a CPU")
        return 77
    wrong = 0
    explorations, checks = ([], CHECKED[:2]) if FEW else (EXPLORED, CHECKED)
    for folder, name in explorations:
        for what in explored(os.path.join(folder, name)):
            print(f"explore {name}: {what}")
            wrong += 1
    for folder, name, options, verdict in checks:
        for what in checked(os.path.join(folder, name), options, verdict):
            print(f"check {name} {' '.join(options)}: {what}")
            wrong += 1
    print(f"{len(explorations)} explored, {len(checks)} checked on device {DEVICE}; {wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
