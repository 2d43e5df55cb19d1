# SPDX-License-Identifier: Apache-2.0
"""The progress line of every command that may take long: one on a terminal, none in a pipe, and other
output on the terminal stays intact.
"""
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time

from cli import OMEN, Case, main, model, run

# One run of this many states to m = 10.
CHAIN = """int n; byte m;
process P {{ state s; init s; trans s -> s {{ guard m < 10; effect n = (n + 1) % {}, m = m + (n == 0); }}; }}
system async;
"""
HARD = " & ".join(f"F p{i}" for i in range(20))
LINE = re.compile(r"\d+\.\d s  ")


class Screen:
    """The contents of a very wide terminal, for the control sequences that omen uses."""

    def __init__(self):
        self.lines, self.column, self.lines_of_progress = [""], 0, []

    def take(self, text):
        for part in re.findall("\x1b\\[K|[\r\n]|[^\r\n\x1b]+", text):
            if part == "\r":
                self.column = 0
            elif part == "\n":
                self.lines.append("")
                self.column = 0
            elif part == "\x1b[K":
                if self.column > 0 and LINE.match(self.lines[-1]):
                    self.lines_of_progress.append(self.lines[-1][:self.column])
                self.lines[-1] = self.lines[-1][:self.column]
            else:
                line = self.lines[-1].ljust(self.column)
                self.lines[-1] = line[:self.column] + part + line[self.column + len(part):]
                self.column += len(part)


