# SPDX-License-Identifier: Apache-2.0
"""omend's page in a real browser: an example is submitted and viewed by keys and clicks, a counterexample
fits the window, nothing is lost without confirmation, hostile texts are shown as texts, tokens are requested,
nothing is wider than 400 pixels, dark and light.
usage: test_page.py --pictures FOLDER    the folder for screenshots
"""
import os
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cli")]
PICTURES = sys.argv.pop(sys.argv.index("--pictures") + 1)
sys.argv.remove("--pictures")
os.environ.setdefault("OMEN", "")

import browser  # noqa: E402
from server import LASSO, OMEND, Case, demo  # noqa: E402

HOSTILE = "</script><script>document.title='ran'</script><img src=x onerror=\"document.title='ran'\">"
# External front ends may use any names of states; here the hostile texts are a label, a formula and a
# model.
SHOWN = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent);"
# Elements that exceed the width.
WIDE = """return [...document.querySelectorAll("body *")].filter((e) => {
    const r = e.getBoundingClientRect();
    for (let up = e; up !== null; up = up.parentElement)
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX))
            return false;
    return r.width > 0 && r.right > innerWidth + 1;
}).map((e) => e.outerHTML.slice(0, 200));"""


# For the first element of each selector: whether all of it is inside the window.
INSIDE = """return [...arguments].map((s) => document.querySelector(s).getBoundingClientRect()).map((r) =>
    r.width > 0 && r.height > 0 && r.top >= 0 && r.left >= 0 && r.bottom <= innerHeight && r.right <= innerWidth);"""
# Drops a file on the element of a selector.
DROP = """const files = new DataTransfer();
files.items.add(new File([arguments[2]], arguments[1]));
document.querySelector(arguments[0]).dispatchEvent(
    new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: files }));"""
# Loses the answer to the first submission.
LOSE = """const real = window.fetch;
window.fetch = async (path, options) => {
    const answer = await real(path, options);
    if (options?.method !== "POST")
        return answer;
    window.fetch = real;
    throw new TypeError("lost");
};"""
# The fields of a submission.
FIELDS = """return Object.fromEntries([...document.querySelectorAll("form.fields label")].map((e) =>
    [e.firstChild.textContent, e.lastChild.value]));"""
FAILING = "byte x;\nactive proctype P() { x = 1; assert(x == 2) }\n"


