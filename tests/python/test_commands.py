# SPDX-License-Identifier: Apache-2.0
"""Each function works like its command, and reports errors by exceptions."""
import dataclasses
import os
import pathlib
import tempfile
import unittest

import omen
from support import CPU, Case, demo, model, read

MUTEX, STARVATION = demo("mutex"), demo("starvation")
SERVED = "G(Client_0.waiting -> F Client_0.served)"
ASSERTS = "byte n; process P { state s; init s; assert s: n < 2; trans s -> s { effect n = n + 1; }; } system async;"


class Check(Case):
    def test_holds(self):
        result = omen.check(MUTEX, ltl="G(P_0.waiting -> F P_0.critical)", **CPU)
        self.assertIs(result.verdict, omen.Verdict.HOLDS)
        self.assertEqual(result.verdict, "holds")
        self.assertTrue(result.holds)
        self.assertFalse(result.violated)
        self.assertEqual((result.model, result.threads, result.lasso), (MUTEX, 1, None))
        self.assertEqual(result.states, sum(part.states for part in result.parts))
        self.assertGreater(result.parts[0].counters.expansions, 0)

    def test_violated(self):
        result = omen.check(STARVATION, ltl=SERVED, **CPU)
        self.assertTrue(result.violated)
        lasso = result.lasso
        self.assertEqual((lasso.stem, lasso.cycle), (lasso.states[:lasso.loop], lasso.states[lasso.loop:]))
        self.assertEqual(lasso.property, "ltl=" + SERVED)
        self.assertEqual(lasso.vars, ("queued", "Client_0", "Client_1", "Client_2", "Server"))
        self.assertEqual(lasso.states[0]["queued"], (0, 0, 0))
        self.assertEqual(lasso.states[0]["Server"], "free")
        self.assertTrue(all(state["Client_0"] == "waiting" for state in lasso.cycle))
        self.assertEqual(lasso.states[1].changed(lasso.states[0]), {"queued", "Client_0"})
        with self.assertRaises(KeyError):
            lasso.states[0]["Client_3"]
        self.assertEqual(list(lasso.states[0]), list(lasso.vars))
        self.assertTrue(lasso.states[0].place.startswith("starvation.dve:"))

    def test_each_kind_of_property(self):
        never = omen.translate('F "P_0.critical"')
        self.written("f.ltl", "G !P_0.critical\n")
        for status, keywords in (("violated", {"never": never}), ("violated", {"never": never.hoa}),
                                 ("violated", {"ltl_file": pathlib.Path(self.path("f.ltl"))}),
                                 ("violated", {"ltl_file": "G\n!P_0.critical\n"}),
                                 ("violated", {"invariant": "not P_0.critical"}),
                                 ("holds", {"deadlock": True}), ("holds", {}),
                                 ("violated", {"non_progress": True, "progress_states": "false"})):
            result = omen.check(MUTEX, **keywords, **CPU)
            self.assertEqual(result.verdict, status, keywords)
        self.assertTrue(omen.check(model("ends.dve"), property="never_ends", **CPU).holds)
        self.assertIsNone(omen.check(model("ends.dve"), deadlock=True, **CPU).lasso.loop)

    def test_every_option_is_understood(self):
        """With a valid value; all other tests use those of CPU."""
        for keywords in ({"checker": "dijkstra"}, {"terminal": "reach"}, {"weak": "weak-swarm"}, {"strong": "ufscc"},
                         {"schedule": "sequential"}, {"search": "best"}, {"guide": "novelty"}, {"seed": 3},
                         {"frontend": "dve"}, {"translator": "builtin:reduce=0"},
                         {"device": "host", "verify_device": "again"}, {"verify_device": 10}, {"store": "plain"},
                         {"finite_runs": "ignore"}, {"fairness": "weak"}, {"fair": "GF P_0.critical"},
                         {"fair": ["GF P_0.critical", "GF P_1.critical"]}, {"reset_dead": False}, {"reset_dead": True},
                         {"merge": False}, {"merge": True}, {"por": "always"}, {"overflow": "error"}, {"memory": "1G"}, {"memory": 1 << 30}, {"timeout": 60},
                         {"timeout": 59.5}, {"timeout": "1m"}, {"max_states": 1000}, {"shortest": 50},
                         {"spelling": "omen"}):
            result = omen.check(MUTEX, ltl="G(P_0.waiting -> F P_0.critical)", **{**CPU, **keywords})
            self.assertTrue(result.holds, keywords)
            if "fair" in keywords:
                self.assertEqual(list(result.fairness.formulas), [keywords["fair"]] if isinstance(keywords["fair"], str)
                                 else keywords["fair"])
            if "seed" in keywords:
                self.assertEqual(result.seed, 3)
        self.assertIs(omen.check(STARVATION, ltl=SERVED, shortest="100s", **CPU).minimal, True)

    def test_macros_and_included_files(self):
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "sub"))
            for name, text in (("x.h", "byte x;\n"), ("sub/m.pml", "#include \"../x.h\"\n#ifndef N\n#define N 1\n#endif\n"
                                                      "active proctype P() { x = N }\n")):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            path = os.path.join(folder, "sub/m.pml")
            with self.assertRaisesRegex(omen.InputError, "lies outside the folder of the model"):
                omen.check(path, **CPU)
            for keywords in ({"include_root": folder}, {"include": pathlib.Path(folder)}, {"include": [pathlib.Path(folder)]}):
                self.assertTrue(omen.check(path, ltl="<> (x == 1)", **keywords, **CPU).holds)
                for define in "N=2", ["OTHER", "N=2"]:
                    result = omen.check(path, ltl="[] (x == 0)", define=define, **keywords, **CPU)
                    self.assertTrue(result.violated)
                    self.assertTrue(omen.replay(path, result.lasso, define=define, **keywords).accepted)
                    self.assertIn("was read with other definitions", omen.replay(path, result.lasso, **keywords).reason)
                self.assertEqual(omen.explore(path, define="N=0", **keywords).states, omen.explore(path, **keywords).states)
            self.assertTrue(omen.check(path, ltl="G (x < 2)", spelling="omen", include_root=folder, **CPU).holds)

    def test_a_verdict_is_neither_true_nor_false(self):
        with self.assertRaisesRegex(TypeError, "may be unknown"):
            bool(omen.check(MUTEX, **CPU))

    def test_results_are_values(self):
        one, other = (omen.check(STARVATION, ltl=SERVED, **CPU) for _ in range(2))
        self.assertEqual(one.lasso, other.lasso)
        self.assertEqual(hash(one.lasso), hash(other.lasso))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            one.verdict = omen.Verdict.HOLDS

    def test_limits_are_results(self):
        result = omen.check(model("big.dve"), max_states=1000, **CPU)
        self.assertEqual((result.verdict, result.reason), (omen.Verdict.UNKNOWN, "state limit"))
        self.assertFalse(result.holds or result.violated)
        result = omen.check(model("big.dve"), timeout=0.3, **CPU)
        self.assertEqual((result.verdict, result.reason), ("unknown", "time limit"))
        self.assertEqual(omen.empty(model("buchi.hoa"), max_states=1).reason, "state limit")

    def test_limits_before_anything_is_known(self):
        """omen then has no result to print, for example while it reads a model."""
        slow = self.program("echo 'omen: time limit' >&2; exit 30\n")
        result = omen.check(read(MUTEX), ltl="G true", seed=4, backend=slow)
        self.assertEqual((result.model, result.verdict, result.reason, result.property, result.seed),
                         ("-", "unknown", "time limit", "G true", 4))
        events = [e for e in omen.check_iter(MUTEX, ltl=["G a", "G b"], backend=slow) if not isinstance(e, omen.Note)]
        self.assertEqual([(e.property, e.verdict) for e in events], [("G a", "unknown"), ("G b", "unknown")])
        found = omen.explore(MUTEX, backend=slow)
        self.assertEqual((found.model, found.complete, found.reason, found.states), (MUTEX, False, "time limit", 0))
        self.assertEqual(omen.empty("x.hoa", backend=slow).reason, "time limit")
        for call in (lambda: omen.translate("GF a", backend=slow), lambda: omen.convert("x.hoa", "ba", backend=slow),
                     lambda: omen.replay(MUTEX, "x.json", backend=slow)):
            with self.assertRaisesRegex(omen.LimitError, "^time limit$"):
                call()

    def test_models_as_texts(self):
        text = read(STARVATION)
        by_text, by_path = (omen.check(m, ltl=SERVED, **CPU) for m in (text, pathlib.Path(STARVATION)))
        self.assertEqual((by_text.model, by_path.model), ("-", STARVATION))
        self.assertEqual([s.values for s in by_text.lasso.states], [s.values for s in by_path.lasso.states])
        self.assertTrue(omen.replay(text, by_text.lasso))
        self.assertEqual(omen.explore(omen.Text("process P { state s; init s; trans s -> s {}; } system async;")).states, 1)
        # More than a pipe holds, together with another text.
        large = "// no state\n" * 50000 + text
        self.assertTrue(omen.check(large, never=omen.translate('F "Client_0.served"'), **CPU).violated)

    def test_asserting(self):
        for asked in {"invariant": "true"}, {"ltl": "G true"}, {"assertions": True}, {}:
            result = omen.check(omen.Text(ASSERTS), **asked, **CPU)
            beside = result.assertion is not None
            self.assertEqual(beside, "invariant" in asked)
            failed = result.assertion if beside else result
            if "ltl" in asked:  # assertions are not searched in this case
                self.assertTrue(result.holds)
                continue
            self.assertEqual((failed.about, failed.violated, beside and result.holds), ("assertion", True, beside))
            self.assertIn("assertion", failed.lasso.property)
            self.assertIsNotNone(failed.fault)

    def test_all_of_a_models_properties(self):
        found = [event for event in omen.check_iter(omen.Text(ASSERTS), **CPU) if isinstance(event, omen.CheckResult)]
        self.assertEqual([(result.about, result.verdict) for result in found][0], ("assertion", "violated"))
        self.assertEqual(found[-1].property, "deadlock")
        first, = (event for event in omen.check_iter(omen.Text(ASSERTS), fail_fast=True, **CPU)
                  if isinstance(event, omen.CheckResult))
        self.assertEqual(first.about, "assertion")
        listed = omen.properties(omen.Text(ASSERTS))
        self.assertEqual([(each.name, each.default) for each in listed], [("assertions", True), ("deadlock", True)])
        self.assertEqual(listed[0].assertions, 1)


