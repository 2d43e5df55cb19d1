# SPDX-License-Identifier: Apache-2.0
"""Output of a run's steps appears in its trace, in JSON and in drawings."""
import json
import re
import xml.etree.ElementTree as ET

from cli import VALIDATES, main, model, validator
from formats import FORMATS, SVG, Formats

PRINTS = model("prints.pml")
TEXT = ['l is 5', ', m two', 'and 100% of "n": 3\tf 10 A', 'one', '7', '8', 'step 0', 'step 1', 'started 1, -2 left over']


def printed(text):
    return re.findall(r"^       \| (.*)$", text, re.M)


class Prints(Formats):
    def test_check(self):
        """Also output that depends on values which are not read again, and which the search forgets."""
        for resets in "on", "off":
            done = self.expect(10, "check", PRINTS, "--ltl", "!G F (n == 8)", "--reset-dead", resets,
                               "--threads", "1")
            self.assertEqual([t for t in printed(done.stdout) if " of " not in t or t in TEXT][:len(TEXT)], TEXT)
            self.assertIn("round", printed(done.stdout))

    def test_files(self):
        for name in "run.json", "run.trail":
            path = self.path(name)
            self.expect(10, "check", PRINTS, "--property", "small", "--lasso", path, "-q")
            self.assertEqual(printed(self.expect(0, "show", path, PRINTS).stdout)[:6], TEXT[:6])
        done = self.expect(0, "simulate", PRINTS, "--steps", "20", "--seed", "3")
        self.assertEqual(printed(done.stdout)[:len(TEXT)], TEXT)

    def said(self, lasso):
        """Returns the output by step: step i + 1 leaves state i."""
        return {i: s["#meta"]["prints"] for i, s in enumerate(lasso["states"], 1) if "prints" in s["#meta"]}

    def test_formats(self):
        """With the model and without, the output is the same."""
        lasso = self.keep(PRINTS, "--ltl", "!G F (n == 8)")
        if VALIDATES:
            validator("lasso").validate(lasso)
        said = self.said(lasso)
        text = "".join(said.values())
        self.assertTrue(text.startswith("l is 5, m two\nand 100% of \"n\": 3\tf 10 A\none7\n8\n"), text)
        self.assertEqual(said[len(lasso["states"])], "round\n")
        self.assertEqual(lasso["loop"], len(lasso["states"]) - 1)
        self.assertEqual(self.check_page(lasso, self.source())["prints"], [list(pair) for pair in said.items()])
        for name, sign in ("svg", '"%s"'), ("dot", "| %s"):
            shown = [sign % t.removesuffix("\n").replace("\n", "\u21b5").replace("\t", " ") for t in said.values()]
            texts = "\n".join("".join(e.itertext()) for e in ET.fromstring(self.text("svg")).iter(SVG + "text")) \
                if name == "svg" else self.text("dot").replace('\\"', '"')
            for line in shown:
                self.assertIn(line, texts)
        kept = {name: self.text(name) for name in FORMATS}
        kept["txt"] = self.expect(0, "show", self.paths["json"], PRINTS).stdout
        self.show(lasso)
        for name in "dot", "svg", "csv":
            self.assertEqual(self.text(name), kept[name], name)
        self.assertEqual(self.check_page(lasso, None)["prints"], [list(pair) for pair in said.items()])
        self.assertEqual(self.expect(0, "show", self.paths["json"]).stdout, kept["txt"])

    def source(self):
        with open(PRINTS, encoding="utf-8") as f:
            return f.read()

    def test_replay(self):
        """Output is not part of the run: in a file it is ignored if it is text."""
        lasso = self.keep(PRINTS, "--property", "small")
        meta = lasso["states"][0]["#meta"]
        self.assertIn("prints", meta)
        for value, status in (None, 0), ("something else", 0), ("", 0), (7, 3), ([], 3):
            meta.pop("prints")
            if value is not None:
                meta["prints"] = value
            with open(self.path("other.json"), "w", encoding="utf-8") as f:
                json.dump(lasso, f)
            self.expect(status, "replay", PRINTS, self.path("other.json"))
            if status == 0:
                self.expect(0, "simulate", PRINTS, "--load", self.path("other.json"), "--steps", "1")
                done = self.expect(0, "show", self.path("other.json"), PRINTS)
                self.assertEqual(printed(done.stdout)[0], "l is 5")
            meta["prints"] = ""

    def test_bytes(self):
        """Any bytes may be printed; files are UTF-8."""
        path = self.path("bytes.pml")
        with open(path, "w", encoding="utf-8") as f:
            f.write("""byte n = 200; byte zero;
                active proctype P() {
                    printf("</script>%c%c%c<!-- ]]> & \\\\ %c\u2603", n, zero, n - 190, n - 199);
                    printf(""); n = 0
                }
                ltl ever { [] (n != 0) }""")
        lasso = self.keep(path)
        self.assertEqual(self.said(lasso), {1: "</script>\ufffd\ufffd\n<!-- ]]> & \\ \x01\u2603"})
        with open(path, encoding="utf-8") as f:
            self.check_page(lasso, f.read())
        self.check_svg(lasso)
        self.check_dot(lasso)
        done = self.expect(0, "show", self.paths["json"], path)
        self.assertEqual(printed(done.stdout), ["</script>\ufffd\ufffd", "<!-- ]]> & \\ \\u0001\u2603"])
        self.expect(0, "replay", path, self.paths["json"])

    def test_simulation(self):
        done = self.expect(0, "simulate", PRINTS, "--steps", "6", "--seed", "3", "--json")
        self.assertIn("l is 5", self.said(json.loads(done.stdout)["run"]).values())

    def test_nothing(self):
        """The traces of a model without output are unchanged."""
        done = self.expect(10, "check", model("workers.pml"), "--property", "fewer")
        self.assertEqual(printed(done.stdout), [])


if __name__ == "__main__":
    main()
