# SPDX-License-Identifier: Apache-2.0
"""The module as a whole: its types, its words, its README, and how it is installed."""
import ast
import dataclasses
import doctest
import glob
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import typing
import unittest
from unittest import mock

import omen
from support import CPU, DEMO, MODULE, PROGRAM, SOURCE, Case, demo, read


class Module(Case):
    def test_version(self):
        said = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True).stdout
        self.assertEqual(said, f"omen {omen.__version__}\n")

    def test_everything_public_is_told_about(self):
        for name in omen.__all__:
            value = getattr(omen, name)
            if not (inspect.isclass(value) or inspect.isfunction(value)):
                continue
            self.assertTrue(inspect.getdoc(value), name)
            if not inspect.isclass(value):
                continue
            # What a dataclass would make up is none.
            self.assertFalse(value.__doc__.startswith(name + "("), name)
            for member, inner in vars(value).items():
                told = inspect.isfunction(inner) or isinstance(inner, (property, staticmethod))
                if told and not member.startswith("_"):
                    self.assertTrue(inspect.getdoc(inner), f"{name}.{member}")
        self.assertEqual(sorted(omen.__all__, key=str.swapcase), sorted(set(omen.__all__), key=str.swapcase))

    def test_standard_library_alone(self):
        for path in glob.glob(os.path.join(MODULE, "omen", "*.py")):
            for node in ast.walk(ast.parse(read(path))):
                modules = [a.name for a in node.names] if isinstance(node, ast.Import) else (
                    [node.module] if isinstance(node, ast.ImportFrom) and node.level == 0 else [])
                for module in modules:
                    self.assertIn(module.partition(".")[0], sys.stdlib_module_names, path)

    def test_arguments_are_those_of_the_command(self):
        """All of them, by the same names, but those that print something or make a file."""
        left_out = {"json", "json-lines", "progress", "quiet", "verbose", "help", "lasso", "plan", "output",
                    "output-limit", "server", "token-file", "ca-file", "trail"}
        for function, command in ((omen.check, "check"), (omen.check_iter, "check"), (omen.explore, "explore"),
                                  (omen.empty, "empty"), (omen.replay, "replay"), (omen.convert, "convert"),
                                  (omen.translate, "translate")):
            said = subprocess.run([PROGRAM, command, "--help"], capture_output=True, text=True, check=True).stdout
            options = set(re.findall(r"(?m)^  (?:-., )?--([a-z-]+)", said)) - left_out
            if command == "translate":
                options -= {"spelling"}  # that is no automaton
            parameters = {p.replace("_", "-") for p in inspect.signature(function).parameters}
            self.assertEqual(parameters - {"model", "automaton", "formula", "lasso", "backend"}, options, command)
        self.assertEqual(*(list(inspect.signature(f).parameters) for f in (omen.check, omen.check_iter)))

    def same(self, kind, schema, whole, where):
        """The members of a dataclass are those of the schema, and may be null where they may."""
        if "$ref" in schema:
            name = schema["$ref"]
            schema = whole["$defs"][name.rpartition("/")[2] if name.startswith("#") else name.split("/")[-2]]
        members = {k: v for k, v in schema["properties"].items() if v.get("type") != "null" and k != "schema"}
        hints = typing.get_type_hints(kind)
        own = {f.name for f in dataclasses.fields(kind) if f.default is dataclasses.MISSING}  # others are the module's
        self.assertEqual(own, set(members), where)
        for name, member in members.items():
            here = f"{where}.{name}"
            resolved = whole.get("$defs", {}).get(member.get("$ref", "").rpartition("/")[2], member)
            kinds = typing.get_args(hints[name]) or (hints[name],)
            null = "null" in resolved.get("type", ()) or {"type": "null"} in resolved.get("anyOf", ())
            self.assertEqual(type(None) in kinds, null, here)
            inner = [k for k in kinds if dataclasses.is_dataclass(k) and k is not omen.Lasso]
            if typing.get_origin(hints[name]) is tuple:
                resolved = resolved["items"]
            for each in inner:
                self.same(each, resolved, whole, here)

    def test_results_have_the_members_of_the_schemas(self):
        def schema(name):
            return json.loads(subprocess.run([PROGRAM, "schema", name], capture_output=True, check=True).stdout)

        for kind, name in ((omen.CheckResult, "check"), (omen.EmptyResult, "empty"), (omen.Exploration, "explore"),
                           (omen.ReplayResult, "replay"), (omen.OwnProperties, "properties"),
                           (omen.Plugins, "plugins"), (omen.Devices, "devices")):
            whole = schema(name)
            self.same(kind, {k: v for k, v in whole.items() if k != "$id"}, whole, name)
        lines = schema("check-lines")
        self.same(omen.Progress, lines["$defs"]["progress"]["properties"]["progress"], lines, "progress")
        lasso = schema("lasso")["properties"]
        run = omen.check(demo("starvation"), ltl="G(Client_0.waiting -> F Client_0.served)", **CPU).lasso
        for name in [*lasso["#meta"]["properties"], *lasso]:
            self.assertTrue(hasattr(run, name) or name in ("#meta", "format"), name)

    def test_readme(self):
        """Its examples, one after the other."""
        text = re.sub(r"(?m)^```.*$", "", read(os.path.join(MODULE, "README.md")))
        test = doctest.DocTestParser().get_doctest(text, {}, "README.md", "README.md", 0)
        self.assertGreater(len(test.examples), 20)
        said = []
        here = os.getcwd()
        os.chdir(DEMO)
        self.addCleanup(os.chdir, here)
        flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
        doctest.DocTestRunner(verbose=False, optionflags=flags).run(test, out=said.append)
        self.assertFalse(said, "".join(said))

    def test_types(self):
        mypy = shutil.which("mypy")
        if mypy is None:
            self.skipTest("no mypy")
        use = self.written("use.py", "import omen\n"
                           "reveal_type(omen.check('m.dve', ltl='G p').lasso)\n"
                           "reveal_type(omen.convert('a.hoa', 'dot'))\n"
                           "reveal_type(omen.convert('a.hoa', 'ba'))\n"
                           "reveal_type(next(omen.check_iter('m.dve')))\n")
        cache = os.path.join(os.path.dirname(PROGRAM), "cache", "mypy")
        strictly = [mypy, "--strict", "--cache-dir", cache]
        surroundings = {**os.environ, "MYPYPATH": MODULE}
        done = subprocess.run([*strictly, os.path.join(MODULE, "omen"), use], capture_output=True, text=True,
                              env=surroundings)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        revealed = re.findall(r'Revealed type is "(.*)"', done.stdout)
        self.assertEqual(len(revealed), 4, done.stdout)
        for found, expected in zip(revealed, ("Lasso, None", "str", "Automaton", "Progress.*Note.*CheckResult")):
            self.assertRegex(found, expected)
        wrong = self.written("wrong.py", "import omen\nomen.check('m.dve', ltl=3)\nomen.convert('a.hoa', 'tofu')\n")
        done = subprocess.run([*strictly, wrong], capture_output=True, text=True, env=surroundings)
        self.assertEqual(done.stdout.count(": error: "), 2, done.stdout)

    def test_installed(self):
        """By CMake, for the Python that it found, below any prefix."""
        build = os.path.dirname(PROGRAM)
        if shutil.which("cmake") is None or not os.path.exists(os.path.join(build, "CMakeCache.txt")):
            self.skipTest("no build tree")
        cache = read(os.path.join(build, "CMakeCache.txt"))
        folder = re.search(r"(?m)^OMEN_PYTHON_DIR:\w+=(.*)$", cache)
        if folder is None:
            self.skipTest("configured without the module")
        subprocess.run(["cmake", "--install", build, "--prefix", self.folder, "--component", "python3-omen"],
                       capture_output=True, check=True)
        installed = os.path.join(self.folder, folder[1])
        self.assertEqual(sorted(os.listdir(installed)), ["omen"])
        self.assertEqual(set(os.listdir(os.path.join(installed, "omen"))),
                         set(os.listdir(os.path.join(MODULE, "omen"))) - {"__pycache__"})
        code = "import omen; print(omen.__file__, omen.explore('mutex.dve').states)"
        done = subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": installed}, cwd=DEMO,
                              capture_output=True, text=True, check=True)
        self.assertEqual(done.stdout, f"{os.path.join(installed, 'omen', '__init__.py')} 20\n")

    def test_folder_of_modules(self):
        sys.path.insert(0, MODULE)
        self.addCleanup(sys.path.remove, MODULE)
        import folder
        with mock.patch("site.getsitepackages", lambda: [
                "/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages"]):
            self.assertEqual(folder.folder("/usr"), "lib/python3/dist-packages")
            self.assertEqual(folder.folder("/usr/local"), "lib/python3.11/dist-packages")
            self.assertRegex(folder.folder("/opt/omen"), r"^lib/python3\.\d+/site-packages$")

    def test_sources_are_short(self):
        for path in glob.glob(os.path.join(MODULE, "**", "*.py"), recursive=True):
            lines = read(path).splitlines()
            self.assertLessEqual(len(lines), 400, path)
            self.assertLessEqual(max(map(len, lines)), 122, path)
            self.assertTrue(lines[0].startswith("# SPDX"), path)
        self.assertTrue(os.path.exists(os.path.join(SOURCE, "hosts", "python", "omen", "py.typed")))


if __name__ == "__main__":
    unittest.main()