class CheckIter(Case):
    def test_events(self):
        for timeout in 1, 5, 25:  # the first is too short for a progress line on a slow machine
            events = list(omen.check_iter(model("big.dve"), search="bfs", timeout=timeout, **CPU))
            progress, result = events[:-1], events[-1]
            if progress:
                break
        self.assertIsInstance(progress[0], omen.Progress)
        for before, now in zip(progress, progress[1:]):
            self.assertIsInstance(now, omen.Progress)
            self.assertGreaterEqual(now.states, before.states)
            self.assertGreater(now.seconds, before.seconds)
        self.assertIsInstance(result, omen.CheckResult)
        self.assertGreaterEqual(result.states, progress[-1].states)

    def test_several_properties(self):
        formulas = ["G(P_0.waiting -> F P_0.critical)", "G !P_0.critical", "G true"]
        events = list(omen.check_iter(MUTEX, ltl=formulas, **CPU))
        self.assertEqual([(e.property, e.verdict) for e in events if isinstance(e, omen.CheckResult)],
                         list(zip(formulas, ("holds", "violated", "holds"))))
        with self.assertRaisesRegex(TypeError, "single formula"):
            omen.check(MUTEX, ltl=formulas)
        with self.assertRaisesRegex(ValueError, "empty list"):
            next(omen.check_iter(MUTEX, ltl=[]))

    def test_notes(self):
        events = list(omen.check_iter(model("wraps.dve"), ltl="G(m >= -32768 && a[1] >= 0)", **CPU))
        notes = [e for e in events if isinstance(e, omen.Note)]
        self.assertEqual([n.warning for n in notes], [True])
        self.assertRegex(notes[0].text, r"wraps\.dve:13:41: 300 does not fit a\[1\]")
        self.assertEqual(events[-1].overflows.first.variable, "a[1]")
        self.assertEqual(len(events[-1].overflow_trace.states), 4)
        with self.assertLogs("omen", "WARNING") as logged:
            omen.check(model("wraps.dve"), ltl="G(m >= -32768 && a[1] >= 0)", **CPU)
        self.assertEqual([r.getMessage() for r in logged.records], [notes[0].text])


