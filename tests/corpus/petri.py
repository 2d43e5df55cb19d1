# SPDX-License-Identifier: Apache-2.0
"""Suites nets and nets-ltl of corpus.py: Petri nets of the Model Checking Contest and other sources.

nets: compares states, firings, the largest marking and the largest place with petri/state-spaces.csv and mcc/expected.csv.
The maxima are determined by invariants: the published one is never exceeded, and the next smaller one is.
"""
import os
import xml.etree.ElementTree as tree

HOA = ("ltl3dra", "ltl3hoa", "rabinizer3", "tgbarabin")


def nets(suite):
    """Yields name, file, and published numbers: states, firings, most tokens in a place and in a marking, or None."""
    def number(text):
        return int(text) if text and text != "+inf" else None
    for r in suite.rows("petri", "state-spaces.csv"):
        yield (r["model"], os.path.join(suite.options.corpus, "petri", r["model"], r["model"] + ".pnml"),
               [number(r[k]) for k in ("states", "transitions", "max_tokens_in_place", "max_tokens_per_marking")])
    known = {}
    for r in suite.rows("mcc", "expected.csv"):
        if r["examination"] == "StateSpace" and "-PT-" in r["instance"]:
            known.setdefault(r["instance"], {})[r["formula_id"]] = number(r["expected"])
    for name, r in known.items():
        yield (name, os.path.join(suite.options.corpus, "mcc", name, "model.pnml"),
               [r.get(k) for k in ("STATES", "TRANSITIONS", "MAX_TOKEN_IN_PLACE", "MAX_TOKEN_PER_MARKING")])


def places(path):
    """Returns the ids of all places, in quotes."""
    return ["'%s'" % e.get("id") for e in tree.parse(path).iter() if e.tag.rpartition("}")[2] == "place"]


def run(suite):
    o = suite.options
    cases = [c for c in nets(suite) if c[2][0] and o.least < c[2][0] <= o.most]
    for name, path, (states, firings, in_place, in_marking) in suite.chosen(cases):
        for how in o.exec:
            device = "0" if how == "device" else "none"
            arguments = ["explore", path, "--threads", str(o.threads[-1]), "--device", device]
            r = suite.result(*arguments, *([] if how == "device" else ["--exec", how]))
            published = (("states", states), ("transitions", firings))
            suite.judge("%s by %s" % (name, how), [r] if isinstance(r, str) else [
                "%s %s, published: %s" % (field, r.get(field), value)
                for field, value in published if value is not None and r.get(field) != value])
        ids = places(path)
        for what, value, joint in (("place", in_place, " && "), ("marking", in_marking, " + ")):
            for verdict, most in (("holds", value), ("violated", value and value - 1)):
                if value is None:
                    continue
                bound = " <= %d" % most
                text = joint.join(i + bound for i in ids) if what == "place" else joint.join(ids) + bound
                suite.check("%s, at most %d tokens in a %s" % (name, most, what), verdict,
                            [path, "--invariant", text, "--threads", str(o.threads[-1]), "--device", "none"],
                            replay=["--invariant", text])


def sizes(suite):
    """Returns the states of the nets that have formulas. A net without a published size has that of its smallest
    product.
    """
    known = {name: numbers[0] for name, _, numbers in nets(suite)}
    for r in suite.rows("petri", "properties.csv"):
        if r["model"] not in known and r["tgba_product_states"]:
            known[r["model"]] = int(r["tgba_product_states"])
    return known


def of_formula(path):
    """Returns true if the file has an automaton of its formula. One translator failed and left an empty file. Another
    file has the automaton of a different net's formula, which is about actions
    (BridgeAndVehicles-PT-V10P10N10_LTLC_8_.ltl3hoa.hoa).
    """
    if not os.path.exists(path):
        return False
    with open(path, encoding="utf-8") as f:
        text = f.read()
    return text != "" and "(action == " not in text


def run_ltl(suite):
    """Checks each property from its formula and from its automata, and the product with the TGBA."""
    o, known = suite.options, sizes(suite)
    rows = [r for r in suite.rows("petri", "properties.csv") if o.least < known[r["model"]] <= o.most]
    for row in suite.chosen(rows):
        base = os.path.join(o.corpus, "petri", row["model"], row["formula"])
        path = os.path.join(o.corpus, "petri", row["model"], row["model"] + ".pnml")
        automata = ["%s.%s.hoa" % (base, a) for a in HOA]
        ways = [["--ltl-file", base + ".ltl"]] + [["--never", a] for a in automata if of_formula(a)]
        for how in ways:
            for threads in o.threads:
                suite.check("%s, %d threads" % (os.path.basename(how[1]), threads), row["verdict"],
                            [path, *how, "--threads", str(threads), "--device", "none"], replay=how)
        if row["verdict"] == "holds":
            r = suite.result("check", path, "--never", automata[-1], "--checker", "dijkstra", "--threads", "1",
                             "--reset-dead", "off", "--device", "none")
            published = (("states", "tgba_product_states"), ("transitions", "tgba_product_transitions"))
            suite.judge(row["formula"] + ", product", [r] if isinstance(r, str) else [
                "%s %d, published: %s" % (field, r[field], row[column])
                for field, column in published if r[field] != int(row[column])])
