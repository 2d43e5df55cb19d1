# SPDX-License-Identifier: Apache-2.0
"""Several devices explore as one device and the CPU do: counts, verdicts, paths to a violation.

    test_device_group.py [--all]    --all: of all models; kernels are compiled for each, which takes most of the time
"""
import csv
import json
import os
import sys

from cli import Case, main, model, run

ALL = "--all" in sys.argv
sys.argv[:] = [word for word in sys.argv if word != "--all"]
CORPUS = os.environ.get("OMEN_CORPUS", "")
# Two devices of pocl in one platform; the leak checker of gcc 12 crashes if a driver has threads.
TWO = {"POCL_DEVICES": "basic basic", "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}
MIXED = {"POCL_DEVICES": "basic pthread", "ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}
# states, transitions, levels
KNOWN = {
    "adding.1": (7372, 11144, 31), "anderson.4": (29641, 97516, 81), "at.1": (39354, 108438, 38),
    "bakery.3": (32919, 85061, 117), "blocks.2": (7057, 18552, 19), "brp.1": (18928, 35772, 112),
    "collision.2": (12661, 28144, 66), "exit.2": (33670, 88203, 21), "gear.2": (16689, 21767, 603),
    "peterson.1": (12498, 33369, 54), "telephony.2": (51826, 200322, 36),
}
# From tests/corpus/reach.csv: some are violated, some hold.
INVARIANTS = ("anderson.1", "anderson.4", "at.1", "at.2", "bakery.2", "blocks.2", "bridge.1", "brp.1",
              "collision.1", "lamport.1")
# Few states and many, few levels and many; violations near and far, and invariants that hold.
if not ALL:
    KNOWN = {name: KNOWN[name] for name in ("adding.1", "anderson.4", "bakery.3", "gear.2", "telephony.2")}
    INVARIANTS = ("anderson.1", "at.1", "bakery.2", "blocks.2", "bridge.1")


def beem(name):
    return os.path.join(CORPUS, "beem", name.split(".")[0], name + ".dve")


class Verified(Case):
    """The states that the CPU expands again."""

    def checked(self, *args):
        found = json.loads(self.expect(0, "check", model("mutex.dve"), "--ltl", "G(!(A.crit && B.crit))",
                                       "--device", "host", "--json", *args).stdout)
        return found["parts"][0]

    def test_check(self):
        for args, most in ((), 1024), (("3",), 3), (("all",), 1 << 20), (("again",), 1024):
            part = self.checked(*(("--verify-device", *args) if args else ()))
            self.assertEqual(part["device"], "host")
            self.assertEqual(part["verified"], {"known_answer": True, "states": min(most, part["states"]),
                                                "again": args == ("again",)})
        text = self.expect(0, "check", model("mutex.dve"), "--deadlock", "--device", "host").stdout
        self.assertRegex(text, r"\n  it passed the known-answer test, and the CPU confirmed \d+ of its states")
        part = json.loads(self.expect(0, "check", model("mutex.dve"), "--deadlock", "--device", "none",
                                      "--json").stdout)["parts"][0]
        self.assertIsNone(part["verified"])

    def test_explore(self):
        found = json.loads(self.expect(0, "explore", model("mutex.dve"), "--device", "host,host", "--json",
                                       "--verify-device", "all").stdout)
        self.assertEqual(found["verified"], {"known_answer": True, "states": found["states"], "again": False})

    def test_again(self):
        """A second search of one device and of two, for explorations and for weak parts."""
        for device in "host", "host,host":
            found = json.loads(self.expect(0, "explore", model("near.dve"), "--device", device, "--json",
                                           "--verify-device", "again").stdout)
            self.assertEqual((found["states"], found["gave_up"], found["verified"]["again"]), (80802, None, True))
            text = self.expect(0, "explore", model("mutex.dve"), "--device", device, "-v",
                               "--verify-device=again").stdout
            self.assertRegex(text, r"\nverified: \d+ states on the CPU, all states a second time on the device\n")
        text = self.expect(0, "check", model("mutex.dve"), "--ltl", "G(A.ask -> F A.crit)", "--weak", "weak-cl",
                           "--device", "host", "--verify-device", "again").stdout
        self.assertRegex(text, r"\n  it passed the known-answer test, had the same result a second time, and the CPU")
        done = self.expect(30, "explore", model("big.dve"), "--device", "host", "--max-states", "5000",
                           "--verify-device", "again", "--json")
        self.assertIsNone(json.loads(done.stdout)["verified"])

    def test_numbers(self):
        for wrong in "0", "-1", "some", "":
            self.refused(2, "verify-device", "check", model("mutex.dve"), "--deadlock", "--verify-device",
                         wrong)


class Stuck(Case):
    """A device whose kernels do not end."""
    # The known-answer test takes fewer than 300 commands, these explorations more.
    DEVICE = "host:stuck:4:2:300"

    def test_goes_on_without(self):
        explored = self.expect(0, "explore", model("near.dve"), "--device", self.DEVICE, "--json")
        self.assertEqual(json.loads(explored.stdout)["states"], 80802)
        self.assertIn("no answer for 1 s): continuing on the CPU", explored.stderr)
        checked = self.expect(0, "check", model("near.dve"), "--ltl", "G(a >= 0)", "--device", self.DEVICE,
                              "--json")
        found = json.loads(checked.stdout)
        part = found["parts"][0]
        self.assertEqual((found["verdict"], part["device"]), ("holds", None))
        self.assertIn("no answer for", part["gave_up"])

    def test_known_answer(self):
        self.refused(2, "known-answer test: .* no answer", "explore", model("near.dve"), "--device",
                     "host:stuck:4:2:60")


class Group(Case):
    def explored(self, name, device, env):
        found = json.loads(self.expect(0, "explore", beem(name), "--device", device, "--json",
                                       env=env).stdout)
        return found, (found["states"], found["transitions"], found["levels"])

    def test_counts(self):
        for name, known in KNOWN.items():
            one, counts = self.explored(name, "0", TWO)
            self.assertEqual(counts, known, name)
            self.assertEqual(one["queue"]["devices"], 1)
            self.assertEqual(one["queue"]["exchanged"], 0)
            two, counts = self.explored(name, "0,1", TWO)
            self.assertEqual(counts, known, name)
            self.assertEqual(two["deadlocks"], one["deadlocks"], name)
            self.assertEqual(two["queue"]["devices"], 2)
            # About half of all candidates belong to the other device.
            self.assertGreater(two["queue"]["exchanged"], known[1] // 4)
            self.assertLess(two["queue"]["exchanged"], known[1] * 3 // 4)
            self.assertIsNone(two["gave_up"])
            cpu, counts = self.explored(name, "none", TWO)
            self.assertEqual(counts, known, name)
            self.assertEqual(cpu["deadlocks"], one["deadlocks"], name)

    def test_numbers(self):
        for env, wrong, why in (TWO, "2", "numbered 0 to 1"), ({**TWO, "POCL_DEVICES": "basic"}, "1",
                                                               "the only one is number 0"):
            self.refused(2, f"there is no device {wrong}: .*{why}", "explore", model("mutex.dve"),
                         "--device", wrong, env=env)

    def test_progress(self):
        """Progress is reported for devices, too, with the sizes of the last levels."""
        for device, env in ("0", TWO), ("0,1", TWO):
            done = self.expect(30, "explore", model("big.dve"), "--device", device, "--progress",
                               "always", "--max-states", "6000000", env=env)
            self.levels_of_big(done.stderr)
    def test_overflows(self):
        """Each overflow is counted once, on any device; the trace is a shortest one."""
        seen = []
        for device in "none", "0", "0,1":
            found, counts = self.explored("anderson.1", device, TWO)
            self.assertEqual(counts[0], 352664)
            first = found["overflows"]["first"]
            self.assertRegex(first["place"], r"anderson\.1\.dve:\d+:\d+$")
            self.assertEqual((first["variable"], first["value"], first["stored"]), ("next", 256, 0))
            seen.append((found["overflows"]["count"], len(found["overflow_trace"]["states"])))
        self.assertEqual(seen, [(562, 1272)] * 3)

    def test_faults(self):
        """States with errors have no successors, on any device; the nearest error is reported."""
        counter = "byte {0} = 0; process P{0} {{ state s; init s; trans s -> s {{ guard {0} < 8; " \
                  "effect {0} = {0} + 1; }}; }}\n"
        with open(self.path("faults.dve"), "w") as f:
            f.write("".join(counter.format(c) for c in "abcd"))
            f.write("byte z = 0; process Q { state s; init s; trans "
                    "s -> s { guard a + b == 5 && c != 2; effect z = 1 / z; }; }\nsystem async;\n")
        seen, traces = set(), set()
        for device in "none", "0", "0,1":
            done = self.expect(3, "check", self.path("faults.dve"), "--invariant", "a < 100", "--json",
                               "--device", device, env=TWO)
            part = json.loads(done.stdout)["parts"][0]
            self.assertIsNone(part["gave_up"])
            seen.add((part["states"], part["transitions"]))
            for command in ("check", "--invariant", "a < 100"), ("explore",):
                done = self.expect(3, command[0], self.path("faults.dve"), *command[1:], "--device",
                                   device, env=TWO)
                self.assertIn("division by zero", done.stderr)
                self.assertNotIn("gave up", done.stderr)
                traces.add(done.stdout.count(" -> P"))
        self.assertEqual((len(seen), traces), (1, {5}))

    def test_launches(self):
        """A level of one chunk takes one step, three launches, and at most one read-back."""
        counter = ("process {0} {{ byte {1} = 0; state s; init s; trans s -> s {{ guard {1} < 60; "
                   "effect {1} = {1} + 1; }}; }}\n")
        with open(self.path("grid.dve"), "w", encoding="utf-8") as f:
            f.write(counter.format("A", "a") + counter.format("B", "b") + "system async;\n")
        found = json.loads(self.expect(0, "explore", self.path("grid.dve"), "--device", "0", "--json",
                                       env=TWO).stdout)
        self.assertEqual((found["states"], found["levels"]), (3721, 121))
        queue = found["queue"]
        # No level has more than 61 states, and each chunk has room for at least 128.
        self.assertEqual(queue["steps"], found["levels"])
        self.assertLessEqual(queue["step_launches"], 3 * (queue["steps"] + queue["idle_steps"]))
        self.assertLessEqual(queue["read_backs"], found["levels"])
        # Steps queued ahead of the end, and launches that allocate room before the first step.
        self.assertLess(queue["idle_steps"], 32)
        self.assertLessEqual(queue["launches"] - queue["step_launches"], 16)
        for name in "gear.2", "bakery.3":
            found, _ = self.explored(name, "0", TWO)
            queue = found["queue"]
            # A level takes one step for each full chunk, and one for the rest.
            self.assertGreaterEqual(queue["steps"], found["levels"])
            self.assertLessEqual(queue["steps"], found["levels"] + found["states"] // 128)
            self.assertLessEqual(queue["step_launches"], 3 * (queue["steps"] + queue["idle_steps"]))
            self.assertLessEqual(queue["read_backs"], queue["steps"] + queue["idle_steps"] + 16)

    def test_devices_that_differ(self):
        for name in "anderson.4", "telephony.2":
            for device in "0,1", "1,0", "all":
                self.assertEqual(self.explored(name, device, MIXED)[1], KNOWN[name], name)

    def published(self):
        """Yields (model, invariant, length of the shortest violation or None) for INVARIANTS."""
        folder = os.path.dirname(os.path.abspath(__file__))
        with open(os.path.join(CORPUS, "beem", "properties.csv"), encoding="utf-8") as f:
            known = {(r["model"], r["property"]): r for r in csv.DictReader(f) if r["kind"] == "reach"}
        with open(os.path.join(folder, "..", "corpus", "reach.csv"), encoding="utf-8") as f:
            asked = [r for r in csv.DictReader(f) if r["model"] in INVARIANTS]
        for r in asked:
            answer = known[r["model"], r["property"]]
            yield (r["model"], r["invariant"],
                   int(answer["shortest"]) if answer["holds"] == "reachable" else None)

    def checked(self, name, invariant, device):
        """Returns the figures if an invariant holds, otherwise the length of a violation."""
        lasso = self.path("lasso.json")
        checker = [] if device == "none" else ["--terminal", "reach-cl"]
        done = run("check", beem(name), "--invariant", invariant, "--device", device, *checker,
                   "--json", "--lasso", lasso, env=TWO)
        self.assertIn(done.returncode, (0, 10), done.stderr)
        self.assertNotIn("gave up", done.stderr)
        found = json.loads(done.stdout)
        self.assertEqual(found["parts"][0]["checker"], "reach" if device == "none" else "reach-cl")
        if done.returncode == 0:
            return found["states"], found["transitions"]
        with open(lasso, encoding="utf-8") as f:
            return len(json.load(f)["states"])

    def test_invariants(self):
        """Paths lead from device to device; they are shortest ones, and verified."""
        cases = 0
        for name, invariant, shortest in self.published():
            said = [self.checked(name, invariant, device) for device in ("none", "0", "0,1")]
            self.assertEqual(len(set(said)), 1, (name, said))
            if shortest is None:
                self.assertIsInstance(said[0], tuple, name)
            else:
                self.assertIsInstance(said[0], int, name)
            cases += 1
        self.assertGreaterEqual(cases, len(INVARIANTS))

    def test_weak_parts_take_one(self):
        done = self.expect(0, "check", model("mutex.dve"), "--ltl", "G(A.ask -> F A.crit)", "--weak",
                           "weak-cl", "--device", "0,1", env=TWO)
        self.assertRegex(done.stderr, "a part that is trimmed uses one device: only basic.*\n")

    def test_limits(self):
        done = self.expect(30, "explore", model("big.dve"), "--device", "0,1", "--max-states", "5000",
                           env=TWO)
        self.assertIn("incomplete: state limit\n", done.stdout)
        done = self.expect(30, "explore", model("big.dve"), "--device", "0,1", "--timeout", "2s",
                           env=TWO)
        self.assertIn("incomplete: time limit\n", done.stdout)

    def test_names(self):
        mutex = model("mutex.dve")
        for wrong, why in (("0,0", "twice"), ("0,7", "no device 7"), ("0,", "commas"),
                           ("0,,1", "commas")):
            self.refused(2, why, "explore", mutex, "--device", wrong, env=TWO)
        self.refused(2, "not '0;1'", "explore", mutex, "--device", "0;1", env=TWO)


if __name__ == "__main__":
    if not os.path.exists(beem("adding.1")):
        sys.exit(77)
    if "1: basic" not in run("devices", env=TWO).stdout:
        print("skipped: pocl does not offer two devices")
        sys.exit(77)
    main()
