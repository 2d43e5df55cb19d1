# SPDX-License-Identifier: Apache-2.0
"""The documents against the tree and the programs: links, paths, commands and options that they name exist.

    test_documents.py PROGRAM...      the programs whose options documents may name (omen, omend, omen-bench)
"""
import os
import re
import subprocess
import sys

ROOT = os.path.realpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
README_LINES, CHANGELOG_LINES = 150, 80
FOLDERS = ("core", "plugins", "kernels", "hosts", "tests", "cmake", ".ci")
# Options of other programs that documents name by themselves, by the program that has them.
FOREIGN = {
    "cmake": {"--preset", "--build", "--install", "--test-dir", "--output-on-failure"},
    "LTSmin": {"--strategy", "--trace"},
    "Slurm": {"--cpus-per-task", "--mem", "--time", "--gres", "--nice"},
    "oclgrind": {"--uninitialized"},
}
FENCE = re.compile(r"(?ms)^```.*?^```$")


def tracked():
    try:
        listed = subprocess.run(["git", "-C", ROOT, "ls-files"], capture_output=True, text=True)
        if listed.returncode == 0 and listed.stdout:
            return listed.stdout.split("\n")[:-1]
    except FileNotFoundError:
        pass  # git is not installed
    # A copy of the tree without its history.
    return [os.path.relpath(os.path.join(d, f), ROOT) for d, _, fs in os.walk(ROOT) for f in fs if "/build" not in d]


def documents():
    return sorted(n for n in tracked() if n.endswith(".md") and not n.startswith("hosts/bench/results/"))


def read(name):
    with open(os.path.join(ROOT, name)) as f:
        return f.read()


def anchors(text):
    """Anchors of headings, as forges make them."""
    return {re.sub(r"[^\w\- ]", "", h.lower()).strip().replace(" ", "-") for h in re.findall(r"(?m)^#+ (.*)$", text)}


def bad_links(name, text):
    folder = os.path.dirname(name)
    for target in re.findall(r"\]\(([^)\s]+)\)", FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        full = os.path.normpath(os.path.join(folder, path)) if path else name
        if not os.path.exists(os.path.join(ROOT, full)):
            yield f"{name}: the link {target} leads nowhere"
        elif anchor and full.endswith(".md") and anchor not in anchors(read(full)):
            yield f"{name}: {full} has no heading #{anchor}"


def spans(text):
    """Code between backticks, and lines of code blocks."""
    for block in FENCE.findall(text):
        yield from block.splitlines()[1:-1]
    yield from (re.sub(r"\s+", " ", s) for s in re.findall(r"(?<!`)`([^`]+)`(?!`)", FENCE.sub("", text)))


def bad_paths(name, text):
    for span in spans(text):
        for path in re.findall(r"(?<![\w./-])(?:%s)/[\w./+-]*[\w+]" % "|".join(map(re.escape, FOLDERS)), span):
            if re.search(r"/[A-Z]+$", path) and not path.endswith(("README", "LICENSE")):
                continue  # what the reader is to put in
            places = (path, os.path.join(os.path.dirname(name), path))
            if not any(os.path.exists(os.path.join(ROOT, p)) for p in places) and "*" not in span:
                yield f"{name}: there is no {path}"


# Names that comments use as examples, and headers of the system.
EXAMPLES = {"a.c", "b.c", "x.c", "format_NAME.c", "graph_NAME.c", "tl.c", "errno.h", "setjmp.h", "stdarg.h", "stdatomic.h"}


def bad_names(sources):
    """Comments of C name source files that exist; a file's first comment names the file itself."""
    names = {os.path.basename(s) for s in sources}
    for source in sources:
        if not source.endswith((".c", ".h", ".cl")):
            continue
        text = read(source)
        for comment in re.findall(r"/\*.*?\*/", text, re.S):
            for name in re.findall(r"(?<![\w/.-])([A-Za-z_]\w*\.(?:c|h|cl))\b", comment):
                if name not in names | EXAMPLES:
                    yield f"{source}: a comment names {name}, which does not exist"
        first = re.search(r"/\*\s*\*?\s*(\w+\.[ch]):", text[:400])
        if first and first[1] != os.path.basename(source):
            yield f"{source}: the first comment calls the file {first[1]}"


class Programs:
    """What the programs say of themselves."""

    def __init__(self, paths):
        self.options, self.commands = set(), set()
        for path in paths:
            said = self.help(path)
            commands = set(re.findall(r"(?m)^  %s (\w+)" % re.escape(os.path.basename(path)), said))
            self.options |= self.options_of(said)
            if os.path.basename(path) == "omen":
                self.commands = commands
            for command in commands:
                self.options |= self.options_of(self.help(path, command))

    @staticmethod
    def help(*command):
        return subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=60).stdout

    @staticmethod
    def options_of(text):
        return set(re.findall(r"(?<![\w-])--[a-z][\w-]*", text))


def bad_commands(name, text, programs):
    known = programs.options.union(*FOREIGN.values()) | {"--help", "--version"}
    for span in spans(text):
        words = re.sub(r"^\$ ", "", span).split()
        if not words or not (words[0] == "omen" or words[0].startswith("--")):
            continue
        if words[0] == "omen" and len(words) > 1 and re.fullmatch(r"[a-z]+", words[1]) and words[1] not in programs.commands:
            yield f"{name}: omen has no command {words[1]} ({span})"
        for option in Programs.options_of(span.split(" # ")[0]):
            if option not in known:
                yield f"{name}: no program has the option {option} ({span})"


def too_long():
    for name, most in (("README.md", README_LINES),):
        lines = read(name).count("\n")
        if lines > most:
            yield f"{name}: {lines} lines, at most {most} are allowed"


def self_test():
    """The checks find what is wrong in a document made for that."""
    class Known:
        options, commands = {"--ltl"}, {"check"}
    text = "[a](nowhere.md) [b](README.md#no-such) `core/no/such.c` `omen chek m` `omen check m --lt F`\n"
    found = [*bad_links("README.md", text), *bad_paths("README.md", text), *bad_commands("README.md", text, Known)]
    assert len(found) == 5, found
    good = "[a](README.md) `core/README.md` `omen check m --ltl F`\n"
    assert not [*bad_links("README.md", good), *bad_paths("README.md", good), *bad_commands("README.md", good, Known)]


def main():
    self_test()
    programs = Programs(sys.argv[1:])
    if not programs.commands:
        raise SystemExit("omen says nothing of its commands")
    bad = [*too_long()]
    for name in documents():
        if name == "CHANGELOG.md":  # it is about what was
            continue
        text = read(name)
        bad += [*bad_links(name, text), *bad_paths(name, text), *bad_commands(name, text, programs)]
    bad += bad_names(tracked())
    print("\n".join(bad) if bad else f"{len(documents())} documents name what is there")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
