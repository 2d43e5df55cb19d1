# SPDX-License-Identifier: Apache-2.0
"""Compares all executors on random Promela models: random_executors.py COUNT NUMBER [SEED [SPIN [HOST [DEVICE]]]].

Makes NUMBER models from SEED on: those of random_models.py, half of them with arrays of channels, records with
channels, and processes that are started in loops and get their channels as parameters. States, transitions,
deadlocks, levels and failed assertions must be the same in the interpreter and in native code, for one model in HOST
in the kernels on the host, and for one in DEVICE on device 0; states and deadlocks also in a plain search (COUNT,
promela_count). One model in SPIN is compared with SPIN, if it is installed. 0: none.
"""
import os
import random
import shutil
import sys
import tempfile

import compare
import explored
import random_models
from seed import cases

MOST = 20000  # states of a model
WAYS = [("--exec", "vm", "--device", "none"), ("--exec", "native", "--device", "none"), ("--device", "host"), ("--device", "0")]


class Model(random_models.Model):
    """A model of random_models.py, with more channels if its seed is odd."""

    def __init__(self, seed):
        super().__init__(seed)
        self.wide = random.Random("wide %d" % seed) if seed % 2 else None
        if self.wide:
            self.head.append("typedef Rec { chan c = [1] of { byte }; byte n }; Rec z[2]; chan w[2] = [1] of { byte, bit };"
                             " chan v0[2] = [0] of { byte };")
            self.variables += ["z[1].n", "z[x % 2].n"]

    def channel(self, rendezvous):
        if not self.wide or self.wide.random() < 0.5:
            return super().channel(rendezvous)
        index = self.wide.choice(["0", "1", "x % 2", "l & 1", "_pid % 2", "len(q)"])
        forms = ["w[%s]!1, y & 1", "w[%s]!!x & 3, 0", "w[%s]?x, y", "w[%s]??1, y", "w[%s]?eval(x), _", "w[%s]?<l, _>",
                 "z[%s].c!x & 1", "z[%s].c?y", "z[%s].c?1", "z[%s].c??[1]", "len(w[%s]) == 0", "nfull(z[%s].c)"]
        return self.wide.choice(forms + ["v0[%s]!2", "v0[%s]!x & 1", "v0[%s]?y", "v0[%s]?1"] * rendezvous) % index

    def special(self, depth, atomic, loop):
        if not self.wide or atomic or self.inside or self.wide.random() < 0.6:
            return super().special(depth, atomic, loop)
        call = "run F(%s, %s)" % (self.wide.choice(["q", "w[1]", "w[x % 2]", "z[y & 1].c", "r", "v0[l % 2]"]), self.expression(1))
        return self.wide.choice(["if :: _nr_pr < 4 -> %s :: else fi", "atomic { _nr_pr < 5 -> %s }",
                                 "do :: atomic { _nr_pr < 4 -> %s } :: atomic { _nr_pr > 3 -> break } od"]) % call

    def text(self):
        if not self.wide:
            return super().text()
        end = self.wide.choice(["c!n", "c?n", "c?n; n = n + 1", "if :: c?n :: timeout fi", "d_step { x = n & 3; n = 0 }"])
        return super().text() + "proctype F(chan c; byte n) { %s; x = n & 1 }\n" % end


def figures(path, way):
    """Returns what an exploration in some way found; for an error of the model, only the exit status."""
    status, found = explored.explore(path, "--threads", "1", *way)
    if status not in (0, 10):
        return status, None
    return status, [found[name] for name in explored.FIGURES] + explored.failures(found)


def wrong(count, path, ways, spin):
    """Returns what differs, "" for nothing, or None if the model is not compared."""
    plain = compare.ours(count, path, MOST)
    if plain[1] in ("large", "refused"):
        return None
    if plain[1] == "failed":
        return plain[2]
    first = figures(path, ways[0])
    for way in ways[1:]:
        other = figures(path, way)
        if other != first:
            return "%s: %s, and not %s" % (" ".join(way), other, first)
    words = plain[2].split()
    if plain[0] is not None and (first[1] is None or
                                 [first[1][k] for k in (0, 1, 3)] != [int(words[k]) for k in (3, 1, 5)]):
        return "a plain search: %s, and not %s" % (plain[2], first)
    if spin:
        theirs = compare.spin(path, MOST)
        if theirs[0] is not None and theirs[1] != "large":
            return compare.wrong("SPIN", theirs, plain) or ""
    return ""


def main():
    count, number = sys.argv[1], int(sys.argv[2])
    given = [int(a) for a in sys.argv[3:]]
    seed, spin, host, device = given + [1, 0, 0, 0][len(given):]
    if shutil.which("spin") is None or shutil.which("gcc") is None:
        spin = 0
    bad = compared = asked = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "m.pml")
        for k in cases(seed, number):
            with open(path, "w", encoding="utf-8") as f:
                f.write(Model(k).text())
            ask = spin != 0 and k % spin == 0
            ways = WAYS[:2] + [way for way, one_in in zip(WAYS[2:], (host, device)) if one_in and k % one_in == 0]
            what = wrong(count, path, ways, ask)
            compared += what is not None
            asked += ask and what is not None
            if what:
                bad += 1
                print("seed %d: %s" % (k, what), flush=True)
    print("%d of %d compared, %d with SPIN, %d wrong" % (compared, number, asked, bad))
    return 1 if bad or not compared else 0


if __name__ == "__main__":
    sys.exit(main())
