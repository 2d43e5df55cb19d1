# SPDX-License-Identifier: Apache-2.0
"""Limits what a folder or a header holds: a reader looks for a file in a folder, and for a function in a header.

test_sizes.py ROOT      at most 25 source files in a folder, at most 40 functions in a header
"""
import collections
import os
import re
import sys

MOST_FILES, MOST_FUNCTIONS = 25, 40
TREES = "core", "hosts", "kernels", "plugins"
# Folders that may hold more files, and headers that may hold more functions, with the reason.
EXEMPT = {
    "core/include/omen/plugin": "plug-ins include these headers by their paths",
}


def functions(text):
    """Returns the names of the functions that a header declares or defines."""
    text = re.sub(r"/\*.*?\*/|\"(\\.|[^\"\\])*\"", " ", text, flags=re.S)
    text = re.sub(r"^[ \t]*#(\\\n|.)*", "", text, flags=re.M)
    while re.search(r"\{[^{}]*\}", text):  # bodies, and members of structures
        text = re.sub(r"\{[^{}]*\}", ";", text)
    for declaration in text.split(";"):
        # "*(*name)(...)" is a pointer to a function.
        found = re.match(r"\s*(?!typedef\b)(?:\w+[\s*]+)+?(\w+)\s*\((?!\s*\*)", declaration)
        if found and found[1] != "__attribute__":
            yield found[1]


def faults(files, exempt):
    """One line for each limit that is exceeded, and each needless exemption; `files` maps paths to texts."""
    files_in = collections.Counter(os.path.dirname(path) for path in files)
    functions_in = {path: len(set(functions(text))) for path, text in files.items() if path.endswith(".h")}
    large = {path: f"{n} source files; at most {MOST_FILES} in a folder" for path, n in files_in.items()
             if n > MOST_FILES}
    large |= {path: f"{n} functions; at most {MOST_FUNCTIONS} in a header" for path, n in functions_in.items()
              if n > MOST_FUNCTIONS}
    yield from (f"{path}: {large[path]}" for path in sorted(set(large) - set(exempt)))
    yield from (f"{path}: it needs no exemption any more (EXEMPT)" for path in sorted(set(exempt) - set(large)))


def read(root):
    files = {}
    for tree in TREES:
        for folder, _, names in os.walk(os.path.join(root, tree)):
            for name in names:
                path = os.path.join(folder, name)
                if name.endswith((".c", ".h", ".cl")):
                    with open(path, encoding="utf-8") as text:
                        files[os.path.relpath(path, root)] = text.read()
    return files


def self_test():
    text = """#define A(x) f(x); \\
        g(x)
        /* int comment(void); */
        typedef int callback(int x);
        struct s { int (*member)(int x); };
        extern const int table[];
        OM_API const char *first(int a, void (*f)(void));
        static inline int second(void) { if (1) { return third(); } return 0; }
        int fourth(void)
            __attribute__((format(printf, 1, 2)));
        """
    assert list(functions(text)) == ["first", "second", "fourth"], list(functions(text))
    header = {"x/a.h": "".join(f"int f{i}(void);\n" for i in range(MOST_FUNCTIONS + 1))}
    folder = {f"x/f{i}.c": "" for i in range(MOST_FILES + 1)}
    assert list(faults(header, {})) and not list(faults(header, {"x/a.h": ""}))
    assert list(faults(folder, {})) and not list(faults(folder, {"x": ""}))
    assert list(faults({"x/a.c": ""}, {"x": ""}))


if __name__ == "__main__":
    self_test()
    found = list(faults(read(sys.argv[1]), EXEMPT))
    print("\n".join(found))
    sys.exit(bool(found))
