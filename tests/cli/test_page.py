# SPDX-License-Identifier: Apache-2.0
"""The page of a run in a real browser: navigation by keys, slider and clicks, filters, links, speed with
10,000 steps, at 400 and at 1600 pixels, dark and light; content of the model is never executed.
usage: test_page.py --pictures FOLDER    the folder for screenshots
"""
import json
import math
import os
import sys
import tempfile
import time
import unittest

import browser
from cli import model, run

DEMO = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "hosts", "cli", "demo")
SERVED = "G(Client_0.waiting -> F Client_0.served)"
KEYS = ("ArrowRight", "ArrowLeft", "PageDown")
PICTURES = sys.argv.pop(sys.argv.index("--pictures") + 1)
sys.argv.remove("--pictures")
HOSTILE = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"

# The page's own description of its state.
STATE = """
const text = (selector) => [...document.querySelectorAll(selector)].map((e) => e.textContent);
return { step: Number(document.querySelector(".run-slider").value), hash: location.hash,
    now: text(".run-now .run-step-number").map(Number), said: text(".run-said")[0],
    lit: text(".run-lit .run-line-number").map(Number),
    changed: Object.fromEntries([...document.querySelectorAll(".run-changed")].map((row) =>
        [row.children[0].textContent, row.children[1].textContent])),
    rows: text(".run-step-number").map(Number), heads: text(".run-head"),
    variables: text(".run-variable:not(.run-variable-head) > :first-child"),
    count: text(".run-count")[0] };"""

# Elements that exceed the width, and the colours.
FITS = """
const seen = (e) => { const r = e.getBoundingClientRect();
    return r.left >= 0 && r.right <= innerWidth && r.width > 20 && r.height > 10; };
const style = getComputedStyle(document.querySelector(".omen-run"));
const within = (e, box) => e !== null && e.getBoundingClientRect().top >= box.getBoundingClientRect().top &&
    e.getBoundingClientRect().bottom <= box.getBoundingClientRect().bottom;
return { wide: document.documentElement.scrollWidth,
    lit: within(document.querySelector(".run-lit"), document.querySelector(".run-source .run-rows")),
    now: within(document.querySelector(".run-now"), document.querySelector(".run-chart .run-rows")),
    ground: style.backgroundColor, ink: style.color,
    hidden: [...document.querySelectorAll("h1, button.run-button, input, select, .run-panel")]
        .filter((e) => e.type !== "checkbox" && !seen(e)).map((e) => e.className) };"""

# The time of the fastest of some steps, including all work of the browser before it can paint.
TIMES = """
const times = [];
for (let i = 0; i < arguments[0]; i++) {
    const begun = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: arguments[1] }));
    document.querySelector(".run-panels").getBoundingClientRect();
    times.push(performance.now() - begun);
}
return Math.min(...times);"""


def check(path, question, page):
    done = run("check", path, *question, "--device", "none", "--exec", "vm", "--threads", "1", "--lasso",
               page, "-q")
    assert done.returncode == 10, done.stderr


