# SPDX-License-Identifier: Apache-2.0
"""A browser for tests: Chromium, driven by chromedriver over WebDriver's HTTP (W3C WebDriver,
2018). It shows no window; console messages of the pages are recorded.
"""
import base64
import json
import os
import re
import shutil
import subprocess
import time
import urllib.error
import urllib.request

SECONDS = 120  # longer than any operation takes
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
KEYS = {"left": "\ue012", "right": "\ue014", "up": "\ue013", "down": "\ue015", "home": "\ue011",
        "end": "\ue010", "pagedown": "\ue00f", "pageup": "\ue00e", "escape": "\ue00c",
        "tab": "\ue004", "enter": "\ue007"}


def missing():
    """Returns which of browser and driver is missing, or None."""
    if not any(shutil.which(name) for name in BROWSERS):
        return "no Chromium is here (Debian: chromium)"
    if not shutil.which("chromedriver"):
        return "no chromedriver is here (Debian: chromium-driver)"
    return None


class Failure(Exception):
    """The driver's message about a failed command."""


class Browser:
    def __init__(self, folder, dark=False):
        binary = next(path for path in map(shutil.which, BROWSERS) if path)
        with open(os.path.join(folder, "driver.log"), "wb") as log:
            self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE,
                                           stderr=log, cwd=folder)
        self.session = None
        self.http = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            self.address = f"http://127.0.0.1:{self.read_port()}"
            arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                         "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                         "--disable-background-networking", "--force-color-profile=srgb",
                         f"--user-data-dir={os.path.join(folder, 'profile')}"]
            arguments += ["--force-dark-mode"] if dark else []
            self.session = self.ask("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:loggingPrefs": {"browser": "ALL"},
                "timeouts": {"script": SECONDS * 1000},
                "goog:chromeOptions": {"binary": binary, "args": arguments}}}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def read_port(self):
        for line in self.driver.stdout:
            found = re.search(rb"started successfully on port (\d+)", line)
            if found:
                return int(found.group(1))
        raise Failure("chromedriver does not start")

    def ask(self, method, path, body=None):
        if self.session is not None:
            path = f"/session/{self.session}{path}"
        data = None if method != "POST" else json.dumps(body or {}).encode()
        request = urllib.request.Request(self.address + path, data, {"Content-Type": "application/json"},
                                         method=method)
        try:
            with self.http.open(request, timeout=2 * SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            said = json.load(error)["value"]
            raise Failure(f"{said['error']}: {said['message']}") from None

    def open(self, address):
        self.ask("POST", "/url", {"url": address})

    def run(self, script, *arguments):
        """Returns the value of a function body, which has its arguments in `arguments`."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def wait(self, script, *arguments):
        """Waits until the function body returns a true value, and returns it."""
        until = time.monotonic() + SECONDS
        while not (value := self.run(script, *arguments)):
            if time.monotonic() > until:
                raise Failure(f"it never happens: {script}")
            time.sleep(0.02)
        return value

    def press(self, *keys):
        """Presses keys, given by name or as characters, one after the other."""
        actions = [{"type": kind, "value": KEYS.get(key, key)} for key in keys
                   for kind in ("keyDown", "keyUp")]
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def click(self, selector):
        found = self.ask("POST", "/element", {"using": "css selector", "value": selector})
        self.ask("POST", f"/element/{next(iter(found.values()))}/click")

    def size(self, width, height):
        """Sets the size of the viewport, and waits until the page is shown in it."""
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}})
        self.wait("return innerWidth === arguments[0] && innerHeight === arguments[1];", width, height)
        self.settle()

    def scheme(self, name):
        """Sets the colour scheme, "dark" or "light"."""
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": name}]}})
        self.wait("return matchMedia(`(prefers-color-scheme: ${arguments[0]})`).matches;", name)
        self.settle()

    def settle(self):
        """Waits until everything scheduled for the next frame, such as resize observers, has run."""
        self.ask("POST", "/execute/async", {"args": [], "script":
                 "const done = arguments[0]; requestAnimationFrame(() => requestAnimationFrame(() => done(true)));"})

    def console(self):
        """Returns the console messages since the last call."""
        return [f"{entry['level']}: {entry['message']}" for entry in
                self.ask("POST", "/se/log", {"type": "browser"})]

    def screenshot(self, path):
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        try:
            if self.session is not None:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
            self.driver.stdout.close()
