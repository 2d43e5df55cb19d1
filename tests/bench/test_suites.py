# SPDX-License-Identifier: Apache-2.0
"""The suites name files of the corpus, and agree with its published data. usage: FOLDER OF THE SUITES"""
import csv
import os
import re
import subprocess
import sys
import unittest

CORPUS = os.environ.get("OMEN_CORPUS", "")
SUITES = sys.argv.pop(1)
# The Promela versions of these are larger models.
LEFT_OUT = {"bopdp", "bridge", "brp", "elevator", "iprotocol", "production_cell", "rether"}


def text_of(suite):
    with open(os.path.join(SUITES, suite + ".suite"), encoding="utf-8") as f:
        return f.read().replace("\\\n", " ")


def rows_of(suite):
    return {line.split()[1]: dict(re.findall(r"([\w-]+)=(\S+)", line))
            for line in text_of(suite).splitlines() if line.startswith("row ")}


def states():
    with open(os.path.join(CORPUS, "beem", "state-spaces.csv")) as f:
        return {r["model"]: r for r in csv.DictReader(f)}


KINDS = ("ltl3dra", "rabinizer3", "ltl3tela", "finless")


def rabin_formulas():
    """Returns the published rows of the automata of each formula ("finless-favoid": by the other algorithm)."""
    found = {}
    with open(os.path.join(CORPUS, "rabin-sttt", "expected.csv")) as f:
        for r in csv.DictReader(f):
            other = r["automaton"] == "finless" and r["ltsmin_algorithm"] == "favoid"
            found.setdefault(r["formula"], {})[r["automaton"] + ("-favoid" if other else "")] = r
    return {name: known for name, known in found.items() if "tgba" in known}


