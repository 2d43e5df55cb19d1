# SPDX-License-Identifier: Apache-2.0
"""The README's two commands on a machine without any installed tools: a minimal Debian in a chroot, an
ordinary user with sudo, and a copy of the source tree. Arguments: SUITE (bookworm, trixie) COMMAND
(demo, test). Needs root, debootstrap and Debian's mirror (or the one that OMEN_MIRROR in the environment
names); skipped otherwise. Prints the cost of the command.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

COMMAND, SUITE = sys.argv.pop(), sys.argv.pop()
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
MIRROR = os.environ.get("OMEN_MIRROR", "http://deb.debian.org/debian")
HOME = "/home/user"
# The environment of an ordinary user of a small installation: recommended packages are not installed.
INSIDE = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": HOME, "USER": "user"}
MOUNTS = ('mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; mount -t tmpfs tmpfs "$0/tmp"; chmod 1777 "$0/tmp"; '
          'mount -t tmpfs tmpfs "$0/run"; exec /usr/sbin/chroot "$0" "$@"')


def missing():
    """Returns why the test cannot run; or None."""
    if os.getuid() != 0:
        return "only root can make a chroot"
    for program in "debootstrap", "chroot", "unshare", "git":
        if shutil.which(program) is None:
            return f"no {program}"
    try:
        with urllib.request.urlopen(f"{MIRROR}/dists/{SUITE}/Release", timeout=20):
            return None
    except OSError as error:
        return f"{MIRROR}: {error}"


class Bare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = os.path.join(os.path.realpath(folder.name), "root")
        cls.said("debootstrap", "--variant=minbase", "--include=ca-certificates,sudo", SUITE, cls.root, MIRROR)
        for name in "resolv.conf", "hosts":
            shutil.copy(f"/etc/{name}", f"{cls.root}/etc/{name}")
        cls.as_root("useradd", "--create-home", "--shell", "/bin/sh", "user")
        with open(f"{cls.root}/etc/sudoers.d/user", "w", encoding="utf-8") as f:
            f.write("user ALL=(ALL) NOPASSWD: ALL\n")
        cls.copy_tree(f"{cls.root}{HOME}/omen")

    @classmethod
    def said(cls, *command, **more):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **more)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stdout[-12000:]}")
        return done.stdout

    @classmethod
    def as_root(cls, *command):
        return cls.said("unshare", "--mount", "sh", "-ec", MOUNTS, cls.root, *command,
                        env={**INSIDE, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root"})

    @classmethod
    def as_user(cls, *command):
        return cls.said("unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-ec", MOUNTS, cls.root, "setpriv",
                        "--reuid=user", "--regid=user", "--init-groups", "sh", "-ec", 'cd "$0"; exec "$@"', f"{HOME}/omen",
                        *command, env=INSIDE)

    @classmethod
    def copy_tree(cls, to):
        """Copies the files of a clone, including uncommitted changes: no build folder, no ignored files."""
        listed = cls.said("git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
        for name in filter(None, listed.split("\0")):
            if os.path.lexists(f"{SOURCE}/{name}"):
                os.makedirs(os.path.dirname(f"{to}/{name}"), exist_ok=True)
                shutil.copy2(f"{SOURCE}/{name}", f"{to}/{name}")
        cls.as_root("chown", "-R", "user:user", f"{HOME}/omen")

    def figures(self, said):
        """Prints the figures that the command itself reports."""
        for line in re.findall(r"(?m)^== .*(?:installs|CPU time|slowest|took).*$", said):
            print(line, flush=True)

    def check_demo(self, said):
        # The output begins with the size of the installation, followed by the packages.
        self.assertRegex(said, r"(?s)\A== installing \d+ packages?: [\d.,]+ \wB to fetch, [\d.,]+ \wB on disk\n")
        self.assertIn("property G(Client_0.waiting -> F Client_0.served): violated", said)
        self.assertRegex(said, r"(?m)^weak part \(.*\): empty, weak-cl on (?!the CPU)")
        self.assertRegex(said, r"(?m)^strong part \(.*\): empty, ufscc on the CPU")
        self.assertRegex(said, r"(?m)^== first verdict after \d+ s of CPU time$")

    def check_cost(self, said):
        # Packages and a build must have taken some time.
        self.assertGreater(int(re.search(r"first verdict after (\d+) s", said)[1]), 5)

    def test_twice(self):
        first = self.as_user("sh", "cmake/bootstrap.sh", COMMAND)
        self.figures(first)
        self.check_demo(first)
        self.check_cost(first)
        if COMMAND == "test":
            self.assertRegex(first, r"100% tests passed")
            return
        # The second time there is nothing to install and nothing to build.
        again = self.as_user("sh", "cmake/bootstrap.sh", COMMAND)
        self.assertNotIn("== installing", again)
        self.assertNotRegex(again, r"(?m)^\[\d+/\d+\]")


if __name__ == "__main__":
    reason = missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
