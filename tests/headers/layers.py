#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The layers inside a room: which object files may refer to which.

layers.py TABLE FOLDER OBJECT...   TABLE has lines "group: file file ...: group group ...": the files of a group (without
                                   .c; "folder/*" for all in a folder that no other group names), and the groups
                                   above it that it may refer to. FOLDER is the part of the objects' paths that
                                   their names follow.
layers.py --self-test              the rules, on made-up objects
"""
import os
import pathlib
import re
import subprocess
import sys

LINE = re.compile(r"^(\w+):\s*([\w\s/*]+):\s*([\w\s]*)$")


def read_table(text):
    """Returns the group of each file, and the groups that each group may refer to."""
    group_of, may = {}, {}
    for line in text.splitlines():
        if line.strip() and not line.startswith("#"):
            group, files, others = LINE.match(line).groups()
            # A group may refer only to groups above it in the table, so there are no cycles.
            assert set(others.split()) <= set(may), f"{group}: refers to a group below it"
            may[group] = set(others.split()) | {group}
            for file in files.split():
                assert file not in group_of, f"{file} is in two groups"
                group_of[file] = group
    return group_of, may


def symbols(object_file):
    """Returns the names that an object defines for others, and those that it needs from others."""
    table = subprocess.run(["nm", "--format=posix", object_file], check=True,
                           capture_output=True, text=True).stdout
    # "NAME TYPE ...": U is undefined, other capitals are global definitions, small letters are local.
    rows = [line.split()[:2] for line in table.splitlines()]
    return ({name for name, kind in rows if kind.isupper() and kind != "U"},
            {name for name, kind in rows if kind == "U"})


def group(group_of, file):
    """The group that names the file, or else its folder; None."""
    return group_of.get(file, group_of.get(os.path.dirname(file) + "/*"))


def faults(group_of, may, defined, wanted):
    """One line for each reference that the table does not allow; both are sets of names by file."""
    unknown = {file for file in defined if group(group_of, file) is None}
    matched = {f for file in defined for f in (file, os.path.dirname(file) + "/*")}
    yield from (f"{file}: it is in no group of the table" for file in sorted(unknown))
    yield from (f"{file}: the table names it, but it is not built" for file in sorted(set(group_of) - matched))
    home = {name: file for file, all_names in defined.items() for name in all_names}
    for file in sorted(set(defined) - unknown):
        own = group(group_of, file)
        for name in sorted(wanted[file] & set(home)):
            to = group(group_of, home[name])
            if to is not None and to not in may[own]:
                yield f"{file} ({own}) refers to {name} of {home[name]} ({to})"


def self_test():
    group_of, may = read_table("# low first\nform: a b:\nvm: c: form\n")
    defined = {"a": {"om_a"}, "b": {"om_b"}, "c": {"om_c"}}
    good = {"a": {"om_b"}, "b": {"om_a", "memcpy"}, "c": {"om_a", "om_b"}}
    assert not list(faults(group_of, may, defined, good))
    assert list(faults(group_of, may, defined, dict(good, a={"om_c"})))
    assert list(faults(group_of, may, dict(defined, d=set()), dict(good, d=set())))
    # A folder, but for a file of it that another group names.
    group_of, may = read_table("low: x/a:\nhigh: x/*: low\n")
    defined = {"x/a": {"om_a"}, "x/b": {"om_b"}}
    assert not list(faults(group_of, may, defined, {"x/a": set(), "x/b": {"om_a"}}))
    assert list(faults(group_of, may, defined, {"x/a": {"om_b"}, "x/b": set()}))
    for wrong in "vm: c: form\nform: a b:\n", "form: a:\nvm: a:\n":
        try:
            read_table(wrong)
        except AssertionError:
            continue
        raise AssertionError(wrong)


def main(table, folder, *objects):
    group_of, may = read_table(pathlib.Path(table).read_text())
    files = {os.path.normpath(re.sub(r"\.c\.o$", "", o.split(folder + "/")[-1])): o for o in objects}
    found = {file: symbols(o) for file, o in files.items()}
    wrong = list(faults(group_of, may, {f: s[0] for f, s in found.items()},
                        {f: s[1] for f, s in found.items()}))
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        main(*sys.argv[1:])
