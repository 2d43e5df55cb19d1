# SPDX-License-Identifier: Apache-2.0
"""Counts assertions in the source's rooms, and looks up the invariants that they name.

A room of the core, of hosts and of plug-ins has at least five assertions in a thousand lines. A comment after an
assertion names the invariants that it follows from; each of them is defined in a comment of the same file, or of a
header of its room that it includes. In plug-ins the names are not looked up: the proof that defines them may be in
another file of the folder.
"""
import os
import re
import sys
import unittest

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))
PER_THOUSAND = 5
OTHER_FLOORS = {"core/include": 0, "hosts/bench": 0}  # declarations, measurements

CALL = re.compile(r"\b(?:static_)?(?:assert|OM_CHECK)\(")
NAME = r"[A-Z]{1,2}[0-9]+"
NAMES = re.compile(rf"\s*;?\s*/\*\s*({NAME}(?:, {NAME})*)\b")
LITERAL = re.compile(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])+'")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
CHANGE = re.compile(r"\+\+|--|[^=!<>]=(?!=)|<<=|>>=")


def assertions(text):
    """Yields (line, condition, names) of each assertion."""
    bare = LITERAL.sub(lambda m: "_" * len(m[0]), text)
    code = COMMENT.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), bare)
    for call in CALL.finditer(code):
        if code[:call.start()].rsplit("\n", 1)[-1].lstrip().startswith("#"):
            continue
        depth, end = 1, call.end()
        while depth > 0:
            depth += {"(": 1, ")": -1}.get(code[end], 0)
            end += 1
        names = NAMES.match(bare, end)
        yield text.count("\n", 0, call.start()) + 1, code[call.end():end - 1], names[1].split(", ") if names else []


def defined(text):
    """The names that a sentence or a line of a comment begins with, as in ` *  I1  ...` and `Invariant V1: ...`."""
    names = set()
    for comment in COMMENT.findall(text):
        names |= set(re.findall(rf"(?:^[ */]*|[.:;]\s[ *]*|[Ii]nvariants?:? )({NAME})(?=  |:)", comment, re.M))
    return names


def read(path):
    with open(path, encoding="utf-8") as text:
        return text.read()


class Sources:
    def __init__(self, root):
        self.root = root
        self.text = {}
        for top in ("core", "hosts", "kernels", "plugins"):
            for folder, _, names in os.walk(os.path.join(root, top)):
                for name in names:
                    if name.endswith((".c", ".h")):
                        path = os.path.join(folder, name)
                        self.text[os.path.relpath(path, root)] = read(path)
        self.headers = {}
        for path in self.text:
            self.headers.setdefault(os.path.basename(path), []).append(path)

    def included(self, path, seen):
        """Adds the path and the headers of its room that it includes to `seen`."""
        if path in seen:
            return seen
        seen.add(path)
        for name in re.findall(r'^\s*#\s*include "(?:[^"]*/)?([^"/]+)"', self.text[path], re.M):
            for header in self.headers.get(name, []):
                if room_of(header) == room_of(path):
                    self.included(header, seen)
        return seen


def room_of(path):
    return "/".join(path.split("/")[:2])


class Asserts(unittest.TestCase):
    sources = Sources(ROOT)

    def test_each_room_has_enough(self):
        lines, asserts = {}, {}
        for path, text in self.sources.text.items():
            room = room_of(path)
            lines[room] = lines.get(room, 0) + text.count("\n")
            asserts[room] = asserts.get(room, 0) + len(list(assertions(text)))
        for room in sorted(r for r in lines if r.startswith(("core/", "hosts/", "plugins/"))):
            with self.subTest(room):
                floor = OTHER_FLOORS.get(room, PER_THOUSAND)
                self.assertGreaterEqual(asserts[room] * 1000 / lines[room], floor)
        self.assertLessEqual(set(OTHER_FLOORS), set(lines))

    def test_names_are_defined(self):
        wrong, named = [], 0
        for path, text in sorted(self.sources.text.items()):
            for line, _, names in assertions(text) if not path.startswith("plugins/") else ():
                known = set().union(*(defined(self.sources.text[p]) for p in self.sources.included(path, set()))) if names else {}
                named += len(names)
                wrong += [f"{path}:{line}: {n} is defined nowhere" for n in names if n not in known]
        self.assertEqual(wrong, [])
        self.assertGreater(named, 100)

    def test_conditions_change_nothing(self):
        self.assertEqual([f"{path}:{line}: {condition}" for path, text in sorted(self.sources.text.items())
                          for line, condition, _ in assertions(text) if CHANGE.search(condition)], [])


class Itself(unittest.TestCase):
    def test_assertions(self):
        self.assertEqual(list(assertions('assert(a(b) == ")"); /* S1, S2 */\n/* assert(x) */\nOM_CHECK(n++ < 1);\n')),
                         [(1, "a(b) == ___", ["S1", "S2"]), (3, "n++ < 1", [])])

    def test_defined(self):
        self.assertEqual(defined("/*\n *  S1  one\n * S2: two. S3: three\n */ /* Invariant V1: four */\n assert(x); /* S4 */"),
                         {"S1", "S2", "S3", "V1"})

    def test_changes(self):
        self.assertEqual([bool(CHANGE.search(c)) for c in ("a == b && c <= d", "a = b", "a |= 1", "i-- > 0", "a->b != c")],
                         [False, True, True, True, False])


if __name__ == "__main__":
    unittest.main()
