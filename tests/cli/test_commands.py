# SPDX-License-Identifier: Apache-2.0
"""Every command in its basic use."""
import json
import os
import re

from cli import Case, main, model, run


class Commands(Case):
    def test_version_and_overview(self):
        self.assertRegex(self.expect(0, "--version").stdout, r"^omen \d+\.\d+\.\d+\n$")
        text = self.expect(0, "--help").stdout
        for command in ("check", "properties", "empty", "explore", "translate", "convert", "draw", "strength",
                        "replay", "show", "explain", "simulate", "mcc",
                        "plugins", "devices", "schema"):
            self.assertIn(f"omen {command} ", text)
        self.assertEqual(self.expect(2).stdout, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80)
        for word in ("help", "--help", "-h"):
            self.assertEqual(self.expect(0, word, "replay").stdout,
                             self.expect(0, "replay", "--help").stdout)
            self.refused(2, "'y' is one argument too many", word, "replay", "y")
        self.refused(2, r"did you mean 'replay'\?", "help", "reply")
        self.refused(2, "'x' is one argument too many", "--version", "x")

    def test_explore(self):
        for executor in ("vm", "native", "auto"):
            for threads in ("1", "2"):
                done = self.expect(0, "explore", model("mutex.dve"), "--exec", executor,
                                   "--threads", threads)
                self.assertIn("states: 20\n", done.stdout)
                self.assertIn("transitions: 34\n", done.stdout)
                self.assertIn("deadlocks: 0\n", done.stdout)
        found = json.loads(self.expect(0, "explore", model("ends.dve"), "--json").stdout)
        self.assertEqual(found["states"], 5)
        self.assertEqual(found["transitions"], 4)
        self.assertEqual(found["deadlocks"], 1)
        self.assertEqual(found["levels"], 5)
        self.assertIs(found["complete"], True)

    NUMBER = (int, float)
    STORE = {"kind": str, "bytes_per_state": NUMBER, "vector_bytes_per_state": NUMBER,
             "index_bytes_per_state": NUMBER, "side_bytes_per_state": NUMBER, "nodes": int,
             "index_entries": int, "index_load": NUMBER, "look_ups": int,
             "probes_per_look_up": (int, float, type(None)), "growths": int,
             "longest_pause_seconds": NUMBER, "longest_pause_cpu_seconds": NUMBER}

    def test_explore_says_how_states_were_stored(self):
        for kind in "plain", "tree":
            found = json.loads(self.expect(0, "explore", model("mutex.dve"), "--json", "--device",
                                           "none", "--store", kind).stdout)
            store = found["store"]
            self.assertEqual(set(store), set(self.STORE))
            for key, types in self.STORE.items():
                self.assertIsInstance(store[key], types, key)
            self.assertEqual(store["kind"], kind)
            parts = [store[f"{part}_bytes_per_state"] for part in ("vector", "index", "side")]
            self.assertGreater(parts[0], 0)
            self.assertGreater(parts[1], 0)
            self.assertAlmostEqual(store["bytes_per_state"], sum(parts), delta=0.01 * sum(parts))
            self.assertAlmostEqual(store["index_load"], 20 / store["index_entries"], places=5)
            self.assertAlmostEqual(found["states_per_second"] * found["seconds"], 20, delta=0.1)
            self.assertAlmostEqual(found["transitions_per_second"] * found["seconds"], 34,
                                   delta=0.1)
            text = self.expect(0, "explore", model("mutex.dve"), "-v", "--device", "none",
                               "--store", kind).stdout
            self.assertRegex(text, rf"\nstates per second: \d+\ntransitions per second: \d+\n"
                                   rf"store: {kind}, bytes per state: [\d.]+ vectors, [\d.]+ index, "
                                   r"[\d.]+ side arrays\nindex: load [\d.]+, probes per look-up "
                                   r"[\d.]+, grown \d+ times, longest pause [\d.]+ ms "
                                   r"\([\d.]+ ms of processor time\)\n"
                                   r"code: (vm|native) \d+\.\d\d s.*\n$")
        self.assertNotIn("store:", self.expect(0, "explore", model("mutex.dve")).stdout)

    def rates(self, *options, status=0):
        done = self.expect(status, "explore", model("big.dve"), "--json", "--device", "none", "--max-states", "200000",
                           *options)
        found = json.loads(done.stdout)
        self.fits("explore", found)
        return found["code"]

    def test_rates_of_code(self):
        """Every expanded state is counted for the executor that was in use, with all threads."""
        none = {"states": 0, "cpu_seconds": 0, "states_per_second": None}
        for threads in "1", "3":
            vm = self.rates("--exec", "vm", "--threads", threads, status=30)
            used = vm["interpreter_rate"]
            self.assertGreater(used["states"], 100000)
            self.assertGreater(used["cpu_seconds"], 0)
            self.assertAlmostEqual(used["states_per_second"] * used["cpu_seconds"] / used["states"], 1, places=3)
            self.assertEqual((vm["quick_rate"], vm["native_rate"], vm["text_bytes"]), (none, none, 0))
        small = self.expect(0, "explore", model("mutex.dve"), "--json", "--device", "none", "--exec", "vm")
        self.assertEqual(json.loads(small.stdout)["code"]["interpreter_rate"]["states"], 20)
        native = self.rates("--exec", "native", status=30)
        self.assertGreater(native["native_rate"]["states"], 100000)
        self.assertEqual((native["interpreter_rate"], native["quick_rate"]), (none, none))
        self.assertGreater(native["text_bytes"], 1000)
        text = self.expect(30, "explore", model("big.dve"), "-v", "--device", "none", "--exec", "native",
                           "--max-states", "200000").stdout
        self.assertRegex(text, rf"code: native [\d.]+ s \(\d+ states per second of CPU\).*; {native['text_bytes']} bytes of C\n")

    def test_explore_counts(self):
        """A tracing device reports all memory operations of its kernels, and nothing else."""
        figures = ("sectors_read", "sectors_written", "atomics", "asked_read", "asked_written")
        done = run("explore", model("mutex.dve"), "--json", "--device", "host:traced:8:1:3")
        if "a build with sanitizers" in done.stderr:
            self.skipTest("sanitizers do not trace")
        found = json.loads(done.stdout)
        counts, total = found["counts"], found["counts"]["total"]
        self.assertEqual(counts["sector_bytes"], 32)
        for figure in ("launches",) + figures:
            self.assertEqual(total[figure], sum(k[figure] for k in counts["kernels"]), figure)
            for of, each in (("states", "per_state"), ("transitions", "per_transition")):
                self.assertAlmostEqual(total[each][figure] * found[of], total[figure],
                                       delta=1e-4 * total[figure])
        for kernel in counts["kernels"]:
            for figure in figures:
                self.assertEqual(kernel[figure], sum(b[figure] for b in kernel["buffers"]))
            self.assertGreaterEqual(kernel["asked_read"], kernel["launches"])
        # The known-answer test is not included.
        self.assertEqual(total["launches"], found["queue"]["launches"])
        self.assertEqual(counts["read_backs"], found["queue"]["read_backs"])
        buffers = {(k["kernel"], b["buffer"]): b for k in counts["kernels"] for b in k["buffers"]}
        # One atomic puts a state into the index; if work-items run one at a time, none is retried.
        self.assertEqual(buffers["om_k_put", "index"]["atomics"], found["states"])
        self.assertGreater(buffers["om_k_put", "index"]["sectors_read"], 0)
        self.assertEqual(buffers["om_k_expand", "candidates"]["sectors_read"], 0)
        text = self.expect(0, "explore", model("mutex.dve"), "--device", "host:traced:8:1:3").stdout
        self.assertRegex(text, r"\nlaunches: (om_k_\w+ \d+[ ;])+ read-backs: \d+\nsectors of 32 bytes")
        self.assertRegex(text, r"\nstate +read .*\n(  om_k_\w+( +[\d.]+){5}\n)+  all( +[\d.]+){5}\n"
                               r"transition +read")
        self.assertIsNone(json.loads(self.expect(0, "explore", model("mutex.dve"), "--json", "--device",
                                                 "host").stdout)["counts"])

    def test_explore_within_limits(self):
        done = self.expect(30, "explore", model("big.dve"), "--max-states", "1000", "--exec", "vm")
        self.assertIn("incomplete: state limit\n", done.stdout)
        # The known-answer test of a device has more states; the limit does not apply to it.
        found = json.loads(self.expect(30, "explore", model("big.dve"), "--max-states", "1000", "--device",
                                       "host", "--json").stdout)
        self.assertEqual(found["reason"], "state limit")
        self.assertTrue(0 < found["states"] <= 1000, found["states"])
        self.patiently(self.explore_within_time)

    def explore_within_time(self, limit):
        found = json.loads(self.expect(30, "explore", model("big.dve"), "--timeout", limit,
                                       "--json", "--exec", "vm").stdout)
        self.assertIs(found["complete"], False)
        self.assertEqual(found["reason"], "time limit")
        self.assertGreater(found["states"], 0)

    def test_explore_faults(self):
        done = self.expect(3, "explore", model("fault.dve"))
        self.assertRegex(done.stderr, r"fault\.dve:9:\d+: ")
        self.assertIn("trace:", done.stdout)
        found = json.loads(self.expect(3, "explore", model("fault.dve"), "--json").stdout)
        self.assertIs(found["complete"], False)
        self.assertEqual(found["reason"], "error in the model")

    def test_explore_says_who_explored(self):
        for executor in ("vm", "native"):
            found = json.loads(self.expect(0, "explore", model("ends.dve"), "--json", "--exec",
                                           executor).stdout)
            self.assertEqual((found["executor"], found["device"]), (executor, None))
        found = json.loads(self.expect(0, "explore", model("ends.dve"), "--json", "--device",
                                       "host").stdout)
        self.assertEqual((found["executor"], found["device"]), ("host", "host"))
        self.assertIn("\nhost: host (host)\n", "\n" + run("devices").stdout)
        if run("devices").stdout.startswith("none"):
            self.skipTest("no OpenCL device")
        found = json.loads(self.expect(0, "explore", model("ends.dve"), "--json", "--device", "0",
                                       env={"ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"}).stdout)
        self.assertEqual(found["executor"], "opencl")
        self.assertIsNone(found["store"])
        self.assertIn(f"0: {found['device']} (", run("devices").stdout)

    def test_a_host_without_room(self):
        """If the test of the device exceeds a limit, the limit is the reason, and no driver is
        blamed.
        """
        for size in range(3, 13):
            done = run("explore", model("ends.dve"), "--device", "host", "--memory", f"{size}M")
            self.assertIn(done.returncode, (0, 30), done.stderr)
            self.assertNotIn("incomplete: none", done.stdout)
            self.assertNotIn("OpenCL", done.stderr)

    def test_a_checker_without_its_device(self):
        self.assertEqual(self.expect(2, "check", model("ends.dve"), "--checker", "weak-cl", "--device",
                                     "none", "--ltl", "G F true").stderr,
                         "omen: checker weak-cl needs a device, but devices are disabled; use reach, weak-hybrid or "
                         "weak-swarm\n")

    def test_spellings(self):
        formula = "always (p implies eventually q) && a V b"
        for spelling, text in (("omen", "G(p -> F q) & a R b"),
                               ("spin", "[] (p -> <> q) && (a V b)"),
                               ("psl", "always (p -> eventually! q) && !(!a until! !b)")):
            self.assertEqual(self.expect(0, "translate", formula, "--spelling", spelling).stdout,
                             text + "\n")
        self.refused(2, "--spelling takes one of omen, spin, psl, not 'c'", "translate", "a",
                     "--spelling", "c")
        self.refused(3, r"LTL formula:1:3: expected until! or U \(strong\), or W \(weak\)",
                     "translate", "a until next! b")

    def test_translate_and_convert(self):
        text = self.expect(0, "translate", "GF a & GF b").stdout
        self.assertTrue(text.startswith("HOA: v1\n"))
        self.assertTrue(text.endswith("--END--\n"))
        self.assertIn('"a" "b"', text)
        buchi = self.expect(0, "translate", "GF a & GF b", "--to", "ba").stdout
        self.assertIn("Acceptance: 1 Inf(0)\n", buchi)
        with open(self.path("a.hoa"), "w") as f:
            f.write(text)
        again = self.expect(0, "convert", self.path("a.hoa"), "--to", "ba").stdout
        self.assertIn("Acceptance: 1 Inf(0)\n", again)
        self.assertTrue(self.expect(0, "convert", self.path("a.hoa"), "--to=tgba").stdout)
        for short, name, acceptance in (("tgra", "rabin", "3 Fin(0)&Inf(1)&Inf(2)"),
                                        ("tsa", "streett", "3 (Fin(0)|Inf(1))&(Fin(0)|Inf(2))"),
                                        ("tfla", "fin-less", "2 Inf(0)&Inf(1)"),
                                        ("tgba", "generalized-buchi", "2 Inf(0)&Inf(1)"),
                                        ("ba", "buchi", "1 Inf(0)")):
            made = self.expect(0, "convert", self.path("a.hoa"), "--to", name).stdout
            self.assertIn(f"Acceptance: {acceptance}\n",
                          made.replace(" & ", "&").replace(" | ", "|"))
            for command in (("convert", self.path("a.hoa"), "--to", short),
                            ("translate", "GF a & GF b", "--to", name)):
                self.assertEqual(made, self.expect(0, *command).stdout)
        # From standard input.
        piped = self.expect(0, "convert", "-", "--to", "ba", input=text).stdout
        self.assertEqual(piped, again)

    def test_strength(self):
        text = self.expect(0, "strength", model("three.hoa")).stdout
        self.assertTrue(text.startswith("automaton: strong, 4 states, 4 components\n"))
        for strength, states in (("terminal", " 1"), ("weak", " 2"), ("strong", " 3"),
                                 ("non-accepting", " 0")):
            self.assertRegex(text, rf"component \d: {strength}:{states}\n")
        self.assertEqual(text.count("HOA: v1"), 3)
        folder = self.path("parts")
        text = self.expect(0, "strength", model("three.hoa"), "--output", folder).stdout
        self.assertNotIn("HOA", text)
        self.assertEqual(sorted(os.listdir(folder)), ["strong.hoa", "terminal.hoa", "weak.hoa"])
        for name in os.listdir(folder):
            part = self.expect(0, "strength", os.path.join(folder, name)).stdout
            self.assertTrue(part.startswith(f"automaton: {name[:-4]},"), part)
        # No temporary files remain, and a second run overwrites the files.
        self.expect(0, "strength", model("buchi.hoa"), "--output", folder)
        self.assertEqual(len(os.listdir(folder)), 3)

    def test_empty(self):
        self.assertIn("property empty: holds\n", self.expect(0, "empty", model("nothing.hoa")).stdout)
        for checker in (), ("--checker", "dijkstra"), ("--schedule", "sequential"):
            done = self.expect(10, "empty", model("three.hoa"), *checker)
            self.assertIn("property three: violated\n", done.stdout)
            self.assertIn("cycle:\n", done.stdout)
        found = json.loads(self.expect(10, "empty", model("buchi.hoa"), "--json").stdout)
        self.assertEqual(found["verdict"], "violated")
        self.assertIn('"A.crit"', found["lasso"]["labels"][-1])
        self.assertLess(found["lasso"]["loop"], len(found["lasso"]["labels"]))

    def test_plugins(self):
        text = self.expect(0, "plugins").stdout
        for line in ("checker dijkstra: ", "checker ufscc: ", "checker reach: ", "checker weak-swarm: ",
                     "checker weak-hybrid: ", "checker reach-cl: ", "checker weak-cl: ", "frontend dve: ",
                     "translator builtin: "):
            self.assertIn(line, text)
        self.assertIn("  reads: .dve\n", text)
        with open(self.path("broken.so"), "w") as f:
            f.write("no library")
        text = self.expect(0, "plugins", env={"OMEN_PLUGIN_PATH": self.folder.name}).stdout
        self.assertIn(f"refused {self.path('broken.so')}\n  cannot be opened", text)

    def test_devices(self):
        text = self.expect(0, "devices").stdout
        if not text.startswith("none"):
            # The default is a device of the list that is not a CPU, or none.
            number = re.search(r"^by default: (none|\d+)", text, re.MULTILINE).group(1)
            self.assertEqual(number == "none", re.search(r"^\d+: .* \((gpu|accelerator)\)$", text,
                                                         re.MULTILINE) is None)
        text = self.expect(0, "devices", env={"OCL_ICD_VENDORS": "/nonexistent"}).stdout
        self.assertTrue(text.startswith("none: "))

    def test_placement(self):
        """Workers and memory are spread over several nodes; by default there is a worker for each
        available processor.
        """
        text = self.expect(0, "devices", env={"HWLOC_SYNTHETIC": "numa:4 core:2 pu:1"}).stdout
        placed = re.search(r"^processors for workers: (\d+); memory: (.*)$", text, re.MULTILINE)
        self.assertLessEqual(int(placed.group(1)), len(os.sched_getaffinity(0)))
        self.assertIn(placed.group(2), ("spread over 4 nodes", "not placed (built without hwloc)"))
        for kind in "plain", "tree":
            found = self.expect(0, "explore", model("mutex.dve"), "--device", "none", "--threads",
                                "8", "--store", kind,
                                env={"HWLOC_SYNTHETIC": "numa:4 core:2 pu:1"}).stdout
            self.assertIn("states: 20\ntransitions: 34\n", found)


if __name__ == "__main__":
    main()