class Others(Case):
    def test_explore(self):
        found = omen.explore(model("mutex.dve"), **CPU)
        self.assertEqual((found.complete, found.reason, found.states, found.transitions, found.deadlocks),
                         (True, None, 20, 34, 0))
        self.assertEqual((found.store.kind, found.executor, found.device), ("tree", "vm", None))
        self.assertIsNone(found.coverage)
        done = omen.explore(model("never.dve"), coverage=True, threads=1)
        self.assertEqual((done.coverage.statements, [s.label for s in done.coverage.never_done]),
                         (5, ["A: busy -> lost", "A: lost -> idle"]))
        found = omen.explore(model("big.dve"), max_states=500, store="plain", **CPU)
        self.assertEqual((found.complete, found.reason, found.store.kind), (False, "state limit", "plain"))
        on_host = omen.explore(model("mutex.dve"), device="host")
        self.assertEqual((on_host.states, on_host.device, on_host.store), (20, "host", None))
        self.assertGreater(on_host.verified.states, 0)
        self.assertGreater(on_host.queue.launches, 0)

    def test_failures(self):
        source = self.written("m.dve", "byte n; process P { state s; init s; assert s: n < 2; trans s -> s "
                                       "{ guard n < 5; effect n = n + 1; }; } system async;")
        found = omen.explore(source, **CPU)
        self.assertEqual((found.complete, found.states, found.stored), (True, 6, 6))
        self.assertEqual([(f.line, f.states, len(f.run)) for f in found.failures], [(1, 4, 2)])
        self.assertEqual(omen.explore(source, errors=1, **CPU).complete, False)
        self.assertIsNone(omen.explore(source, ignore_assertions=True, **CPU).failures)

    def test_automata(self):
        automaton = omen.translate("GF a & GF b")
        self.assertEqual((automaton.name, automaton.propositions, automaton.acceptance),
                         ("GF a & GF b", ("a", "b"), "2 Inf(0) & Inf(1)"))
        buchi = omen.convert(automaton, "ba")
        self.assertEqual(buchi.acceptance, "1 Inf(0)")
        self.assertEqual(omen.translate("GF a & GF b", "ba"), buchi)
        self.assertGreater(buchi.states, automaton.states)
        self.assertTrue(omen.convert(automaton, "never").startswith("never {"))
        self.assertTrue(automaton.dot().startswith("digraph"))
        automaton.save(self.path("a.hoa"))
        self.assertEqual(omen.convert(self.path("a.hoa"), "hoa"), omen.convert(automaton, "hoa"))
        with self.assertRaisesRegex(ValueError, "to must be one of hoa, .*, not 'tofu'"):
            omen.convert(automaton, "tofu")
        with self.assertRaisesRegex(ValueError, "not 'dot'"):
            omen.translate("GF a", "dot")

    def test_names_of_automata(self):
        text = read(model("buchi.hoa")).replace('"infinitely often"', r'"\"in\\out\""')
        automaton = omen.Automaton(text)
        self.assertEqual((automaton.name, automaton.propositions), ('"in\\out"', ("A.crit",)))
        self.assertIsNone(omen.Automaton("never { }").states)

    def test_empty(self):
        found = omen.empty(model("nothing.hoa"))
        self.assertTrue(found.holds)
        self.assertIsNone(found.lasso)
        found = omen.empty(read(model("buchi.hoa")), threads=1)
        self.assertTrue(found.violated)
        self.assertEqual(found.model, "-")
        self.assertLess(found.lasso.loop, len(found.lasso.labels))
        self.assertIn('"A.crit"', found.lasso.labels[found.lasso.loop:])

    def test_replay(self):
        lasso = omen.check(STARVATION, ltl=SERVED, **CPU).lasso
        found = omen.replay(STARVATION, lasso)
        self.assertTrue(found.accepted)
        self.assertEqual((found.property, found.states, found.loop), (SERVED, len(lasso.states), lasso.loop))
        lasso.save(self.path("run.json"))
        self.assertEqual(omen.Lasso.load(self.path("run.json")), lasso)
        self.assertTrue(omen.replay(STARVATION, self.path("run.json"), ltl=SERVED))
        found = omen.replay(STARVATION, lasso.to_json() + "\n", ltl="G(Client_1.waiting -> F Client_1.served)")
        self.assertFalse(found)
        self.assertIsNotNone(found.reason)
        found = omen.replay(STARVATION, "{\n  nonsense")
        self.assertEqual((found.accepted, found.states), (False, None))
        self.assertRegex(found.reason, r"^<lasso>:2:\d+: not JSON")
        self.assertEqual(found.lasso, "<lasso>")
        for bad in "{}", "[]", "nonsense", '{"#meta": {}, "vars": [], "states": []}':
            with self.assertRaisesRegex(omen.InputError, "^/.*/x.json: "):
                omen.Lasso.load(self.written("x.json", bad))

    def test_what_is_there(self):
        found = omen.plugins()
        by_name = {(p.kind, p.name): p for p in found.plugins}
        self.assertEqual(by_name["frontend", "dve"].suffixes, (".dve",))
        self.assertIn("strong", by_name["checker", "ufscc"].checker.strengths)
        self.assertEqual(by_name["checker", "and"].options[0].name, "bitstate")
        self.assertIsNotNone(by_name["translator", "builtin"].rank)
        host = [d for d in omen.devices().devices if d.kind == "host"]
        self.assertEqual([(d.number, d.reason) for d in host], [(None, None)])


