# SPDX-License-Identifier: Apache-2.0
"""Prints the folder of Python modules below a prefix: folder.py PREFIX"""
import os
import site
import sys


def folder(prefix: str) -> str:
    """Returns the folder relative to the prefix. Debian's Python searches dist-packages below its own prefix and
    below /usr/local. Any other Python, and Debian's with another prefix, searches site-packages.
    """
    library = os.path.join(prefix, "lib") + os.sep
    for known in site.getsitepackages():
        if known.startswith(library):
            return os.path.relpath(known, prefix)
    return f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"


if __name__ == "__main__":
    print(folder(os.path.normpath(sys.argv[1])))
