# SPDX-License-Identifier: Apache-2.0
"""Prints the folder for Python modules below a prefix: folder.py PREFIX"""
import os
import site
import sys


def folder(prefix: str) -> str:
    """Relative to the prefix. Debian's Python looks in dist-packages where its own files are, and
    below /usr/local; any other, and one with another prefix, in site-packages."""
    library = os.path.join(prefix, "lib") + os.sep
    for known in site.getsitepackages():
        if known.startswith(library):
            return os.path.relpath(known, prefix)
    return f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


if __name__ == "__main__":
    print(folder(os.path.normpath(sys.argv[1])))
