# SPDX-License-Identifier: Apache-2.0
"""Interference from outside: files of other users in caches, truncated objects, compilers and
drivers that crash, hang or are killed, full disks and process tables.
"""
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest

from cli import OMEN, Case, main, model, run, within

MUTEX = model("mutex.dve")
BIG = model("big.dve")
FORMULA = "G F A.crit"
NOBODY = 65534
HANG = sys.argv.pop(sys.argv.index("--icd") + 1) if "--icd" in sys.argv else None
if HANG is not None:
    sys.argv.remove("--icd")

# A compiler that calls cc after it has added SOURCE to the model's text, and then runs SHELL with
# the object's path in $object.
COMPILER = """#!/bin/sh
%s
for word in "$@"; do
    case $word in *.c) source=$word ;; *.so) object=$word ;; esac
done
if [ -n "$SOURCE" ]; then printf '%%s\\n' "$SOURCE" >> "$source"; fi
cc "$@" || exit 1
if [ -n "$SHELL_CODE" ]; then eval "$SHELL_CODE"; fi
"""
# Creates a mark when the object is opened.
MARK = """#include <fcntl.h>
#include <stdlib.h>
__attribute__((constructor)) static void tell(void)
{ if (getenv("MARK")) creat(getenv("MARK"), 0600); }"""


def has_device():
    return "cpu" in run("devices").stdout


