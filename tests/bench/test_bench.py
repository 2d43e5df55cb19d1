# SPDX-License-Identifier: Apache-2.0
"""omen-bench as a whole, with small programs in place of model checkers."""
import csv
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BENCH = os.path.join(os.path.dirname(os.environ["OMEN"]), "omen-bench")

# Imitate the output of omen and pan; the arguments are states and seconds of CPU time.
OMEN = """import sys, time, json
end = time.process_time() + float(sys.argv[2])
while time.process_time() < end: pass
print(json.dumps({"states": int(sys.argv[1]), "transitions": 7, "complete": True}))
"""
PAN = """import sys, time
end = time.process_time() + float(sys.argv[2])
while time.process_time() < end: pass
print("depth reached 9, errors: 0\\n  %s states, stored\\n  7 transitions (= stored+matched)"
      % sys.argv[1])
"""

TABLE = """
suite fake
title "two programs"
rounds 3
compare cpu
baseline pan
column omen
  format omen
  command ${python} -IS ${dir}/omen.py ${n} 0.03
  expect states ${n}
column pan
  format pan
  command ${python} -IS ${dir}/pan.py ${m} 0.15
  agree omen 2
column other
  needs no-such-program
  command no-such-program
row one n=10 m=12
row two n=20 m=20
target "faster" geomean cpu pan/omen >= 1.2
"""


def read_csv(path):
    with open(path) as f:
        return list(csv.DictReader(line for line in f if not line.startswith("#")))


