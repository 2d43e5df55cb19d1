# SPDX-License-Identifier: Apache-2.0
"""Trails of SPIN: `spin -t` follows trails written by omen, and `omen replay` those of SPIN's verifier.

trails.py written           the violated models of models.txt and verdicts.txt, beside this file
trails.py read [N]          the same, but only every N-th model
trails.py random NUMBER [SEED]  random models, both ways
trails.py beem MOST [LEAST] written trails of BEEM's models for which SPIN stores LEAST to MOST states
trails.py malformed [SEED]  modified trails; needs no SPIN

The variable OMEN names the program. The test is skipped (77) if spin or, for its verifier, a C compiler is missing; "beem" also
without the corpus.
"""
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

import beem_verdicts
import compare
import random_models

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
from seed import cases

HERE = os.path.dirname(os.path.abspath(__file__))
OMEN = os.environ["OMEN"]
# Messages of spin -t about a line that it cannot follow; it continues nevertheless.
LOST = re.compile(r"invalid statement|transition failed|no matching stmnt|stop error|\(\?\)|couldn't find claim")
# Its message about each kind of error; it has none about the other kinds, which are not steps.
SAYS = {"assertion": "Error: assertion violated", "index": "Error: indexing"}
# The simulator evaluates nfull() of a rendezvous channel to false, the verifier to true.
NOT_FOLLOWED = ("rendezvous-length.pml",)
# With merged statements, the verifier has an extra step for the end of a loop to which a break in
# an atomic sequence leads. omen does not have this step, and reports how to make a trail without
# such steps.
NOT_READ_MERGED = ("break-from-atomic.pml", "break-from-atomic2.pml", "break-from-atomic3.pml")


def question(what):
    """Returns how to check a verdict of verdicts.txt: options of omen, flags for compiling the
    verifier, its options."""
    stutter = ["--finite-runs", "stutter"]
    if what == "claim":
        return stutter, [], ["-a"]
    if what == "progress":
        return ["--non-progress"], ["-DNP"], ["-l", "-E", "-A"]
    return ["--property", what, *stutter], [], ["-a", "-E", "-A"] if what == "accept" else ["-a", "-N", what]


def violated():
    """Returns [(path, kind of the error, (options of omen, flags for compiling the verifier, its
    options))]."""
    found = []
    for record, folder in ("models.txt", "models"), ("verdicts.txt", "ltl"):
        with open(os.path.join(HERE, record), encoding="utf-8") as f:
            lines = [line.split() for line in f if not line.startswith("#")]
        for name, what, verdict in lines:
            path = os.path.join(HERE, folder, name)
            if folder == "ltl" and verdict == "violated":
                found.append((path, what, question(what)))
            elif folder == "models" and verdict != "none":
                lossy = ["--frontend", "promela:lossy=1"] if compare.is_lossy(path) else []
                found.append((path, verdict, (lossy, ["-DSAFETY", "-DNOCLAIM"], [])))
    return found


def omen(*arguments):
    return subprocess.run([OMEN, *arguments], capture_output=True, text=True, errors="replace", timeout=300)


def check(path, options, folder, most=200000):
    """Returns the run as JSON and the path of its trail; (None, None) if there is none."""
    trail, run = os.path.join(folder, "run.trail"), os.path.join(folder, "run.json")
    for file in trail, run:
        if os.path.exists(file):
            os.remove(file)
        # One thread, so that both runs are the same.
        omen("check", path, *options, "--device", "none", "--threads", "1", "--max-states", str(most), "--lasso", file)
    if not os.path.exists(trail):
        return None, None
    with open(run, encoding="utf-8") as f:
        return json.load(f), trail


# ---- spin -t ----

def spins_values(out):
    """Returns the final values of global variables that SPIN prints, as {(name, index): number}."""
    values = {}
    for name, index, value in re.findall(r"^\t\t(\w+)(?:\[(\d+)\])? = (-?\d+)$", out[out.rfind("#processes:"):], re.M):
        values[name, int(index or 0)] = int(value)
    return values


def our_values(state):
    values = {}
    for name, value in state.items():
        elements = value if isinstance(value, list) else [value]
        for i, element in enumerate(elements):
            if "." not in name and isinstance(element, (int, bool)):
                values[name, i] = int(element)
    return values


