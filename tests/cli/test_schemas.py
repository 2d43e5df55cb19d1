# SPDX-License-Identifier: Apache-2.0
"""The published JSON Schemas: every JSON output has one, and fits it in all its variants."""
import copy
import functools
import json
import os
import re
import signal
import subprocess
import unittest

from cli import OMEN, VALIDATES, Case, limited, main, model, run, schema, validator

MUTEX, ENDS, BIG = model("mutex.dve"), model("ends.dve"), model("big.dve")
HOLDS, VIOLATED = "G(A.ask -> F A.crit)", "G F A.crit"
BOTH = "(G F A.crit) && (G (A.crit -> X (! B.crit))) && ((G F B.crit) -> (G F A.wait))"
CPU = ("--device", "none", "--exec", "vm", "--threads", "1")
HOST = ("--device", "host", "--exec", "vm")
# Placeholders of files that are made on demand, and of a limit that leaves some output.
LASSO, ASSERTING, TIMEOUT = "LASSO", "ASSERTING", "TIMEOUT"
ASSERTS = "byte n; process P { state s; init s; assert s: n < 2; trans s -> s { effect n = n + 1; }; } system async;"

# Schema, exit status, arguments, and members that must not be null ("parts.verified": of some part).
CHECKS = [
    (0, (MUTEX, "--ltl", HOLDS, *CPU), ("parts.counters",)),
    (10, (MUTEX, "--ltl", VIOLATED, *CPU), ("lasso.loop",)),
    (30, (BIG, "--max-states", "1000", *CPU), ("reason",)),
    (30, (BIG, TIMEOUT, *CPU), ("reason",)),
    (3, (model("fault.dve"), *CPU), ("lasso", "reason")),
    (10, (ASSERTING, "--assertions", *CPU), ("fault", "lasso")),
    (10, (ASSERTING, *CPU), ("together",)),
    (10, (ASSERTING, "--ltl", "G F P.s", *CPU), ("parts.counters",)),
    (10, (MUTEX, "--ltl", HOLDS, "--ltl", VIOLATED, "--ltl", "G !A.crit", *CPU), ("lasso",)),
    (0, (MUTEX, "--ltl", "true", *CPU), ()),
    (10, (MUTEX, "--invariant", "turn == 0", *CPU), ("lasso",)),
    (10, (ENDS, "--deadlock", *CPU), ("lasso",)),
    (10, (ENDS, "--ltl", "F n == 7", *CPU), ("lasso.loop",)),
    (0, (ENDS, "--property", "never_ends", *CPU), ()),
    (0, (MUTEX, "--never", model("rabin.hoa"), "--strong", "dijkstra", *CPU), ("parts.conversion", "parts.converted_from")),
    (10, (model("livelock.dve"), "--non-progress", "--progress-states", "a == 0", *CPU), ("lasso",)),
    (0, (MUTEX, "--ltl", "G F A.idle", "--fairness", "weak", "--fair", "G F A.crit", *CPU), ("fairness.formulas",)),
    (10, (MUTEX, "--ltl", VIOLATED, "--fair", "G F B.crit", *CPU), ("fairness", "lasso")),
    (0, (model("wraps.dve"), "--ltl", "G(m >= -32768)", *CPU), ("overflows", "overflow_trace")),
    (10, (MUTEX, "--ltl", VIOLATED, "--shortest", "100s", *CPU), ("minimal",)),
    (30, (MUTEX, "--ltl", HOLDS, "--checker", "and:bitstate=20", *CPU), ("parts.coverage",)),
    (0, (MUTEX, "--ltl", HOLDS, "--checker", "testing", *CPU), ()),
    (0, (MUTEX, "--ltl", HOLDS, *HOST), ("parts.verified", "parts.device")),
    (0, (MUTEX, "--invariant", "turn < 2", "--verify-device", "again", *HOST), ("parts.verified",)),
    (10, (MUTEX, "--ltl", VIOLATED, *HOST), ("lasso",)),
]
ROWS = [("check", status, ("check", *args, "--json"), there) for status, args, there in CHECKS]
ROWS += [("check-lines", status, ("check", *args, "--json-lines"), there) for status, args, there in CHECKS]
ROWS += [
    ("plan", 0, ("check", MUTEX, "--plan", "--json", "--ltl", BOTH, "--threads", "2"), ("parts.rank", "parts.racer")),
    ("plan", 0, ("check", MUTEX, "--plan", "--json-lines", "--ltl", BOTH, "--ltl", "true"), ()),
    ("plan", 0, ("check", MUTEX, "--plan", "--json", "--ltl", BOTH, *HOST), ("parts.device", "parts.fallback")),
    ("plan", 0, ("check", MUTEX, "--plan", "--json", "--never", model("rabin.hoa"), "--strong", "dijkstra", *CPU),
     ("parts.conversion",)),
    ("plan", 0, ("check", MUTEX, "--plan", "--json", "--ltl", VIOLATED, "--fairness", "strong", *CPU), ("fairness",)),
    ("properties", 0, ("properties", ENDS, "--json"), ()),
    ("properties", 0, ("properties", ASSERTING, "--json"), ("own.assertions",)),
    ("explore", 0, ("explore", MUTEX, "--json", *CPU), ("store", "executor")),
    ("explore", 0, ("explore", MUTEX, "--json", "--store", "plain", "--exec", "native", "--device", "none"), ("store",)),
    ("explore", 0, ("explore", model("never.dve"), "--json", "--coverage", *CPU), ("coverage.never_done",)),
    ("explore", 10, ("explore", ASSERTING, "--json", *CPU), ("failures.run",)),
    ("explore", 0, ("explore", ASSERTING, "--json", "--ignore-assertions", *CPU), ()),
    ("explore", 30, ("explore", BIG, "--json", "--max-states", "1000", *CPU), ("reason", "limit_seconds")),
    ("explore", 30, ("explore", BIG, "--json", TIMEOUT, *CPU), ("reason",)),
    ("explore", 3, ("explore", model("fault.dve"), "--json", *CPU), ("reason",)),
    ("explore", 0, ("explore", model("wraps.dve"), "--json", *CPU), ("overflows.first.transition", "overflow_trace")),
    ("explore", 0, ("explore", MUTEX, "--json", *HOST), ("queue", "verified", "device")),
    ("explore", 0, ("explore", MUTEX, "--json", "--device", "host:traced:8:1:3"), ("counts.kernels",)),
    ("mcc", 0, ("mcc", model("contest"), "LTLFireability", "--json"), ("answers.techniques", "answers.seconds")),
    ("mcc", 30, ("mcc", model("contest"), "StateSpace", "--json", "--max-states", "2"), ("answers.reason",)),
    ("empty", 0, ("empty", model("nothing.hoa"), "--json"), ()),
    ("empty", 10, ("empty", model("three.hoa"), "--json"), ("lasso.labels", "parts.counters")),
    ("empty", 10, ("empty", model("buchi.hoa"), "--json"), ("lasso",)),
    ("empty", 30, ("empty", model("buchi.hoa"), "--json", "--max-states", "1"), ("reason",)),
    ("replay", 0, ("replay", MUTEX, LASSO, "--json"), ("loop", "states", "property")),
    ("replay", 3, ("replay", MUTEX, LASSO, "--json", "--ltl", HOLDS), ("reason", "states")),
    ("replay", 3, ("replay", ENDS, LASSO, "--json"), ("reason",)),
    ("explain", 0, ("explain", MUTEX, LASSO, "--json", "--each", "100s"), ("rows.matters", "without.state")),
    ("simulate", 0, ("simulate", MUTEX, "--steps", "5", "--json"), ("run.states",)),
    ("plugins", 0, ("plugins", "--json"), ("plugins.checker.most_workers", "plugins.suffixes", "plugins.rank",
                                           "plugins.options.values", "plugins.citation")),
    ("devices", 0, ("devices", "--json"), ("devices.name",)),
]
# Lassos of --lasso, with the status of the check.
LASSOS = [
    (10, (MUTEX, "--ltl", VIOLATED), ("loop",)),
    (10, (MUTEX, "--invariant", "turn == 0"), ()),
    (10, (ENDS, "--ltl", "F n == 7"), ("loop",)),
    (10, (MUTEX, "--ltl", VIOLATED, "--fair", "G F B.crit", "--fairness", "none"), ("#meta.fair",)),
    (10, (MUTEX, "--ltl", "F G A.idle", "--fairness", "weak"), ("#meta.fairness",)),
    (3, (model("fault.dve"),), ()),
    (10, (model("mtypes.pml"), "-DUNUSED=1", "-D", "OTHER", "--invariant", "false"), ("#meta.definitions",)),
]
# Optional members: foreign formats omit them.
OPTIONAL = {"assertions", "fairness", "fair", "locations", "prints", "label", "place", "loop", "definitions",
            "violated_at"}