class Suites(unittest.TestCase):
    def test_explore_spin_is_complete(self):
        wanted = {}
        for model, row in states().items():
            family = model.rsplit(".", 1)[0]
            promela = os.path.join(CORPUS, "beem", family, model + ".pm")
            if (500000 <= int(row["states"]) <= 20000000 and family not in LEFT_OUT
                    and os.path.exists(promela)):
                wanted[model] = {"family": family, "states": row["states"]}
        self.assertGreater(len(wanted), 20)
        self.assertEqual(rows_of("explore-spin"), wanted)

    def test_counts_are_the_published_ones(self):
        known = states()
        for suite in "explore-spin", "explore-ltsmin", "threads", "store":
            for model, row in rows_of(suite).items():
                self.assertEqual(row["states"], known[model]["states"], (suite, model))
                if "transitions" in row:
                    self.assertEqual(row["transitions"], known[model]["transitions"], model)
        self.assertTrue(all(int(r["states"]) > 2000000 for r in rows_of("threads").values()))
        self.assertEqual({m for m, r in rows_of("store").items() if r["small"] == "1"},
                         {"at.4", "lamport.6", "elevator2.3", "telephony.4", "anderson.6",
                          "iprotocol.6"})

    def test_files_are_there(self):
        for suite in "liveness", "start-up", "device":
            for name, row in rows_of(suite).items():
                file = row.get("file", "").replace("${corpus}/beem/", "")
                if file and "${demo}" not in file:
                    self.assertTrue(os.path.exists(os.path.join(CORPUS, "beem", file)), name)
                if "promela" in row:
                    path = os.path.join(CORPUS, "beem", row["family"], row["promela"] + ".pm")
                    with open(path) as f:
                        processes = re.findall(r"proctype (\w+)", f.read())
                    self.assertEqual(row["processes"], "+".join(p + "@CS" for p in processes))

    def test_devices_get_what_is_there(self):
        known = states()
        for name, row in rows_of("gpu").items():
            for model in filter(None, (row.get("model"), row.get("checked"))):
                self.assertTrue(os.path.exists(os.path.join(CORPUS, "beem", model + ".dve")), name)
            if "model" in row:
                self.assertEqual(row["states"], known[name]["states"], name)
                # A row, its parent and an entry of a half-empty index.
                self.assertGreaterEqual(float(row["bytes"]), 28 * int(row["states"]), name)
        self.assertEqual({n for n, r in rows_of("gpu").items() if "counted" in r} - set(rows_of("counts")), set())
        for name, row in rows_of("counts").items():
            self.assertTrue(os.path.exists(os.path.join(CORPUS, "beem", row["family"], name + ".dve")), name)
            self.assertEqual(row["status"], "30" if int(row["limit"]) < int(known[name]["states"]) else "0", name)

    def test_papers(self):
        with open(os.path.join(CORPUS, "beem", "properties.csv")) as f:
            beem = {r["file"]: r for r in csv.DictReader(f)}
        with open(os.path.join(CORPUS, "rabin-sttt", "expected.csv")) as f:
            sttt = {r["formula"]: r for r in csv.DictReader(f) if r["automaton"] == "tgba"}
        status = {"holds": "0", "violated": "10"}
        # Including values with blanks.
        lines = {line.split()[1]: line for line in text_of("papers-gs").splitlines() if line.startswith("row ")}
        for name, row in rows_of("papers-gs").items():
            known = beem[row["file"]]
            self.assertEqual((known["model"] + "-" + known["property"], known["holds"]), (name, row["verdict"]))
            self.assertEqual(row["status"], status[row["verdict"]], name)
            self.assertTrue(os.path.exists(os.path.join(CORPUS, "beem", row["file"])), name)
            self.assertEqual("whole" in row, row["verdict"] == "holds", name)
            self.assertEqual("simple" in row, row["strength"] == "weak", name)
            if "promela" in row:
                path = os.path.join(CORPUS, "beem", row["family"], row["promela"] + ".pm")
                self.assertTrue(name.startswith(row["promela"] + "-") and os.path.exists(path), name)
                self.assertNotIn(row["family"], LEFT_OUT)
                with open(path) as f:
                    text = f.read()
                for process, label in re.findall(r"(\w+)@(\w+)", lines[name]):
                    body = re.search(rf"proctype {process}\b(.*?)(?=proctype|\Z)", text, re.S).group(1)
                    self.assertRegex(body, rf"(?m)^\s*{label}:", name)
        for suite in "papers-renault", "papers-schedule", "papers-testing", "papers-unionfind":
            for name, row in rows_of(suite).items():
                if name == "at.3":
                    continue
                self.assertEqual(sttt[name]["model"], row["model"])
                verdict = row.get("verdict", "holds")
                self.assertEqual(sttt[name]["verdict"], verdict, name)
                self.assertEqual(row.get("status", "0"), status[verdict], name)
                for end in f"{row['model']}.dve", f"{name}_tgba.hoa":
                    self.assertTrue(os.path.exists(os.path.join(CORPUS, "rabin-sttt", row["model"], end)), name)

    def test_papers_nets(self):
        """At most five of each kind and verdict per net; formulas refer to places of the net."""
        counts, places = {}, {}
        lines = text_of("papers-nets").splitlines()
        formulas = {line.split()[1]: line.split('"formula=')[1] for line in lines if line.startswith("row ")}
        for name, row in rows_of("papers-nets").items():
            key = row["model"], row["kind"], row["verdict"]
            counts[key] = counts.get(key, 0) + 1
            self.assertEqual(row["status"], {"holds": "0", "violated": "10"}[row["verdict"]], name)
            if row["file"] == "-":
                continue
            path = os.path.join(CORPUS, "petri", row["file"] + ".pnml")
            if path not in places:
                with open(path, encoding="utf-8") as f:
                    places[path] = set(re.findall(r'<place[^>]*\bid="([^"]+)"', f.read()))
            used = set(re.findall(r"\((\w+) >= \d\)", formulas[name]))
            self.assertTrue(used and used <= places[path], name)
            self.assertNotIn("X", re.sub(r"\(\w+ >= \d\)", "", formulas[name]), name)
        self.assertEqual(len({model for model, _, _ in counts}), 5)
        self.assertLessEqual(max(counts.values()), 5)

    def rabin_files(self, name, row):
        kinds = {k for k in KINDS if k in row} | {"tgba"}
        for end in [f"{row['model']}.dve"] + [f"{name}_{k}.hoa" for k in kinds]:
            self.assertTrue(os.path.exists(os.path.join(CORPUS, "rabin-sttt", row["model"], end)), name)

    def test_papers_rabin(self):
        """The rows are those that the table's comment describes, with the published data of the automata."""
        formulas, rows = rabin_formulas(), rows_of("papers-rabin")
        wanted = set()
        for name, known in formulas.items():
            sizes = [int(r["product_states"] or 0) for r in known.values()]
            several = any(k.startswith("finless") for k in known)
            if known["tgba"]["model"] not in ("bakery.4", "bopdp.3", "elevator.4"):
                continue
            if known["tgba"]["verdict"] == "holds":
                right = {"rabinizer3", "ltl3tela"} <= set(known) and max(sizes) <= 3e6 or several and max(sizes) <= 6e6
            else:
                right = {"ltl3dra", "rabinizer3", "ltl3tela"} <= set(known) or several
            wanted |= {name} if right else set()
        self.assertEqual(set(rows), wanted)
        for name, row in rows.items():
            known, verdict = formulas[name], formulas[name]["tgba"]["verdict"]
            self.rabin_files(name, row)
            self.assertEqual({r["verdict"] for r in known.values()}, {verdict}, name)
            self.assertEqual((row["model"], row["verdict"], row["status"]),
                             (known["tgba"]["model"], verdict, {"holds": "0", "violated": "10"}[verdict]), name)
            self.assertEqual("whole" in row, verdict == "holds", name)
            self.assertEqual(row["all"], "yes" if {"ltl3dra", "rabinizer3", "ltl3tela"} <= set(known) else "no", name)
            self.assertEqual("finless" in row, any(k.startswith("finless") for k in known), name)
            self.assertEqual(row.get("pairs"), "several" if "finless" in row else None, name)
            for kind in "ltl3dra", "rabinizer3", "ltl3tela":
                if kind not in known:
                    self.assertFalse({kind, kind + "-fin"} & set(row), name)
                    continue
                pairs, share = int(known[kind]["rabin_pairs"]), "violated"
                if verdict == "holds":
                    share = int(known[kind]["fin_transitions"]) / int(known[kind]["product_states"])
                    share = "0-10%" if share <= 0.1 else "10-90%" if share < 0.9 else "90-100%"
                self.assertEqual((row[kind], row[kind + "-fin"]), (str(pairs) if pairs < 3 else "3+", share), name)

    def test_rabin_ltsmin(self):
        formulas, liveness = rabin_formulas(), rows_of("liveness")
        for name, row in rows_of("rabin-ltsmin").items():
            known = formulas[name]
            self.rabin_files(name, row)
            self.assertEqual((known["tgba"]["model"], known["tgba"]["verdict"]), (row["model"], "holds"))
            states = int(known["tgba"]["product_states"])
            if row["size"] == "small":
                self.assertEqual(liveness[name]["states"], str(states), name)
                self.assertIn("ltsmin2", row)
                continue
            self.assertTrue(4e6 < states < 20e6, name)
            for kind in "ltl3dra", "rabinizer3", "ltl3tela":
                right = (kind in known and known[kind]["rabin_pairs"] == "1" and
                         int(known[kind]["product_states"]) <= 30e6)
                self.assertEqual(kind in row, right, (name, kind))

    def test_papers_streett(self):
        """n hypotheses, about existing processes and locations; a further hypothesis never makes a property
        fail.
        """
        rows = rows_of("papers-streett")
        for name, row in rows.items():
            n, words = 8 if row["n"] == "paper" else int(row["n"]), row["pairs"].split(";")
            self.assertEqual((name, len(words)), ("%s-%s" % (row["model"], row["n"]), 2 * n))
            self.assertEqual(len(set(zip(words[::2], words[1::2]))), n, name)
            self.assertEqual(row["status"], {"holds": "0", "violated": "10"}[row["verdict"]], name)
            most = 8 if row["n"] == "paper" else 4 if row["model"] == "peterson.2" else 5
            self.assertEqual("translated" in row, n <= most, name)
            with open(os.path.join(CORPUS, "beem", row["family"], row["model"] + ".dve")) as f:
                text = f.read()
            of_property = [row["property"][3:-1]] if row["n"] == "paper" else ["P_0.CS", "P_0." + row["entry"]]
            for word in "||".join(words + of_property).split("||"):
                process, location = word.split(".")
                body = re.search(rf"process {process}\b(.*?)(?=\nprocess|\Z)", text, re.S).group(1)
                self.assertRegex(re.search(r"state ([^;]*);", body).group(1), rf"\b{location}\b", name)
            if row["n"] == "paper": # p0 to p8 of the paper's formula
                p = {words[k]: "p%d" % i for i, k in enumerate((0, 1, 2, 4, 6, 8, 10, 12))} | {of_property[0]: "p8"}
                self.assertEqual(" ".join("||".join(p[x] for x in w.split("||")) for w in words),
                                 "p0 p1 p2 p0 p3 p2 p4 p2 p5 p3 p6 p5||p4 p7 p6 p1 p7", name)
                self.assertEqual(len(p), 9, name)
                continue
            less = rows.get("%s-%d" % (row["model"], n - 1))
            if less is None:
                self.assertEqual(n, 1)
                continue
            self.assertTrue(row["pairs"].startswith(less["pairs"] + ";"), name)
            self.assertFalse(less["verdict"] == "holds" and row["verdict"] == "violated", name)

    def test_papers_ltsmin(self):
        with open(os.path.join(CORPUS, "beem", "properties.csv")) as f:
            beem = {r["model"] + "-" + r["property"]: r for r in csv.DictReader(f) if r["kind"] == "ltl"}
        rows = rows_of("papers-ltsmin")
        self.assertGreater(len(rows), 0)
        for name, row in rows.items():
            self.assertEqual(name, row["model"] + "-" + row["property"])
            self.assertEqual(beem[name]["holds"], "holds", name)
            self.assertEqual(beem[name]["file"], f"{row['family']}/{row['model']}.prop{row['property']}.dve", name)
            for store in "tree", "table":
                self.assertGreater(2 ** int(row[store]), int(row["states"]), name)

    def test_strengths_are_those_of_the_automata(self):
        omen = os.environ.get("OMEN", "")
        for name, row in rows_of("papers-gs").items():
            plan = subprocess.run([omen, "check", os.path.join(CORPUS, "beem", row["file"]), "--plan", "--checker",
                                   "dijkstra", "--device", "none"], capture_output=True, text=True).stdout
            strength = re.search(r"^(terminal|weak|strong) part ", plan, re.M).group(1)
            self.assertEqual("strong" if strength == "strong" else "weak", row["strength"], name)
        for name, row in rows_of("papers-schedule").items():
            path = os.path.join(CORPUS, "rabin-sttt", row["model"], name + "_tgba.hoa")
            text = subprocess.run([omen, "strength", path], capture_output=True, text=True).stdout
            found = set(re.findall(r"^component \d+: (\S+):", text, re.M)) - {"non-accepting"}
            self.assertEqual(set(row["strengths"].split("+")), found, name)
            self.assertGreater(len(found), 1)

    def test_liveness_holds_by_what_is_published(self):
        with open(os.path.join(CORPUS, "beem", "properties.csv")) as f:
            formulas = {r["file"]: r for r in csv.DictReader(f)}
        for name, row in rows_of("liveness").items():
            if "processes" in row:
                self.assertEqual(formulas[row["file"]]["formula"], "GF someoneincs", name)
        with open(os.path.join(CORPUS, "rabin-sttt", "expected.csv")) as f:
            expected = {r["formula"]: r for r in csv.DictReader(f) if r["automaton"] == "tgba"}
        for name, row in rows_of("liveness").items():
            if "hoa" in row:
                self.assertEqual(expected[row["hoa"]]["verdict"], "holds")
                self.assertEqual(expected[row["hoa"]]["product_states"], row["states"])


if __name__ == "__main__":
    if not os.path.isdir(CORPUS):
        print("no corpus")
        sys.exit(77)
    unittest.main()
