# SPDX-License-Identifier: Apache-2.0
"""The suites name what the corpus has, and what the corpus says of it. usage: FOLDER OF THE SUITES"""
import csv
import os
import re
import subprocess
import sys
import unittest

CORPUS = os.environ.get("OMEN_CORPUS", "")
SUITES = sys.argv.pop(1)
# Their Promela versions are larger models.
LEFT_OUT = {"bopdp", "bridge", "brp", "elevator", "iprotocol", "production_cell", "rether"}


def text_of(suite):
    with open(os.path.join(SUITES, suite + ".suite"), encoding="utf-8") as f:
        return f.read().replace("\\\n", " ")


def rows_of(suite):
    return {line.split()[1]: dict(re.findall(r"(\w+)=(\S+)", line))
            for line in text_of(suite).splitlines() if line.startswith("row ")}


def states():
    with open(os.path.join(CORPUS, "beem", "state-spaces.csv")) as f:
        return {r["model"]: r for r in csv.DictReader(f)}


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
                # A row, its parent and an entry of a half empty index.
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
        # Values with blanks, too.
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
        for suite in "papers-renault", "papers-schedule", "papers-unionfind":
            for name, row in rows_of(suite).items():
                if name == "at.3":
                    continue
                self.assertEqual(sttt[name]["model"], row["model"])
                verdict = row.get("verdict", "holds")
                self.assertEqual(sttt[name]["verdict"], verdict, name)
                self.assertEqual(row.get("status", "0"), status[verdict], name)
                for end in f"{row['model']}.dve", f"{name}_tgba.hoa":
                    self.assertTrue(os.path.exists(os.path.join(CORPUS, "rabin-sttt", row["model"], end)), name)

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
