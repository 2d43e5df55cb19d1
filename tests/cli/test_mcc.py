# SPDX-License-Identifier: Apache-2.0
"""omen mcc: examinations of the Model Checking Contest, on nets with obvious answers."""
import json
import os
import re
import shutil
import subprocess
import time
from random import Random

from cli import Case, OMEN, main, model, run, within

CONTEST = model("contest")
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "mcc", "BenchKit_head.sh")
LINE = re.compile(r"^(FORMULA|STATE_SPACE) (\S+) (\S+)( TECHNIQUES [A-Z_ ]+)?$")

# A coloured place with two colours, one token of each; only tokens of colour 0 ever move.
COLOURED = """<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">
<net id="n" type="http://www.pnml.org/version-2009/grammar/symmetricnet">
<declaration><structure><declarations>
<namedsort id="c" name="C"><cyclicenumeration><feconstant id="c0" name="0"/><feconstant id="c1" name="1"/></cyclicenumeration></namedsort>
<variabledecl id="x" name="x"><usersort declaration="c"/></variabledecl>
</declarations></structure></declaration>
<page id="g">
<place id="from"><type><structure><usersort declaration="c"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking></place>
<place id="to"><type><structure><usersort declaration="c"/></structure></type></place>
<place id="still"><type><structure><usersort declaration="c"/></structure></type>
<hlinitialMarking><structure><all><usersort declaration="c"/></all></structure></hlinitialMarking></place>
<transition id="move"/><transition id="never"/>
<arc id="a1" source="from" target="move"><hlinscription><structure><numberof><subterm><numberconstant value="1"><positive/></numberconstant></subterm><subterm><variable refvariable="x"/></subterm></numberof></structure></hlinscription></arc>
<arc id="a2" source="move" target="to"><hlinscription><structure><numberof><subterm><numberconstant value="1"><positive/></numberconstant></subterm><subterm><variable refvariable="x"/></subterm></numberof></structure></hlinscription></arc>
<arc id="a3" source="to" target="never"><hlinscription><structure><numberof><subterm><numberconstant value="2"><positive/></numberconstant></subterm><subterm><variable refvariable="x"/></subterm></numberof></structure></hlinscription></arc>
</page></net></pnml>
"""


def counter(bits):
    """Returns a net that counts from 0 to 2^bits - 1 in binary, and stops there."""
    places = "".join(f'<place id="{name}{i}">{"<initialMarking><text>1</text></initialMarking>" if name == "zero" else ""}</place>'
                     for i in range(bits) for name in ("zero", "one"))
    transitions = "".join(f'<transition id="t{i}"/>' for i in range(bits))
    arcs = [(f"zero{i}", f"t{i}") for i in range(bits)] + [(f"t{i}", f"one{i}") for i in range(bits)]
    arcs += [pair for i in range(bits) for k in range(i) for pair in ((f"one{k}", f"t{i}"), (f"t{i}", f"zero{k}"))]
    arcs = "".join(f'<arc id="a{n}" source="{a}" target="{b}"/>' for n, (a, b) in enumerate(arcs))
    return ('<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">'
            '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">'
            f'{places}{transitions}{arcs}</page></net></pnml>')


def ptnet(places, transitions):
    """Returns a net of places {name: tokens} and transitions (takes, gives), each {place: weight}."""
    arcs = []
    for n, (takes, gives) in enumerate(transitions):
        arcs += [(p, f"t{n}", w) for p, w in takes.items()] + [(f"t{n}", p, w) for p, w in gives.items()]
    return ('<pnml xmlns="http://www.pnml.org/version-2009/grammar/pnml">'
            '<net id="n" type="http://www.pnml.org/version-2009/grammar/ptnet"><page id="g">' +
            "".join(f'<place id="{p}"><initialMarking><text>{k}</text></initialMarking></place>' for p, k in places.items()) +
            "".join(f'<transition id="t{n}"/>' for n in range(len(transitions))) +
            "".join(f'<arc id="a{n}" source="{a}" target="{b}"><inscription><text>{w}</text></inscription></arc>'
                    for n, (a, b, w) in enumerate(arcs)) + '</page></net></pnml>')