def there(value, path):
    """Returns the values at the path, except null ones."""
    if isinstance(value, list):
        return [found for item in value for found in there(item, path)]
    if not path:
        return [] if value is None else [value]
    return there(value[path[0]], path[1:]) if isinstance(value, dict) and path[0] in value else []


def objects(text):
    """Returns concatenated JSON texts as a list."""
    found, decoder, at = [], json.JSONDecoder(), 0
    while text[at:].strip():
        value, at = decoder.raw_decode(text, re.compile(r"\s*").match(text, at).end())
        found.append(value)
    return found


@functools.lru_cache(maxsize=None)
def names():
    return [line.split()[0] for line in run("schema").stdout.splitlines()]


def subschemas(value):
    """Yields every schema within a schema, itself first."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from subschemas(inner)


class Published(Case):
    def test_every_output_has_one(self):
        """According to the options of each command."""
        titles = {schema(name)["title"] for name in names()}
        for command in re.findall(r"(?m)^  omen ([a-z]+) ", self.expect(0, "--help").stdout):
            options = re.findall(r"(?m)^  (?:-., )?--(json(?:-lines)?|plan)\b", self.expect(0, command, "--help").stdout)
            for option in options:
                self.assertIn(f"omen {command} --plan --json" if option == "plan" else f"omen {command} --{option}", titles)
        self.assertEqual({row[0] for row in ROWS} | {"lasso", "graph"}, set(names()))

    def test_listed_and_installed(self):
        for line in self.expect(0, "schema").stdout.splitlines():
            name, title = line.split(None, 1)
            self.assertEqual(schema(name)["title"], title)
            with open(os.path.join(os.path.dirname(OMEN), "schema", name + ".schema.json"), encoding="utf-8") as f:
                self.assertEqual(f.read(), self.expect(0, "schema", name).stdout)
        self.refused(2, r"no schema 'chek'; did you mean 'check'\?", "schema", "chek")
        self.refused(2, r"no schema 'quite-another' \(see 'omen schema'\)", "schema", "quite-another")

    def test_nothing_is_left_open(self):
        """Members are described and required, and no others are allowed."""
        for name in names():
            whole = schema(name)
            self.assertEqual(whole["$id"], f"https://omen.invalid/schema/{name}/1")
            for sub in subschemas(whole):
                for member, value in sub.get("properties", {}).items() if isinstance(sub.get("properties"), dict) else ():
                    if set(value) == {"$ref"} and value["$ref"].startswith("#/$defs/"):
                        value = whole["$defs"].get(value["$ref"][8:], value)
                    self.assertTrue(value.get("description") or "$ref" in value, (name, member))
                    if "required" in sub:
                        self.assertTrue(member in sub["required"] or member in OPTIONAL, (name, member))
                if "object" in str(sub.get("type")) and "properties" in sub:
                    rest = sub["additionalProperties"]
                    # Variables of a model may have any name.
                    self.assertTrue(rest is False or rest == {"$ref": "#/$defs/value"}, name)
                    self.assertLessEqual(set(sub["required"]), set(sub["properties"]))

    def test_errors_print_none(self):
        for args in (("check", model("bad.dve"), "--json"), ("check", model("bad.dve"), "--json-lines"),
                     ("check", MUTEX, "--ltl", "G (", "--json"), ("check", MUTEX, "--ltl", "G (", "--plan", "--json"),
                     ("explore", model("bad.dve"), "--json"), ("empty", model("bad.hoa"), "--json"),
                     ("replay", MUTEX, model("bad.ltl") + "x", "--json")):
            self.refused(3, r"bad\.|LTL formula:1:", *args)
        self.refused(2, "--json cannot be combined with --dump", "devices", "--dump", self.path("d"), MUTEX, "--json")


@unittest.skipIf(not VALIDATES, "no python3-jsonschema")
class Valid(Case):
    def shows(self, value, paths, row):
        for path in paths:
            self.assertTrue(there(value, path.split(".")), (row, path))

    def made(self, args):
        """Returns the arguments, with placeholders replaced by files."""
        file, source = self.path("lasso.json"), self.path("asserting.dve")
        if LASSO in args and not os.path.exists(file):
            self.check(10, MUTEX, "--ltl", VIOLATED, "--lasso", file)
        with open(source, "w", encoding="utf-8") as f:
            f.write(ASSERTS)
        return [{LASSO: file, ASSERTING: source}.get(a, a) for a in args]

    def test_every_output(self):
        for name, status, args, paths in ROWS:
            row = (name, status, *args)
            args = self.made(args)
            done = limited(*(a for a in args if a != TIMEOUT)) if TIMEOUT in args else run(*args)
            if "a build with sanitizers" in done.stderr:
                continue  # such a build does not trace
            self.assertEqual(done.returncode, status, (row, done.stderr))
            found = objects(done.stdout)
            self.assertTrue(found, row)
            if "--json-lines" in args:
                self.assertEqual(len(found), len(done.stdout.splitlines()))
            for value in found:
                self.fits(name, value, row)
            self.shows(found[-1], paths, row)
            if args[0] == "check" and "--plan" not in args:
                asked = max(1, sum(a in ("--ltl", "--invariant") for a in args))
                told = [value["about"] for value in found if "verdict" in value]
                beside = ["assertion"] if ASSERTING in row else []  # it fails during the check, or is requested
                self.assertEqual(told, beside + (["property"] * asked if "--assertions" not in args else []), row)

    def test_lassos(self):
        for status, args, paths in LASSOS:
            file = self.path("run.json")
            self.check(status, *args, "--lasso", file)
            with open(file, encoding="utf-8") as f:
                lasso = json.load(f)
            self.fits("lasso", lasso, args)
            self.shows(lasso, paths, args)

    def test_progress(self):
        with subprocess.Popen([OMEN, "check", BIG, "--json-lines", *CPU], stdout=subprocess.PIPE, text=True) as omen:
            said = omen.stdout.readline() + omen.stdout.readline()
            omen.send_signal(signal.SIGINT)
            said += omen.communicate(timeout=120)[0]
        found = objects(said)
        self.assertGreater(sum("progress" in value for value in found), 1)
        self.assertEqual(found[-1]["reason"], "interrupted")
        for value in found:
            self.fits("check-lines", value, "progress")

    def test_devices_of_opencl(self):
        """The existing devices; and the reason why there are none."""
        none = {"OCL_ICD_VENDORS": "/nonexistent"}
        found = json.loads(self.expect(0, "devices", "--json", env=none).stdout)
        self.fits("devices", found, none)
        self.assertIsNotNone(found["reason"])
        self.assertEqual([d["kind"] for d in found["devices"]], ["host"])
        usable = [d for d in json.loads(run("devices", "--json").stdout)["devices"]
                  if d["number"] is not None and d["reason"] is None]
        if not usable:
            self.skipTest("no OpenCL device")
        number = str(usable[0]["number"])
        for name, args in (("explore", ("explore", MUTEX)), ("check", ("check", MUTEX, "--ltl", HOLDS)),
                           ("plan", ("check", MUTEX, "--plan", "--ltl", HOLDS))):
            done = self.expect(0, *args, "--json", "--device", number,
                               env={"ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0"})
            found = json.loads(done.stdout)
            self.fits(name, found, args)
            self.assertEqual(there(found, ["device"]) + there(found, ["parts", "device"]), [usable[0]["name"]])

    def test_a_plugin_that_is_refused(self):
        with open(self.path("broken.so"), "w", encoding="utf-8") as f:
            f.write("nothing that can be loaded")
        found = json.loads(self.expect(0, "plugins", "--json", env={"OMEN_PLUGIN_PATH": self.folder.name}).stdout)
        self.fits("plugins", found, "refused")
        self.assertEqual([os.path.basename(r["path"]) for r in found["refused"]], ["broken.so"])

    def test_a_schema_is_strict(self):
        """An object without a member, with an additional one, or of another version does not fit."""
        seen = set()
        for name, _, args, _ in ROWS:
            if name in seen:
                continue
            seen.add(name)
            said = validator(name)
            good = objects(run(*self.made(args)).stdout)[-1]
            self.assertTrue(said.is_valid(good), args)
            for member in good:
                self.assertFalse(said.is_valid({k: v for k, v in good.items() if k != member}), (name, member))
            self.assertFalse(said.is_valid({**good, "more": 1}))
            self.assertFalse(said.is_valid({**good, "schema": 2}))
        deep = json.loads(run("check", MUTEX, "--ltl", VIOLATED, "--json", *CPU).stdout)
        said = validator("check-lines")
        self.assertTrue(said.is_valid(deep))
        for path in (("parts", 0), ("parts", 0, "counters"), ("lasso",), ("lasso", "#meta"), ("lasso", "states", 0, "#meta")):
            bad = copy.deepcopy(deep)
            at = bad
            for step in path:
                at = at[step]
            at["more"] = 1
            self.assertFalse(said.is_valid(bad), path)
        bad = copy.deepcopy(deep)
        bad["lasso"]["states"][0]["turn"] = 0.5
        self.assertFalse(said.is_valid(bad))


if __name__ == "__main__":
    main()