class Errors(Case):
    def wrong(self, kind, pattern, place, call, *args, **keywords):
        with self.assertRaisesRegex(omen.Error, pattern) as caught:
            call(*args, **keywords)
        error = caught.exception
        self.assertIs(type(error), kind)
        self.assertEqual((error.file, error.line, error.column), place)
        return error

    def test_places(self):
        bad = model("bad.dve")
        self.wrong(omen.InputError, 'unknown variable "m"', (bad, 7, 19), omen.check, bad)
        self.wrong(omen.InputError, 'unknown variable "m"', ("<model>", 7, 19), omen.check, read(bad))
        self.wrong(omen.InputError, 'unknown variable "m"', ("<model>", 7, 19), omen.explore, read(bad))
        self.wrong(omen.InputError, "expected a formula", ("LTL formula", 1, 4), omen.check, MUTEX, ltl="G (")
        self.wrong(omen.InputError, "expected a formula", ("LTL formula", 1, 4), omen.translate, "G (")
        hoa = read(model("bad.hoa"))
        self.wrong(omen.InputError, "no acceptance set", ("<automaton>", 5, 19), omen.convert, hoa, "ba")
        self.wrong(omen.InputError, "no acceptance set", ("<automaton>", 5, 19), omen.empty, hoa)
        self.wrong(omen.InputError, "no acceptance set", ("<automaton>", 5, 19), omen.check, MUTEX, never=hoa)
        self.wrong(omen.InputError, "no acceptance set", ("<automaton>", 5, 19), omen.check, read(MUTEX), never=hoa)
        self.wrong(omen.InputError, "cannot open .*none.json", (None, None, None), omen.replay, MUTEX, "none.json")
        self.wrong(omen.InputError, "expected a formula", ("<formula>", 3, 1), omen.check, MUTEX, ltl_file="\nG (\n")
        self.wrong(omen.InputError, "cannot open .*none.dve", (None, None, None), omen.check, self.path("none.dve"))

    def test_several_are_told(self):
        error = self.wrong(omen.InputError, "", ("LTL formula", 1, 4), list,
                           omen.check_iter(MUTEX, ltl=["F F (", "G true", "G ("]))
        self.assertEqual([m.split()[0] + m.split()[1] for m in error.messages], ["LTLformula:1:6:", "LTLformula:1:4:"])
        self.assertEqual(error.__notes__, [error.messages[0]])

    def test_usage(self):
        nowhere = (None, None, None)
        self.wrong(omen.UsageError, "no checker 'nobody'", nowhere, omen.check, MUTEX, checker="nobody")
        with self.assertRaisesRegex(TypeError, "single property"):
            omen.check(MUTEX, ltl="true", deadlock=True)
        self.assertEqual([event.verdict for event in omen.check_iter(MUTEX, ltl=["true", "false"], deadlock=True)
                          if isinstance(event, omen.CheckResult)], ["holds", "violated", "holds"])
        for timeout in 0, -1, "soon", float("nan"), float("inf"):
            self.wrong(omen.UsageError, "--timeout", nowhere, omen.check, MUTEX, timeout=timeout)
        self.wrong(omen.UsageError, "no front end reads", nowhere, omen.explore, self.written("x.txt", ""))

    def test_faults_of_the_model(self):
        fault = model("fault.dve")
        error = self.wrong(omen.ModelError, "", (fault, 9, 3), omen.check, fault, **CPU)
        self.assertEqual((error.result.verdict, error.result.reason), ("unknown", "error in the model"))
        self.assertIsNotNone(error.result.lasso)
        error = self.wrong(omen.ModelError, "", (fault, 9, 3), omen.explore, fault, **CPU)
        self.assertIs(error.result.complete, False)
        events = omen.check_iter(fault, **CPU)
        self.assertEqual({type(next(events)), type(next(events))}, {omen.Note, omen.CheckResult})
        self.wrong(omen.ModelError, "", (fault, 9, 3), list, events)


if __name__ == "__main__":
    unittest.main()
