# SPDX-License-Identifier: Apache-2.0
"""Checks which installed files go into which Debian package, without a build. Arguments: CMAKE
BUILD-TREE VERSION.
"""
import gzip
import os
import re
import subprocess
import sys
import tempfile
import unittest

VERSION, BUILD, CMAKE = sys.argv.pop(), sys.argv.pop(), sys.argv.pop()
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
# Components that are in no package.
ELSEWHERE = "bench",
# copyright.d3: the licence of an embedded library.
ALSO = r"share/doc/{}/(copyright|copyright\.d3|changelog\.gz|changelog\.Debian\.gz)"


def setting(file, pattern):
    """Returns the first group of the pattern in a file of the build tree; or None."""
    with open(os.path.join(BUILD, file), encoding="utf-8") as f:
        found = re.search(pattern, f.read(), re.M)
    return found and found[1]


PACKAGES = setting("CPackConfig.cmake", r'^set\(CPACK_COMPONENTS_ALL "(.*)"\)').split(";")
PREFIX = setting("CMakeCache.txt", r"^CMAKE_INSTALL_PREFIX:\w+=(.*)")
PYTHON = setting("CMakeCache.txt", r"^OMEN_PYTHON_DIR:\w+=(.*)")


def installed(*component):
    """Returns the files and links of a component, or of all: path below the prefix (from / if it is
    elsewhere) and, for documents, content. Files are only written in a temporary folder, whatever the
    build's prefix.
    """
    with tempfile.TemporaryDirectory() as root:
        subprocess.run([CMAKE, "--install", BUILD, "--prefix", "/prefix", *component], check=True, timeout=120,
                       stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": root})
        found = {}
        for folder, _, names in os.walk(root):
            for name in names:
                path = os.path.join(folder, name)
                text = None
                if "/doc/" in path:
                    with open(path, "rb") as f:
                        text = f.read()
                found[("/" + os.path.relpath(path, root)).removeprefix("/prefix/")] = text
        return found


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = installed()
        cls.of = {name: installed("--component", name) for name in (*PACKAGES, *ELSEWHERE)}

    def own(self, package):
        return {path for path in self.of[package] if not re.fullmatch(ALSO.format(package), path)}

    def test_packages(self):
        """Hosts that are not built have no packages."""
        there = {"omend": os.path.exists(os.path.join(BUILD, "omend")),
                 "python3-omen": setting("CMakeCache.txt", "^OMEN_PYTHON:BOOL=(ON)") is not None and PYTHON is not None}
        self.assertEqual(sorted(PACKAGES), sorted(["omen", "libomen0", "libomen-dev", *(n for n in there if there[n])]))

    def test_each_file_is_in_one_package(self):
        for path in self.all:
            self.assertEqual(sum(path in self.own(name) for name in self.of), 1, path)
        for name in self.of:
            self.assertLessEqual(self.own(name), set(self.all), name)

    def test_the_program(self):
        own = self.own("omen")
        plugins = {name for name in os.listdir(os.path.join(BUILD, "lib", "omen", "plugins"))}
        found = {os.path.basename(p) for p in own if re.fullmatch(r"lib[^ ]*/omen/plugins/[\w-]+\.so", p)}
        self.assertEqual(found, plugins)
        pages = {os.path.basename(p) for p in own if p.startswith("share/man/man1/")}
        self.assertEqual(pages, set(os.listdir(os.path.join(BUILD, "hosts", "cli", "documents", "man"))))
        self.assertIn("omen-check.1", pages)
        rest = [p for p in own if not re.fullmatch(
            r"bin/omen|lib[^ ]*/omen/(plugins/[\w-]+\.so|omen-[\w-]+)|share/man/man1/omen(-\w+)?\.1|"
            r"share/bash-completion/completions/omen|share/zsh/[\w-]+/_omen|share/fish/vendor_completions.d/omen\.fish|"
            r"share/omen/demo/\w+\.(dve|pnml)|share/omen/BenchKit_head\.sh|share/omen/schema/[\w-]+\.schema\.json|"
            r"share/doc/omen/.*\.(md|png|svg)", p)]
        self.assertEqual(rest, [])
        for wanted in (r"bin/omen", r"lib.*/omen/omen-probe-plugin", r"share/bash-completion/.*", r"share/zsh/.*",
                       r"share/fish/.*", r"share/omen/demo/mutex\.dve", r"share/omen/BenchKit_head\.sh", r"share/omen/schema/check\.schema\.json",
                       r"share/doc/omen/README\.md", r"share/doc/omen/hosts/cli/tutorial\.md"):
            self.assertEqual(sum(re.fullmatch(wanted, p) is not None for p in own), 1, wanted)

    def test_the_library(self):
        names = {os.path.basename(p) for p in self.own("libomen0")}
        self.assertEqual(names, {"libomen.so.0", f"libomen.so.{VERSION}"})
        own = self.own("libomen-dev")
        headers = {p for p in own if re.fullmatch(r"include/omen/(plugin|host)/[\w/]+\.h", p)}
        source = os.path.join(SOURCE, "core", "include")
        self.assertEqual({os.path.relpath(p, "include") for p in headers},
                         {os.path.relpath(os.path.join(folder, name), source)
                          for folder, _, names in os.walk(source) for name in names if name.endswith(".h")})
        self.assertEqual({os.path.basename(p) for p in own - headers},
                         {"libomen.so", "omen.pc", "omenConfig.cmake", "omenConfigVersion.cmake", "omen-plugin.7", "README.md", "toy.c"})

    def test_the_server(self):
        if "omend" not in PACKAGES:
            self.skipTest("without omend")
        self.assertEqual(self.own("omend"), {
            "bin/omend", "libexec/omen/omend-job", "lib/systemd/system/omend.service", "lib/systemd/system/omend.socket",
            "share/man/man8/omend.8", "share/doc/omen/hosts/server/README.md", "share/doc/omen/hosts/server/pictures/dashboard.png", ("" if PREFIX != "/usr" else "/") + "etc/omen/omend.conf"})
        # The unit starts it with the installed file, which is a conffile if the prefix is Debian's.
        etc = "/etc" if PREFIX == "/usr" else PREFIX + "/etc"
        self.assertEqual(setting("hosts/server/omend.service", "^ExecStart=(.*)"),
                         f"{PREFIX}/bin/omend --config {etc}/omen/omend.conf --data /var/lib/omend")
        with open(os.path.join(SOURCE, "cmake", "debian", "omend", "conffiles"), encoding="utf-8") as f:
            self.assertEqual(f.read(), "/etc/omen/omend.conf\n")
        # Embedded libraries have their licences.
        with open(os.path.join(BUILD, "omend"), "rb") as f:
            self.assertEqual("share/doc/omend/copyright.d3" in self.of["omend"], b'd3={version:' in f.read())

    def test_the_module(self):
        if "python3-omen" not in PACKAGES:
            self.skipTest("without the module")
        names = {name for name in os.listdir(os.path.join(SOURCE, "hosts", "python", "omen")) if name != "__pycache__"}
        self.assertEqual(self.own("python3-omen"), {f"{PYTHON}/omen/{name}" for name in names} |
                         {"share/doc/omen/hosts/python/README.md"})
        self.assertIn(f"{PYTHON}/omen/py.typed", self.all)

    def test_what_every_package_has(self):
        for name in PACKAGES:
            doc = {os.path.basename(p): text for p, text in self.of[name].items()
                   if os.path.dirname(p) == f"share/doc/{name}" and not p.endswith("/README.md")}
            doc.pop("copyright.d3", None)
            self.assertEqual(set(doc), {"copyright", "changelog.gz", "changelog.Debian.gz"}, name)
            self.assertIn(b"License: Apache-2.0", doc["copyright"])
            self.assertRegex(gzip.decompress(doc["changelog.Debian.gz"]).decode(),
                             rf"\Aomen \({re.escape(VERSION)}-1\) unstable; urgency=medium\n\n  \* .*\n\n"
                             r" -- .+ <\S+@\S+>  \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000\n\Z")
            self.assertTrue(gzip.decompress(doc["changelog.gz"]).startswith(b"# Changelog"))
        self.assertEqual([p for p in self.all if re.match(r"share/doc/.*(copyright|\.gz)", p)], [])


if __name__ == "__main__":
    unittest.main()
