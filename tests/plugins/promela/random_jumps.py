# SPDX-License-Identifier: Apache-2.0
"""Random nestings of if, do, atomic, d_step, blocks and unless, with jumps between them, compared with SPIN:
random_jumps.py COUNT NUMBER [SEED].

Which states SPIN stores depends on whether a jump ends an atomic sequence. Makes NUMBER models from SEED on (a model
depends only on its own seed), and compares states and errors of each with SPIN's, as compare.py does. The test is
skipped (77) if spin or gcc is not installed.
"""
import random
import shutil
import sys

import compare
import random_models


class Model:
    """Two processes over a bit and a byte; almost every statement is a jump or contains others."""

    def __init__(self, seed):
        self.r = random.Random("jumps %d" % seed)
        self.targets = 0  # labels of the process so far that gotos name

    def condition(self):
        return self.r.choice(["m == 0", "m == 1", "x < 2", "x > 0", "x == m", "true"])

    def simple(self, step):
        """Returns a statement that does not block in a d_step, if it is in one."""
        choices = ["m = 1", "m = 0", "x = (x + 1) % 3", "x = m", "skip"]
        return self.r.choice(choices if step else choices + [self.condition()])

    def jump(self, loop, step):
        """Returns a break, or a goto to one of the process's labels; neither leaves a d_step."""
        if step:
            return self.simple(step)
        if loop and self.r.random() < 0.6:
            return "break"
        return "goto L%d" % self.r.randrange(4)

    def sequence(self, depth, atomic, step, loop):
        # SPIN allows no label before the first statement of a sequence.
        parts = [self.statement(depth, atomic, step, loop, k > 0) for k in range(self.r.randint(1, 3))]
        if self.r.random() < 0.4:
            parts.append(self.jump(loop, step))
        return "; ".join(parts)

    def options(self, depth, atomic, step, loop):
        r = self.r
        made = [":: %s -> %s" % (self.condition(), self.sequence(depth + 1, atomic, step, loop))
                for _ in range(r.randint(1, 2))]
        if step or r.random() < 0.5:
            made.append(":: else -> %s" % (self.jump(loop, step) if r.random() < 0.5 else self.simple(step)))
        return " ".join(made)

    def statement(self, depth, atomic, step, loop, label):
        made = self.unlabelled(depth, atomic, step, loop)
        return self.labelled(made) if label and not step and not made.startswith(("d_step", "goto", "break")) else made

    def unlabelled(self, depth, atomic, step, loop):
        r = self.r
        if depth > 2 or r.random() < 0.3:
            return self.simple(step)
        kind = r.choice(["if", "if", "do", "block", "atomic", "atomic", "d_step", "unless"])
        if kind == "if":
            return "if %s fi" % self.options(depth, atomic, step, loop)
        if kind == "do" and not step:
            return "do %s :: %s -> break od" % (self.options(depth, atomic, step, True), self.condition())
        if kind == "block":
            return "{ %s }" % self.sequence(depth + 1, atomic, step, loop)
        if kind == "atomic" and not step:
            return "atomic { %s }" % self.sequence(depth + 1, True, step, loop)
        if kind == "d_step" and not step:
            return "d_step { %s; %s }" % (self.condition(), self.sequence(depth + 1, True, True, False))
        if kind == "unless" and not step:
            body, escape = (self.sequence(depth + 1, atomic, step, loop) for _ in range(2))
            forms = ["{ %s } unless { %s -> %s }"] + ["atomic { %s } unless { %s -> %s }", "{ %s } unless atomic { %s -> %s }"] * (not atomic)
            return r.choice(forms) % (body, self.condition(), escape)
        return self.simple(step)

    def labelled(self, statement):
        """Returns the statement with one of the labels that gotos name, or without a label."""
        if self.targets > 3 or self.r.random() > 0.3:
            return statement
        self.targets += 1
        return "L%d: %s" % (self.targets - 1, statement)

    def process(self, name):
        self.targets = 0
        # The most interesting case: jumps from an atomic sequence out of the surrounding loop.
        body = "do :: %s -> atomic { if %s fi; %s } :: %s -> break od" % (
            self.condition(), self.options(1, True, False, True), self.sequence(2, True, False, True), self.condition()) \
            if self.r.random() < 0.6 else self.sequence(0, False, False, False)
        # Labels that gotos name and that are not used yet are at the end.
        rest = "".join("L%d: skip; " % k for k in range(self.targets, 4))
        return "active %sproctype %s() { %s; %sm = 0 }\n" % (self.r.choice(["", "", "[2] "]), name, body, rest)

    def text(self):
        return "bit m; byte x;\n" + self.process("P") + self.process("Q")


def main():
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        print("spin or gcc is not installed")
        return 77
    return random_models.compare_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1, Model)


if __name__ == "__main__":
    sys.exit(main())
