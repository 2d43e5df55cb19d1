#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the names of global symbols in the objects of one core module.

A name that a public header declares is om_x_y, and is visible outside the library; any other is
om_x__y, and hidden. `main` of a helper program does not belong to the library.

names.py INCLUDE OBJECT...     INCLUDE is the folder of the public headers
names.py --self-test           the rules, on invented names
"""
import pathlib
import re
import subprocess
import sys

# "  12: 0000000000000000  42 FUNC  GLOBAL HIDDEN  1 om_x__y"
SYMBOL = re.compile(r"^\s*\d+:\s+\S+\s+\S+\s+(?:FUNC|OBJECT|TLS)\s+(?:GLOBAL|WEAK)\s+(\w+)\s+(?!UND)\S+\s+(\S+)$")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"\bom_\w+\b")


def public_names(include):
    """Returns every word of the public headers, without comments, that may name a symbol."""
    return {word for header in pathlib.Path(include).rglob("*.h")
            for word in WORD.findall(COMMENT.sub(" ", header.read_text()))}


def symbols(object_file):
    """Returns (name, visible) of each global symbol that the object defines."""
    table = subprocess.run(["readelf", "--syms", "--wide", object_file], check=True,
                           capture_output=True, text=True).stdout
    found = (SYMBOL.match(line) for line in table.splitlines())
    return [(m[2], m[1] == "DEFAULT") for m in found if m]


def fault(name, visible, public):
    """Returns the error in the name, or None."""
    if name.startswith("__"):
        return None  # compiler-generated, for example by sanitizers
    if not name.startswith("om_"):
        return "does not begin with om_"
    if name in public:
        if "__" in name:
            return "is in a public header, and has two underscores"
        return None if visible else "is in a public header, and is hidden: OM_API is missing"
    if visible:
        return "is visible, and in no public header"
    return None if "__" in name else "is internal: two underscores are missing behind om_<file>"


def self_test():
    public = {"om_store_new", "om_store__row"}
    expected = {("om_store_new", True): True, ("om_store_new", False): False,
                ("om_store__row", True): False, ("om_set__intern", False): True,
                ("om_set__intern", True): False, ("om_set_intern", False): False,
                ("intern", False): False, ("__odr_asan.om_x", True): True}
    for (name, visible), good in expected.items():
        assert (fault(name, visible, public) is None) == good, name
    line = "     7: 0000000000000010    42 FUNC    GLOBAL HIDDEN     1 om_set__intern"
    assert SYMBOL.match(line)[2] == "om_set__intern"
    assert not SYMBOL.match(line.replace("  1 om", "UND om").replace("HIDDEN   ", "DEFAULT  "))


def main(include, *objects):
    public = public_names(include)
    if not public or not objects:
        sys.exit("names.py: no public header, or no object")
    defined = [(pathlib.Path(o).name, *s) for o in objects for s in symbols(o)]
    if not defined:
        sys.exit("names.py: the objects define nothing")
    wrong = [f"{o}: {name} {why}" for o, name, visible in defined
             if (why := fault(name, visible, public))]
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        main(*sys.argv[1:])
