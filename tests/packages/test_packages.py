# SPDX-License-Identifier: Apache-2.0
"""The Debian packages: built by the preset, checked by lintian, installed into a bare Debian 12, used
there, and purged. Arguments: CMAKE BUILD-TREE VERSION. Needs root, debootstrap, lintian and Debian's
mirror (or the one of OMEN_MIRROR in the environment); skipped otherwise.
"""
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request

VERSION, BUILD, CMAKE = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
MIRROR = os.environ.get("OMEN_MIRROR", "http://deb.debian.org/debian")
PACKAGES = "omen", "libomen0", "libomen-dev", "omend", "python3-omen"
# The packages are not uploaded to Debian. The helpers cannot express that omend must not wait, and that
# its jobs end.
KNOWN_WARNINGS = {"initial-upload-closes-no-bugs", "maintainer-script-calls-systemctl"}
DEMO = "/usr/share/omen/demo/"
SERVED = "G(Client_0.waiting -> F Client_0.served)"
INSIDE = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C", "HOME": "/root"}


def missing():
    """Returns why the test cannot run; or None."""
    if os.getuid() != 0:
        return "only root can make a chroot"
    for program in "debootstrap", "lintian", "dpkg-deb", "dpkg-shlibdeps", "fakeroot", "ninja", "chroot", "unshare":
        if shutil.which(program) is None:
            return f"no {program}"
    try:
        with urllib.request.urlopen(f"{MIRROR}/dists/bookworm/Release", timeout=20):
            return None
    except OSError as error:
        return f"{MIRROR}: {error}"


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = os.path.realpath(folder.name)
        cls.build = os.path.join(cls.folder, "build")
        environment = {k: v for k, v in os.environ.items() if not k.startswith("OMEN")}
        for command in ([CMAKE, "--preset", "package", "-S", SOURCE, "-B", cls.build, "-G", "Ninja"],
                        [CMAKE, "--build", cls.build, "--parallel", "2"], [os.path.join(os.path.dirname(CMAKE), "cpack")]):
            done = subprocess.run(command, cwd=SOURCE if "--preset" in command else cls.build, env=environment,
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != 0:
                raise AssertionError(f"{command}: {done.stdout[-4000:]}")
        cls.files = {re.match(r"[a-z0-9-]+", name).group(0): os.path.join(cls.build, name)
                     for name in os.listdir(cls.build) if name.endswith(".deb")}

    def said(self, *command, status=0, **more):
        done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800,
                              **more)
        self.assertEqual(done.returncode, status, f"{command}\n{done.stdout[-6000:]}")
        return done.stdout

    def field(self, package, name):
        return self.said("dpkg-deb", "-f", self.files[package], name).strip()

    def test_control(self):
        self.assertEqual(set(self.files), set(PACKAGES))
        for package in PACKAGES:
            self.assertEqual(self.field(package, "Package"), package)
            self.assertEqual(self.field(package, "Version"), f"{VERSION}-1")
            self.assertEqual(self.field(package, "Priority"), "optional")
            self.assertGreater(len(self.field(package, "Description").splitlines()), 2)
            self.said("dpkg-deb", "-c", self.files[package])
        exact = rf"libomen0 \(= {re.escape(VERSION)}-1\)"
        self.assertRegex(self.field("omen", "Depends"), rf"libc6 \(>= [\d.]+\).*libjansson4.*{exact}|{exact}.*libc6.*libjansson4")
        self.assertRegex(self.field("libomen0", "Depends"), r"libc6 \(>=.*libjansson4 \(>=")
        self.assertRegex(self.field("libomen-dev", "Depends"), exact)
        self.assertRegex(self.field("omend", "Depends"), r"omen \(= .*adduser.*libmicrohttpd12.*libsqlite3-0")
        self.assertRegex(self.field("python3-omen", "Depends"), r"python3 \(>= 3\.11\), omen \(>= ")
        self.assertEqual(self.field("python3-omen", "Architecture"), "all")
        self.assertEqual(self.said("dpkg-deb", "-I", self.files["omend"], "conffiles"), "/etc/omen/omend.conf\n")
        self.assertIn("graphviz", self.field("omen", "Suggests"))
        self.assertRegex(self.said("dpkg-deb", "-I", self.files["libomen0"], "shlibs"), r"libomen 0 libomen0 \(= ")
        self.assertIn("activate-noawait ldconfig", self.said("dpkg-deb", "-I", self.files["libomen0"], "triggers"))

    def test_lintian(self):
        said = self.said("lintian", "--allow-root", "--no-tag-display-limit", "--fail-on", "error",
                         *self.files.values())
        self.assertNotRegex(said, r"(?m)^E:")
        self.assertLessEqual(set(re.findall(r"(?m)^W: \S+: (\S+)", said)), KNOWN_WARNINGS, said)

    def depends(self):
        """Returns the external dependencies of the packages, the first of alternatives."""
        names = {re.match(r"\s*([a-z0-9.+-]+)", one)[1] for package in PACKAGES
                 for one in self.field(package, "Depends").split(",")}
        return sorted(names - set(PACKAGES))

    def everything(self, root):
        """Returns each path of a tree with its kind, except in folders that programs write to."""
        found = set()
        for folder, folders, names in os.walk(root):
            place = "/" + os.path.relpath(folder, root)
            if re.match(r"/(proc|sys|dev|tmp|run|root|var/(cache|log|lib/apt|lib/dpkg|lib/systemd))(/|$)", place):
                folders.clear()
                continue
            found.update(os.path.join(place, name) for name in names + folders)
        return found

    def in_root(self, root, *command):
        """Returns the command for the chroot, with a /proc that is mounted while it runs."""
        return "unshare", "--mount", "sh", "-ec", 'mount -t proc proc "$0/proc"; exec chroot "$0" "$@"', root, *command

    def run_in(self, root, *command, status=0):
        return self.said(*self.in_root(root, *command), status=status, env=INSIDE)

    def check_module(self, root):
        """An ordinary user runs the module, compiled at installation."""
        code = (f"import omen; r = omen.check('{DEMO}starvation.dve', ltl='{SERVED}'); "
                "print(omen.__file__, omen.__cached__, r.verdict, len(r.lasso.cycle) > 0)")
        folder = "/usr/lib/python3/dist-packages/omen/"
        said = self.run_in(root, "setpriv", "--reuid=nobody", "--clear-groups", "env", "HOME=/tmp", "python3", "-c", code)
        self.assertRegex(said, rf"^{folder}__init__.py {folder}__pycache__/__init__\.cpython-\d+\.pyc violated True$")
        self.assertTrue(os.path.exists(root + said.split()[1]))

    def check_server(self, root):
        """As the unit starts it, but at a free port."""
        etc = root + "/etc/systemd/system/"
        self.assertTrue(os.path.islink(etc + "multi-user.target.wants/omend.service"))
        self.assertFalse(os.path.lexists(etc + "sockets.target.wants/omend.socket"))
        self.assertEqual(self.run_in(root, "omend", "--config", "/etc/omen/omend.conf", "--check-config"), "")
        with open(root + "/usr/lib/systemd/system/omend.service", encoding="utf-8") as f:
            command = re.search(r"^ExecStart=(.*)", f.read(), re.M)[1].split()
        started = self.in_root(root, "setpriv", "--reuid=omend", "--regid=omend", "--clear-groups", *command,
                               "--listen", "127.0.0.1:0")
        with subprocess.Popen(started, env={**INSIDE, "HOME": "/nonexistent"}, text=True, stdout=subprocess.PIPE) as server:
            try:
                url = re.fullmatch(r"omend listens on (http://127\.0\.0\.1:\d+)\n", server.stdout.readline())[1]
                check = "check", DEMO + "starvation.dve", "--ltl", SERVED, "--threads", "1"
                there = self.run_in(root, "omen", "--server", url, *check, status=10)
                here = self.run_in(root, "omen", *check, status=10)
                self.assertEqual(there.splitlines()[0], here.splitlines()[0])
                self.assertIn("violated", there)
                code = f"import omen; print(omen.check('{DEMO}mutex.dve', backend=omen.Server('{url}'), deadlock=True).holds)"
                self.assertEqual(self.run_in(root, "python3", "-c", code), "True\n")
                with urllib.request.urlopen(url + "/v1/jobs", timeout=60) as answer:
                    self.assertEqual([job["state"] for job in json.load(answer)["jobs"]], ["done", "done"])
            finally:
                server.terminate()
                try:
                    server.wait(120)
                except subprocess.TimeoutExpired:
                    server.kill()
            self.assertEqual(server.returncode, 0)

    def test_in_a_bare_debian(self):
        root = os.path.join(self.folder, "root")
        self.said("debootstrap", "--variant=minbase", "bookworm", root, MIRROR)
        shutil.copy("/etc/resolv.conf", os.path.join(root, "etc", "resolv.conf"))
        os.makedirs(os.path.join(root, "debs"))
        for file in self.files.values():
            shutil.copy(file, os.path.join(root, "debs"))
        run = functools.partial(self.run_in, root)
        # External dependencies are installed first, so that only the packages differ.
        run("apt-get", "install", "-y", "--no-install-recommends", *self.depends(), "gcc", "libc6-dev", "cmake", "make")
        before = self.everything(root)
        files = ["/debs/" + os.path.basename(f) for f in self.files.values()]
        run("apt-get", "install", "-y", "--no-install-recommends", *files)
        self.assertEqual(run("omen", "--version"), f"omen {VERSION}\n")
        run("omen", "check", DEMO + "mutex.dve", "--ltl", "G(P_0.waiting -> F P_0.critical)", "--exec", "native")
        said = run("omen", "check", DEMO + "starvation.dve", "--ltl", SERVED, "--lasso", "/tmp/run.json", status=10)
        self.assertIn("violated", said)
        run("omen", "replay", DEMO + "starvation.dve", "/tmp/run.json")
        self.assertNotIn("refused", run("omen", "plugins"))
        self.assertIn("graphviz", run("omen", "draw", "GF a", status=2))
        self.check_module(root)
        self.check_server(root)
        # An external project with the installed headers.
        with open(os.path.join(root, "tmp", "CMakeLists.txt"), "w", encoding="utf-8") as f:
            f.write("cmake_minimum_required(VERSION 3.25)\nproject(outside C)\nfind_package(omen REQUIRED)\n"
                    "omen_add_plugin(toy toy.c)\n")
        shutil.copy(os.path.join(SOURCE, "tests", "plugins", "toy", "toy.c"), os.path.join(root, "tmp"))
        run("cmake", "-S", "/tmp", "-B", "/tmp/build")
        run("cmake", "--build", "/tmp/build")
        said = run("env", "OMEN_PLUGIN_PATH=/tmp/build", "omen", "plugins")
        self.assertIn("checker toy", said)
        # Reinstalls the packages, then removes them without any trace.
        run("apt-get", "install", "-y", "--reinstall", "--no-install-recommends", *files)
        run("dpkg", "--audit")
        # After removal, omend's configuration and data remain; after purging, nothing.
        run("apt-get", "remove", "-y", "omend")
        for path in "/etc/omen/omend.conf", "/var/lib/omend/omend.db":
            self.assertTrue(os.path.exists(root + path), path)
        run("apt-get", "purge", "-y", *PACKAGES)
        self.assertEqual(run("find", "/", "-xdev", "-user", "omend"), "")
        after = self.everything(root)
        # (The user omend stays, as usual in Debian; backups of its user files are not paths of the
        # packages.)
        users = {f"/etc/{name}-" for name in ("passwd", "group", "shadow", "gshadow")}
        self.assertEqual(sorted((after ^ before) - users), [])
        for package in PACKAGES:
            self.assertEqual(run("dpkg-query", "-W", "-f", "${db:Status-Status}", package, status=1).count("config-files"), 0)


if __name__ == "__main__":
    REASON = missing()
    if REASON is not None:
        print("skipped:", REASON)
        sys.exit(77)
    unittest.main()
