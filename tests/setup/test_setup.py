# SPDX-License-Identifier: Apache-2.0
"""The build as the README describes it, from a copy of the source tree with unusual characters in its
path.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
# ninja 1.11 rebuilds each time if a path has an apostrophe, but it builds.
HOSTILE = "a (b) c's $d [e] & \u00fc"
PARTS = (".gitignore", "CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "cmake", "core", "hosts", "kernels",
         "plugins", "tests")


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith("OMEN")}

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def program(self, name, text):
        """Creates a script that replaces a program of the system."""
        os.makedirs(self.path("bin"), exist_ok=True)
        with open(self.path("bin", name), "w") as f:
            f.write("#!/bin/sh\n" + text)
        os.chmod(self.path("bin", name), 0o755)
        self.environment["PATH"] = self.path("bin") + ":" + os.environ["PATH"]

    def copy(self, *names):
        """Copies the source tree into a folder below the test's."""
        tree = self.path(*names)
        os.makedirs(tree)
        for part in PARTS:
            source = os.path.join(SOURCE, part)
            if os.path.isdir(source):
                shutil.copytree(source, os.path.join(tree, part))
            else:
                shutil.copy(source, tree)
        return tree

    def run_in(self, folder, *command):
        return subprocess.run(command, cwd=folder, env=self.environment, text=True, timeout=900,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

    def works(self, folder, *command):
        done = self.run_in(folder, *command)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return done.stdout

    def fails(self, pattern, folder, *command):
        done = self.run_in(folder, *command)
        self.assertNotEqual(done.returncode, 0, done.stdout[-4000:])
        # CMake breaks the lines of a message.
        self.assertRegex(" ".join(done.stdout.split()), pattern)


class Configuring(Case):
    def test_without_libraries(self):
        self.program("pkg-config", 'case "$*" in *cmocka* | *libmicrohttpd*) exit 1 ;; esac\n'
                     f'exec {shlex.quote(shutil.which("pkg-config"))} "$@"\n')
        self.environment["PKG_CONFIG"] = self.path("bin", "pkg-config")
        self.fails("tests need cmocka and Python .*-DBUILD_TESTING=OFF builds without", SOURCE,
                   "cmake", "-S", SOURCE, "-B", self.path("build"), "-G", "Ninja")
        said = self.works(SOURCE, "cmake", "-S", SOURCE, "-B", self.path("build"), "-DBUILD_TESTING=OFF")
        # If a library of omend is missing, neither omend nor its package is built.
        self.assertIn("omend is not built: it needs libmicrohttpd", said)
        with open(self.path("build", "CPackConfig.cmake")) as f:
            packages = re.search(r'set\(CPACK_COMPONENTS_ALL "(.*)"\)', f.read())[1].split(";")
        self.assertIn("omen", packages)
        self.assertNotIn("omend", packages)

    def test_fuzzing_with_gcc(self):
        self.fails("OMEN_FUZZ needs clang", SOURCE, "cmake", "-S", SOURCE, "-B",
                   self.path("build"), "-G", "Ninja", "-DCMAKE_C_COMPILER=gcc", "-DOMEN_FUZZ=ON")

    def test_a_path_that_cmake_cannot_take(self):
        self.fails("CMake does not build in a folder with one of", SOURCE, "cmake", "-S", SOURCE,
                   "-B", self.path("a#b"), "-G", "Ninja")

    def test_no_tests_is_a_failure(self):
        """With each preset, in a project without tests."""
        shutil.copy(os.path.join(SOURCE, "CMakePresets.json"), self.folder)
        with open(self.path("CMakeLists.txt"), "w") as f:
            f.write("cmake_minimum_required(VERSION 3.25)\nproject(none LANGUAGES NONE)\n"
                    "enable_testing()\n")
        with open(self.path("CMakePresets.json")) as f:
            presets = [p for p in json.load(f)["testPresets"] if not p.get("hidden")]
        self.assertGreaterEqual({p["name"] for p in presets}, {"dev", "asan", "tsan", "test"})
        for preset in presets:
            self.works(self.folder, "cmake", "--preset", preset["configurePreset"], "-G", "Ninja")
            self.fails("No tests were found", self.folder, "ctest", "--preset", preset["name"])


class Building(Case):
    def paste(self, folder, command):
        """Runs printed text as a reader's shell would."""
        done = self.run_in(folder, "sh", "-c", command)
        self.assertIn(done.returncode, (0, 10), command + "\n" + done.stdout)
        return done.stdout

    def check_demo(self, printed, tree):
        """Its commands can be pasted, one after the other, in the caller's folder."""
        prompts = re.findall(r"(?m)^\$ (.*)$", printed)
        self.assertEqual(shlex.split(prompts[0]), ["cd", tree])
        self.assertGreaterEqual(len(prompts), 5)
        for command in prompts[1:]:
            said = self.paste(self.folder, f"{prompts[0]} && {command}")
            self.assertIn(said.splitlines()[0], printed)

    def check_farewell(self, printed, tree):
        farewell = re.findall(r"(?m)^    (\S.*)$", printed[printed.index("== The program is "):])
        self.assertIn(f"== The program is {tree}/build/release/omen.\n", printed)
        export, install, enter, *more = farewell
        words = shlex.split(install, comments=True)
        # The demo builds the program only; an installation needs the rest.
        self.assertEqual(words[:2] + words[3:6], ["cmake", "--build", "&&", "cmake", "--install"])
        self.assertGreaterEqual(len(more), 4)
        self.assertTrue(more[-1].startswith("xdg-open run.html"))
        for command in more:
            self.paste(self.folder, f"{export}; {enter} && {command}")

    def test_bootstrap_from_elsewhere(self):
        tree = self.copy(HOSTILE, "omen")
        self.program("dpkg-query", "echo installed\n")  # nothing must be installed
        # A fast compilation: the generated code is not tested.
        self.program("cc", f'exec {shlex.quote(shutil.which("cc"))} "$@" -O0\n')
        self.program("xdg-open", 'grep -q "<html" "$1"\n')  # there may be no browser
        self.environment["CDPATH"] = self.folder
        demo = "sh", os.path.join(tree, "cmake", "bootstrap.sh"), "demo"
        first = self.works(self.folder, *demo)
        self.check_demo(first, tree)
        self.check_farewell(first, tree)
        self.check_demo(self.works(self.folder, *demo), tree)
        self.fails("No tests were found", tree, "ctest", "--preset", "release")
        # The README's test command uses another folder, which has tests.
        self.works(tree, "cmake", "--preset", "test", "-G", "Ninja")
        listed = self.works(tree, "ctest", "--preset", "test", "-N")
        self.assertGreater(int(re.search(r"Total Tests: (\d+)", listed).group(1)), 50)
        self.works(tree, "cmake", "--build", "--preset", "test", "--target", "test_hoa")
        self.works(tree, "ctest", "--preset", "test", "-R", "^hoa$")

    def test_fuzzing_without_a_sanitizer(self):
        if shutil.which("clang") is None:
            self.skipTest("no clang")
        build = self.path("build")
        self.works(SOURCE, "cmake", "-S", SOURCE, "-B", build, "-G", "Ninja", "-DOMEN_FUZZ=ON",
                   "-DCMAKE_C_COMPILER=clang", "-DCMAKE_BUILD_TYPE=Debug")
        targets = "omen_cli", "plugin_dve", "test_hoa", "libfuzzer_hoa", "libfuzzer_dve"
        self.works(build, "cmake", "--build", build, "--target", *targets)
        self.works(build, os.path.join(build, "omen"), "--version")
        os.mkdir(self.path("found"))
        for what in "hoa", "dve":
            self.works(self.folder, os.path.join(build, "tests", "fuzz", f"libfuzzer_{what}"),
                       "-runs=200", self.path("found"),
                       os.path.join(SOURCE, "tests", "fuzz", "corpus", what))


if __name__ == "__main__":
    unittest.main()