class Bench(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.write("omen.py", OMEN)
        self.write("pan.py", PAN)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def arguments(self, *args):
        return [BENCH, *args, "--set", f"python={sys.executable}", "--set",
                f"dir={self.folder.name}", "--commit", "abc"]

    def surroundings(self):
        return {**os.environ, "TMPDIR": self.folder.name}

    def run_bench(self, status, table, *args, expand=True):
        command = [self.write("t.suite", table), *args]
        done = subprocess.run(self.arguments(*command) if expand else [BENCH, *command],
                              capture_output=True, text=True, env=self.surroundings(), timeout=100)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        left = [n for n in os.listdir(self.folder.name) if n.startswith("omen-bench.")]
        self.assertEqual(left, [])
        return done

    def refused(self, status, pattern, *args):
        done = subprocess.run([BENCH, *args], capture_output=True, text=True)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertEqual(done.stdout, "")
        self.assertRegex(done.stderr, pattern)

    def test_a_whole_suite(self):
        done = self.run_bench(0, TABLE, "--csv", self.path("r.csv"), "--markdown",
                              self.path("r.md"), "--gnuplot", self.path("g"))
        runs = read_csv(self.path("r.csv"))
        self.assertEqual([(r["row"], r["column"], r["round"], r["state"]) for r in runs],
                         [(row, column, str(k), "ok") if column != "other"
                          else (row, column, "0", "absent")
                          for row in ("one", "two") for column in ("omen", "pan", "other")
                          for k in ((1, 2, 3) if column != "other" else (0,))])
        for run in runs:
            if run["column"] == "other":
                self.assertEqual((run["cpu"], run["note"]), ("", "no-such-program not found"))
                continue
            self.assertGreaterEqual(float(run["cpu"]), 0.03 if run["column"] == "omen" else 0.15)
            self.assertGreaterEqual(float(run["wall"]) * 1.05, float(run["cpu"]))
            self.assertGreater(float(run["peak"]), 2e6)
            self.assertEqual(float(run["children-cpu"]), 0)
            self.assertNotEqual(run["cycles"], "0")
        # In turn; every second round in reverse order.
        order = re.findall(r"one (omen|pan): round (\d)", done.stderr)
        self.assertEqual(order, [(c, str(k)) for k in (1, 2, 3) for c in ("omen", "pan")[::1 if k % 2 else -1]])
        self.assertRegex(done.stdout, r"met: faster: geometric mean of cpu pan / omen is "
                                      r"[\d.]+ \[[\d.]+, [\d.]+\], target >= 1.2, over 2 rows\n")
        self.assertIn("\ncolumn other is absent: no-such-program not found\n", done.stdout)
        self.assertNotIn("two              other", done.stdout)
        self.assertRegex(done.stdout, r"\ngeometric mean of cpu, pan / omen: [\d.]+ \[")
        self.assertNotIn("pan / pan", done.stdout)
        with open(self.path("r.md")) as f:
            text = f.read()
        self.assertIn("# fake: two programs\n", text)
        self.assertIn("commit abc, 3 rounds", text)
        self.assertRegex(text, r"\n\| two +\| omen +\| +3 \| +20 \|")
        with open(self.path("g.dat")) as f:
            lines = [line.split() for line in f if not line.startswith("#")]
        self.assertEqual([line[0] for line in lines], ['"one"', '"two"'])
        self.assertEqual(lines[0][7:], ["?", "?", "?"])
        with open(self.path("g.gp")) as f:
            self.assertIn("'g.dat' using 5:6:7:xtic(1) title 'pan'", f.read())

    def test_target_not_met(self):
        done = self.run_bench(10, TABLE.replace(">= 1.2", ">= 1000"), "--rounds", "1")
        self.assertIn("NOT MET: faster", done.stdout)

    def test_states_that_differ_are_marked_and_left_out(self):
        done = self.run_bench(0, TABLE.replace("m=12", "m=13"), "--rounds", "2")
        self.assertRegex(done.stdout, r"one +pan .* STATES DIFFER: 13 states, but omen has 10\n")
        self.assertRegex(done.stdout, r"one +omen +2 +10( +[\d.]+){4}\n")
        self.assertRegex(done.stdout, r"two +omen +2 +20( +[\d.]+){5} \[")
        self.assertIn("over 1 row, 1 left out: states differ\n", done.stdout)

    def test_commands_that_fail(self):
        cases = (("exit 3", r"status 3: told so"), ("kill -9 $$", "ended by signal 9"),
                 ("true", "pan printed no figures"))
        for line, why in cases:
            table = TABLE.replace("${python} -IS ${dir}/pan.py ${m} 0.15",
                                  f'/bin/sh -c "echo told so >&2; {line}"')
            done = self.run_bench(20, table, "--rounds", "1")
            self.assertRegex(done.stdout, rf"one +pan .* FAILED: .*{why}")
            self.assertRegex(done.stdout, r"two +omen +1 +20 ")
            self.assertRegex(done.stdout, r"NOT MET: faster: .* over 0 rows, 2 failed")
        table = TABLE.replace("${python} -IS ${dir}/pan.py", "${dir}/nothing-there")
        self.assertRegex(self.run_bench(20, table, "--rounds", "1").stdout, "pan cannot be started")
        table = TABLE.replace("  agree omen 2", "  prepare \"echo broken; false\"")
        self.assertRegex(self.run_bench(20, table, "--rounds", "1").stdout,
                         "FAILED: prepare ended with status 1: broken")

    def test_figures_that_are_not_the_expected_ones(self):
        done = self.run_bench(20, TABLE.replace("expect states ${n}", "expect states 11"),
                              "--rounds", "1")
        self.assertRegex(done.stdout, r"one +omen .* FAILED: states is 10, not 11")

    def test_time_out_kills_what_was_started(self):
        table = TABLE.replace("${python} -IS ${dir}/pan.py ${m} 0.15",
                              '/bin/sh -c "sleep 60 & echo $! >>${dir}/pids; wait"')
        start = time.monotonic()
        done = self.run_bench(20, table, "--rounds", "1", "--timeout", "1s")
        self.assertLess(time.monotonic() - start, 50)
        self.assertRegex(done.stdout, "pan was killed after 1 s")
        self.gone()

    def test_a_limit_is_kept(self):
        """A command that was too slow is not run again, unless the limit differs."""
        table = TABLE.replace("${python} -IS ${dir}/pan.py ${m} 0.15",
                              '/bin/sh -c "echo ${row} >>${dir}/tries; sleep 60"')
        table = table.replace("rounds 3", "rounds 1\ntimeout 500ms")
        out = ("--out", self.path("results"))
        self.run_bench(20, table, *out)
        done = self.run_bench(20, table, *out, "--resume")
        self.assertEqual(done.stderr, "")
        with open(self.path("tries")) as f:
            self.assertEqual(f.read().split(), ["one", "two"])
        states = {r["column"]: r["state"] for r in read_csv(self.path("results/" + [
            n for n in os.listdir(self.path("results")) if n.endswith(".csv")][0]))}
        self.assertEqual(states, {"omen": "ok", "pan": "limit", "other": "absent"})
        done = self.run_bench(3, table, *out, "--resume", "--timeout", "600ms")
        self.assertRegex(done.stderr, "limits was '0.5 s', but is now '0.6 s'")

    def test_memory_is_limited(self):
        """The limit covers all processes of a command together; a command that keeps within it is not killed."""
        table = TABLE.replace("${python} -IS ${dir}/pan.py ${m} 0.15",
                              '/bin/sh -c "${python} -ISc \'import time; x = bytearray(100 << 20); time.sleep(60)\' & '
                              '${python} -ISc \'import time; x = bytearray(100 << 20); time.sleep(60)\'; wait"')
        done = self.run_bench(20, table, "--rounds", "1", "--memory", "150M")
        found = re.search(r"one +pan .* FAILED: pan was killed at (\d+) MB\n", done.stdout)
        self.assertGreaterEqual(int(found.group(1)), 150)
        self.assertRegex(done.stdout, r"one +omen +1 +10 ")
        self.refused(2, "--memory takes a size", "x", "--memory", "much")

    def test_agreement_in_some_rows(self):
        table = TABLE.replace("agree omen 2", "agree omen 2 whole").replace("m=12", "m=13")
        done = self.run_bench(0, table, "--rounds", "1")
        self.assertNotIn("STATES DIFFER", done.stdout)
        done = self.run_bench(0, table.replace("m=13", "m=13 whole=1"), "--rounds", "1")
        self.assertRegex(done.stdout, r"one +pan .* STATES DIFFER: 13 states, but omen has 10\n")

    def gone(self):
        with open(self.path("pids")) as f:
            for pid in f.read().split():
                try:
                    with open(f"/proc/{pid}/stat") as stat:
                        self.assertEqual(stat.read().split(")")[-1].split()[0], "Z")
                except (FileNotFoundError, ProcessLookupError):
                    pass

    def test_what_others_took_is_told_apart(self):
        """CPU time of processes that a command starts is included in its sum, and reported separately."""
        table = TABLE.replace("${python} -IS ${dir}/omen.py ${n} 0.03",
                              '/bin/sh -c "${python} -IS ${dir}/omen.py ${n} 0.5; true"')
        # A child that the command does not wait for is killed.
        table = table.replace("${python} -IS ${dir}/pan.py ${m} 0.15",
                              '/bin/sh -c "setsid sleep 60 & echo $! >>${dir}/pids; '
                              '${python} -IS ${dir}/pan.py ${m} 0.15"')
        self.run_bench(10, table, "--rounds", "1", "--csv", self.path("r.csv"))
        for run in read_csv(self.path("r.csv")):
            if run["column"] == "omen":
                self.assertGreaterEqual(float(run["children-cpu"]), 0.45)
                self.assertLess(float(run["own-cpu"]), 0.3)
                self.assertAlmostEqual(float(run["own-cpu"]) + float(run["children-cpu"]),
                                       float(run["cpu"]), places=5)
        self.gone()

    def test_going_on(self):
        out = ("--out", self.path("results"), "--rounds", "1")
        self.run_bench(30, TABLE, *out, "--rows", "two")
        name = os.listdir(self.path("results"))[0].rsplit(".", 1)[0]
        self.assertRegex(name, r"^\d{4}-\d\d-\d\d-abc-fake$")
        before = read_csv(self.path(f"results/{name}.csv"))
        self.assertEqual({r["row"] for r in before}, {"two"})
        self.assertRegex(self.run_bench(2, TABLE, *out).stderr, "already exists: --resume")
        done = self.run_bench(0, TABLE, *out, "--resume")
        self.assertNotIn("two", done.stderr)
        after = read_csv(self.path(f"results/{name}.csv"))
        self.assertEqual([r for r in after if r["row"] == "two"], before)
        self.assertEqual({r["row"] for r in after}, {"one", "two"})
        # The same report again from the file alone, and a new run.
        done = self.run_bench(0, TABLE, "--from", self.path(f"results/{name}.csv"), "--commit", "x")
        self.assertIn("commit abc, 1 round\n", done.stdout)
        self.assertIn("met: faster", done.stdout)
        # Results of another day are found; those of another commit are not.
        for kind in "csv", "md":
            os.rename(self.path(f"results/{name}.{kind}"),
                      self.path(f"results/2020-01-01{name[10:]}.{kind}"))
        done = self.run_bench(0, TABLE, *out, "--resume")
        self.assertEqual(done.stderr, "")
        self.assertEqual(len(os.listdir(self.path("results"))), 2)
        name = "2020-01-01" + name[10:]
        done = self.run_bench(3, TABLE, "--out", self.path("results"), "--rounds", "2", "--resume")
        self.assertRegex(done.stderr, "rounds was '1', but is now '2'")
        done = self.run_bench(3, TABLE.replace("suite fake", "suite real"), "--from",
                              self.path(f"results/{name}.csv"))
        self.assertRegex(done.stderr, "suite was 'fake', but is now 'real'")
        self.run_bench(0, TABLE, *out, "--overwrite", "--quiet")

    def test_budget(self):
        done = self.run_bench(30, TABLE, "--rounds", "1", "--budget", "0.01s")
        self.assertIn("stopped before all rows were run", done.stdout)
        self.assertRegex(done.stdout, r"\none +omen +1")
        self.assertNotRegex(done.stdout, r"\ntwo +omen")
        self.assertIn("not measured: faster", done.stdout)

    def test_interrupt_keeps_whole_rows(self):
        table = TABLE.replace("${python} -IS ${dir}/pan.py ${m} 0.15",
                              '/bin/sh -c "test ${row} = one || sleep 60; '
                              '${python} -IS ${dir}/pan.py ${m} 0.15"')
        work = subprocess.Popen(
            self.arguments(self.write("t.suite", table), "--rounds", "1", "--csv",
                           self.path("r.csv")),
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.surroundings())
        for line in work.stderr:
            if "two omen: round 1" in line:
                break
        work.send_signal(signal.SIGINT)
        out, _ = work.communicate(timeout=50)
        self.assertEqual(work.returncode, 30)
        self.assertIn("stopped before all rows were run", out)
        self.assertEqual({r["row"] for r in read_csv(self.path("r.csv"))}, {"one"})

    def test_published_figures_are_scaled(self):
        table = TABLE + """
column old
  published cpu 8 ${least} 9
  scaled pan cpu 0.1
"""
        table = table.replace("m=12", "m=12 least=2").replace("m=20", "m=20 least=3")
        self.run_bench(0, table, "--rounds", "2", "--csv", self.path("r.csv"))
        runs = read_csv(self.path("r.csv"))
        for row, least in (("one", 2), ("two", 3)):
            for k in ("1", "2"):
                cpu = {r["column"]: r["cpu"] for r in runs if (r["row"], r["round"]) == (row, k)}
                self.assertAlmostEqual(float(cpu["old"]) / (least * float(cpu["pan"]) / 0.1), 1,
                                       places=6)

    def test_rates_are_predicted_from_counts(self):
        counts = ('{"transitions": 10, "counts": {"total": {"sectors_read": 20, "sectors_written": 10, '
                  '"atomics": 5, "asked_read": 40, "asked_written": 30}, "kernels": [{"buffers": '
                  '[{"buffer": "index", "sectors_read": 10}]}]}}')
        self.write("counts.json", counts)
        self.write("run.json", '{"states": 10, "transitions": 40, "complete": true, "executor": "opencl", '
                               '"device": "NVIDIA H200", "seconds": 0.0001, "store": null, "memory_bytes": 90}')
        table = """
suite fake
compare wall
column run
  format omen
  command cat ${dir}/run.json
column counted
  format counts
  command cat ${dir}/counts.json
row one x=1
"""
        done = self.run_bench(0, table, "--rounds", "1", "--csv", self.path("c.csv"))
        self.assertRegex(done.stdout, r"one +2\.000 +1\.000 +1\.000 +0\.500 +4\.000 +3\.000\n")
        # 3 G look-ups a second, 4 of them for each state.
        self.assertRegex(done.stdout, r"one, run: 0.1 million states per second, 9.0 bytes per state, 0.0 % of its "
                                      r"bandwidth; predicted at most: H200 750 \(look-ups\), H100 523 \(look-ups\), ")
        again = self.run_bench(0, table.replace("format counts\n  command cat ${dir}/counts.json",
                                                "recorded ${dir}/c.csv counted"), "--rounds", "1")
        self.assertIn("H200 750 (look-ups)", again.stdout)
        self.write("counts.json", "{}")
        self.assertIn("FAILED: nothing was counted", self.run_bench(20, table, "--rounds", "1").stdout)
        none = self.run_bench(0, table.replace("format counts\n  command cat ${dir}/counts.json",
                                               "recorded ${dir}/none.csv counted"), "--rounds", "1")
        self.assertIn("one, run: 0.1 million states per second, 9.0 bytes per state\n", none.stdout)
        self.assertNotIn("predicted", none.stdout)

    def test_figures_that_a_file_lists(self):
        """A line is found by its key fields; a missing value or 0 is unknown."""
        self.write("list.csv", "name,how,seconds,states\none,x,1.5,7\none,y,9,9\ntwo,x,0.000,11\n")
        table = """suite listed
rounds 2
compare wall
baseline there
column run
  command ${python} -ISc "pass"
column there
  listed wall ${dir}/list.csv seconds name=${row} how=x
  listed states ${dir}/list.csv states name=${row} how=x
column nowhere
  listed wall ${dir}/nothing.csv seconds name=${row} how=x
row one
row two
row three
"""
        self.run_bench(0, table, "--csv", self.path("r.csv"))
        runs = {(r["row"], r["column"]): r for r in read_csv(self.path("r.csv"))}
        self.assertEqual([(runs[row, "there"]["wall"], runs[row, "there"]["states"]) for row in ("one", "two", "three")],
                         [("1.5", "7"), ("", "11"), ("", "")])
        self.assertEqual((runs["three", "there"]["state"], runs["three", "there"]["note"]),
                         ("absent", "not listed"))
        self.assertEqual({runs[row, "nowhere"]["state"] for row in ("one", "two", "three")}, {"absent"})
        self.refused(3, r"list\.csv:1: no field 'second'",
                     self.write("t.suite", table.replace("csv seconds", "csv second").replace(
                         "${python}", sys.executable).replace("${dir}", self.folder.name)))
        self.refused(3, r"list\.csv:3: more than one matching line",
                     self.write("t.suite", table.replace(" how=x", "").replace(
                         "${python}", sys.executable).replace("${dir}", self.folder.name)))

    def test_best_of_columns(self):
        """The best of each round; a column that failed or is absent takes no part."""
        table = """suite best
baseline good
column good
  best wall slow quick gone bad
column none
  best wall gone
column slow
  command ${python} -ISc "import time; time.sleep(0.3)"
column quick
  command ${python} -ISc "import time; time.sleep(0.05)"
column gone
  needs ${dir}/gone
  command ${dir}/gone
column bad
  command /bin/false
row one
"""
        self.run_bench(20, table, "--rounds", "2", "--csv", self.path("r.csv"))
        runs = {(r["column"], r["round"]): r for r in read_csv(self.path("r.csv"))}
        for k in ("1", "2"):
            self.assertEqual(runs["good", k]["wall"], runs["quick", k]["wall"])
            self.assertNotIn(("none", k), {key for key, r in runs.items() if r["wall"]})

    def test_order_of_a_row(self):
        """prepare, warm, then before and a run for each round; in the row's folder, with env."""
        self.write("s.sh", 'echo "$1$3 $E" >>"$2"; echo "{\\"states\\": 1}"\n')
        table = """suite order
rounds 2
column only
  format omen
  when k
  prepare "echo prepare $E >>${log}; touch here"
  before "test -e here && echo before $E >>${log}"
  warm more
  env E e${k}
  command /bin/sh ${dir}/s.sh run ${log}
row one k=1 log=${dir}/log
row two log=none
row three k=3 log=${dir}/log
"""
        done = self.run_bench(0, table)
        self.assertNotIn("two", done.stdout)
        with open(self.path("log")) as f:
            said = f.read().splitlines()
        one = ["prepare e1", "before e1", "runmore e1"] + ["before e1", "run e1"] * 2
        self.assertEqual(said, one + [line.replace("e1", "e3") for line in one])

    def test_messages(self):
        self.refused(2, "no suite given", "--rounds", "3")
        self.refused(2, "no option '--round'; did you mean '--rounds'", "x", "--round", "3")
        self.refused(2, "--rounds takes a number from 1 to 1000, not '0'", "x", "--rounds", "0")
        self.refused(2, "--timeout takes a time", "x", "--timeout", "soon")
        self.refused(2, "--set takes NAME=VALUE", "x", "--set", "=y")
        self.refused(2, "needs a value", "x", "--out")
        self.refused(2, "takes no value", "x", "--resume=1")
        self.refused(2, "unexpected argument 'y'", "x", "y")
        self.refused(2, "--resume needs --out", "x", "--resume")
        self.refused(2, "no suite 'nothing'", "nothing")
        self.refused(3, "t.suite:1:1: unknown directive 'suit'; did you mean 'suite'",
                     self.write("t.suite", "suit x\n"))
        done = self.run_bench(2, TABLE, "--rows", "three")
        self.assertRegex(done.stderr, "no row 'three'")
        done = self.run_bench(3, TABLE, "--commit", "abc", expand=False)
        self.assertRegex(done.stderr, r"t\.suite:7:1: no variable '(python|dir)'")
        text = subprocess.run([BENCH, "--help"], capture_output=True, text=True).stdout
        for option in ("rounds", "out", "resume", "budget", "memory", "html", "verbose", "csv", "markdown", "gnuplot"):
            self.assertIn(f"  --{option} ", text)

    def test_suites_are_found_and_read(self):
        names = subprocess.run([BENCH, "--list"], capture_output=True, text=True).stdout.split()
        self.assertEqual(names, sorted(names))
        for name in ("device", "explore-ltsmin", "explore-spin", "liveness", "start-up", "store",
                     "threads"):
            self.assertIn(name, names)
        empty = self.path("empty")
        with open(empty, "w", encoding="utf-8"):
            pass
        done = self.refused(2, "papers runs several suites", "papers", "--from", empty)
        for name in names:
            if name == "papers":
                continue
            # Every table is read before the results are rejected.
            self.refused(3, "empty:1: not results of a suite", name, "--from", empty,
                         "--commit", "abc")


if __name__ == "__main__":
    unittest.main()
