#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that the functions which public headers declare with OM_API are used.

A function that only core modules and their unit tests use is not for plug-ins or programs: it belongs
in core/X/X.h, without OM_API. A function for future plug-ins and programs is listed with the reason,
and must leave the list as soon as one uses it.

exports.py INCLUDE LIST USER...    INCLUDE is the folder of the public headers; LIST has lines
                                   "name ...: reason"; users are source files and folders of them
exports.py --self-test             the rules, on invented files
"""
import pathlib
import re
import sys
import tempfile

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
DECLARED = re.compile(r"\bOM_API\b[^;{(]*?\b(om_\w+)\s*\(")
# Parts of headers that use names themselves: the bodies of inline functions, and macros.
INLINE = re.compile(r"^static inline.*?^}|^#define(?:[^\n]*\\\n)*[^\n]*", re.DOTALL | re.MULTILINE)
WORD = re.compile(r"\bom_\w+\b")
LISTED = re.compile(r"^((?:om_\w+ ?)+): (\S.*)$")


def code(path):
    return STRING.sub('""', COMMENT.sub(" ", path.read_text(encoding="utf-8", errors="replace")))


def sources(place):
    place = pathlib.Path(place)
    return [place] if place.is_file() else \
        sorted(p for p in place.rglob("*") if p.suffix in (".c", ".h"))


def read_list(text):
    """Returns the names, each with its reason, and the errors in the list."""
    reasons, wrong = {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not (found := LISTED.match(line)):
            wrong.append(f"line {number} is not 'name ...: reason'")
            continue
        for name in found[1].split():
            if name in reasons:
                wrong.append(f"{name} is listed twice")
            reasons[name] = found[2]
    return reasons, wrong


def faults(include, reasons, users):
    headers = {p: code(p) for p in sources(include) if p.suffix == ".h"}
    exported = {name: p.name for p, text in headers.items() for name in DECLARED.findall(text)}
    used = {w for text in headers.values() for body in INLINE.findall(text)
            for w in WORD.findall(body)}
    for user in users:
        found = sources(user)
        if not found:
            yield f"{user}: there is no such source"
        used |= {w for p in found for w in WORD.findall(code(p))}
    for name in sorted(exported):
        if name not in used and name not in reasons:
            yield (f"{exported[name]}: {name} is used by no plug-in and no program; it belongs to a "
                   "header of its room, or on the list with the reason")
    for name in sorted(reasons):
        if name not in exported:
            yield f"{name} is listed, but not exported"
        elif name in used:
            yield f"{name} is listed, but there is somebody who uses it by now"


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        def write(name, text):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        write("include/plugin/a.h", "/* OM_API int om_no(void); */\nOM_API int om_a(int *x);\n"
              "OM_API const char *om_b(\n    void);\nOM_API void om_c(int (*f)(void), int n);\n"
              "static inline int om_d(void)\n{\n    return om_b() != 0;\n}\n"
              "OM_API int om_e(void);\n#define OM_E(x) \\\n    om_e()\n")
        write("plugins/p.c", "int x = om_a(0); /* om_c */ const char *s = \"om_c\";\n")
        users = [root / "plugins"]
        def run(text, users=users):
            reasons, wrong = read_list(text)
            return wrong + list(faults(root / "include", reasons, users))
        assert run("# why\nom_c: to come\n") == [], run("om_c: to come\n")
        assert len(run("")) == 1 and "om_c" in run("")[0]
        for wrong in ("om_c\n", "om_c: \n", "om_c: x\nom_c: x\n", "om_c om_f: x\n", "om_a om_c: x\n"):
            assert run(wrong), wrong
        assert run("om_c: x\n", users + [root / "nowhere"])
        write("hosts/h.c", "om_c(0, 1);\n")
        assert run("", users + [root / "hosts" / "h.c"]) == []


def main(include, listed, *users):
    reasons, wrong = read_list(pathlib.Path(listed).read_text(encoding="utf-8"))
    wrong += faults(include, reasons, users)
    for line in wrong:
        print(line)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        self_test()
    else:
        main(*sys.argv[1:])