class Progress(Case):
    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as f:
            f.write(text)
        return self.path(name)

    def on_a_terminal(self, status, *args, width=400, **env):
        """Standard output and error are the same terminal, as for a user."""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, width, 0, 0))
        work = subprocess.Popen([OMEN, *args], stdout=theirs, stderr=theirs,
                                env={**os.environ, "TERM": "xterm", **env})
        os.close(theirs)
        said = b""
        end = time.monotonic() + 300
        while True:
            self.assertLess(time.monotonic(), end, args)
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                part = os.read(ours, 65536)
            except OSError:  # Linux: EIO is the end
                break
            said += part
        os.close(ours)
        self.assertEqual(work.wait(timeout=60), status, said)
        screen = Screen()
        screen.take(said.decode())
        return screen

    def clean(self, screen):
        """Checks that nothing of the line remains, and that no text was written after or over one."""
        for line in screen.lines:
            self.assertNotRegex(line, r"states/s|\d MB  |states read|  \d+ part")
        self.assertGreater(len(screen.lines_of_progress), 0, screen.lines)
        for line in screen.lines_of_progress:
            self.assertRegex(line, r"^\d+\.\d s  .* \d+ MB  ")
            self.assertNotIn("omen:", line)

    def exploring(self, limit):
        screen = self.on_a_terminal(30, "explore", model("big.dve"), "--timeout", limit, "--exec", "vm")
        self.clean(screen)
        self.assertEqual([line.split(":")[0] for line in screen.lines if line],
                         ["incomplete", "states", "transitions", "deadlocks", "levels", "seconds", "memory"])
        self.assertRegex(screen.lines_of_progress[-1], r"\d states/s  \d+ MB  level \d+: \d+ \d+")

    def checking(self, limit):
        screen = self.on_a_terminal(30, "check", model("big.dve"), "--timeout", limit, "--exec", "vm", "-v")
        self.clean(screen)
        self.assertGreater(sum(line.startswith("omen: ") for line in screen.lines), 0)
        self.assertEqual([line for line in screen.lines if not line.startswith("omen: ")][0], "property deadlock: unknown (time limit)")
        self.assertRegex(screen.lines_of_progress[-1], r"MB  1 part  level \d+: \d+ \d+")
        for line in screen.lines_of_progress:  # the remaining work is unknown
            self.assertNotIn("left", line)

    def test_explore_and_check(self):
        self.patiently(self.exploring)
        self.patiently(self.checking)

    def working_on_automata(self, limit):
        large = self.write("large.hoa", streett(60000, 9))
        self.clean(self.on_a_terminal(30, "convert", large, "--to", "ba", "--timeout", limit))
        screen = self.on_a_terminal(30, "empty", large, "--checker", "dijkstra", "--timeout", limit)
        self.clean(screen)
        # (On a slow machine, the limit may end the reading.)
        self.assertRegex("\n".join(screen.lines), r"unknown \(time limit\)|omen: time limit")
        screen = self.on_a_terminal(30, "translate", HARD, "--timeout", limit)
        self.clean(screen)
        self.assertIn("  translating  ", screen.lines_of_progress[-1])

    def test_automata(self):
        self.patiently(self.working_on_automata)

    def test_ctrl_c(self):
        """Work on automata ends on Ctrl-C, with a message. (Of 60,000 states: more are generated after
        all have been read.)
        """
        large = self.write("large.hoa", streett(60000, 9))
        for args, sign, out, err in (
                (("empty", large, "--checker", "dijkstra"), rb"[1-9]\d{5,} states of automata built", b"unknown (interrupted)", b""),
                (("convert", large, "--to", "ba"), b"converting", b"", b"omen: interrupted"),
                (("translate", HARD), b"translating", b"", b"omen: interrupted")):
            work = subprocess.Popen([OMEN, *args, "--progress", "always"], stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE)
            said = b""
            while re.search(sign, said) is None:
                part = os.read(work.stderr.fileno(), 65536)
                self.assertTrue(part, said)
                said += part
            work.send_signal(signal.SIGINT)
            answer, rest = work.communicate(timeout=60)
            self.assertEqual(work.returncode, 30, said + rest)
            self.assertIn(out, answer)
            self.assertIn(err, rest)

    def replaying(self, factor):
        chain, lasso = self.write("chain.dve", CHAIN.format(factor)), self.path("lasso.json")
        self.expect(10, "check", chain, "--invariant", "m < 10", "--lasso", lasso, "-q")
        screen = self.on_a_terminal(0, "replay", chain, lasso)
        self.assertEqual(screen.lines, [f"lasso accepted: {factor * 10 + 1} states", ""])
        return screen

    def test_replay(self):
        """The faster the machine, the longer the run must be for its reading to be visible."""
        for factor in (5000, 20000, 80000, 320000):
            screen = self.replaying(factor)
            if any("states read" in line for line in screen.lines_of_progress):
                break
        self.clean(screen)
        self.assertRegex("\n".join(screen.lines_of_progress), r"replaying  \d+ states read  \d+/s  \d+ MB")

    def progress_of_writing(self, side):
        """Returns the progress output while a graph of side ** 3 states is written. The process is
        stopped for more than a second after it has reported the writing. Returns b"" if it finishes
        before.
        """
        cube = self.write("cube.dve", "byte a; byte b; byte c;\n" + "".join(
            f"process {v.upper()} {{ state s; init s; trans s -> s {{ guard {v} < {side - 1}; effect {v} = {v} + 1; "
            "}; }\n" for v in "abc") + "system async;\n")
        work = subprocess.Popen([OMEN, "explore", cube, "--output", self.path("cube.json"), "--progress",
                                 "always", "-q", "--exec", "vm"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE)
        said = b""
        while b"states written" not in said:
            more = os.read(work.stderr.fileno(), 65536)
            said += more
            if not more:
                break
        if work.poll() is None:
            work.send_signal(signal.SIGSTOP)
            time.sleep(1.1)
            work.send_signal(signal.SIGCONT)
        out, rest = work.communicate(timeout=300)
        self.assertEqual(work.returncode, 0)
        self.assertIn(f"states: {side ** 3}\n".encode(), out)
        self.assertTrue(said + rest == b"" or (said + rest).endswith(b"\n"))
        return (said + rest).decode() if b"states written" in said else ""

    def test_how_much_is_left(self):
        """The remaining time of writing a graph is known. The faster the machine, the larger the graph
        must be for a progress line in the middle.
        """
        for side in (60, 90, 130, 190, 250):
            found = re.search(r"(\d+) of (\d+) states written  \d+/s  about (\d+) s left", self.progress_of_writing(side))
            if found is not None:
                break
        self.assertIsNotNone(found)
        done, total, left = (int(number) for number in found.groups())
        self.assertEqual(total, side ** 3)
        self.assertTrue(total // 50 <= done < total)
        self.assertLess(left, 60)

    def test_none_in_a_pipe(self):
        for args in (("explore", model("big.dve")), ("check", model("big.dve")), ("translate", HARD)):
            done = run(*args, "--timeout", "400ms")
            self.assertNotRegex(done.stderr, r"[\r\x1b]|states/s")
            self.assertNotRegex(done.stdout, r"[\r\x1b]|states/s")

    def test_terminals_without_one(self):
        for args, env in ((("--progress", "never"), {}), (("-q",), {}), ((), {"TERM": "dumb"})):
            screen = self.on_a_terminal(30, "explore", model("big.dve"), "--timeout", "400ms", *args, **env)
            self.assertEqual(screen.lines_of_progress, [])


def streett(states, pairs):
    """Returns a Streett automaton with that many states and pairs, whose conversion has much to track."""
    acceptance = "&".join(f"(Fin({2 * i})|Inf({2 * i + 1}))" for i in range(pairs))
    text = [f'HOA: v1\nStates: {states}\nStart: 0\nAP: 1 "p"\nAcceptance: {2 * pairs} {acceptance}\n--BODY--']
    for s in range(states):
        text.append(f"State: {s}\n[0] {(s * 7 + 1) % states} {{{s % (2 * pairs)}}}\n"
                    f"[!0] {(s + 1) % states} {{{(s * 5 + 3) % (2 * pairs)}}}")
    return "\n".join([*text, "--END--\n"])


if __name__ == "__main__":
    main()
