# SPDX-License-Identifier: Apache-2.0
"""No static function of the sources has the name of a POSIX function: a reader would take it for that one.

    posix_names.py SOURCE_TREE
"""
import os
import re
import sys

FOLDERS = ("core", "plugins", "hosts")
POSIX = frozenset("""abort accept alarm atexit bind calloc close connect creat dup exec exit fork free fsync getline index kill
    link listen lockf lseek malloc mkdir mount nice open pause pipe poll printf putenv puts qsort raise rand read realloc recv
    remove rename rewind rmdir select send shutdown signal sleep socket splice stat sync system tee time times truncate
    umask unlink usleep wait warn write""".split())
STATIC = re.compile(r"(?m)^static [^=;{}()]*?\b(\w+)\(")


def found_in(text):
    return [name for name in STATIC.findall(text) if name in POSIX]


def main(root):
    assert found_in("static int read(\n    int x)\n{") == ["read"] and found_in("static int read_row(void)") == []
    bad = 0
    for folder in FOLDERS:
        for at, _, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    path = os.path.join(at, name)
                    with open(path, encoding="utf-8") as f:
                        for function in found_in(f.read()):
                            print(f"{os.path.relpath(path, root)}: static {function}() has the name of a POSIX function")
                            bad += 1
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