def wrong_end(run, kind, out):
    """Returns an error in the end of SPIN's run, or None."""
    if "loop" in run:
        if "<<<<<START OF CYCLE>>>>>" not in out:
            return "there is no cycle"
        last = run["states"][run["loop"]]
    else:
        last = run["states"][-1]
    said = re.search(r"^spin: .*Error: (?!value|dubious).*$", out, re.M)
    wanted = SAYS.get(kind)
    if (said is not None) != (wanted is not None) or (wanted and wanted not in said.group(0)):
        return "it says %r" % (said.group(0) if said else None)
    if kind in ("index", "d_step", "trace"):
        return None  # the step is incomplete
    theirs, mine = spins_values(out), our_values(last)
    running = re.findall(r"#processes: (\d+)", out) or [0]  # no output if no process runs
    if not wanted and int(running[-1]) != last["_nr_pr"]:
        return "other processes run"
    differ = ["%s[%d]: %d, here %d" % (*k, theirs[k], mine[k]) for k in theirs if k in mine and theirs[k] != mine[k]]
    return "; ".join(differ) or None


def follow(path, kind, options, folder, most=200000):
    """Returns (true if there was a trail to follow, error or None)."""
    run, trail = check(path, options, folder, most)
    if run is None:
        return False, None
    if kind is None:
        kind = "assertion" if run["#meta"]["property"] == "assertion" else "end"
    with open(path, encoding="utf-8") as f:
        if kind == "assertion" and (re.search(r"^(no)?trace\b", f.read(), re.M) or
                                    os.path.basename(path).startswith(("message-", "xr-", "xs-"))):
            kind = "trace"  # spin -t reports neither traces, messages whose fields differ from the channel's, nor xr and xs
    shutil.copy(path, os.path.join(folder, "m.pml"))
    lossy = ["-m"] if compare.is_lossy(path) else []
    out = subprocess.run(["spin", *lossy, "-t", "-k", trail, "-p", "-g", "m.pml"], cwd=folder, capture_output=True, text=True,
                         errors="replace", timeout=300).stdout
    lost = None if kind in ("index", "d_step", "trace") else LOST.search(out)  # for these kinds, the last step is the error
    return True, "it loses the trail: %s" % lost.group(0) if lost else wrong_end(run, kind, out)


def written(folder):
    bad = []
    models = [v for v in violated() if os.path.basename(v[0]) not in NOT_FOLLOWED]
    for path, kind, (options, _, _) in models:
        followed, what = follow(path, kind, options, folder)
        if not followed or what is not None:
            bad.append("%s %s: %s" % (os.path.basename(path), kind, what or "there is no trail"))
    return len(models), bad


def beem(most, least, folder):
    """Follows trails to the invalid end states and violated properties of BEEM's models."""
    bad, count = [], 0
    sizes = compare.read_record(os.path.join(HERE, "beem.txt"))
    properties, verdicts = beem_verdicts.read_properties(), beem_verdicts.read_record()
    found = {compare.name_of(path): path for path in compare.beem()}
    for model in sorted(m for m in sizes if least <= sizes[m][0] <= most and m in found):
        with open(found[model], encoding="utf-8") as f:
            text = f.read()
        own = [(name, shape, [beem_verdicts.expand(e, text) for e in expressions])
               for name, shape, expressions in properties[model.split(".")[0]]
               if verdicts.get((model, name, "ltl")) == "violated"]
        asked = [("end", ["--deadlock"])] if sizes[model][1] == "end" else []
        asked += [(name, ["--property", "prop_" + name, "--finite-runs", "stutter"]) for name, _, _ in own]
        path = os.path.join(folder, "beem.pml")
        for kind, options in asked:
            with open(path, "w", encoding="utf-8") as f:
                f.write(beem_verdicts.with_blocks(text, own))
            count += 1
            followed, what = follow(path, kind, options, folder, most * 20)
            if not followed or what is not None:
                bad.append("%s %s: %s" % (model, kind, what or "there is no trail"))
    return count, bad


# ---- the verifier's trails ----

def make_verifier(path, merged, flags, folder):
    for file in os.listdir(folder):
        os.remove(os.path.join(folder, file))
    shutil.copy(path, os.path.join(folder, "m.pml"))
    lossy = ["-m"] if compare.is_lossy(path) else []
    spin = subprocess.run(["spin", *lossy, *([] if merged else ["-o3"]), "-a", "m.pml"], cwd=folder, capture_output=True, text=True)
    if not os.path.exists(os.path.join(folder, "pan.c")):
        return "spin -a: %s" % spin.stdout
    subprocess.run(["gcc", "-w", "-O0", *flags, "-o", "pan", "pan.c"], cwd=folder, check=True)
    return None


