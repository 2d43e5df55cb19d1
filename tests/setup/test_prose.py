# SPDX-License-Identifier: Apache-2.0
"""Comments, docstrings, documents and messages are plain English: a small check of the words that mark a private dialect.

Some phrases are refused wherever they are. Words that are right now and then ("where", "who", "behind") are refused if a
folder has too many of them in a thousand words. Sentences of more than 40 words are refused if there are more than a few.

    test_prose.py [--all]       --all prints every place, also those within the limits
"""
import ast
import collections
import io
import os
import re
import subprocess
import sys
import tokenize

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
# Pattern: what to write instead.
REFUSED = {
    r"\b(no|some|any|every)body\b": "the thread, the function, the file",
    r"\bwhoever\b": "the caller, any thread that",
    r"\bis to be (had|done without)\b": "is available; is left out",
    r"\bthat is none\b": "is not one",
    r"\bcome(s)? to it\b": "reaches it",
    r"\b(comes?|came|come) upon\b": "meets, finds",
    r"\bit is told\b(?! to)|\bis told of\b": "is reported",
    r"\bby and by\b": "gradually",
    r"\bnot to be had\b": "is not available",
    r"\bwhere need be\b": "if necessary",
}
# Word: the most in a thousand words of a folder.
RATIOS = {"where": 3, "who": 0.7, "behind": 0.5, "anew": 0.3}
LONG, LONG_SHARE = 40, 0.02  # words of a sentence; share of longer ones
FEW = 5  # occurrences that a small folder may have in any case


def tracked():
    try:
        done = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
        if done.returncode == 0 and done.stdout:
            return done.stdout.split("\n")[:-1]
    except FileNotFoundError:
        pass  # git is not installed
    return [os.path.relpath(os.path.join(d, f), ROOT) for d, _, fs in os.walk(ROOT) for f in fs if "/build" not in d]


def c_prose(text):
    """Comments, and string literals of three words or more."""
    for m in re.finditer(r'"((?:\\.|[^"\\\n])*)"|\'(?:\\.|[^\'\\\n])*\'|/\*(.*?)\*/|//([^\n]*)', text, re.S):
        said = m[2] or m[3] or (m[1] if m[1] and len(re.findall(r"[A-Za-z]{2,}", m[1])) > 2 else None)
        if said:
            yield text.count("\n", 0, m.start()) + 1, re.sub(r"\n\s*\*", "\n", said)


def python_prose(text):
    """Comments and docstrings."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string[1:]
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node):
            yield node.body[0].lineno, ast.get_docstring(node)


def script_prose(text):
    """Comments of shell and CMake."""
    for i, line in enumerate(text.split("\n")):
        if re.match(r"\s*#[^!]", line):
            yield i + 1, line.lstrip()[1:]


def document_prose(text):
    text = re.sub(r"(?ms)^```.*?^```$", lambda m: "\n" * m[0].count("\n"), text)
    for i, line in enumerate(text.split("\n")):
        yield i + 1, re.sub(r"`[^`]*`", "code", line)


def prose_of(path):
    """Pairs of a line number and a text."""
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        text = f.read()
    if path.endswith((".c", ".h", ".cl", ".js", ".in")):
        return c_prose(text)
    if path.endswith(".py"):
        return python_prose(text)
    if path.endswith((".sh", ".cmake")) or os.path.basename(path) == "CMakeLists.txt":
        return script_prose(text)
    return document_prose(text) if path.endswith(".md") else ()


def is_checked(path):
    return (path.split("/")[0] in ("core", "plugins", "kernels", "hosts", "tests", "cmake") or path == "README.md") and \
        not path.startswith(("hosts/bench/results/", "tests/setup/test_prose.py", "tests/plugins/promela/corpus"))


def sentences(text):
    text = re.sub(r"\s+", " ", text)
    return [s for s in re.split(r"(?<=[.:;!?]) |\n\n| \| |(?<= )- ", text) if s]


class Folder:
    def __init__(self):
        self.words = self.sentences = 0
        self.found = {word: [] for word in RATIOS}
        self.long = []

    def add(self, place, text):
        self.words += len(re.findall(r"[A-Za-z']+", text))
        for word, places in self.found.items():
            places += [place] * len(re.findall(r"\b(?:%s)\b" % word, text, re.I))
        for sentence in sentences(text):
            self.sentences += 1
            if len(re.findall(r"[A-Za-z']{2,}", sentence)) > LONG:
                self.long.append(place)

    def faults(self, name):
        for word, places in self.found.items():
            most = max(FEW, RATIOS[word] * self.words / 1000)
            if len(places) > most:
                yield f"{name}: '{word}' {len(places)} times in {self.words} words, at most {most:.0f}: {', '.join(places[:8])}"
        if len(self.long) > max(FEW, LONG_SHARE * self.sentences):
            yield f"{name}: {len(self.long)} of {self.sentences} sentences have more than {LONG} words: {', '.join(self.long[:8])}"


def look(paths, read):
    bad, folders = [], collections.defaultdict(Folder)
    for path in paths:
        for line, text in read(path):
            place = f"{path}:{line}"
            for pattern, instead in REFUSED.items():
                for m in re.finditer(pattern, text, re.I):
                    bad.append(f"{place}: '{m[0]}' (write: {instead})")
            folders["/".join(path.split("/")[:2]) if "/" in path else path].add(place, text)
    for name, folder in sorted(folders.items()):
        bad += folder.faults(name)
    return bad, folders


def self_test():
    bad, _ = look(["a/b/c.c"], lambda path: [(1, "Nobody waits where it is told" + ", where" * FEW + ".")])
    assert len(bad) == 3, bad
    bad, _ = look(["a/b/c.c"], lambda path: [(1, " ".join(["word"] * 50) + ".")] * (FEW + 1))
    assert len(bad) == 1, bad
    bad, _ = look(["a/b/c.c"], lambda path: c_prose('/* Returns the successor. */ om_fail("the file is too large"); x = "ab";'))
    assert bad == [], bad


def main():
    self_test()
    bad, folders = look([p for p in tracked() if is_checked(p)], prose_of)
    if "--all" in sys.argv:
        for name, f in sorted(folders.items()):
            rates = " ".join(f"{w} {1000 * len(p) / max(1, f.words):.1f}" for w, p in f.found.items())
            print(f"{name:24} {f.words:7} words  {rates}  long {100 * len(f.long) / max(1, f.sentences):.1f} %")
    print("\n".join(bad) if bad else "the prose is plain")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