class Page(unittest.TestCase):
    opened = 0

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.folder.cleanup)
        try:
            cls.browser = browser.Browser(cls.folder.name)
        except browser.Failure as why:  # an installed browser may not run on this machine
            raise unittest.SkipTest(f"the browser does not start: {why}") from None
        cls.addClassCleanup(cls.browser.close)
        cls.address = "file://" + cls.folder.name
        os.makedirs(PICTURES, exist_ok=True)
        plain = "--merge", "off", "--reset-dead", "off"  # a run of some length
        for name, question in ("starvation", (SERVED,)), ("lossy", ("GF Receiver.deliver", *plain)):
            check(os.path.join(DEMO, f"{name}.dve"), ("--ltl", *question), cls.path(f"{name}.html"))
        check(os.path.join(DEMO, "starvation.dve"), ("--ltl", SERVED), cls.path("starvation.json"))
        check(model("long.dve"), ("--invariant", "got < 3334"), cls.path("long.html"))
        with open(cls.path("starvation.json"), encoding="utf-8") as f:
            cls.lasso = json.load(f)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def setUp(self):
        self.browser.size(1600, 900)
        self.browser.scheme("light")
        self.browser.console()

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def open(self, name, link=""):
        Page.opened += 1  # otherwise a link to the open page would load nothing
        self.browser.open(f"{self.address}/{name}?{self.opened}{link}")

    def state(self):
        return self.browser.run(STATE)

    def picture(self, name):
        self.browser.screenshot(os.path.join(PICTURES, f"{name}.png"))

    def fill(self, selector, value, event="input"):
        self.browser.run("""const e = document.querySelector(arguments[0]);
            e.value = arguments[1]; e.dispatchEvent(new Event(arguments[2], { bubbles: true }));""",
                         selector, value, event)

    def at(self, step):
        """Checks that all parts show this step: the row, the description, the source line, the
        changes.
        """
        states, now = self.lasso["states"], self.state()
        count = len(states)
        self.assertEqual((now["step"], now["now"]), (step, [step]))
        if step == 0:
            self.assertIn("initial state", now["said"])
            self.assertEqual((now["lit"], now["changed"]), ([], {}))
            return
        before, here = states[step - 1], states[step if step < count else self.lasso["loop"]]
        self.assertIn(before["#meta"]["label"], now["said"])
        self.assertEqual(now["lit"], [int(before["#meta"]["place"].split(":")[1])])
        changed = {}
        for name in self.lasso["vars"]:
            a, b = before[name], here[name]
            for i, (x, y) in enumerate(zip(a, b)) if isinstance(a, list) else ((None, (a, b)),):
                if x != y:
                    changed[name if i is None else f"{name}[{i}]"] = str(y)
        self.assertEqual(now["changed"], changed)

    def test_keys(self):
        self.open("starvation.html")
        steps, loop = len(self.lasso["states"]), self.lasso["loop"]
        self.at(0)
        for step in range(1, steps + 1):
            self.browser.press("right" if step % 2 else "down")
            self.at(step)
        self.assertIn(f"back to state {loop}", self.state()["said"])
        self.browser.press("right")
        self.at(loop + 1)  # the cycle continues
        for key, step in (("left", loop), ("home", 0), ("end", steps), ("up", steps - 1), ("c", loop),
                          ("pageup", 0), ("left", 0), ("pagedown", min(10, steps))):
            self.browser.press(key)
            self.at(step)

    def test_slider_number_and_clicks(self):
        self.open("starvation.html")
        self.fill(".run-slider", "4")
        self.at(4)
        self.fill(".run-number", "2", "change")
        self.at(2)
        for wrong, step in ("999", len(self.lasso["states"])), ("-3", 0), ("", 0):
            self.fill(".run-number", wrong, "change")
            self.at(step)
        self.browser.click("#run-step-3")
        self.at(3)
        self.browser.click(".run-moves button:nth-child(3)")
        self.at(4)
        # To the step in which a value was assigned.
        since = self.browser.run("""const row = [...document.querySelectorAll(".run-variable")]
            .find((e) => e.children[0].textContent === "Client_0");
            row.children[3].click(); return Number(row.children[3].textContent);""")
        self.at(since)

    def test_links(self):
        self.open("starvation.html", "#step=3")
        self.at(3)
        self.browser.press("right")
        self.browser.wait("return location.hash === '#step=4'")
        self.browser.run("location.hash = '#step=1'")
        self.browser.wait("return document.querySelector('.run-slider').value === '1'")
        self.at(1)
        self.open("starvation.html", "#step=99999999")
        self.at(len(self.lasso["states"]))

    def test_filters(self):
        self.open("starvation.html")
        labels = [s["#meta"]["label"] for s in self.lasso["states"]]
        mine = [0] + [i for i, label in enumerate(labels, 1) if "Client_1:" in label]
        self.fill(".run-who", "1", "change")
        now = self.state()
        self.assertEqual((now["rows"], now["heads"]), (mine, ["Client_1", "Server"]))
        self.assertEqual(now["count"], f"{len(mine) - 1} of {len(labels)} steps")
        self.assertEqual(now["variables"], ["queued[0]", "queued[1]", "queued[2]", "Client_1"])
        for step in mine[1:]:
            self.browser.press("right")
            self.assertEqual(self.state()["step"], step)
        self.browser.click(".run-head[aria-pressed=true]")
        self.assertEqual(self.state()["rows"], list(range(len(labels) + 1)))
        # By the text of a variable's name.
        states = self.lasso["states"] + [self.lasso["states"][self.lasso["loop"]]]
        turned = [0] + [i for i in range(1, len(states)) if states[i]["queued"] != states[i - 1]["queued"]]
        self.browser.press("/")
        self.browser.press(*"queued")
        now = self.state()
        self.assertEqual((now["rows"], now["variables"]), (turned, ["queued[0]", "queued[1]", "queued[2]"]))
        self.browser.press("escape")
        self.assertEqual(self.state()["rows"], list(range(len(labels) + 1)))
        self.browser.click(".run-only input")
        self.fill(".run-slider", "1")
        self.assertEqual(sorted(self.state()["variables"]), sorted(self.state()["changed"]))

    def test_pictures(self):
        """Nothing is cut off at either width, in dark or light."""
        for name, step, kinds in (("starvation", 4, ((1600, "light"), (400, "dark"))),
                                  ("lossy", 8, ((1600, "dark"), (400, "light"))),
                                  ("long", 7000, ((1600, "light"),))):
            self.open(f"{name}.html", f"#step={step}")
            for width, scheme in kinds:
                self.browser.size(width, 900)
                self.browser.scheme(scheme)
                found = self.browser.run(FITS)
                self.assertEqual((found["wide"], found["hidden"]), (width, []))
                self.assertEqual((found["lit"], found["now"]), (True, True))
                light = [sum(map(int, found[k][4:-1].split(", "))) for k in ("ground", "ink")]
                self.assertEqual(light[0] > light[1], scheme == "light", found)
                self.assertEqual(self.state()["now"], [step])
                self.picture(f"{name}-{width}-{scheme}")

    def test_long_runs(self):
        self.open("long.html", "#step=7000")
        now = self.state()
        self.assertEqual(now["now"], [7000])
        self.assertEqual(self.browser.run("return Number(document.querySelector('.run-slider').max)"), 10002)
        # The page contains only the visible elements.
        self.assertLess(len(now["rows"]), 60)
        self.assertLess(self.browser.run("return document.querySelectorAll('*').length"), 1500)
        self.fill(".run-search", "got")
        self.assertEqual(self.state()["count"], "3334 of 10002 steps")
        self.browser.press("escape")
        self.browser.run("document.querySelector('.run-chart .run-rows').scrollTop = 1e9")
        self.browser.wait("return document.getElementById('run-step-10002') !== null")
        self.assertLess(len(self.state()["rows"]), 60)
        # A step takes the same time as in a short run. Because the machine may have other load,
        # both are measured in turn, until one of each was undisturbed.
        long, short = ({key: math.inf for key in KEYS} for _ in range(2))
        for _ in range(10):
            for name, times in ("long", long), ("lossy", short):
                self.open(f"{name}.html", "#step=5")
                for key in KEYS:
                    times[key] = min(times[key], self.browser.run(TIMES, 20, key))
            if all(long[key] < 10 * short[key] + 5 for key in KEYS):
                break
        for key in KEYS:
            self.assertLess(long[key], 10 * short[key] + 5, key)

    def test_more_rows_than_a_page_is_high(self):
        """Browsers cannot scroll that far: built from a short run, with the view's own parts."""
        self.open("starvation.html")
        count = 300000
        data = self.browser.run("return document.getElementById('omen-run').textContent")
        first, last = self.browser.run("""
            const data = JSON.parse(arguments[0]), count = arguments[1];
            data.moves = Array(count).fill(data.moves[0]);
            data.changes = Array(count).fill([]);
            data.loop = null;
            const root = document.createElement("div");
            root.style.height = "800px";
            document.querySelector("main").replaceWith(root);
            const view = omenRun.mount(root, data);
            const there = () => [...root.querySelectorAll(".run-step")].some((row) =>
                row.classList.contains("run-now") && row.getBoundingClientRect().top > 0 &&
                row.getBoundingClientRect().bottom < innerHeight);
            view.go(count);
            const last = there();
            view.go(count >> 1);
            const middle = there();
            view.close();
            return [middle, last && root.childElementCount === 0];""", data, count)
        self.assertEqual((first, last), (True, True))

    def test_hostile_names(self):
        state = {HOSTILE: HOSTILE, "x": 1, "</style>": [1, 2]}
        step = {"transition": 0, "label": f"{HOSTILE}: a -> b (c!)", "place": "<b>:1:2", "prints": f"{HOSTILE}\n{HOSTILE}\n"}
        lasso = {"#meta": {"format": "ITF", "model": HOSTILE, "property": f"ltl={HOSTILE}"},
                 "vars": list(state), "states": [{"#meta": {"index": 0, **step}, **state}], "loop": 0}
        with open(self.path("hostile.json"), "w", encoding="utf-8") as f:
            json.dump(lasso, f)
        done = run("show", self.path("hostile.json"), "--output", self.path("hostile.html"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.open("hostile.html", "#step=1")
        found = self.browser.run("""
            const text = (selector) => document.querySelector(selector).textContent;
            return { title: document.title, heading: text("h1"), code: text(".run-about code"),
                images: document.images.length, scripts: document.scripts.length,
                missing: document.querySelector(".run-missing") !== null,
                names: [...document.querySelectorAll(".run-variable > button:first-child")]
                    .map((e) => e.textContent),
                printed: [...document.querySelectorAll(".run-printed")].map((e) => e.textContent) };""")
        printed = f"{HOSTILE}\u21b5{HOSTILE}"
        self.assertEqual(found, {"printed": [printed, printed], "title": f"{HOSTILE}: a run", "heading": HOSTILE, "images": 0, "scripts": 2,
                                 "code": HOSTILE, "missing": True,
                                 "names": [HOSTILE, "x", "</style>[0]", "</style>[1]"]})

    def test_policy(self):
        """Foreign scripts do not run, regardless of their source."""
        self.open("starvation.html")
        self.browser.run("""const script = document.createElement("script");
            script.textContent = "document.title = 'ran'"; document.body.append(script);""")
        self.assertNotEqual(self.browser.run("return document.title"), "ran")
        said = ""
        for _ in range(500):
            said += "\n".join(self.browser.console())
            if "Content Security Policy" in said:
                break
            time.sleep(0.02)
        self.assertIn("Content Security Policy", said)


if __name__ == "__main__":
    if browser.missing():
        print(f"skipped: {browser.missing()}")
        sys.exit(77)
    unittest.main()
