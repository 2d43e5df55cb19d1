# SPDX-License-Identifier: Apache-2.0
"""Promela as used in practice: macros on the command line, included files, file name endings, SPIN's
formulas.
"""
import json
import os
import re

from cli import MODELS, Case, main, run as omen

BUG = "#ifdef BUG\n#define V BUG\n#else\n#define V 1\n#endif\nbyte x;\nactive proctype A() { x = V; x = 0 }\n"
CS = """byte n = 0;
active [2] proctype P() {
    byte k = 0;
ncs: skip;
    n++;
cs: k = n;
    n--;
    goto ncs
}
ltl mutex { [] !(P[0]@cs && P[1]@cs) }
"""


class Promela(Case):
    def write(self, name, text):
        path = self.path(name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(text if isinstance(text, bytes) else text.encode())
        return path

    def expect(self, status, *args, **more):
        """With status None, accepts any status except that of an internal error."""
        if status is not None:
            return super().expect(status, *args, **more)
        done = omen(*args, **more)
        self.assertIn(done.returncode, (0, 3, 10), f"{args}: {done.stderr}")
        return done

    # ---- runs ----

    def test_the_runs_of_a_long_process_are_counted(self):
        steps = " ".join(f"x = {k % 2};" for k in range(300))
        m = self.write("long.pml", "byte x; proctype Q() { skip }\nactive proctype P() { byte i;\n"
                       f"for (i : 1 .. 3) {{ run Q() }} {steps} run Q() }}\n")
        start = self.expect(0, "simulate", m, "--steps", "0", "--json").stdout
        self.assertIn("Q:3", start)
        self.assertNotIn("Q:4", start)
        # The text does not name processes that do not run.
        self.assertNotIn("Q:", self.expect(0, "simulate", m, "--steps", "0").stdout)

    # ---- -D ----

    def test_macros_of_the_command_line(self):
        m = self.write("m.pml", BUG)
        for options, most in (((), 1), (("-DBUG",), 1), (("-D", "BUG=2"), 2), (("--define", "BUG=3"), 3),
                              (("--define=BUG=4",), 4), (("-DV9", "-DBUG=5"), 5), (("-D", "f(a)=(a*2)", "-DBUG=f(3)"), 6)):
            self.expect(0, "check", m, *options, "--invariant", f"x <= {most}")
            self.expect(10, "check", m, *options, "--invariant", f"x < {most}")

    def test_macros_that_are_none(self):
        m = self.write("m.pml", BUG)
        for wrong in "3=4", "=1", "a b", "a-b=2":
            self.refused(2, "-D takes NAME or NAME=VALUE, not", "check", m, "-D", wrong)
        self.refused(2, "needs a value", "check", m, "-D")
        self.refused(3, r"-D: .*one line", "check", m, "-D", "A=1\n#define B")
        self.refused(2, "-D is for languages with a preprocessor.*'dve' has none", "check",
                     os.path.join(MODELS, "mutex.dve"), "-DA")

    def test_every_command_that_reads_a_model_knows_macros(self):
        m, run = self.write("m.pml", BUG), self.path("run.json")
        self.expect(10, "check", m, "-DBUG=2", "--invariant", "x < 2", "--lasso", run)
        self.assertEqual(json.load(open(run))["#meta"]["definitions"], ["BUG=2"])
        self.expect(0, "replay", m, run, "-DBUG=2")
        self.expect(0, "explain", m, run, "-DBUG=2")
        self.expect(0, "show", run, m, "-DBUG=2", "--as", "txt")
        self.expect(0, "show", run, "--as", "txt")
        self.expect(0, "explore", m, "-DBUG=2")
        self.assertIn("x = 2", self.expect(0, "simulate", m, "-DBUG=2", "--steps", "1").stdout)
        self.expect(0, "simulate", m, "-DBUG=2", "--steps", "1", "--load", run)
        self.expect(0, "devices", "--dump", self.path("dump"), m, "-DBUG=2")

    def test_a_run_is_of_the_model_with_its_macros(self):
        m, run = self.write("m.pml", BUG), self.path("run.json")
        self.expect(10, "check", m, "-DBUG=2", "-DB", "--invariant", "x < 2", "--lasso", run)
        said = r"the run is of the model with -DBUG=2 -DB, but the model was read with other definitions"
        for options in (), ("-DBUG=3",), ("-DBUG=2",), ("-DBUG=2", "-DB", "-DC"), ("-DBUG=2", "-DBUG=2"):
            self.refused(3, said, "replay", m, run, *options)
        self.expect(0, "replay", m, run, "-DB", "-DBUG=2")
        self.expect(10, "check", m, "--invariant", "x < 1", "--lasso", run)
        self.assertNotIn("definitions", json.load(open(run))["#meta"])
        self.refused(3, "of the model with no -D", "replay", m, run, "-DB")

    # ---- files that are included ----

    def test_files_outside_the_folder(self):
        self.write("common/vars.pml", "byte x;\n")
        m = self.write("sub/m.pml", '#include "../common/vars.pml"\nactive proctype A() { x = 1 }\n')
        said = r"m\.pml:1:10: \"../common/vars\.pml\" lies outside the folder of the model: -I DIR, or --include-root DIR"
        self.refused(3, said, "check", m)
        for options in (("-I", self.path("common")), ("-I" + self.path("common"),), ("--include", self.path("common")),
                        ("--include-root", self.folder.name), ("--include-root", self.path("common"))):
            self.expect(0, "check", m, *options)
        self.refused(3, said, "check", m, "--include-root", self.path("sub"))
        # A folder whose name is only a prefix of the other one does not contain the file.
        self.write("com/other.pml", "byte y;\n")
        self.refused(3, said, "check", m, "-I", self.path("com"))

    def test_links_lead_out_of_a_folder_as_dots_do(self):
        self.write("outside/x.pml", "byte x;\n")
        m = self.write("in/m.pml", '#include "link/x.pml"\nactive proctype A() { x = 1 }\n')
        os.symlink(self.path("outside"), self.path("in/link"))
        self.refused(3, "lies outside", "check", m)
        self.expect(0, "check", m, "--include-root", self.path("outside"))

    def test_folders_to_look_in(self):
        self.write("a/one.h", '#include "two.h"\n')
        self.write("b/two.h", "byte x;\n")
        m = self.write("m/m.pml", "#include <one.h>\nactive proctype A() { x = 1 }\n")
        self.refused(3, r'm\.pml:1:10: there is no file "one\.h": -I DIR', "check", m)
        self.refused(3, r'one\.h:1:10: there is no file "two\.h" in .*/a/, or in .*/a: -I DIR', "check", m, "-I",
                     self.path("a"))
        self.expect(0, "check", m, "-I", self.path("a"), "-I", self.path("b"))
        # The folder of the including file comes first, but not for <...>.
        self.write("m/one.h", "short x;\n")
        m = self.write("m/n.pml", '#include "one.h"\nactive proctype A() { x = 1000 }\n')
        self.expect(0, "check", m, "-I", self.path("a"), "-I", self.path("b"), "--invariant", "x == 0 || x == 1000")

    def test_missing_files(self):
        m = self.write("m.pml", '#include "nofile.h"\nactive proctype A() { skip }\n')
        self.refused(3, r'm\.pml:1:10: there is no file "nofile\.h" in .*: -I DIR adds a folder to search', "check", m)
        m = self.write("m.pml", '#include ""\nactive proctype A() { skip }\n')
        self.refused(3, "the name of a file is missing", "check", m)
        m = self.write("m.pml", '#include "/etc/passwd"\nactive proctype A() { skip }\n')
        self.refused(3, "lies outside", "check", m)

    def test_a_server_gets_one_file(self):
        m = self.write("m.pml", BUG)
        for option in ("-DA",), ("-I", "."), ("--include-root", "."):
            self.refused(2, "cannot be combined with --server: a server gets the text of one file", "check", m, *option, "--server",
                         "http://127.0.0.1:1")
        m = self.write("n.pml", '  # include "m.pml"\n')
        self.refused(2, "includes other files: a server accepts only a single file", "check", m, "--server",
                     "http://127.0.0.1:1")

    # ---- the preprocessor ----

    def test_errors_and_warnings_of_a_model(self):
        m = self.write("m.pml", "#ifdef A\n#error it can't be\n#endif\n#warning don't\nactive proctype A() { skip }\n")
        self.refused(3, r"m\.pml:2:1: #error: it can't be", "check", m, "-DA")
        self.assertRegex(self.expect(0, "check", m).stderr, r"warning: .*m\.pml:4:1: #warning: don't")

    def test_macros_of_any_number_of_arguments(self):
        text = """#define pick(a, b, c, name, ...) name
#define three(a, b, c) x = a + b + c
#define two(a, b) x = a * b
#define any(...) pick(__VA_ARGS__, three, two)(__VA_ARGS__)
#define none(...)
byte x;
active proctype A() { %s; none(1, 2) none() assert(x == %d) }
"""
        for call, value in ("any(1, 2, 3)", 6), ("any(4, 5)", 20), ("any((1, 2)[0] + 4, 5)", None):
            m = self.write("m.pml", text % (call, value or 0))
            if value is not None:
                self.expect(0, "check", m)

    def test_directives_among_the_arguments_of_a_macro(self):
        m = self.write("m.pml", """#define safe(id, stmt) d_step { assert(id == 1); stmt }
#define both(a, b) a; b
byte x, y;
active proctype A() {
    safe(1,
#if N == 2
        x = 2;
#elif defined(N)
        x = 3;
#else
        x = both(1, y = 1);
#endif
        y = y + x)
}
""")
        for options, sum in ((), 2), (("-DN=2",), 2), (("-DN=5",), 3):
            self.expect(0, "check", m, *options, "--ltl", f"<> (y == {sum})")
        m = self.write("m.pml", "#define f(a) a\nactive proctype A() { f(skip;\n#if 1\nskip\n#endif\n }\n")
        self.refused(3, r'm\.pml:2:23: the arguments of the macro "f" are never closed', "check", m)

    # ---- names of files ----

    def test_endings(self):
        for ending in "pml", "spin", "pr", "prom", "prm", "promela", "txt", "model":
            self.expect(0, "check", self.write("m." + ending, "/* process */ active proctype A() { skip }\n"))
        self.expect(0, "check", self.write("m", "// no\ninit\n{ skip }\n"))
        self.expect(0, "explore", self.write("n.txt", "process A { state s; init s; } system async;\n"))
        self.expect(0, "check", "-", input="active proctype A() { skip }\n")
        self.refused(2, r"no front end reads such a file \(known: .*\.pml.*--frontend NAME.*promela", "check",
                     self.write("x.txt", "proctypes init init; /* proctype A() */ \"init {\"\n"))

    def test_the_index_of_a_scalar(self):
        m = self.write("m.pml", "byte x = 3; typedef T { byte f }; T s;\nactive proctype P() { byte l; x[0] = 4;"
                                " s[0].f[0] = x; l[0] = s.f; assert(x == 4 && x[0] == 4 && s.f == 4 && l == 4) }\n")
        self.expect(0, "check", m)
        self.expect(10, "check", m, "--invariant", "P:l[0] == 0")
        for index in "1", "x", "y - y":
            m = self.write("m.pml", f"byte x, y;\nactive proctype P() {{ x[{index}] = 1 }}\n")
            self.refused(3, r"m\.pml:2:25: \"x\" is not an array: its only index is 0", "check", m)

    # ---- formulas ----

    def test_formulas_of_the_command_line_are_those_of_a_model(self):
        m = self.write("m.pml", CS)
        for text in "[] !(P[0]@cs && P[1]@cs)", "[] (!P[0]@cs || !P[1]@cs)", "G !(\"P[0]@cs\" & \"P[1]@cs\")":
            self.assertIn("violated", self.expect(10, "check", m, "--ltl", text).stdout)
        self.expect(10, "check", m, "--ltl-file", self.write("f.ltl", "[] !(P[0]@cs\n && P[1]@cs)\n"))

    def test_two_readings_are_told(self):
        text = "byte p = 0, q = 0;\nactive proctype P() { do :: p = 1 - p od }\n"
        formula = "(q == 1) -> (p == 0) -> (q == 1)"
        m = self.write("m.pml", text + f"ltl f {{ {formula} }}\n")
        inline = self.expect(10, "check", m, "--property", "f")
        self.assertEqual(inline.stderr, "")
        done = self.expect(10, "check", m, "--ltl", formula)
        self.assertRegex(done.stderr, r"warning: LTL formula: .*precedence of the model's language: \(\(q==1\) -> \(p==0\)\) -> \(q==1\); omen's own "
                                      r"grammar \(--spelling omen\) reads: \(q==1\) -> \(\(p==0\) -> \(q==1\)\)")
        done = self.expect(0, "check", m, "--ltl", formula, "--spelling", "omen")
        self.assertEqual(done.stderr, "")
        for other in "p -> q -> p", "p U q U p", "! p == q", "p & q", "[] (p -> q -> p)", "p V q V p", "p <-> q -> p":
            done = self.expect(None, "check", m, "--ltl", other, "--plan")
            self.assertIn("warning: LTL formula", done.stderr, other)
        for same in ("[] (p -> <> q)", "!p", "[] !(p == 1)", "p && q && p", "(p U q)", "p || q && p", "[] p U q", "!(p)",
                     "[] ((p == 1) -> (q == 0))", "true", "<> [] !p && [] <> (q != 1)"):
            done = self.expect(None, "check", m, "--ltl", same, "--plan")
            self.assertEqual(done.stderr, "", same)

    def test_a_run_knows_how_its_formula_was_read(self):
        m = self.write("m.pml", "bool p, q;\nactive proctype P() { do :: p = 1 - p od }\n")
        run = self.path("run.json")
        formula = "(p -> q -> p) -> q"
        self.expect(10, "check", m, "--ltl", formula, "--spelling", "omen", "--lasso", run)
        self.assertEqual(json.load(open(run))["#meta"]["property"], "ltl-omen=" + formula)
        self.assertEqual(self.expect(0, "replay", m, run).stderr, "")
        self.expect(0, "explain", m, run)

    def test_assumptions_are_read_likewise(self):
        m = self.write("m.pml", CS)
        self.expect(10, "check", m, "--ltl", "<> P[0]@cs", "--fair", "[] <> !P[1]@cs")

    def test_macros_of_the_model_in_formulas(self):
        m = self.write("m.pml", "#define up (x == 1)\n#define y x\nbyte x;\nactive proctype P() { do :: x = 1 - x od }\n")
        self.expect(0, "check", m, "--ltl", "<> up")
        self.expect(10, "check", m, "--ltl", "[] up")
        self.expect(10, "check", m, "--invariant", "!up")
        self.expect(0, "check", m, "--ltl", "[] (y <= 1)")
        # Expanded text is not expanded again.
        m = self.write("m.pml", "#define x x+1\nbyte y = 1, z;\n#undef x\nbyte x;\n#define x x+1\n"
                                "active proctype P() { skip }\nltl f { [] (x == 1) }\n")
        self.expect(0, "check", m, "--property", "f")
        self.expect(0, "check", m, "--ltl", "[] (x == 1)")

    def test_names_of_traces(self):
        m = self.write("m.pml", CS + "chan c = [2] of { byte, byte };\nactive proctype Q() { byte i; c!3, 4; { byte j = 5; i = j } "
                                     "{ byte j = 6; i = j } }\n")
        run = self.path("run.json")
        self.expect(10, "check", m, "--invariant", "n == 0", "--lasso", run)
        names = json.load(open(run))["vars"]
        self.assertIn("P:0.k", names)
        self.assertIn("c.len", names)
        for state in json.load(open(run))["states"][:1]:
            for name in names:
                value = state[name]["#map"] if isinstance(state[name], dict) and "#map" in state[name] else state[name]
                if isinstance(value, (int, str)):
                    text = f"{name} == {value}"
                    self.expect(None, "check", m, "--ltl", f"[] ({text})", "--plan")
                    self.expect(None, "check", m, "--invariant", text, "--plan")
        self.expect(10, "check", m, "--ltl", "[] !(P:0 == cs && P:1 == cs)")
        self.expect(10, "check", m, "--ltl", "[] (P:0.k == 0)")
        self.expect(10, "check", m, "--invariant", "c.len == 0")
        self.expect(10, "check", m, "--ltl", "<> (c.len == 0 && c.0[0] == 3)")
        self.refused(3, r'"P:0\.k" is not an array: its only index is 0', "check", m, "--ltl", "[] (P:0.k[1] == 0)")

    def test_accepting_labels_within_atomic_sequences(self):
        """Properties do not see such states, although SPIN's verifier does: no property is better than
        one that wrongly holds.
        """
        inside = "byte x;\nactive proctype Q() { byte l; do :: atomic { x = 1 - x; accept1: l = 1 - l } od }\n"
        self.assertRegex(self.expect(2, "check", self.write("in.pml", inside), "--property", "accept").stderr,
                         r"in\.pml:2:66: this label is inside an atomic sequence, .* no property \"accept\"")
        # Likewise after a statement that may block; but not before the sequence.
        blocks = inside.replace("x = 1 - x;", "x = 1 - x; x < 2; l = 0;")
        self.assertIn("this label", self.expect(2, "check", self.write("in.pml", blocks), "--property", "accept").stderr)
        before = inside.replace("accept1: ", "").replace("atomic", "x = x; accept1: atomic")
        self.expect(10, "check", self.write("before.pml", before), "--property", "accept")

    def test_operators_that_look_like_names(self):
        m = self.write("m.pml", "byte R, U, X;\nactive proctype A() { R = 1; U = 1 }\n")
        self.expect(0, "check", m, "--ltl", "<>(R == 1)")
        self.expect(0, "check", m, "--ltl", "<>(U == 1)")
        self.refused(3, r'"X" is the operator "next" in formulas', "check", m, "--ltl", "<>(X == 1)")
        self.refused(3, r'expected a formula, but R is an operator: .*in quotes, as in "R == 1"', "check", m, "--ltl", "<>(R == 1)", "--spelling", "omen")
        m = self.write("m.pml", "bool P, Q, R, T; active proctype A() { skip }\nltl a { [](P -> (!R& X(!R U (T && !R)))) }\n")
        self.refused(3, r'm\.pml:2:22: "X" is the operator "next", and "&" is a bitwise operator', "check", m)
        m = self.write("m.pml", "bool p; active proctype A() { skip }\nltl a { G (p) }\n")
        self.refused(3, r'm\.pml:2:9: there is no variable "G"; SPIN writes the operator as "\[\]"', "check", m)

    # ---- output ----

    def test_nothing_of_a_model_reaches_a_terminal_as_it_is(self):
        """Escapes control characters, also those of two bytes, and bidirectional controls, in labels,
        texts, names and messages.
        """
        bad = "\x1b]0;PWN\x07\x1b[31mred\x7f\u009b2J\u202eabc"
        m = self.write("m.pml", f'byte x; active proctype P() {{ printf("{bad}\\n"); x = 1; assert(x == 0) }}\n')
        run = self.path("run.json")
        wild = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
        outputs = [self.expect(10, "check", m, "--lasso", run), self.expect(10, "check", m, "--json"),
                   self.expect(10, "check", m, "--json-lines"), self.expect(None, "explore", m, "--coverage"),
                   self.expect(None, "simulate", m, "--steps", "3"), self.expect(0, "replay", m, run),
                   self.expect(None, "explain", m, run), self.expect(0, "translate", f'G "{bad}"'),
                   self.expect(0, "translate", f'G "{bad}"', "--spelling", "spin"),
                   self.expect(3, "check", self.path(bad)), self.expect(3, "check", m, "--invariant", bad)]
        for form in "txt", "json", "html", "svg", "dot", "csv", "trail", "view":
            outputs.append(self.expect(0, "show", run, m, "--as", form))
        for done in outputs:
            for text in done.stdout, done.stderr:
                self.assertIsNone(wild.search(text), f"{done.args}: {text[:2000]!r}")
        # Escaped in text; JSON has the characters themselves.
        self.assertIn("\\u001b]0;PWN", self.expect(0, "show", run, m, "--as", "txt").stdout)
        labels = [state["#meta"].get("label", "") for state in json.load(open(run))["states"]]
        self.assertTrue(any(bad in label for label in labels), labels)
        for form in "txt", "html", "svg", "dot", "csv", "trail", "json":
            path = self.path("shown." + form)
            self.expect(10, "check", m, "--lasso", path)
            self.assertIsNone(wild.search(open(path, encoding="utf-8", newline="").read().replace("\r\n", "\n")), form)

    def test_bytes_that_are_no_text(self):
        m = self.write("m.pml", b'byte x; active proctype P() { printf("\xff\xc2\xed\xa0\x80\\n"); x = 1; assert(x == 0) }\n')
        for options in (), ("--json",):
            self.assertIn("\ufffd", self.expect(10, "check", m, *options).stdout)

    def test_what_nothing_reads_is_no_state(self):
        """Variables that are only written, or read to compute only each other, keep their initial values in the search."""
        m = self.write("counts.pml", "int seen[2]; int sum; byte x;\n"
                       "active [2] proctype P() { do :: seen[_pid]++; sum = sum + seen[_pid]; x = (x + 1) % 5 od }\n")
        found = json.loads(self.expect(0, "check", m, "--deadlock", "--json", "--max-states", "1000").stdout)
        self.assertLess(found["states"], 50)
        self.assertEqual(json.loads(self.expect(30, "check", m, "--deadlock", "--json", "--max-states", "1000", "--reset-dead", "off").stdout)
                         ["verdict"], "unknown")
        # A finite trace shows their values; no run without resets ever returns to a state.
        done = self.expect(10, "check", m, "--invariant", "x < 4", "--threads", "1")
        self.assertRegex(done.stdout, r"seen\[[01]\] = 2")
        self.assertRegex(done.stdout, r"sum = [3-9]")
        done = self.expect(10, "check", m, "--ltl", "F G (x < 3)", "--threads", "1", "--max-states", "1000")
        self.assertIn("cycle", done.stdout)
        self.assertIn("a variable whose value is no longer used is shown with its initial value", done.stdout)
        # A property that shows one needs it, and what it is computed from.
        self.assertIn("unknown", self.expect(30, "check", m, "--ltl", "F G (sum >= 0)", "--max-states", "1000").stdout)

    def test_a_run_whose_cycle_is_out_of_reach(self):
        """The states before the cycle violate the property, whatever follows: no cycle is needed."""
        m = self.write("grows.pml", "int n; active proctype P() { do :: n++ od }\n")
        kept = self.path("run.json")
        done = self.expect(10, "check", m, "--ltl", "[] (n < 3)")
        self.assertIn("every continuation from here violates the property", done.stdout)
        self.expect(10, "check", m, "--ltl", "[] (n < 3)", "--lasso", kept)
        with open(kept, encoding="utf-8") as f:
            self.assertLess(len(json.load(f)["states"]), 20)
        self.assertIn("n = 3", self.expect(0, "show", kept, m).stdout)

    def test_atomic_sequences_are_steps(self):
        """States within them are left out, and shown in runs; one that loops for ever is no deadlock."""
        self.write("steps.pml", "byte x, y;\nactive proctype P() {\n    do :: atomic { x = 1; if :: y++ :: skip fi; x = 0 } od\n}\n"
                                "active proctype Q() { do :: atomic { x == 0 -> x = 2; x = 0 } od }\n")
        states = {merge: self.json(0, self.path("steps.pml"), "--ltl", "[] (x != 3 && y >= 0)", "--merge", merge)["states"]
                  for merge in ("on", "off")}
        self.assertLess(states["on"], 0.7 * states["off"])
        self.json(10, self.path("steps.pml"), "--ltl", "[] (y < 2)")
        self.write("loops.pml", "byte x;\nactive proctype P() { atomic { do :: x = 0 :: x = 1 od } }\n"
                                "active proctype Q() { atomic { x = 2; if :: x = 3 :: x = 4 fi; x = 5; assert(x == 5) } }\n")
        for merge in "on", "off":
            self.json(0, self.path("loops.pml"), "--deadlock", "--merge", merge)
            self.json(0, self.path("loops.pml"), "--ltl", "[] (x != 3)", "--merge", merge)
            self.json(10, self.path("loops.pml"), "--ltl", "[] <> (x == 0)", "--merge", merge)

    def test_long_outputs_keep_their_characters(self):
        """A character may cross the boundary of two pieces of output."""
        for n in range(4):
            name = "a" * n + "äöü€𝄞" * 30
            m = self.write("m.pml", f'byte x; active proctype P() {{ do :: x < 200 -> printf("{name}\\n"); x++ :: else -> break od; '
                                    'assert(false) }\n')
            text = self.expect(10, "check", m, "--reset-dead", "off").stdout
            self.assertNotIn("\ufffd", text)
            self.assertGreater(text.count(name), 200)


if __name__ == "__main__":
    main()