def verify(options, folder):
    """Returns the first error that the verifier found, or "", and the path of its trail."""
    trail = os.path.join(folder, "m.pml.trail")
    if os.path.exists(trail):
        os.remove(trail)
    try:
        out = subprocess.run(["./pan", "-m20000", *options], cwd=folder, capture_output=True, text=True, errors="replace",
                             timeout=60).stdout
    except subprocess.TimeoutExpired:
        return "", trail
    found = re.search(r"^pan:1: (.*) \(at depth", out, re.M)
    return (found.group(1) if found else ""), trail


def replay(path, trail, found, options):
    """Returns an error or None."""
    run = omen("replay", "--trail", trail, path, *options)
    if run.returncode == 0 and run.stdout.splitlines()[-1].startswith("lasso accepted"):
        return None
    return "%s: exit status %d: %s" % (found, run.returncode, run.stderr.strip())


def read(every, folder):
    bad, count = [], 0
    made = None
    for merged in False, True:
        for path, kind, (options, flags, how) in violated()[::every]:
            if merged and os.path.basename(path) in NOT_READ_MERGED:
                continue
            if made != (path, merged, flags):
                made = path, merged, flags
                broken = make_verifier(path, merged, flags, folder)
            if broken is not None:
                bad.append("%s: %s" % (path, broken))
                continue
            found, trail = verify(how, folder)
            if found.startswith("aborting"):  # a limit of the verifier, not an error of the model
                continue
            count += 1
            # No property is given: the trail must say what it is about.
            asked = [o for o in options if o in ("--non-progress", "--frontend", "promela:lossy=1")]
            what = "there is no trail" if not os.path.exists(trail) else replay(path, trail, found, asked)
            if what is not None:
                bad.append("%s %s%s: %s" % (os.path.basename(path), kind, " merged" if merged else "", what))
    return count, bad


# ---- random models ----

