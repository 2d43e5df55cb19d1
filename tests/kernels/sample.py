# SPDX-License-Identifier: Apache-2.0
"""Small models, explored and checked on a device and on the CPU: the same states, transitions and verdicts; the device
did it, and its states are those of the vm.

    sample.py OMEN DEMO MODELS [few]    DEMO, MODELS: folders; the device is $OMEN_TEST_DEVICE
"""
import json
import os
import subprocess
import sys

OMEN, DEMO, MODELS = sys.argv[1:4]
FEW = sys.argv[4:] == ["few"] # the first checks alone: a simulator takes its time
DEVICE = os.environ["OMEN_TEST_DEVICE"]

EXPLORED = [(DEMO, "lossy.dve"), (DEMO, "mutex.dve"), (DEMO, "starvation.dve"), (MODELS, "ends.dve"), (MODELS, "wraps.dve")]
# (model, property, what its verdict is)
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
    # Without a device one worker explores: two may expand the same state, and its transitions count twice then.
    where = ["--device", "none", "--threads", "1"] if device == "none" else ["--device", device, "--verify-device", "all"]
    done = subprocess.run([OMEN, *args, "--json", *where], capture_output=True, text=True, check=False)
    sys.stderr.write(done.stderr) # a simulator's reports, too
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{' '.join(args)}: on {device}: status {done.returncode}, {done.stdout[:200]}")


def differences(here, there, keys):
    return [f"{key} {there[key]}, on the CPU {here[key]}" for key in keys if here[key] != there[key]]


def by_device(part):
    """It was not the CPU that did it, as it does where a state of the device's is none, or is missing."""
    return [] if part["device"] and not part["gave_up"] else [f"the device gave up: {part['gave_up']}"]


def explored(path):
    here, there = (run(device, "explore", path) for device in ("none", DEVICE))
    return differences(here, there, ("states", "transitions", "deadlocks", "levels", "overflows")) + by_device(there)


def checked(path, options, verdict):
    here, there = (run(device, "check", path, *options) for device in ("none", DEVICE))
    wrong = [] if here["verdict"] == verdict else [f"on the CPU it is {here['verdict']}, not {verdict}"]
    # How much of a product is seen before a violation is anybody's.
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
