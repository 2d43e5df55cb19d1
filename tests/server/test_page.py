# SPDX-License-Identifier: Apache-2.0
"""omend's page in a real browser: an example is submitted and looked at by keys and clicks, hostile texts
are shown as texts, tokens are asked for, nothing is wider than 400 pixels, dark and light.

usage: test_page.py --pictures FOLDER    where screenshots are left"""
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
# A state of a process may have any name in front ends of others; here the texts are a label, a formula and a model.
SHOWN = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent);"
# What does not fit into the width.
WIDE = """return [...document.querySelectorAll("body *")].filter((e) => {
    const r = e.getBoundingClientRect();
    for (let up = e; up !== null; up = up.parentElement)
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(up).overflowX))
            return false;
    return r.width > 0 && r.right > innerWidth + 1;
}).map((e) => e.outerHTML.slice(0, 200));"""


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
        self.browser.open("about:blank")  # the last test's page asks on
        self.browser.console()

    def texts(self, selector):
        return self.browser.run(SHOWN, selector)

    def picture(self, name):
        self.browser.screenshot(os.path.join(PICTURES, f"{name}.png"))

    def button(self, text):
        self.browser.wait("""const b = [...document.querySelectorAll("button")].find((e) => e.textContent === arguments[0]);
            b?.click(); return b !== undefined;""", text)

    def ended(self):
        """The job that is shown has ended; its verdicts."""
        self.browser.wait("""return [...document.querySelectorAll("h1 + .panel .state")]
            .some((e) => !["queued", "running"].includes(e.textContent));""")
        return self.texts("#main section.panel > p > .state")

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
        """Submitted, watched and looked at, in each part of the page."""
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

    def test_the_page_of_a_run(self):
        """It works by itself, without an origin: it cannot ask omend for anything."""
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
        s.wait(s.submit(model=demo("starvation.dve") + f"// {HOSTILE}\n", properties=[LASSO], label="\"'><svg onload=x>"))
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
        """Its figures come while it is at work; it is cancelled by a button."""
        s = self.start()
        s.submit_endless()
        self.browser.open(f"{s.address}/#/jobs/1")
        self.browser.wait("return document.querySelectorAll('#main svg path').length > 2;")
        self.picture("running")
        self.button("Cancel")
        self.browser.wait("return [...document.querySelectorAll('#main .state')].some((e) => e.textContent === 'cancelled');")
        self.assertEqual(self.browser.console(), [])

    def test_an_omend_that_is_started_again(self):
        """A page that shows a job goes on by itself."""
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
        self.browser.console()  # of refused connections

    def test_the_dashboard(self):
        """Queue and pool at a glance, with jobs of every state. (The README has this picture.)"""
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
        """One is asked for, kept for this tab alone, and sent with everything."""
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
