#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests that the recorded interface of plug-ins matches the current one, and that any kind of change is noticed.
usage: test_abi.py MAP INCLUDE LIBRARY
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
RECORD = os.path.join(HERE, "omen-1.abi")


def check(listed, include, library):
    done = subprocess.run([sys.executable, os.path.join(HERE, "abi.py"), "check", RECORD, "--map", listed,
                           "--include", include, "--library", library], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout + done.stderr


# Possible changes of a header, and the expected messages.
CHANGES = (
    ("a member more in a frozen struct", r"(typedef struct om_dfs_edge \{)", r"\1 uint32_t more;",
     r"\+struct om_dfs_edge: 24 bytes, frozen"),
    ("members of a sized struct that change places", r"size_t length;\n", "", r"-.*16 length: size_t"),
    ("a function that takes another type", r"(om_side_at\(om_side \*s, )om_id", r"\1uint32_t",
     r"\+function om_side_at: void \* \(om_side \*, uint32_t\)"),
    ("a callback that returns nothing", r"int \(\*work\)", "void (*work)",
     r"\+.*work: void \(om_run \*, unsigned int\)"),
    ("a new first name of an enumeration", r"OM_SCC_NEW,", "OM_SCC_FIRST, OM_SCC_NEW,",
     r"\+    OM_SCC_FIRST = 0"),
    ("another value of a bit", r"OM_CHECKER_DEVICE = 1u << 1", "OM_CHECKER_DEVICE = 1u << 5",
     r"\+    OM_CHECKER_DEVICE = 32"),
    ("another constant", r"#define OM_NO_ID UINT64_MAX", "#define OM_NO_ID UINT64_C(0)",
     r"\+constant OM_NO_ID"),
    ("a wider type", r"typedef uint32_t om_expr;", "typedef uint64_t om_expr;",
     r"\+type om_expr: uint64_t"),
)


def change(include, pattern, replacement):
    for folder, _, names in os.walk(include):
        for name in names:
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as read:
                text = read.read()
            changed, n = re.subn(pattern, replacement, text, count=1)
            if n:
                with open(path, "w", encoding="utf-8") as out:
                    out.write(changed)
                return
    sys.exit(f"no header has {pattern}")


def expect(what, said, patterns):
    status, text = said
    for pattern in patterns:
        if status != 1 or not re.search(pattern, text, re.M):
            sys.exit(f"{what}: ended with {status}, and nothing like '{pattern}' in:\n{text}")


def check_threads(listed, include):
    """Every function that a checker may call is in check.h's table of allowed concurrent calls."""
    headers = ("check.h", "product.h", "bfs.h", "dfs.h", "live_stack.h", "unionfind.h", "scc_sets.h",
               "barrier.h")
    text = "".join(open(os.path.join(folder, name), encoding="utf-8").read()
                   for folder, _, names in os.walk(include) for name in names if name == "check.h")
    legend = re.search(r"functions of a row below(.*?)\n \*\n", text, re.S)[1]
    names = [n.replace("*", r"\w+") for n in re.findall(r"om_[a-z_*]+\w*\*?", legend)]
    of, missing = None, []
    for line in open(listed, encoding="utf-8"):
        if found := re.match(r"\s+/\* (\S+) \*/", line):
            of = os.path.basename(found[1])
        elif (found := re.match(r"\s+(\w+);", line)) and of in headers:
            missing += [] if any(re.fullmatch(n, found[1]) for n in names) else [found[1]]
    if missing:
        sys.exit(f"not in the table of threads (check.h): {', '.join(missing)}")


def main():
    listed, include, library = sys.argv[1:]
    check_threads(listed, include)
    if shutil.which("gcc") is None or shutil.which("readelf") is None:
        print("gcc and readelf are not there")
        return 77
    status, text = check(listed, include, library)
    if status != 0:
        print(text)
        return status
    for what, pattern, replacement, said in CHANGES:
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "include")
            shutil.copytree(include, copy)
            change(copy, pattern, replacement)
            expect(what, check(listed, copy, library), (said, "abi.py record"))
    with tempfile.TemporaryDirectory() as folder:
        other = os.path.join(folder, "omen.map")
        with open(listed, encoding="utf-8") as read, open(other, "w", encoding="utf-8") as out:
            out.write(read.read().replace("    om_task_stopped;\n", ""))
        expect("an undeclared function", check(other, include, library),
               ("^om_task_stopped: exported, but no public header", "-function om_task_stopped"))
        with open(listed, encoding="utf-8") as read, open(other, "w", encoding="utf-8") as out:
            out.write(read.read().replace("OMEN_HOST {\n", "OMEN_HOST {\n    om_nowhere;\n"))
        expect("a function that is not there", check(other, include, library),
               ("^om_nowhere: declared by a public header, but not exported",))
    print(f"as recorded; {len(CHANGES) + 2} changes were noticed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