def is_alive(pid):
    """Returns False for a dead process that has not been reaped, too."""
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def until(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Foreign(Case):
    def setUp(self):
        super().setUp()
        self.env = {"XDG_CACHE_HOME": self.path("cache"), "OMEN_CC": self.compiler()}

    def compiler(self, first=""):
        script = self.path("cc")
        with open(script, "w") as f:
            f.write(COMPILER % first)
        os.chmod(script, 0o755)
        return script

    def native(self, status=10, env=None, formula=FORMULA, **more):
        return self.expect(status, "check", MUTEX, "--ltl", formula, "--device", "none", "--exec",
                           "native", env={**self.env, **(env or {})}, **more)

    def entries(self, name="omen/native", cache="cache"):
        folder = os.path.join(self.path(cache), name)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []

    def only_entry(self):
        (name,) = self.entries()
        return os.path.join(self.path("cache/omen/native"), name)

    def nothing_temporary(self):
        self.assertEqual(self.entries("omen/work"), [])

    def goes_on_without(self, pattern, limit, env, **more):
        done = self.expect(30, "check", BIG, "--device", "none", "--timeout", limit, env=env, **more)
        self.assertRegex(done.stderr, rf"no native code \(.*{pattern}.*\); continuing with the slower vm")


class Caches(Foreign):
    def loaded(self, env=None):
        """Runs native code; a cached object creates a mark when it is opened."""
        mark = self.path("mark")
        done = self.native(env={**(env or {}), "MARK": mark})
        was = os.path.exists(mark)
        if was:
            os.remove(mark)
        return was, done.stderr.splitlines()

    def fill(self):
        """Caches an object that creates a mark, made by a compiler that makes no other object."""
        shutil.rmtree(self.path("cache"), ignore_errors=True)
        if os.path.exists(self.path("golden")):
            shutil.copytree(self.path("golden"), self.path("cache"))
            return
        os.mkdir(self.path("cache"), 0o700)
        self.native(env={"SOURCE": MARK})
        was, said = self.loaded()
        self.assertEqual((was, said), (True, []))  # confirms that the mark works
        shutil.copytree(self.path("cache"), self.path("golden"))

    def refused_one(self, pattern):
        was, said = self.loaded()
        self.assertFalse(was)
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], pattern)

    def test_open_to_others(self):
        for name, mode in ("", 0o777), ("omen", 0o757), ("omen/native", 0o775):
            self.fill()
            os.chmod(os.path.join(self.path("cache"), name), mode)
            self.refused_one("compiled code is not cached: .* can be written by other users")
        self.fill()
        os.chmod(self.only_entry(), 0o666)
        self.refused_one("can be written by other users: it is rebuilt")
        was, said = self.loaded()  # it was made again and kept
        self.assertEqual((was, said), (False, []))
        self.assertEqual(stat.S_IMODE(os.stat(self.only_entry()).st_mode), 0o600)

    def test_of_others(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make files of another user")
        for name in "", "omen", "omen/native":
            self.fill()
            os.chown(os.path.join(self.path("cache"), name), NOBODY, NOBODY)
            self.refused_one("compiled code is not cached: .* belongs to another user")
        self.fill()
        os.chown(self.only_entry(), NOBODY, NOBODY)
        self.refused_one("belongs to another user: it is rebuilt")
        self.fill()
        os.rename(self.path("cache/omen"), self.path("elsewhere"))
        os.symlink(self.path("elsewhere"), self.path("cache/omen"))
        self.assertEqual(self.loaded(), (True, []))  # a link of the same user
        os.lchown(self.path("cache/omen"), NOBODY, NOBODY)
        self.refused_one("is a symbolic link of another user")

    def test_a_home_for_all(self):
        """HOME=/tmp: other users may create missing folders there first."""
        home = self.path("home")
        os.mkdir(home)
        os.chmod(home, 0o1777)
        self.env = {"HOME": home, "XDG_CACHE_HOME": "", "OMEN_CC": self.env["OMEN_CC"]}
        self.native(env={"SOURCE": MARK})
        self.assertEqual(self.loaded(), (True, []))
        self.assertEqual(stat.S_IMODE(os.stat(os.path.join(home, ".cache")).st_mode), 0o700)
        if os.geteuid() != 0:
            self.skipTest("only root can make files of another user")
        for folder, _, files in os.walk(home):
            for name in (folder, *(os.path.join(folder, f) for f in files)):
                if name != home:
                    os.chown(name, NOBODY, NOBODY)
        self.refused_one(r"home/\.cache belongs to another user")

    def test_no_home(self):
        """A private folder in /tmp is used; files of a driver are not put where other users can
        write.
        """
        place, pocl = f"/tmp/omen-{os.geteuid()}", "/tmp/pocl"
        if os.path.exists(place) or os.path.exists(pocl):
            self.skipTest(f"{place} or {pocl} is in use")
        self.addCleanup(shutil.rmtree, place, True)
        bare = {k: v for k, v in os.environ.items()
                if k not in ("HOME", "XDG_CACHE_HOME", "POCL_CACHE_DIR")}
        for options in (["--exec", "native", "--device", "none"], ["--exec", "vm", "--device", "cpu"]):
            if options[3] == "cpu" and not has_device():
                continue
            done = subprocess.run([OMEN, "check", MUTEX, "--ltl", FORMULA, "-q", *options], env=bare,
                                  capture_output=True, text=True, timeout=100)
            self.assertEqual((done.returncode, done.stderr), (10, ""))
            self.assertFalse(os.path.exists(pocl))
            self.assertEqual(os.listdir(os.path.join(place, "work")), [])
        self.assertEqual(stat.S_IMODE(os.stat(place).st_mode), 0o700)
        self.assertEqual(len(os.listdir(os.path.join(place, "native"))), 1)

    def test_other_kinds(self):
        """Opening a file that is not a regular one must not block."""
        self.fill()
        entry = self.only_entry()
        for make in os.mkfifo, lambda path: os.symlink("/dev/zero", path), os.mkdir:
            os.remove(entry)
            make(entry)
            self.assertFalse(self.loaded()[0])
            if os.path.isdir(entry):
                os.rmdir(entry)
            else:
                self.assertTrue(stat.S_ISREG(os.lstat(entry).st_mode))

    def test_cut_off(self):
        self.fill()
        entry = self.only_entry()
        size = os.path.getsize(entry)
        for part in 0, 1, size // 3, size // 2, size - 100, size - 1:
            os.truncate(entry, part)
            self.native()
            self.assertEqual(os.path.getsize(entry) > size // 2, True)
        self.nothing_temporary()

    def test_trimmed(self):
        """The least recently used entry is removed."""
        self.native()
        old = self.only_entry()
        size = os.path.getsize(old)
        os.utime(old, (1, 1))
        self.native(formula="G F B.crit", env={"OMEN_CACHE_SIZE": str(size * 5 // 2)})
        self.assertEqual(len(self.entries()), 2)
        self.native()  # used, so the other one is removed
        (other,) = [n for n in self.entries() if n != os.path.basename(old)]
        os.utime(os.path.join(os.path.dirname(old), other), (1, 1))
        self.native(0, formula="G F (A.crit || B.crit)", env={
            "OMEN_CACHE_SIZE": str(size * 5 // 2)})
        self.assertEqual(len(self.entries()), 2)
        self.assertIn(os.path.basename(old), self.entries())
        self.assertNotIn(other, self.entries())
        self.native(formula="F turn == 7", env={"OMEN_CACHE_SIZE": "1k"})
        self.assertEqual(self.entries(), [])


class Compilers(Foreign):
    def no_native(self, pattern, env):
        """Native code fails and leaves nothing behind: it is an error if native code was requested,
        and omen continues without it otherwise. (A sanitizer must not turn a signal into a report
        of its own.)
        """
        env = {"ASAN_OPTIONS": "handle_segv=0:handle_sigbus=0:handle_abort=0:handle_sigfpe=0", **env}
        said = self.native(2, env).stderr.splitlines()
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], "no native code: .*" + pattern)
        self.patiently(lambda limit: self.goes_on_without(pattern, limit, {**self.env, **env}))
        self.assertEqual(self.entries(), [])
        self.nothing_temporary()

    def test_half_a_file(self):
        for part in 10, 60, 99:
            self.no_native("it is truncated|is ended by signal|file too short|unusable", {
                "SHELL_CODE": f'truncate -s $(($(stat -c %s "$object") * {part} / 100)) "$object"'})

    def test_objects_that_end_the_process(self):
        def constructor(code):
            return {"SOURCE": f"__attribute__((constructor)) static void f(void) {{ {code} }}"}
        self.no_native("is ended by signal 11", constructor("*(volatile int *) 8 = 0;"))
        self.no_native("is ended by signal 6", constructor("__builtin_trap(); abort();".replace(
            "__builtin_trap(); abort();", "void abort(void); abort();")))
        self.no_native("ends the process that opens it", constructor("void _exit(int); _exit(0);"))
        self.no_native("is ended by signal 11", {
            "SOURCE": "static void f(void) { *(volatile int *) 8 = 0; }\n"
                      "void om_native_run_(void) __attribute__((alias(\"f\")));",
            "SHELL_CODE": 'sed -i "s/om_native_run(const/om_native_run_was(const/; '
                          's/om_native_run_(void)/om_native_run(void)/" "$source" && cc "$@"'})

    def test_objects_that_hang(self):
        """The time limit holds while an object hangs, and its process does not remain."""
        env = {**self.env, "SOURCE": "#include <unistd.h>\n#include <stdio.h>\n"
               "__attribute__((constructor)) static void f(void) {"
               f" FILE *f = fopen(\"{self.path('pid')}\", \"w\"); fprintf(f, \"%d\\n\", getpid());"
               " fclose(f); for (;;) pause(); }"}
        for executor in "auto", "native":
            since = time.monotonic()
            done = self.expect(30, "check", BIG, "--device", "none", "--exec", executor, "--timeout",
                               "2s", env=env)
            self.assertLess(time.monotonic() - since, within(10))
            self.assertIn("time limit", done.stdout)
            self.assertTrue(until(lambda: not is_alive(self.pid("pid"))))
        self.assertEqual(self.entries(), [])
        self.nothing_temporary()

    def pid(self, name):
        with open(self.path(name)) as f:
            return int(f.read())

    def written(self, name):
        try:
            with open(self.path(name)) as f:
                return f.read().endswith("\n")
        except FileNotFoundError:
            return False

    def test_nothing_outlives_us(self):
        """After SIGKILL, the compiler ends with all its children, and its folder is removed by the
        next run.
        """
        self.compiler(f"echo $$ > {self.path('parent')}\nsleep 1000 &\necho $! > {self.path('child')}\n"
                      "wait")
        for executor in "auto", "native":
            for name in "parent", "child":
                if os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            work = subprocess.Popen([OMEN, "check", BIG, "--device", "none", "--exec", executor],
                                    stdout=subprocess.DEVNULL, env={**os.environ, **self.env})
            self.addCleanup(work.kill)
            self.assertTrue(until(lambda: self.written("parent") and self.written("child")))
            self.assertEqual(len(self.entries("omen/work")), 1)
            work.kill()
            work.wait()
            for name in "parent", "child":
                pid = self.pid(name)
                self.assertTrue(until(lambda: not is_alive(pid)), name)  # pylint: disable=W0640
            self.assertEqual(len(self.entries("omen/work")), 1)
            # A check that compiles nothing removes it, too.
            self.expect(10, "check", MUTEX, "--ltl", FORMULA, "--device", "none", "-q", env=self.env)
            self.nothing_temporary()

    def test_two_at_once(self):
        """The folder of a working process is not removed."""
        self.compiler("sleep 1")
        works = [subprocess.Popen([OMEN, "check", MUTEX, "--ltl", f"G F A.crit || F turn == {i + 7}",
                                   "--device", "none", "--exec", "native", "-q"],
                                  stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                                  env={**os.environ, **self.env}) for i in range(3)]
        for work in works:
            _, said = work.communicate(timeout=60)
            self.assertEqual((work.returncode, said), (10, ""))
        self.assertEqual(len(self.entries()), 3)
        self.nothing_temporary()


class Limits(Foreign):
    @staticmethod
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (8192, 8192))

    def test_files_that_may_not_grow(self):
        self.env.pop("OMEN_CC")
        done = self.expect(10, "check", MUTEX, "--ltl", FORMULA, "--device", "none", "-q",
                           env=self.env, preexec_fn=self.small_files)
        self.assertEqual(done.stderr, "")
        self.patiently(lambda limit: self.goes_on_without("", limit, self.env, preexec_fn=self.small_files))
        self.refused(2, "no native code", "check", MUTEX, "--device", "none", "--exec", "native",
                     env=self.env, preexec_fn=self.small_files)
        self.assertEqual(self.entries(), [])
        self.nothing_temporary()

    def test_an_object_that_is_not_kept(self):
        """An object that can be compiled and opened, but not copied to the cache, is still used."""
        def between():
            resource.setrlimit(resource.RLIMIT_FSIZE, (size - 200, size - 200))
        self.native()
        size = os.path.getsize(self.only_entry())
        os.remove(self.only_entry())
        self.native(preexec_fn=between)
        self.assertEqual(self.entries(), [])
        self.nothing_temporary()

    def test_results_that_may_not_grow(self):
        """A message and a status; no partial file remains in place of a result."""
        long = self.path("long.dve")
        with open(long, "w") as f:
            f.write("byte x = 0; byte y = 0; process P { state a; init a; trans"
                    " a -> a { guard x < 250; effect x = x + 1; }; } system async;")
        lasso = self.path("lasso.json")
        question = ["check", long, "--ltl", "G x < 250", "--device", "none", "--exec", "vm"]
        done = self.expect(3, *question, "--lasso", lasso, preexec_fn=self.small_files)
        self.assertRegex(done.stderr, "omen: cannot write .*lasso.json: File too large")
        self.assertEqual([n for n in os.listdir(self.folder.name) if n.startswith("lasso")], [])
        with open(self.path("out.json"), "w") as out:
            done = subprocess.run([OMEN, *question, "--json"], stdout=out, stderr=subprocess.PIPE,
                                  text=True, preexec_fn=self.small_files, timeout=60)
        self.assertEqual(done.returncode, 3)
        self.assertIn("cannot write to standard output: File too large", done.stderr)

    def test_few_processes(self):
        """If a driver cannot start its threads, the CPU does the work."""
        if os.geteuid() != 0:
            self.skipTest("only root can be another user")
        if not has_device():
            self.skipTest("no OpenCL device that is a CPU")
        home = self.path("home")
        os.mkdir(home, 0o700)
        os.chown(home, NOBODY, NOBODY)
        os.chmod(self.folder.name, 0o755)
        most = 0

        def confined():
            resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
            os.setgid(NOBODY)
            os.setuid(NOBODY)

        if run("--version", preexec_fn=lambda: os.setuid(NOBODY)).returncode != 0:
            self.skipTest("another user cannot run the program")
        for most in 8, 10, 12:
            done = run("check", MUTEX, "--ltl", FORMULA, "--device", "cpu", "--exec", "vm",
                       env={"HOME": home, "XDG_CACHE_HOME": "", "POCL_CACHE_DIR": ""},
                       preexec_fn=confined)
            self.assertEqual(done.returncode, 10, done.stderr)
            self.assertRegex(done.stderr, r"no OpenCL device 'cpu' \(.*\): continuing on the CPU\n$")
            self.assertEqual(done.stderr.count("\n"), 1)


class Inputs(Foreign):
    def test_pipes_in_the_file_system(self):
        """Opening a pipe must not block."""
        for suffix in "dve", "hoa", "ltl", "json":
            os.mkfifo(self.path("f." + suffix))
        for args in (["check", self.path("f.dve")], ["explore", self.path("f.dve")],
                     ["convert", self.path("f.hoa"), "--to", "ba"], ["empty", self.path("f.hoa")],
                     ["check", MUTEX, "--ltl-file", self.path("f.ltl")],
                     ["check", MUTEX, "--never", self.path("f.hoa")],
                     ["replay", MUTEX, self.path("f.json")]):
            self.refused(3, "cannot open .*: not a regular file", *args, timeout=20)

    def test_pipes_that_are_handed_over(self):
        with open(model("three.hoa")) as f:
            text = f.read()
        plain = self.expect(0, "convert", model("three.hoa"), "--to", "ba").stdout
        for name in "-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0":
            self.assertEqual(self.expect(0, "convert", name, "--to", "ba", input=text).stdout, plain)
        end, other = os.pipe()
        os.write(other, text.encode())
        os.close(other)
        name = f"/dev/fd/{end}"
        self.assertEqual(self.expect(0, "convert", name, "--to", "ba", pass_fds=[end]).stdout, plain)
        os.close(end)
        self.refused(3, "cannot read /dev/fd/99: Bad file", "convert", "/dev/fd/99", "--to", "ba")
        self.refused(3, "cannot open /dev/fd/x: No such", "convert", "/dev/fd/x", "--to", "ba")

    def test_a_pipe_that_says_nothing(self):
        """The first signal ends the program, and the limit holds."""
        question = [OMEN, "check", MUTEX, "--device", "none", "--ltl-file", "-"]
        for number, status in (signal.SIGINT, (30, -2)), (signal.SIGTERM, (30, -15)):
            work = subprocess.Popen(question, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT)
            self.addCleanup(work.kill)
            time.sleep(0.3)
            since = time.monotonic()
            work.send_signal(number)
            self.assertIn(work.wait(timeout=30), status)
            self.assertLess(time.monotonic() - since, within(1.5))
            work.stdin.close()
            work.stdout.close()
        since = time.monotonic()
        work = subprocess.Popen([*question, "--timeout", "500ms"], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(work.kill)
        self.assertEqual(work.wait(timeout=30), 30)
        self.assertLess(time.monotonic() - since, within(2.5))
        self.assertIn("time limit", work.stdout.read())
        work.stdin.close()
        work.stdout.close()


class Drivers(Foreign):
    def vendors(self, library):
        folder = self.path("vendors")
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "it.icd"), "w") as f:
            f.write(library + "\n")
        return {"OCL_ICD_VENDORS": folder, "XDG_CACHE_HOME": self.path("cache")}

    @classmethod
    def setUpClass(cls):
        """Compiles programs once, for tests that reuse them."""
        if not has_device():
            raise unittest.SkipTest("no OpenCL device that is a CPU")
        cls.built = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.built.cleanup)
        run("check", MUTEX, "--ltl", FORMULA, "--exec", "vm", "--device", "cpu", "-q",
            env={"ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0", "XDG_CACHE_HOME": cls.built.name})

    def take_built(self):
        shutil.copytree(self.built.name, self.path("cache"))

    def on_cpu(self, preexec_fn=None, **env):
        return self.expect(10, "check", MUTEX, "--ltl", FORMULA, "--exec", "vm", "--device", "cpu",
                           env={"ASAN_OPTIONS": "detect_leaks=0:use_sigaltstack=0", **self.env, **env},
                           preexec_fn=preexec_fn)

    def test_one_that_hangs(self):
        env = self.vendors(HANG)
        for command in (["check", MUTEX, "--ltl", FORMULA], ["explore", MUTEX]):
            since = time.monotonic()
            done = self.expect(30, *command, "--device", "cpu", "--timeout", "1s", env=env)
            self.assertLess(time.monotonic() - since, within(2.5))
            self.assertIn("time limit", done.stdout)
            for number in signal.SIGINT, signal.SIGTERM:
                work = subprocess.Popen([OMEN, *command, "--device", "cpu"], text=True,
                                        stdout=subprocess.PIPE, env={**os.environ, **env})
                self.addCleanup(work.kill)
                time.sleep(0.5)
                since = time.monotonic()
                work.send_signal(number)
                out, _ = work.communicate(timeout=30)
                self.assertLess(time.monotonic() - since, within(1.5))
                self.assertEqual(work.returncode, 30)
                self.assertIn("interrupted", out)
        # By default the program does not wait for a driver.
        self.expect(10, "check", MUTEX, "--ltl", FORMULA, env=env)

    def test_it_does_not_outlive_us(self):
        env = self.vendors(HANG)
        work = subprocess.Popen([OMEN, "devices"], env={**os.environ, **env})
        self.addCleanup(work.kill)

        def children():
            with open(f"/proc/{work.pid}/task/{work.pid}/children") as f:
                return [int(word) for word in f.read().split()]
        if not os.path.exists(f"/proc/{work.pid}/task/{work.pid}/children"):
            self.skipTest("the system does not tell who is whose child")
        self.assertTrue(until(children))
        found = children()
        work.kill()
        work.wait()
        self.assertTrue(until(lambda: not any(is_alive(pid) for pid in found)))

    def library(self, name):
        for line in subprocess.run(["ldconfig", "-p"], capture_output=True, text=True).stdout.splitlines():
            if line.split()[:1] == [name]:
                return line.split(" => ")[1]
        self.skipTest(f"{name} is not where the system keeps libraries")
        return None

    def test_libraries_that_were_cut_off(self):
        for name in "libOpenCL.so.1", "libpocl.so.2":
            real = self.library(name)
            for part in 10, 50, 90, 99:
                copy = self.path(name)
                shutil.copy(real, copy)
                os.truncate(copy, os.path.getsize(real) * part // 100)
                env = {"LD_LIBRARY_PATH": self.folder.name, **self.vendors(self.path(name))} \
                    if name == "libOpenCL.so.1" else self.vendors(copy)
                self.refused(2, "no OpenCL device 'cpu': ", "check", MUTEX, "--device", "cpu", "--ltl",
                             FORMULA, "--exec", "vm", env=env)
                self.assertIn("none: ", self.expect(0, "devices", env=env).stdout)
                self.expect(10, "check", MUTEX, "--ltl", FORMULA, "--exec", "vm", env=env)
                os.remove(copy)

    def test_kernels_that_were_cut_off(self):
        """Files in pocl's cache are checked if the user sets its folder; otherwise pocl has no
        cache.
        """
        env = {"POCL_CACHE_DIR": self.path("pocl")}
        self.take_built()
        self.on_cpu(**env)
        kernels = [os.path.join(folder, name) for folder, _, names in os.walk(self.path("pocl"))
                   for name in names if name.endswith(".so")]
        self.assertTrue(kernels)
        # A file that another process of this user is linking.
        linked = os.path.join(self.path("pocl"), "tempfile_ABCDEF.so")
        shutil.copy(kernels[0], linked)
        os.truncate(linked, 100)
        for part in 2, 3, 10:
            for kernel in kernels:
                if os.path.exists(kernel):
                    os.truncate(kernel, os.path.getsize(kernel) // part)
            self.assertEqual(self.on_cpu(**env).stderr, "")
        self.assertEqual(os.path.getsize(linked), 100)
        self.on_cpu(POCL_CACHE_DIR="")
        self.assertEqual([n for n in os.listdir(self.path("cache"))], ["omen"])
        self.nothing_temporary()

    def test_programs_that_were_cut_off(self):
        self.take_built()
        names = self.entries("omen/opencl")
        self.assertGreaterEqual(len(names), 2)
        for name in names:
            path = os.path.join(self.path("cache/omen/opencl"), name)
            os.truncate(path, os.path.getsize(path) // 2)
        os.remove(path)
        os.mkfifo(path)
        self.on_cpu(POCL_CACHE_DIR="")
        self.assertEqual(self.entries("omen/opencl"), names)

    def test_a_cache_that_cannot_be_used(self):
        """A note gives the reason."""
        os.mkdir(self.path("cache"))
        os.chmod(self.path("cache"), 0o777)
        said = self.on_cpu(POCL_CACHE_DIR=os.environ.get("POCL_CACHE_DIR", "")).stderr.splitlines()
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], "compiled code is not cached: .* can be written by other users")

    def test_where_pocl_may_not_keep_anything(self):
        self.take_built()
        os.mkdir(self.path("pocl"))
        os.chmod(self.path("pocl"), 0o777)
        said = self.on_cpu(POCL_CACHE_DIR=self.path("pocl")).stderr.splitlines()
        self.assertEqual(len(said), 1, said)
        self.assertRegex(said[0], "pocl's own cache .* is not used: .* can be written by other users")
        self.assertEqual(os.listdir(self.path("pocl")), [])
        self.nothing_temporary()

    def test_files_that_may_not_be_large(self):
        """pocl's files are large: if they cannot be written, the CPU does the work."""
        for command in (["check", MUTEX, "--ltl", FORMULA], ["explore", MUTEX]):
            done = run(*command, "--exec", "vm", "--device", "cpu", env=self.env,
                       preexec_fn=Limits.small_files)
            self.assertEqual(done.returncode, 10 if command[0] == "check" else 0, done.stderr)
            self.assertRegex(done.stderr, r"no OpenCL device 'cpu' \(.* its driver has no folder for "
                                          r"its files.*\): continuing on the CPU\n$")
            self.assertEqual(done.stderr.count("\n"), 1)
        done = self.expect(2, "check", MUTEX, "--ltl", FORMULA, "--checker", "weak-cl", "--device",
                           "cpu", env=self.env, preexec_fn=Limits.small_files)
        self.assertIn("omen: checker weak-cl needs a device", done.stderr)
        self.nothing_temporary()


if __name__ == "__main__":
    main()
