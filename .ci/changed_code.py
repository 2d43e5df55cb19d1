# SPDX-License-Identifier: Apache-2.0
"""Lists the C sources whose code differs from a commit. Comments, texts of strings, white space and the folders of
includes do not count. A moved file is compared with the file that it was.

    changed_code.py BASE FILE...
"""
import os
import re
import subprocess
import sys


def git(*args):
    return subprocess.run(["git", *args], check=True, capture_output=True, text=True, errors="replace").stdout


def code(text):
    """The tokens of a source, without comments, texts of strings and folders of includes."""
    kept = re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*',
                  lambda m: " " if m[0][0] == "/" else m[0] if m[0][0] == "'" else '""', text, flags=re.S)
    return re.sub(r'(""\s*)+', '""', re.sub(r"\s+", " ", kept))


def includes(text):
    return [os.path.basename(name) for name in re.findall(r'(?m)^#include [<"]([^>"]+)[>"]', text)]


def main():
    base, *files = sys.argv[1:]
    before = {}
    for line in git("diff", "-M30%", "--name-status", base).splitlines():
        status, *names = line.split("\t")
        if status != "A":
            before[names[-1]] = names[0]
    for name in files:
        with open(name, encoding="utf-8", errors="replace") as f:
            now = f.read()
        was = git("show", f"{base}:{before[name]}") if name in before else None
        if was is None or code(was) != code(now) or includes(was) != includes(now):
            print(name)


if __name__ == "__main__":
    main()