def both_ways(number, seed, folder):
    bad, count = [], 0
    path = os.path.join(folder, "random.pml")
    for k in cases(seed, number):
        inside = os.path.join(folder, "inside")
        os.makedirs(inside, exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            f.write(random_models.Model(k, extras=False).text())
        followed, what = follow(path, None, [], inside)
        count += followed
        if what is not None:
            bad.append("seed %d: %s" % (k, what))
        if not followed:
            continue
        merged = k % 2 == 1
        what = make_verifier(path, merged, ["-DSAFETY"], inside)
        found, trail = verify([], inside) if what is None else ("", "")
        if found and os.path.exists(trail) and "block in d_step" not in found:
            what = replay(path, trail, found, [])
            if what is not None:
                bad.append("seed %d%s: %s" % (k, " merged" if merged else "", what))
    return count, bad


# ---- malformed trails ----

MODEL = """chan c = [0] of { byte };
byte x;
active proctype P() { byte l; atomic { l = 1; x = 2 }; c!3; assert(x == 5) }
active proctype Q() { byte m; c?m; d_step { m++; x = m }; x = 5; x = 4 }
"""
# Modified trails of this model, with the expected message
CASES = [
    ("x", "1:1: expected a number, found \"x\""),
    ("1:0:0", "1:6: expected the end of the line, found the end"),
    ("1:0\n", "1:4: expected \":\", found the end of the line"),
    ("1:0:\n", "1:5: expected a number, found the end of the line"),
    ("1:0:0:0\n", "1:6: expected the end of the line, found \":\""),
    ("1:0:0 \n", "1:6: expected the end of the line, found \" \""),
    ("1:\0:0\n", "1:3: expected a number, found a byte that is not text"),
    ("1:0:99999999999999999999\n", "1:5: this number is too large"),
    ("1:0:-7\n", "1:5: expected the number of a statement"),
    ("1:-2:0\n", "1:3: expected the number of a process"),
    ("-3:0:0\n", "1:1: this number belongs to no step and no mark"),
    ("1:0:0\n-2:1:-2\n", "2:1: this line must come before all steps"),
    ("-1:-1:-1\n-1:-1:-1\n", "2:1: the cycle begins twice"),
    ("-2:1:-2\n-2:1:-2\n", "2:1: there is more than one claim"),
    ("-2:-1:-2\n", "1:1: expected the number of a claim"),
    ("1:7:0\n", "1:3: no process has this number there: 2 are running, numbered from 0"),
    ("1:0:4\n", "1:5: P cannot execute the statement with this number there; it can do 0"),
    ("1:1:6\n", "1:5: Q cannot execute the statement with this number there; it can execute nothing"),
    ("1:0:0\n2:0:1\n-1:-1:-1\n", "3:1: the cycle has no step, but the model can continue there"),
    ("1:0:0\n-1:-1:-1\n2:0:1\n", "3:3: the cycle begins within an atomic sequence, which is one step here"),
]


def written_cases(folder, path):
    bad = []
    for text, wanted in CASES:
        file = os.path.join(folder, "case.trail")
        with open(file, "wb") as f:
            f.write(text.encode())
        run = omen("replay", path, "--trail", file)
        if run.returncode != 3 or run.stderr != "omen: %s:%s\n" % (file, wanted) or run.stdout:
            bad.append("%r: exit status %d: %s" % (text, run.returncode, run.stderr.strip()))
    return bad


def changed(r, text):
    """Returns the trail with one change."""
    lines = text.splitlines(True)
    k = r.randrange(len(lines))
    pick = r.randrange(7)
    if pick == 0:
        return text[:r.randrange(len(text))]
    if pick == 1:
        return "".join(lines[:k] + lines[k + 1:])
    if pick == 2:
        return "".join(lines[:k] + [lines[k]] + lines[k:])
    if pick == 3:
        at = r.randrange(len(text))
        return text[:at] + chr(r.randrange(256)) + text[at + 1:]
    if pick == 4:
        number = lambda m: str(int(m.group(0)) + r.choice([-1, 1, 2, 1000, 1 << 40]))
        return "".join(lines[:k] + [re.sub(r"\d+", number, lines[k], count=r.randint(1, 3))] + lines[k + 1:])
    if pick == 5:
        return "".join(lines[:k] + [r.choice(["-1:-1:-1\n", "-2:0:-2\n", "-4:-4:-4\n"])] + lines[k:])
    other = r.randrange(len(lines))
    lines[k], lines[other] = lines[other], lines[k]
    return "".join(lines)


def malformed(seed, folder):
    path = os.path.join(folder, "m.pml")
    with open(path, "w", encoding="utf-8") as f:
        f.write(MODEL)
    bad, count = written_cases(folder, path), len(CASES)
    r = random.Random(seed)
    ltl = os.path.join(HERE, "ltl", "ending.pml")
    for model, options in (path, []), (ltl, ["--property", "at_last"]), (ltl, ["--property", "ends"]):
        _, trail = check(model, options, folder)
        with open(trail, encoding="utf-8") as f:
            text = f.read()
        file = os.path.join(folder, "changed.trail")
        if omen("replay", model, "--trail", trail, *options).returncode != 0:
            bad.append("%s: its own trail is not read" % model)
        for _ in range(60):
            now = changed(r, text)
            with open(file, "wb") as f:
                f.write(now.encode("latin-1"))
            run = omen("replay", model, "--trail", file, *options)
            count += 1
            good = run.returncode == 0 and not run.stderr or run.returncode == 3 and re.fullmatch(
                "omen: (%s:\\d+:\\d+: |the run )[^\n]+\n" % re.escape(file), run.stderr)
            # The modified trail may end without a violation.
            good = good or run.returncode == 2 and run.stderr == (
                "omen: the lasso records no property: give one\n")
            if not good:
                bad.append("%r: exit status %d: %s" % (now, run.returncode, run.stderr.strip()))
    return count, bad


def main():
    what, more = sys.argv[1], [int(a) for a in sys.argv[2:]]
    if what != "malformed" and (shutil.which("spin") is None or (what not in ("written", "beem") and shutil.which("gcc") is None)):
        print("spin or gcc is not installed")
        return 77
    if what == "beem" and not compare.beem():
        print("the corpus is not there")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        if what == "beem":
            count, bad = beem(more[0], more[1] if len(more) > 1 else 0, folder)
        elif what == "random":
            count, bad = both_ways(more[0], more[1] if len(more) > 1 else 1, folder)
        elif what == "malformed":
            count, bad = malformed(more[0] if more else 1, folder)
        else:
            count, bad = written(folder) if what == "written" else read(more[0] if more else 1, folder)
    for line in bad:
        print(line)
    print("%d trails, %d wrong" % (count, len(bad)))
    return 1 if bad or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
