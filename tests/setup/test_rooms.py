# SPDX-License-Identifier: Apache-2.0
"""Compares the table of rooms in core/README.md with the core's includes and its build."""
import os
import re
import sys


def table_of(readme):
    """Returns the rooms in order: name, used rooms, public headers."""
    rooms = []
    with open(readme, encoding="utf-8") as text:
        for line in text:
            cells = [c.strip() for c in line.strip().strip("|").split("|")]
            if len(cells) == 4 and re.fullmatch(r"`[a-z]+`", cells[0]):
                uses = cells[2].split()
                uses = {"-": [], "all": [r[0] for r in rooms]}.get(cells[2], uses)
                rooms.append((cells[0].strip("`"), uses, re.findall(r"`([a-z_/]+\.h)`", cells[3])))
    return rooms


def includes(path):
    with open(path, encoding="utf-8") as text:
        said = text.read()
    return (re.findall(r'^\s*#\s*include "([^"]+)"', said, re.M),
            re.findall(r"^\s*#\s*include <omen/(?:plugin|host)/([^>]+)>", said, re.M),
            re.findall(r"^\s*#\s*include <omen/(?!plugin/|host/)([^>]+)>", said, re.M))


def sources(folder):
    for at, _, names in os.walk(folder):
        for name in sorted(names):
            if name.endswith((".c", ".h")):
                yield os.path.join(at, name)


def check_table(rooms, core):
    wrong, known = [], set()
    for name, uses, _ in rooms:
        wrong += [f"{name} uses {u}, which does not stand above it" for u in uses if u not in known]
        known.add(name)
    folders = {f for f in os.listdir(core) if os.path.isdir(os.path.join(core, f))} - {"include"}
    wrong += [f"core/{f} is no room of the table" for f in sorted(folders - known)]
    wrong += [f"there is no core/{f}" for f in sorted(known - folders)]
    return wrong


def check_public(rooms, include):
    owner = {h: name for name, _, headers in rooms for h in headers}
    paths = {os.path.relpath(p, include).split("/", 1)[1]: p for p in sources(include)}
    there = set(paths)
    wrong = [f"{h} belongs to no room" for h in sorted(there - set(owner))]
    wrong += [f"there is no {h}" for h in sorted(set(owner) - there)]
    uses = {name: set(u) | {name} for name, u, _ in rooms}
    for header in sorted(there & set(owner)):
        _, public, neither = includes(paths[header])
        wrong += [f"{header} includes <omen/{h}>, which is of no tier" for h in neither]
        for other in public:
            if "/host/" in paths.get(other, "") and "/plugin/" in paths[header]:
                wrong.append(f"{header} is for plug-ins, and includes {other}, which is for programs")
            if owner.get(other) not in uses[owner[header]]:
                wrong.append(f"{header} ({owner[header]}) includes {other} ({owner.get(other)})")
    return wrong, owner


def check_room(core, name, uses, owner):
    folder = os.path.join(core, name)
    wrong = []
    with open(os.path.join(folder, "CMakeLists.txt"), encoding="utf-8") as text:
        said = re.search(r"USES ([a-z ]+)", text.read())
    seen = said.group(1).split() if said else []
    wrong += [f"core/{name}/CMakeLists.txt: USES {u}, which the table does not say" for u in seen
              if u not in uses]
    for path in sources(folder):
        local, public, neither = includes(path)
        where = os.path.relpath(path, core)
        wrong += [f"{where} includes <omen/{h}>, which is of no tier" for h in neither]
        for header in public:
            if owner.get(header) not in uses + [name] and header != "omen.h":
                wrong.append(f"{where} includes <omen/{header}> of {owner.get(header)}")
        for header in local:
            places = [os.path.dirname(path), folder] + [os.path.join(core, u) for u in seen]
            if name == "device":  # the engine and the kernels share these
                places.append(os.path.join(core, "..", "kernels"))
            if not any(os.path.exists(os.path.join(p, header)) for p in places) and \
                    not header.endswith(".inc"):
                wrong.append(f"{where} includes {header}, which is in none of {name} {' '.join(seen)}")
            elif header.startswith(".."):
                wrong.append(f"{where} includes {header}")
    return wrong


def check(core):
    rooms = table_of(os.path.join(core, "README.md"))
    if not rooms:
        return ["core/README.md has no table of rooms"]
    wrong = check_table(rooms, core)
    more, owner = check_public(rooms, os.path.join(core, "include", "omen"))
    wrong += more
    for name, uses, _ in rooms:
        wrong += check_room(core, name, uses, owner)
    return wrong


def self_test():
    """The check finds faults."""
    import tempfile
    with tempfile.TemporaryDirectory() as core:
        def write(path, text):
            os.makedirs(os.path.dirname(os.path.join(core, path)), exist_ok=True)
            with open(os.path.join(core, path), "w", encoding="utf-8") as out:
                out.write(text)
        table = "| `a` | x | - | `a.h` |\n| `b` | x | a | `b.h` |\n"
        write("README.md", table)
        write("include/omen/plugin/a.h", "")
        write("include/omen/host/b.h", "#include <omen/plugin/a.h>\n")
        write("a/CMakeLists.txt", "om_core_module(a SOURCES a.c)\n")
        write("b/CMakeLists.txt", "om_core_module(b SOURCES b.c\n  USES a)\n")
        write("a/a.c", "#include <omen/plugin/a.h>\n")
        write("a/in.h", "")
        write("b/b.c", '#include <omen/host/b.h>\n#include "in.h"\n')
        assert check(core) == [], check(core)
        for path, text in (("a/a.c", "#include <omen/host/b.h>\n"), ("a/a.c", "#include <omen/a.h>\n"), ("a/a.c", '#include "../b/x.h"\n'),
                           ("include/omen/plugin/a.h", "#include <omen/host/b.h>\n"), ("b/b.c", '#include "no.h"\n'),
                           ("include/omen/plugin/c.h", ""), ("c/c.c", ""),
                           ("a/CMakeLists.txt", "om_core_module(a SOURCES a.c USES b)\n"),
                           ("README.md", table.replace("| - |", "| b |"))):
            full, before = os.path.join(core, path), None
            if os.path.exists(full):
                with open(full, encoding="utf-8") as was:
                    before = was.read()
            write(path, text)
            assert check(core) != [], path
            if before is None:
                os.remove(full)
                if path == "c/c.c":
                    os.rmdir(os.path.dirname(full))
            else:
                write(path, before)
        assert check(core) == []


if __name__ == "__main__":
    self_test()
    found = check(sys.argv[1])
    print("\n".join(found) if found else "every include goes down the table of rooms")
    sys.exit(bool(found))
