#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Records or checks the binary interface of plug-ins: functions with their types, the layout of types that
cross the interface, enumerations and constants, of the headers whose functions have the version OMEN_1.
Also checks that the library exports exactly the functions that its headers declare.

The layouts come from the compiler's debug information, for everything that is reachable from a
function or a descriptor. core/include/omen/plugin/plugin.h defines which changes are allowed.
usage: abi.py record|check RECORD --map omen.map --include FOLDER --library libomen.so [--cc CC]
"""
import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile

DESCRIPTORS = ("om_frontend", "om_translator", "om_checker", "om_guide")
ADVICE = """
What plug-ins see has changed (above: - as recorded, + as it is).
 - Something was added, and what is on record is as it was: raise OM_ABI_MINOR (plugin.h).
 - Anything else: plug-ins that are built must be built anew: raise OM_ABI_MAJOR, and the version of
   the symbols (cmake/exports.cmake) with it. Not needed before the first release.
Then record it:
    {command}
and say in CHANGELOG.md what plug-ins have to do."""


def run(*command, text=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr}")
    return done.stdout


def read_map(path):
    """Returns headers and functions by version."""
    headers, functions, version = {}, {}, None
    for line in open(path, encoding="utf-8"):
        if found := re.match(r"(\w+) \{", line):
            version = found[1]
            headers[version], functions[version] = [], []
        elif found := re.match(r"\s+/\* (\S+) \*/", line):
            headers[version].append(found[1])
        elif found := re.match(r"\s+(\w+);", line):
            functions[version].append(found[1])
    return headers, functions


# ---- types, from the compiler's debug information ----

class Entry:
    def __init__(self, depth, tag):
        self.depth, self.tag, self.children, self.at = depth, tag, [], {}


def parse(dump):
    """Returns the entries by their offset, from the output of readelf."""
    entries, stack, entry = {}, [], None
    for line in dump.splitlines():
        if found := re.match(r"\s*<(\w+)><(\w+)>: Abbrev Number: \d+ \((\w+)\)", line):
            entry = Entry(int(found[1], 16), found[3])
            entries[int(found[2], 16)] = entry
            del stack[entry.depth:]
            if stack:
                stack[-1].children.append(entry)
            stack.append(entry)
        elif entry and (found := re.match(r"\s*<\w+>\s+(DW_AT_\w+)\s*:\s*(.*)", line)):
            value = re.sub(r"^\((indirect string|alt).*?\):\s*", "", found[2].strip())
            entry.at[found[1]] = value.split("\t")[0].strip()
    return entries


class Types:
    def __init__(self, entries):
        self.entries, self.seen, self.lines = entries, set(), {}

    def target(self, entry):
        reference = entry.at.get("DW_AT_type")
        return self.entries[int(reference.strip("<>"), 16)] if reference else None

    def name(self, entry):
        """Returns a type approximately as C writes it; the types that it refers to are described, too."""
        if entry is None:
            return "void"
        tag, name, inner = entry.tag, entry.at.get("DW_AT_name"), self.target(entry)
        if tag == "DW_TAG_typedef":
            return self.typedef(entry, name, inner)
        if tag == "DW_TAG_pointer_type":
            return self.name(inner) + " *"
        if tag in ("DW_TAG_const_type", "DW_TAG_volatile_type"):
            return self.name(inner) + " " + tag[7:-5]
        if tag == "DW_TAG_array_type":
            bounds = [c.at.get("DW_AT_upper_bound") for c in entry.children]
            return self.name(inner) + "".join(f"[{int(b, 0) + 1 if b else ''}]" for b in bounds)
        if tag == "DW_TAG_subroutine_type":
            taken = [self.name(self.target(c)) if c.tag == "DW_TAG_formal_parameter" else "..."
                     for c in entry.children]
            return f"{self.name(inner)} ({', '.join(taken)})"
        if tag in ("DW_TAG_structure_type", "DW_TAG_union_type", "DW_TAG_enumeration_type"):
            self.describe(entry, name)
        return name or "anonymous"

    def typedef(self, entry, name, inner):
        if name.startswith("om_"):
            if inner is not None and inner.at.get("DW_AT_name") == name:
                self.describe(inner, name)
            elif name not in self.lines:
                self.lines[name] = []  # it may occur again before it is complete
                self.lines[name] = [f"type {name}: {self.name(inner)}"]
        return name

    def describe(self, entry, name):
        if id(entry) in self.seen or "DW_AT_declaration" in entry.at:
            return
        self.seen.add(id(entry))
        size = int(entry.at.get("DW_AT_byte_size", "0"), 0)
        if entry.tag == "DW_TAG_enumeration_type":
            lines = [f"    {c.at['DW_AT_name']} = {int(c.at['DW_AT_const_value'], 0)}"
                     for c in entry.children]
            self.lines[name or lines[0]] = [f"enum {name} {{" if name else "enum {"] + lines + ["}"]
            return
        members = [c for c in entry.children if c.tag == "DW_TAG_member"]
        first = members[0].at.get("DW_AT_name") if members else ""
        kind = "a head" if name == "om_plugin" else "sized" if first in ("size", "head") else "frozen"
        lines = [f"    {int(m.at.get('DW_AT_data_member_location', '0'), 0):4} "
                 f"{m.at.get('DW_AT_name')}: {self.name(self.target(m))}" for m in members]
        self.lines[name or "anonymous"] = [f"struct {name}: {size} bytes, {kind} {{"] + lines + ["}"]


def describe(cc, include, headers, functions):
    """Returns the whole record as lines."""
    source = "".join(f"#include <{h}>\n" for h in headers)
    body = source + "".join(f"__typeof__({f}) *abi_{f};\n" for f in functions) + \
        "".join(f"{d} *abi_{d};\n" for d in DESCRIPTORS)
    with tempfile.TemporaryDirectory() as folder:
        made = os.path.join(folder, "abi.o")
        run(cc, "-std=c11", "-g", "-gdwarf-4", "-fno-eliminate-unused-debug-types", f"-I{include}",
            "-x", "c", "-c", "-", "-o", made, text=body)
        types = Types(parse(run("readelf", "--debug-dump=info", made)))
    signatures = []
    for entry in types.entries.values():
        name = entry.at.get("DW_AT_name", "")
        if entry.tag == "DW_TAG_variable" and name.startswith("abi_"):
            type_of = types.name(types.target(types.target(entry)))
            if name[4:] in functions:
                signatures.append(f"function {name[4:]}: {type_of}")
        elif entry.tag == "DW_TAG_enumeration_type" and entry.depth == 1 and "DW_AT_name" not in \
                entry.at and entry.children[0].at["DW_AT_name"].startswith("OM_"):
            types.describe(entry, None)
    macros = sorted(set(run(cc, "-std=c11", "-E", "-dM", f"-I{include}", "-x", "c", "-", text=source)
                        .splitlines()))
    constants = [m[8:] for m in macros if re.match(r"#define OM_[A-Z_]+ ", m)]
    lines = [f"constant {c}" for c in constants] + sorted(signatures)
    for name in sorted(types.lines):
        lines += types.lines[name]
    return lines


def check_exports(library, functions):
    declared = {f for listed in functions.values() for f in listed}
    exported = {line.split()[2].split("@")[0]
                for line in run("nm", "-D", "--defined-only", library).splitlines()}
    exported -= set(functions) | {"OMEN_1", "OMEN_HOST"}
    for name in sorted(exported - declared):
        print(f"{name}: exported, but no public header declares it")
    for name in sorted(declared - exported):
        print(f"{name}: declared by a public header, but not exported")
    return exported == declared


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=("record", "check"))
    parser.add_argument("record")
    parser.add_argument("--map", required=True)
    parser.add_argument("--include", required=True)
    parser.add_argument("--library", required=True)
    parser.add_argument("--cc", default="gcc")
    args = parser.parse_args()
    headers, functions = read_map(args.map)
    good = check_exports(args.library, functions)
    now = describe(args.cc, args.include, headers["OMEN_1"], functions["OMEN_1"])
    if args.mode == "record":
        with open(args.record, "w", encoding="utf-8") as out:
            out.write("\n".join(now) + "\n")
        return 0 if good else 1
    with open(args.record, encoding="utf-8") as recorded:
        before = recorded.read().splitlines()
    changes = list(difflib.unified_diff(before, now, "recorded", "now", n=2, lineterm=""))
    if changes:
        command = " ".join(["python3", sys.argv[0], "record"] + sys.argv[2:])
        print("\n".join(changes) + ADVICE.format(command=command))
    return 0 if good and not changes else 1


if __name__ == "__main__":
    sys.exit(main())