def sum_of(*places):
    return "<tokens-count>" + "".join(f"<place>{p}</place>" for p in places) + "</tokens-count>"


def most(left, right):
    number = lambda n: n if isinstance(n, str) else f"<integer-constant>{n}</integer-constant>"
    return f"<integer-le>{number(left)}{number(right)}</integer-le>"


def prop(name, formula):
    return f"<property><id>{name}</id><formula>{formula}</formula></property>"


class Mcc(Case):
    def contest(self, **files):
        """Creates a folder with the net of workers and these files, or with replacements."""
        folder = self.path("instance")
        os.makedirs(folder, exist_ok=True)
        shutil.copy(os.path.join(CONTEST, "model.pnml"), folder)
        for name, text in files.items():
            with open(os.path.join(folder, name.replace("_", ".")), "w", encoding="utf-8") as f:
                f.write(text if name == "model_pnml" or text.startswith("<?")
                        else f"<property-set>{text}</property-set>")
        return folder

    @staticmethod
    def said(answer):
        return str(answer).upper() if isinstance(answer, bool) else str(answer)

    def answers(self, folder, examination, *more, status=0):
        """Returns the answers by id, from the contest's lines; JSON output must agree with them."""
        said = self.expect(status, "mcc", folder, examination, *more).stdout
        lines = [LINE.match(line) for line in said.splitlines()]
        self.assertTrue(all(lines), said)
        given = {found[2]: found[3] for found in lines}
        self.assertEqual(len(given), len(lines), said)
        other = json.loads(self.expect(status, "mcc", folder, examination, "--json", *more).stdout)
        self.fits("mcc", other)
        self.assertEqual(given, {a["id"]: "CANNOT_COMPUTE" if a["answer"] is None else self.said(a["answer"])
                                 for a in other["answers"]})
        return given

    def test_global(self):
        for examination, answer in (("ReachabilityDeadlock", "FALSE"), ("OneSafe", "FALSE"), ("QuasiLiveness", "TRUE"),
                                    ("StableMarking", "FALSE"), ("Liveness", "TRUE")):
            self.assertEqual(self.answers(CONTEST, examination), {examination: answer})
        self.assertEqual(self.answers(CONTEST, "StateSpace"), {
            "STATES": "5", "TRANSITIONS": "7", "MAX_TOKEN_PER_MARKING": "3", "MAX_TOKEN_IN_PLACE": "2"})

    def test_coloured(self):
        """Properties refer to nodes of the coloured net: a place has the tokens of all colours, and
        a transition is fireable with any binding.
        """
        folder = self.contest(model_pnml=COLOURED, UpperBounds_xml=prop("b", "<place-bound><place>to</place></place-bound>"),
                              ReachabilityFireability_xml=prop("f", "<exists-path><finally><is-fireable><transition>"
                                                               "never</transition></is-fireable></finally></exists-path>"))
        for examination, answer in (("ReachabilityDeadlock", "TRUE"), ("OneSafe", "FALSE"), ("QuasiLiveness", "FALSE"),
                                    ("StableMarking", "TRUE"), ("Liveness", "FALSE")):
            self.assertEqual(self.answers(folder, examination), {examination: answer})
        self.assertEqual(self.answers(folder, "UpperBounds"), {"b": "2"})
        self.assertEqual(self.answers(folder, "ReachabilityFireability"), {"f": "FALSE"})
        self.assertEqual(self.answers(folder, "StateSpace"), {
            "STATES": "4", "TRANSITIONS": "4", "MAX_TOKEN_PER_MARKING": "4", "MAX_TOKEN_IN_PLACE": "1"})

    def test_not_live(self):
        """All transitions fire at some time, but not from every marking, because some changes are
        irreversible.
        """
        with open(os.path.join(CONTEST, "model.pnml"), encoding="utf-8") as f:
            stuck = f.read().replace('<arc id="a8" source="again" target="idle"/>', "")
        with open(os.path.join(CONTEST, "model.pnml"), encoding="utf-8") as f:
            circle = f.read().replace('<transition id="again"/>', '<transition id="again"/><transition id="turn"/>').replace(
                "</page>", '<arc id="b1" source="done" target="turn"/><arc id="b2" source="turn" target="done"/></page>')
        self.assertEqual(self.answers(self.contest(model_pnml=stuck), "Liveness"), {"Liveness": "FALSE"})
        self.assertEqual(self.answers(self.contest(model_pnml=stuck), "QuasiLiveness"), {"QuasiLiveness": "TRUE"})
        self.assertEqual(self.answers(self.contest(model_pnml=circle), "Liveness"), {"Liveness": "TRUE"})
        # Only one transition without an effect remains enabled.
        endless = circle.replace('<arc id="a7" source="done" target="again"/>', '<arc id="a7" source="idle" target="again"/>')
        self.assertEqual(self.answers(self.contest(model_pnml=endless), "Liveness"), {"Liveness": "FALSE"})
        self.assertEqual(self.answers(self.contest(model_pnml=endless), "ReachabilityDeadlock"), {"ReachabilityDeadlock": "FALSE"})

    def test_states(self):
        one = lambda text: f"<exists-path><finally>{text}</finally></exists-path>"
        every = lambda text: f"<all-paths><globally>{text}</globally></all-paths>"
        folder = self.contest(ReachabilityCardinality_xml="".join((
            prop("both-busy", one(most(2, sum_of("busy")))),
            prop("all-done", one(most(2, sum_of("done")))),
            prop("workers", every(f"<conjunction>{most(sum_of('idle', 'busy', 'done'), 2)}"
                                  f"{most(2, sum_of('busy', 'done', 'idle'))}</conjunction>")),
            prop("tool", every(f"<negation>{most(sum_of('tool'), sum_of('busy'))}</negation>")),
            prop("either", every(f"<disjunction>{most(sum_of('tool'), 0)}{most(sum_of('busy'), 0)}</disjunction>")))),
            UpperBounds_xml="".join(prop("-".join(p), "<place-bound>" + "".join(f"<place>{x}</place>" for x in p) + "</place-bound>")
                                    for p in (("idle",), ("busy",), ("busy", "tool"), ("done", "done", "busy"))))
        for more in ((), ("--threads", "1"), ("--exec", "vm")):
            self.assertEqual(self.answers(folder, "ReachabilityCardinality", *more), {
                "both-busy": "FALSE", "all-done": "TRUE", "workers": "TRUE", "tool": "FALSE", "either": "TRUE"})
            self.assertEqual(self.answers(folder, "UpperBounds", *more), {"idle": "2", "busy": "1", "busy-tool": "1", "done-done-busy": "4"})

    def test_runs(self):
        self.assertEqual(self.answers(CONTEST, "LTLFireability"), {
            "workers-00": "TRUE", "workers-01": "TRUE", "workers-02": "TRUE", "workers-03": "FALSE"})

    def test_limits(self):
        """Unknown answers are reported as such, and set the status."""
        self.assertEqual(self.answers(CONTEST, "StateSpace", "--max-states", "2", "--timeout", "2s", status=30),
                         {k: "CANNOT_COMPUTE" for k in ("STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE")})
        self.assertEqual(self.answers(CONTEST, "Liveness", "--max-states", "2", "--timeout", "2s", "--reductions", "off", status=30),
                         {"Liveness": "CANNOT_COMPUTE"})
        found = self.answers(CONTEST, "LTLFireability", "--max-states", "1", "--timeout", "2s", "--reductions", "off", status=30)
        self.assertEqual(len(found), 4)
        self.assertEqual(self.expect(30, "mcc", CONTEST, "CTLFireability").stdout, "CANNOT_COMPUTE\n")

    def test_time(self):
        """An unknown answer has used all of the available time, and little more."""
        bits = 40
        all_ones = "<finally>" + f"<integer-le><integer-constant>{bits}</integer-constant>" + \
            sum_of(*(f"one{i}" for i in range(bits))) + "</integer-le></finally>"
        texts = {"LTLCardinality": prop("ends", f"<all-paths>{all_ones}</all-paths>") +
                                   prop("ends-always", f"<all-paths><globally>{all_ones}</globally></all-paths>"),
                 "ReachabilityCardinality": prop("possible", f"<exists-path>{all_ones}</exists-path>")}
        for examination, text in texts.items():
            folder = self.contest(model_pnml=counter(bits), **{examination + "_xml": text})
            began = time.monotonic()
            done = self.expect(30, "mcc", folder, examination, "--timeout", "4s")
            self.assertGreater(time.monotonic() - began, 3.5)
            self.assertEqual({line.split()[2] for line in done.stdout.splitlines()}, {"CANNOT_COMPUTE"})

    def seconds(self, folder, examination, *more, status=0):
        """Returns the answer, its time and its techniques by id, and the time of the whole run."""
        done = json.loads(self.expect(status, "mcc", folder, examination, "--json", *more).stdout)
        return {a["id"]: (a["answer"], a["seconds"], a["techniques"]) for a in done["answers"]}, done["seconds"]

    def test_rounds(self):
        """Small problems are decided early, whatever the order in the file; a hard one gets the rest of the time."""
        bits = 40
        hard = "<finally>" + most(bits, sum_of(*(f"one{i}" for i in range(bits)))) + "</finally>"
        first = lambda n: "<globally>" + most(sum_of(*(f"one{i}" for i in range(n)), *(f"zero{i}" for i in range(n))), n) + "</globally>"
        later = lambda n: "<finally>" + most(n, sum_of(*(f"one{i}" for i in range(n)))) + "</finally>"
        for examination, some in (("ReachabilityCardinality", "exists-path"), ("LTLCardinality", "all-paths")):
            folder = self.contest(model_pnml=counter(bits), **{examination + "_xml":
                prop("hard", f"<{some}>{hard}</{some}>") +
                "".join(prop(f"low-{n}", f"<{some}>{later(n)}</{some}>") for n in (6, 5, 4, 3)) +
                prop("sum", f"<all-paths>{first(4)}</all-paths>")})
            found, total = self.seconds(folder, examination, "--timeout", "6s", status=30)
            self.assertIsNone(found["hard"][0])
            self.assertGreater(total, 5.5)
            for name, (answer, seconds, _) in found.items():
                if name != "hard":
                    self.assertIs(answer, True, (examination, name))
                    self.assertLess(seconds, within(1.5), (examination, name))

    def test_best_first(self):
        """A marking that is deep in 13^13 markings: a walk on the net or an exploration goes towards it, whichever is first."""
        count, length = 13, 12
        places = {f"p{i}x{k}": int(k == 0) for i in range(count) for k in range(length + 1)}
        steps = [({f"p{i}x{k}": 1}, {f"p{i}x{to}": 1}) for i in range(count) for k in range(length)
                 for to in (k + 1, max(0, k - 2))]
        goal = "<conjunction>" + "".join(most(1, sum_of(f"p{i}x{length}")) for i in range(count)) + "</conjunction>"
        folder = self.contest(model_pnml=ptnet(places, steps), ReachabilityCardinality_xml=prop(
            "all", f"<exists-path><finally>{goal}</finally></exists-path>"))
        found, _ = self.seconds(folder, "ReachabilityCardinality", "--timeout", "20s", "--reductions", "off")
        self.assertIs(found["all"][0], True)
        self.assertLess(found["all"][1], within(4))

    def test_coded(self):
        """Processes whose state is a number of tokens: what numbers are possible is known without a search."""
        places, steps = {}, []
        for name in "ab":
            places.update({name: 70, "no-" + name: 30})
            steps += [({name: k, "no-" + name: 100 - k}, {name: to, "no-" + name: 100 - to}) for k, to in ((70, 90), (90, 20), (20, 70), (50, 99))]
        one = lambda text: f"<exists-path><finally>{text}</finally></exists-path>"
        folder = self.contest(model_pnml=ptnet(places, steps),
            UpperBounds_xml=prop("b", "<place-bound><place>a</place></place-bound>"),
            ReachabilityCardinality_xml=prop("low", one(most(sum_of("b"), 19))) + prop("high", one(most(91, sum_of("no-a", "no-a")))) +
                prop("lower", one(most(sum_of("b", "b"), 39))))
        self.assertEqual(self.answers(folder, "UpperBounds"), {"b": "90"})
        found, _ = self.seconds(folder, "ReachabilityCardinality")
        self.assertEqual({k: v[::2] for k, v in found.items()}, {"low": (False, "TOPOLOGICAL"), "lower": (False, "TOPOLOGICAL"),
                         "high": (True, found["high"][2])})

    def test_nodes(self):
        """Whether all transitions can fire, and whether a place never changes, on a net with too many markings to explore."""
        bits = 30
        folder = self.contest(model_pnml=counter(bits).replace("</page>",
            '<place id="high"/><place id="low"><initialMarking><text>1</text></initialMarking></place><transition id="swap"/>'
            '<arc id="b0" source="high" target="swap"/><arc id="b1" source="one0" target="swap"/><arc id="b2" source="swap" target="one0"/>'
            '<transition id="turn"/><arc id="b3" source="low" target="turn"/><arc id="b4" source="one29" target="turn"/>'
            '<arc id="b5" source="zero29" target="turn"/><arc id="b6" source="turn" target="high"/>'
            '<arc id="b7" source="turn" target="one29"/><arc id="b8" source="turn" target="zero29"/></page>'))
        for examination, answer in (("QuasiLiveness", "FALSE"), ("StableMarking", "TRUE"), ("Liveness", "FALSE")):
            self.assertEqual(self.answers(folder, examination, "--timeout", "50s"), {examination: answer})

    def test_large(self):
        """A time limit is met, also by a net of 10^5 places whose formulas have as many terms."""
        count = 100000
        places = {f"p{i}": int(i % 300 == 0) for i in range(count)}
        steps = [({f"p{i}": 1}, {f"p{(i + 1) % count}": 1}) for i in range(count)]
        every = sum_of(*(f"p{i}" for i in range(count)))
        texts = {"ReachabilityCardinality": prop("a", "<all-paths><globally>" + most(every, count // 300 + 1) + "</globally></all-paths>") +
                     prop("b", "<exists-path><finally>" + most(sum_of("p7"), every) + "</finally></exists-path>"),
                 "LTLCardinality": prop("c", "<all-paths><finally>" + most(every, sum_of("p5", "p6")) + "</finally></all-paths>")}
        for examination, text in texts.items():
            folder = self.contest(model_pnml=ptnet(places, steps), **{examination + "_xml": text})
            began = time.monotonic()
            done = run("mcc", folder, examination, "--timeout", "3s")
            self.assertIn(done.returncode, (0, 30), done.stderr)
            self.assertLess(time.monotonic() - began, 3 + within(1))

    def test_reductions(self):
        """Fewer places, the same answers; --json lists the reductions."""
        nets = {}
        for reductions in "on", "off", "post", "pre,constant,dead":
            for examination in "ReachabilityDeadlock", "LTLFireability":
                found = json.loads(self.expect(0, "mcc", CONTEST, examination, "--json", "--reductions", reductions).stdout)
                for answer in found["answers"]:
                    nets.setdefault(answer["id"], {})[reductions] = answer["answer"], answer["net"]
        for name, by in nets.items():
            self.assertEqual(len({answer for answer, _ in by.values()}), 1, name)
            for reductions, (_, net) in by.items():
                if net and reductions == "off":
                    self.assertEqual((net["places"], net["transitions"], net["reductions"]), (4, 3, []))
                elif net and reductions != "on":
                    self.assertLessEqual(set(net["reductions"]), set(reductions.split(",")))
        self.assertLess(nets["ReachabilityDeadlock"]["on"][1]["places"], 4)
        self.refused(2, r"--reductions takes on, off, or a list of dead, .*, not 'past'",
                     "mcc", CONTEST, "OneSafe", "--reductions", "post,past")

    def test_changed(self):
        """Randomly changed files are answered or rejected with one message; there are no crashes or
        contradictions.
        """
        with open(os.path.join(CONTEST, "LTLFireability.xml"), encoding="utf-8") as f:
            runs = f.read()
        states = "<?xml version='1.0'?>\n<property-set>" + prop(
            "a", f"<exists-path><finally><conjunction>{most(1, sum_of('busy', 'idle'))}<negation>{most(sum_of('tool'), 0)}"
            "</negation></conjunction></finally></exists-path>") + prop("b", f"<all-paths><globally>{most(sum_of('busy'), 1)}</globally></all-paths>") + "</property-set>"
        tags = re.findall(r"</?[a-z-]+>", runs + states)
        random = Random(7)
        for i in range(240):
            examination, text = (("LTLFireability", runs), ("ReachabilityCardinality", states))[i % 2]
            for _ in range(random.randint(1, 3)):
                at, to = sorted((random.randrange(len(text)), random.randrange(len(text))))
                text = random.choice((
                    text[:at] + chr(random.choice((0, 9, 38, 60, 62, 65, 0xE9, 0x1F600))) + text[at + 1:],
                    text[:at] + text[min(to, at + 40):], text[:at] + random.choice(tags) + text[at:],
                    text[:at] + text[at:min(to, at + 200)] * 2 + text[min(to, at + 200):], text[:at]))
                text = text or "<"
            folder = self.contest(**{examination + "_xml": text if text.startswith("<?") else "<?" + text})
            done = run("mcc", folder, examination, "--timeout", "5s", "--threads", "1")
            self.assertIn(done.returncode, (0, 3, 30), (done.stderr, text))
            if done.returncode == 3:
                self.assertRegex(done.stderr, rf"\Aomen: .*{examination}\.xml:\d+:\d+: [^\n]+\n\Z", text)
            else:
                self.assertEqual(done.stderr, "", text)

    def test_unbounded(self):
        """An unbounded net: answers found before the limit are kept."""
        with open(os.path.join(CONTEST, "model.pnml"), encoding="utf-8") as f:
            text = f.read().replace('<arc id="a1" source="idle" target="begin"/>', "")
        folder = self.contest(model_pnml=text, ReachabilityCardinality_xml=prop(
            "ten", f"<exists-path><finally>{most(10, sum_of('idle'))}</finally></exists-path>") + prop(
            "busy", f"<all-paths><globally>{most(sum_of('busy'), 1)}</globally></all-paths>"))
        self.assertEqual(self.answers(folder, "ReachabilityCardinality", "--max-states", "5000", "--timeout", "4s"), {"ten": "TRUE", "busy": "TRUE"})
        self.assertEqual(self.answers(folder, "OneSafe", "--max-states", "5000", "--timeout", "4s"), {"OneSafe": "FALSE"})
        self.assertEqual(self.answers(folder, "StateSpace"), {
            k: "+inf" for k in ("STATES", "TRANSITIONS", "MAX_TOKEN_PER_MARKING", "MAX_TOKEN_IN_PLACE")})

    def test_surroundings(self):
        """The environment in which the contest starts its tools."""
        env = dict(os.environ, BK_INPUT="workers", BK_EXAMINATION="OneSafe", BK_TIME_CONFINEMENT="60")
        done = subprocess.run([OMEN, "mcc"], cwd=CONTEST, env=env, capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, "^FORMULA OneSafe FALSE TECHNIQUES ")
        env["BK_INPUT"] = CONTEST
        done = subprocess.run([OMEN, "mcc"], cwd=self.folder.name, env=env, capture_output=True, text=True, check=True)
        self.assertRegex(done.stdout, "^FORMULA OneSafe FALSE TECHNIQUES ")
        os.symlink(OMEN, self.path("omen"))
        env.update(PATH=self.folder.name + ":" + env["PATH"], BK_EXAMINATION="LTLFireability")
        done = subprocess.run(["sh", SCRIPT], cwd=CONTEST, env=env, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout.count("FORMULA workers-0"), 4, done.stderr)
        env["BK_EXAMINATION"] = "CTLCardinality"
        done = subprocess.run(["sh", SCRIPT], cwd=CONTEST, env=env, capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, "CANNOT_COMPUTE\n")
        env["BK_TIME_CONFINEMENT"] = "soon"
        self.refused(2, "BK_TIME_CONFINEMENT is not a number of seconds: 'soon'", "mcc", CONTEST, "OneSafe", env=env)

    def test_usage(self):
        env = {"BK_EXAMINATION": ""}
        self.refused(2, "did you mean 'OneSafe'", "mcc", CONTEST, "OnSafe")
        self.refused(2, "no examination ''", "mcc", CONTEST, env=env)
        os.environ.pop("BK_EXAMINATION", None)
        self.refused(2, "no examination: give omen mcc FOLDER EXAMINATION", "mcc", CONTEST)
        self.refused(3, "cannot open no-such-folder/model.pnml: ", "mcc", "no-such-folder", "OneSafe")
        self.refused(3, "cannot open .*UpperBounds.xml: ", "mcc", CONTEST, "UpperBounds")

    def test_messages(self):
        """One message, with the place, for any error in a file of properties."""
        fireable = "<is-fireable><transition>%s</transition></is-fireable>"
        always = "<all-paths><globally>%s</globally></all-paths>"
        for text, wanted in (
                (prop("x", always % fireable % "begins"), r"\d: the net has no transition 'begins'; did you mean 'begin'\?"),
                (prop("x", always % most(sum_of("idl"), 1)), "no place 'idl'; did you mean 'idle'"),
                (prop("x", always % most("<integer-constant>1x</integer-constant>", 1)), "'1x' is not a number"),
                (prop("x", always % most(f"<integer-constant>{2**70}</integer-constant>", 1)), "is not a number that fits"),
                (prop("x", always % f"<integer-le>{sum_of('idle')}</integer-le>"), "two numbers are expected"),
                (prop("x", always % "<until><before/><reach/></until>"), "<before> must have exactly one element, not none"),
                (prop("x", always % "<until><reach/><before/></until>"), "<before> is expected"),
                (prop("x", always % "<next/>"), "<next> is not valid here: wrong number of arguments"),
                (prop("x", always % "<perhaps/>"), "<perhaps> is not valid here: a formula is expected"),
                (prop("x", "<exists-path><next><true/></next></exists-path>"), None),
                (prop("x", f"<exists-path><next>{fireable % 'begin'}</next></exists-path>"), "only formulas about all runs"),
                (prop("x", "<finally/>"), "<finally> is not valid here: a quantifier is expected"),
                ("<property><id>x</id></property>", "a property without a <formula>"),
                ("<property><formula><all-paths><true/></all-paths></formula></property>", "a property without an <id>"),
                ("<property>", "mismatched tag"), ("<?xml version='1.0'?><a/>", "<a> is not valid here: <property-set>"),
                ("<?xml version='1.0'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>", "a document type declaration is not supported"),
                ("<?xml version='1.0'?>" + 2000 * "<negation>", "\\d: elements nest deeper than 1000"),
                ("<?xml version='1.0'?>", "no element found")):
            folder = self.contest(LTLFireability_xml=text)
            if wanted is None:
                self.assertEqual(self.answers(folder, "LTLFireability"), {"x": "TRUE"})
            else:
                self.refused(3, r"LTLFireability\.xml:1:\d*" + (wanted if wanted[0] == "\\" else ".*" + wanted), "mcc", folder, "LTLFireability")

    def test_wide(self):
        """A conjunction of many operands, and a formula of the greatest nesting depth."""
        wide = "<conjunction>" + 20000 * most(sum_of("busy"), 1) + "</conjunction>"
        deep = 300 * "<finally><negation>" + most(2, sum_of("done")) + 300 * "</negation></finally>"
        folder = self.contest(LTLCardinality_xml=prop("wide", f"<all-paths><globally>{wide}</globally></all-paths>") +
                              prop("deep", f"<all-paths>{deep}</all-paths>"))
        done = run("mcc", folder, "LTLCardinality", "--timeout", "20s")
        self.assertIn(done.returncode, (0, 30), done.stderr)
        self.assertIn("FORMULA wide TRUE", done.stdout)


if __name__ == "__main__":
    main()