@unittest.skipIf(browser.missing(), browser.missing())
class Page(Case):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        cls.addClassCleanup(cls.kept.cleanup)
        cls.browser = browser.Browser(cls.kept.name)
        cls.addClassCleanup(cls.browser.close)
        os.makedirs(PICTURES, exist_ok=True)

    def setUp(self):
        super().setUp()
        self.browser.size(1600, 1000)
        self.browser.scheme("light")
        self.browser.open("about:blank")  # stops requests of the previous test's page
        self.browser.console()

    def texts(self, selector):
        return self.browser.run(SHOWN, selector)

    def picture(self, name):
        self.browser.screenshot(os.path.join(PICTURES, f"{name}.png"))

    def button(self, text):
        self.browser.wait("""const b = [...document.querySelectorAll("button")].find((e) => e.textContent === arguments[0]);
            b?.click(); return b !== undefined;""", text)

    def ended(self):
        """Waits until the displayed job has ended; returns its verdicts."""
        self.browser.wait("""return [...document.querySelectorAll(".job-head .state")]
            .some((e) => !["queued", "running"].includes(e.textContent)) && document.querySelector(".results .row") !== null;""")
        return self.texts(".results summary .state")

    def fits(self, name):
        for width, scheme in ((400, "light"), (400, "dark"), (1600, "dark"), (1600, "light")):
            self.browser.size(width, 1000)
            self.browser.scheme(scheme)
            self.assertEqual(self.browser.run(WIDE), [], (name, width))
            self.picture(f"{name}-{width}-{scheme}")
        ground = {scheme: (self.browser.scheme(scheme), self.browser.run(
            "return getComputedStyle(document.body).backgroundColor;"))[1] for scheme in ("light", "dark")}
        self.assertNotEqual(ground["light"], ground["dark"])

    def test_an_example(self):
        """Submitted, followed and viewed, in each part of the page."""
        s = self.start()
        self.browser.open(f"{s.address}/#/submit")
        self.button("A client that starves")
        self.browser.wait("return document.querySelector('textarea').value.includes('process');")
        self.fits("submit")
        self.button("Submit")
        self.assertEqual(self.ended(), ["violated"])
        self.browser.wait("return document.querySelector('.omen-run .run-slider') !== null;")
        before = self.texts(".run-now .run-step-number")
        self.browser.run("document.querySelector('.omen-run').scrollIntoView(); document.querySelector('.run-slider').focus();")
        self.browser.press("right", "right", "right")
        self.assertNotEqual(self.texts(".run-now .run-step-number"), before)
        links = self.browser.run("return [...document.querySelectorAll('#main .buttons a')].map((a) => a.getAttribute('href'));")
        self.assertIn("/v1/jobs/1/lasso.html?result=0", links)
        self.fits("job")
        self.browser.open(f"{s.address}/#/")
        self.browser.wait("return document.querySelectorAll('#main table tr').length > 1;")
        self.fits("jobs")
        self.browser.open(f"{s.address}/#/machine")
        self.browser.wait("return document.querySelectorAll('#main table').length > 0;")
        self.fits("machine")
        self.assertEqual(self.browser.console(), [])

    def test_a_counterexample_fits_the_window(self):
        """Figures on one line, and the same view of a run as on its own page: slider, variables, source and
        chart are visible together, and the arrow keys work at once.
        """
        s = self.start()
        long = " && ".join([LASSO["ltl"]] * 9)
        s.wait(s.submit(properties=[LASSO]))
        s.wait(s.submit(properties=[LASSO, {"deadlock": True}, {"ltl": long}]))
        for number in 1, 2:
            self.browser.open(f"{s.address}/#/jobs/{number}")
            self.browser.wait("return document.querySelector('.omen-run .run-slider') !== null;")
            for width, height in ((1280, 800), (1920, 1080), (1024, 700)):
                self.browser.size(width, height)
                parts = (".job-head h1", ".results summary", ".run-slider", ".run-number", ".run-said", ".run-chart",
                         ".run-source", ".run-variables", ".run-variables .run-variable:not(.run-variable-head)")
                self.assertEqual(self.browser.run(INSIDE, *parts), [True] * len(parts), (number, width))
                high = self.browser.run("""return [...document.querySelectorAll(".results summary")]
                    .map((e) => e.getBoundingClientRect().height);""")
                self.assertLess(max(high), 40, (number, width))
                least = self.browser.run("""return Math.min(...[...document.querySelectorAll(".run-panel")]
                    .map((e) => e.getBoundingClientRect().height));""")
                self.assertGreater(least, 150, (number, width))
                self.assertEqual(self.browser.run(WIDE), [])
                self.picture(f"counterexample-{number}-{width}")
            before = self.texts(".run-now .run-step-number")
            self.browser.press("right")
            self.assertNotEqual(self.texts(".run-now .run-step-number"), before)
        # The other lasso of a job that has two.
        self.assertEqual(self.browser.run("return document.querySelectorAll('.files button[aria-pressed=true]').length;"), 1)
        self.browser.click(".results .row:last-child .files button")
        self.browser.wait("return document.querySelector('.run-about code')?.textContent === arguments[0];",
                          s.job(2)["results"][2]["property"].removeprefix("ltl "))
        self.assertEqual(len(self.texts(".omen-run")), 1)
        self.assertEqual(self.browser.console(), [])

    def test_no_empty_charts(self):
        """A chart is only shown if it has a line."""
        s = self.start()
        s.wait(s.submit(properties=[LASSO]))
        self.browser.open(f"{s.address}/#/jobs/1")
        self.browser.wait("return document.querySelector('.omen-run .run-slider') !== null;")
        self.browser.settle()
        self.assertEqual(self.browser.run("""return [...document.querySelectorAll(".chart")].filter((e) =>
            e.getClientRects().length > 0 && e.querySelector("path.line") === null).length;"""), 0)
        self.assertEqual(self.browser.run("""return [...document.querySelectorAll("#main .panel")].filter((e) =>
            e.getClientRects().length > 0 && e.innerText.trim() === "").length;"""), 0)

    def test_a_fault(self):
        """An error in the model is shown beside the verdict."""
        s = self.start()
        job = s.wait(s.submit(model=FAILING, language="promela", name="fails.pml"))
        faults = [r["fault"] for r in job["results"] if r["fault"] is not None]
        self.assertNotEqual(faults, [])
        self.browser.open(f"{s.address}/#/jobs/1")
        self.assertIn("violated", self.ended())
        self.assertEqual(self.texts(".results summary .fault"), faults)
        self.assertNotIn("null", " ".join(self.texts("#main")))
        self.picture("fault")
        self.assertEqual(self.browser.console(), [])

    def test_the_language_is_taken_from_the_name(self):
        s = self.start()
        self.browser.open(f"{s.address}/#/submit")
        self.browser.wait("return document.querySelector('form.fields') !== null;")
        for name, language in (("leader.pml", "promela"), ("net.PNML", "pnml"), ("mutex.dve", "dve"), ("-a b.pml", "promela")):
            self.browser.run("document.querySelector('form.fields textarea').value = '';")
            self.browser.run(DROP, "form.fields textarea", name, FAILING)
            self.browser.wait("return document.querySelector('form.fields textarea').value === arguments[0];", FAILING)
            fields = self.browser.run(FIELDS)
            self.assertEqual((fields["language"], fields["file name"]), (language, {"-a b.pml": "a_b.pml"}.get(name, name)))
        # A typed name, and an inconclusive one; a file can be dropped anywhere in the form.
        type_name = """const e = [...document.querySelectorAll("form.fields label")].find((l) => l.textContent === "file name").lastChild;
            e.value = arguments[0]; e.dispatchEvent(new Event("input", { bubbles: true }));"""
        for name, language in (("x.dve", "dve"), ("x.txt", "dve"), ("x.pnml", "pnml")):
            self.browser.run(type_name, name)
            self.assertEqual(self.browser.run(FIELDS)["language"], language)
        self.browser.run("document.querySelector('form.fields textarea').value = '';")
        self.browser.run(DROP, ".property", "leader.pml", FAILING)
        self.browser.wait("return document.querySelector('form.fields textarea').value === arguments[0];", FAILING)
        # Text of the user is only replaced after confirmation.
        self.browser.run("document.querySelector('form.fields textarea').value = 'mine';")
        self.browser.run(DROP, ".property", "mutex.dve", "other")
        self.browser.wait("return document.querySelector('dialog.ask')?.open;")
        self.browser.press("escape")
        self.browser.wait("return document.querySelector('dialog.ask') === null;")
        fields = self.browser.run(FIELDS)
        self.assertEqual((fields["model"], fields["language"]), ("mine", "promela"))
        self.assertEqual(self.browser.console(), [])

    def test_what_is_lost_is_asked_first(self):
        """Remove and Retry ask first: Escape keeps the job and restores the focus, the other button
        continues.
        """
        s = self.start()
        s.wait(s.submit(properties=[LASSO]))
        self.browser.open(f"{s.address}/#/jobs/1")
        self.ended()
        for text in "Remove", "Retry":
            self.browser.run("[...document.querySelectorAll('button')].find((e) => e.textContent === arguments[0]).focus();", text)
            self.browser.press("enter")
            self.browser.wait("return document.querySelector('dialog.ask')?.open;")
            self.assertEqual(self.browser.run("return document.activeElement.textContent;"), "No, keep it")
            self.picture(text.lower())
            self.browser.press("escape")
            self.browser.wait("return document.querySelector('dialog.ask') === null;")
            self.assertEqual(self.browser.run("return document.activeElement.textContent;"), text)
            job = s.job(1)
            self.assertEqual((job["state"], job["attempt"], len(job["results"])), ("done", 1, 1))
        self.button("Remove")
        self.button("Remove job 1")
        self.browser.wait("return location.hash === '#/';")
        self.assertEqual(s.ask("GET", "/v1/jobs/1")[0], 404)
        # A property's row can be restored.
        self.browser.open(f"{s.address}/#/submit")
        self.button("Mutual exclusion")
        self.browser.wait("return document.querySelector('.property input').value.startsWith('G(P_0');")
        self.browser.click(".property button")
        self.assertEqual(self.browser.run("return document.querySelectorAll('.property').length;"), 0)
        self.browser.press("enter")
        self.assertEqual(self.browser.run("return document.querySelector('.property input').value;"),
                         "G(P_0.waiting -> F P_0.critical)")
        self.assertEqual(self.browser.console(), [])

    def test_edit_and_submit_again(self):
        """All parameters of the job can be edited."""
        s = self.start()
        never = "never {\nT0: // first\n  if\n  :: (x == 1) -> goto accept\n  :: skip -> goto T0\n  fi;\naccept: skip\n}\n"
        asked = {"model": FAILING, "language": "promela", "name": "fails.pml", "label": "a label", "priority": 3,
                 "properties": [{"ltl": "G (x < 2)"}, {"deadlock": True}, {"never": never}, {"name": "p1"}],
                 "options": {"exec": "vm", "seed": 7, "quiet": True},
                 "limits": {"memory": 300000000, "timeout": "5m", "max_states": 1000, "threads": 1}}
        s.wait(s.submit(**asked))
        self.browser.open(f"{s.address}/#/jobs/1")
        self.browser.wait("return document.querySelector('.job-head a') !== null;")
        self.browser.click(".job-head a")
        self.browser.wait("return document.querySelector('form.fields') !== null;")
        self.picture("again")
        self.button("Submit")
        self.browser.wait("return location.hash === '#/jobs/2';")
        again = s.wait(2)
        members = ("language", "name", "label", "priority", "properties", "options", "limits")
        self.assertEqual({k: again[k] for k in members}, {k: asked[k] for k in members})
        self.assertEqual(s.ask("GET", "/v1/jobs/2/model")[1]["model"], FAILING)
        self.browser.open(f"{s.address}/#/submit?job=1")
        self.button("Remove these")
        self.button("Submit")
        self.browser.wait("return location.hash === '#/jobs/3';")
        job = s.wait(3)
        self.assertEqual((job.get("options", {}), "max_states" in job["limits"]), ({}, False))
        self.assertEqual(self.browser.console(), [])

    def test_a_submission_whose_answer_is_lost(self):
        """Submitted again it is the same job; submitted once more, another."""
        s = self.start()
        self.browser.open(f"{s.address}/#/submit")
        self.button("A client that starves")
        self.browser.wait("return document.querySelector('textarea').value.includes('process');")
        self.browser.run(LOSE)
        self.button("Submit")
        self.browser.wait("return document.querySelector('form .problem') !== null;")
        self.button("Submit")
        self.browser.wait("return location.hash === '#/jobs/1';")
        self.assertEqual(len(s.ask("GET", "/v1/jobs")[1]["jobs"]), 1)
        self.browser.open(f"{s.address}/#/submit?job=1")
        self.button("Submit")
        self.browser.wait("return location.hash === '#/jobs/2';")
        self.assertEqual(len(s.ask("GET", "/v1/jobs")[1]["jobs"]), 2)
        self.assertEqual(self.browser.console(), [])

    def test_lists(self):
        """An empty list explains what to do; a job is shown with its model's name."""
        s = self.start()
        self.browser.open(f"{s.address}/#/")
        self.browser.wait("return document.querySelector('.empty a[href=\"#/submit\"]') !== null;")
        self.fits("empty")
        s.submit(properties=[LASSO], name="starvation.dve")
        s.submit(properties=[LASSO])
        self.browser.wait("return document.querySelectorAll('#main tbody tr').length === 2;")
        self.assertEqual(self.texts("#main tbody td:nth-child(3)"), ["unnamed dve", "starvation.dve dve"])
        self.browser.run("""const e = document.querySelector("input[type=search]");
            e.value = "none has it"; e.dispatchEvent(new Event("input", { bubbles: true }));""")
        self.button("Show all jobs")
        self.browser.wait("return document.querySelectorAll('#main tbody tr').length === 2;")
        self.assertEqual(self.browser.console(), [])

    def test_the_page_of_a_run(self):
        """It works on its own, without an origin, and cannot send requests to omend."""
        s = self.start()
        s.wait(s.submit(properties=[LASSO]))
        self.browser.open(f"{s.address}/v1/jobs/1/lasso.html")
        self.browser.wait("return document.querySelector('.run-slider') !== null;")
        self.assertEqual(self.browser.run("return self.origin;"), "null")
        self.assertEqual(self.browser.console(), [])

    def test_hostile_texts(self):
        s = self.start()
        s.submit(label=HOSTILE[:60], properties=[{"ltl": HOSTILE}])
        s.wait(s.submit(model=HOSTILE, label="<b>bold</b>"))
        s.wait(s.submit(model=f"// {HOSTILE}\n" + demo("starvation.dve"), properties=[LASSO], label="\"'><svg onload=x>"))
        for where in "#/", "#/jobs/1", "#/jobs/2", "#/jobs/3":
            self.browser.open(f"{s.address}/{where}")
            self.browser.wait("return document.querySelectorAll('#main .state').length > 0;")
        self.browser.wait("return document.querySelector('.omen-run') !== null;")
        self.assertEqual(self.browser.run("return document.title;"), "omen: job 3")
        self.assertEqual(self.browser.run("return document.querySelectorAll('#main img, #main script').length;"), 0)
        self.assertNotIn("bold", self.texts("b"))
        self.assertIn(HOSTILE, self.browser.run("return document.querySelector('.omen-run').textContent;"))
        self.assertEqual(self.browser.console(), [])

    def test_a_long_job(self):
        """Its figures arrive while it runs; a button cancels it."""
        s = self.start()
        s.submit_endless()
        self.browser.open(f"{s.address}/#/jobs/1")
        self.browser.wait("return document.querySelectorAll('#main svg path').length > 2;")
        self.picture("running")
        self.button("Cancel")
        self.button("Cancel job 1")
        self.browser.wait("return [...document.querySelectorAll('#main .state')].some((e) => e.textContent === 'cancelled');")
        self.assertEqual(self.browser.console(), [])

    def test_an_omend_that_is_started_again(self):
        """A page that shows a job resumes without user action."""
        s = self.start()
        s.submit_endless()
        self.browser.open(f"{s.address}/#/jobs/1")
        self.browser.wait("return document.querySelectorAll('#main svg path').length > 2;")
        s.stop(signal.SIGKILL)
        self.browser.wait("return performance.getEntriesByType('resource').some((e) => "
                          "e.name.endsWith('/events') && e.responseStatus === 0);")
        s = self.start(listen=f"127.0.0.1:{s.port}")
        self.assertEqual(s.ask("DELETE", "/v1/jobs/1")[0] // 100, 2)
        self.browser.wait("return [...document.querySelectorAll('#main .state')].some((e) => e.textContent === 'cancelled');")
        self.browser.console()  # discards messages of refused connections

    def test_the_dashboard(self):
        """Queue and pool on one page, with jobs of every state. (The README has this picture.)"""
        s = self.start(config="threads = 2; memory = \"4G\"; calibrate = false;")
        fair = {"ltl": "G(P_0.waiting -> F P_0.critical)"}
        s.wait(s.submit(properties=[LASSO], label="starvation", name="starvation.dve"))
        s.wait(s.submit(model=demo("mutex.dve"), properties=[fair, {"deadlock": True}], label="nightly", name="mutex.dve"))
        s.wait(s.submit(model="process P { state a; init b; }", properties=[{"deadlock": True}], name="draft.dve"))
        s.wait(s.submit_endless(limits={"max_states": 1000, "memory": "1G"}, name="endless.dve", label="nightly"))
        for label in "soak", "soak", "nightly":
            s.submit_endless(limits={"memory": "1G"}, name="endless.dve", label=label)
        for number in 5, 6:
            s.wait(number, ("running",))
        self.browser.size(1200, 700)
        self.browser.open(f"{s.address}/#/")
        self.browser.wait("return [...document.querySelectorAll('#main td .state')].map((e) => e.textContent).join() === "
                          "'queued,running,running,unknown,failed,holds,violated';")
        self.browser.wait("return [...document.querySelectorAll('.figure')].map((e) => e.textContent).join() === "
                          "'1,2,2 / 2,2.1 GB / 4.3 GB';")
        self.picture("dashboard")
        for number in 7, 6, 5:
            s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual(self.browser.console(), [])

    def test_tokens(self):
        """A token is requested, stored for this tab only, and sent with all requests."""
        word = "a-token-for-this-test-alone"
        hashed = subprocess.run([OMEND, "--hash-token"], input=word + "\n", capture_output=True, text=True,
                                check=True).stdout.strip()
        s = self.start(config=f'tokens = ({{ name = "me"; hash = "{hashed}"; role = "admin"; }});')
        s.token = word
        self.browser.open(f"{s.address}/#/")
        self.browser.wait("return document.getElementById('login').open;")
        self.picture("login")
        self.browser.run("document.getElementById('token').focus();")
        self.browser.press(*s.token, "enter")
        self.browser.wait("return !document.getElementById('login').open && document.querySelector('#main h1') !== null;")
        s.wait(s.submit(properties=[LASSO]))
        self.browser.open(f"{s.address}/#/jobs/1")
        self.assertEqual(self.ended(), ["violated"])
        self.browser.wait("return document.querySelector('.omen-run .run-slider') !== null;")
        self.assertNotIn("lasso.html", " ".join(self.browser.run(
            "return [...document.querySelectorAll('#main a')].map((a) => a.href);")))
        self.browser.run("sessionStorage.clear();")
        self.assertEqual([line for line in self.browser.console() if "401" not in line], [])


if __name__ == "__main__":
    unittest.main()
