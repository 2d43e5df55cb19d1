# SPDX-License-Identifier: Apache-2.0
"""Broken plug-ins beside the real ones: they are refused, and nothing else changes."""
import os
import shutil
import signal
import subprocess
import time

from cli import OMEN, Case, main, model, within

FLAWED = os.environ["FLAWED"]
MUTEX = model("mutex.dve")


class Plugins(Case):
    def setUp(self):
        super().setUp()
        os.mkdir(self.path("p"), 0o755)
        self.env = {"OMEN_PLUGIN_PATH": self.path("p"), "XDG_CACHE_HOME": self.path("cache")}

    def add(self, name, source=FLAWED, size=None):
        shutil.copyfile(source, self.path("p/" + name))
        os.chmod(self.path("p/" + name), 0o755)
        if size is not None:
            os.truncate(self.path("p/" + name), size)
        return self.path("p/" + name)

    def works(self, **more):
        """Checks that omen works as if no other plug-in were installed."""
        env = {**self.env, **more}
        done = self.expect(0, "explore", MUTEX, env=env)
        self.assertIn("states: 20\ntransitions: 34\n", done.stdout)
        self.assertEqual(done.stderr, "")
        self.check(0, MUTEX, "--ltl", "G !(A.crit && B.crit)", env=env)
        self.check(10, MUTEX, "--ltl", "G F A.crit", env=env)

    def refused_with(self, **more):
        """Returns the reasons that `omen plugins` gives, by path; the real plug-ins must still be
        listed.
        """
        text = self.expect(0, "plugins", env={**self.env, **more}).stdout
        self.assertIn("checker ufscc: ", text)
        lines = text.splitlines()
        return {line[len("refused "):]: lines[i + 1].strip() for i, line in enumerate(lines)
                if line.startswith("refused ")}

    def test_what_kills(self):
        path = self.add("flawed.so")
        for flaw, reason in (("crash", r"ends the process when it is opened \((signal|status) \d+\)"),
                             ("leave", r"ends the process when it is opened \(status 0\)"),
                             ("abort", r"ends the process when it is opened \(signal 6\)"),
                             ("bad summary", r"ends the process when its descriptor is read \(.*\)"),
                             ("bad options", r"ends the process when its descriptor is read \(.*\)")):
            os.utime(path)  # makes it count as another file
            self.works(FLAW=flaw)
            self.assertRegex(self.refused_with(FLAW=flaw)[path], f"^{reason}$")

    def test_what_hangs_does_so_once(self):
        path = self.add("flawed.so")
        time.sleep(0.2)  # old enough for its cached result to be used
        self.expect(0, "plugins", env={**self.env, "FLAW": "hang"})
        since = time.monotonic()
        self.works(FLAW="hang")
        self.assertLess(time.monotonic() - since, within(4))
        self.assertEqual(self.refused_with(FLAW="hang")[path],
                         "hangs when it is opened")

    def test_what_is_no_plug_in(self):
        size = os.path.getsize(FLAWED)
        reasons = {self.add(f"{n}.so", size=size * n // 4): "cannot be opened: it is truncated"
                   for n in (1, 2, 3)}
        zeros = self.add("zeros.so", "/dev/null", 10000)
        text = self.add("text.so", model("mutex.dve"))
        reasons[zeros] = reasons[text] = "cannot be opened: it is not a shared object for this machine"
        os.mkfifo(self.path("p/fifo.so"))
        os.mkdir(self.path("p/folder.so"))
        os.symlink("loop.so", self.path("p/loop.so"))
        self.works()
        found = self.refused_with()
        for path, reason in reasons.items():
            self.assertEqual(found[path], reason)
        for name in "fifo", "folder":
            self.assertRegex(found[self.path(f"p/{name}.so")],
                             "^cannot be opened: .*is not a regular file$")
        self.assertRegex(found[self.path("p/loop.so")], "Too many levels of symbolic links$")

    def test_folders_that_are_none(self):
        for path, reason in ((MUTEX, "Not a directory"), ("/nonexistent", "No such file or directory")):
            self.env["OMEN_PLUGIN_PATH"] = path
            self.works()
            self.assertEqual(self.refused_with()[path], "cannot be searched: " + reason)

    def test_a_name_for_a_terminal(self):
        self.add("a\n\x1b[2Jb.so", "/dev/null")
        self.assertIn(f"refused {self.path('p')}/a \\u001b[2Jb.so\n",
                      self.expect(0, "plugins", env=self.env).stdout)

    def test_an_end_that_is_none_of_ours(self):
        """A plug-in's exit(0) does not mean that a property holds."""
        self.add("flawed.so")
        for flaw, args in (("leave omen", ("explore", MUTEX)), ("leave omen", ("plugins",)),
                           ("leave at work", ("check", MUTEX, "--ltl", "G F A.crit", "--checker",
                                              "flawed", "--device", "none", "--exec", "vm"))):
            self.refused(1, "^omen: a plug-in, a driver or a library ended the program$", *args,
                         env={**self.env, "FLAW": flaw})

    def test_root_is_wary(self):
        if os.geteuid() != 0:
            self.skipTest("only root can make files of another user")
        path = self.add("flawed.so")
        for change in (lambda: os.chown(path, 65534, 65534),
                       lambda: (os.chown(path, 0, 0), os.chmod(path, 0o777)),
                       lambda: (os.chmod(path, 0o755), os.chmod(self.path("p"), 0o777))):
            change()
            self.works()
            self.assertRegex(self.refused_with()[path], "^is not loaded by root: ")
        os.chmod(self.path("p"), 0o755)
        self.assertNotIn(path, self.refused_with())

    def child_of(self, pid):
        """Returns the only child of the process, waiting until it exists."""
        for _ in range(200):
            with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
                children = f.read().split()
            if children:
                return int(children[0])
            time.sleep(0.02)
        self.fail("no child was started")
        return 0

    def test_no_child_is_left(self):
        """A hanging child ends with the program, however the program ends."""
        self.add("flawed.so")
        for number in signal.SIGKILL, signal.SIGINT:
            with subprocess.Popen([OMEN, "explore", MUTEX], stdout=subprocess.DEVNULL,
                                  env={**os.environ, **self.env, "FLAW": "hang"}) as work:
                child = self.child_of(work.pid)
                time.sleep(0.3)
                work.send_signal(number)
                self.assertEqual(work.wait(timeout=60), -number)
            for _ in range(100):
                if not os.path.exists(f"/proc/{child}"):
                    break
                time.sleep(0.05)
            self.assertFalse(os.path.exists(f"/proc/{child}"))


if __name__ == "__main__":
    main()
