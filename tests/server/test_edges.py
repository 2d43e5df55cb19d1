#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""omend where two things come at once, and what only somebody hostile or unlucky sends."""
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from server import LASSO, OMEND, SECONDS, Case, demo, until


CALM = "calibrate = false;"  # nothing here depends on what devices do


def form(parts):
    return b"".join(b"--XX\r\nContent-Disposition: form-data; name=\"" + name.encode() + b"\"\r\n\r\n" + text + b"\r\n"
                    for name, text in parts) + b"--XX--\r\n"


class Forms(Case):
    def send(self, s, parts):
        answer, text = s.raw("POST", "/v1/jobs", form(parts), {"Content-Type": "multipart/form-data; boundary=XX"})
        return answer.status, json.loads(text)

    def test_pieces(self):
        """A part comes in pieces, which end anywhere, also within a character."""
        s = self.start(config=CALM)
        for shift in range(3):
            model = "//" + "x" * shift + "\u20ac" * 60000 + "\n" + demo("starvation.dve")
            status, value = self.send(s, [("model", model.encode()), ("language", b"dve"),
                                          ("ltl", LASSO["ltl"].encode())])
            self.assertEqual(status, 201, value)
            self.assertEqual(s.ask("GET", f"/v1/jobs/{value['id']}/model")[1]["model"], model)
        self.assertEqual(s.wait(value["id"])["verdict"], "violated")

    def test_nonsense(self):
        """What is refused, and does not keep omend from starting again."""
        s = self.start(config=CALM)
        model = [("model", demo("starvation.dve").encode()), ("language", b"dve")]
        for parts, pattern in (
                ([("name", b"a\0b")], "'name' is not UTF-8"), ([("ltl", b"G\0F")], "'ltl' is not UTF-8"),
                ([("label", b"\xff")], "'label' is not UTF-8"), ([("label", b"x" * 70000 + b"\xff")], "not UTF-8"),
                ([("label", b"one"), ("label", b"two")], "'label' is given twice"),
                ([("ltl", b"true"), ("properties", b"[]")], "'properties' is given twice"),
                ([("properties", b"[]"), ("deadlock", b"")], "'properties' is given twice"),
                ([("label", b"x")] * 300, "too many")):
            status, value = self.send(s, model + parts)
            self.assertEqual(status, 400, (parts[0], value))
            self.assertRegex(value["detail"], pattern)
        status, value = self.send(s, model + [("ltl", b"true"), ("deadlock", b"")])
        self.assertEqual(status, 201, value)
        self.assertEqual(len(s.wait(value["id"])["results"]), 2)
        self.assertEqual(s.stop(), 0)
        self.assertEqual(self.start(config=CALM).job(value["id"])["state"], "done")


class Edges(Case):
    def children(self, process):
        """Name and state of each."""
        out = []
        for task in os.listdir(f"/proc/{process.pid}/task"):
            with open(f"/proc/{process.pid}/task/{task}/children") as f:
                numbers = f.read().split()
            for number in numbers:
                try:
                    with open(f"/proc/{number}/stat") as f:
                        text = f.read()
                except OSError:
                    continue
                out.append((text[text.index("(") + 1:text.rindex(")")], text[text.rindex(")") + 2]))
        return out

    def test_nothing_stays(self):
        """A job that has ended leaves no process behind, not even as a number."""
        s = self.start(config=CALM)
        for number in [s.submit(properties=[LASSO]) for _ in range(4)]:
            s.wait(number)
        self.assertNotIn(("omend-job", "Z"), self.children(s.process))

    def test_retry_at_once(self):
        """A job that is queued again before the old attempt is cleaned up is a job like others."""
        s = self.start(config="threads = 1; " + CALM)
        number = s.submit_endless()
        s.wait(number, ("running",))
        work = os.path.join(s.data, "jobs", str(number), "1", "work")
        until(lambda: os.path.isdir(work), "it has no folder")
        for i in range(20):  # there is something to clean up
            os.mkdir(os.path.join(work, str(i)))
            for k in range(200):
                open(os.path.join(work, str(i), str(k)), "w").close()
        waits = threading.Thread(target=s.raw, args=("DELETE", f"/v1/jobs/{number}"))
        waits.start()
        s.wait(number, ("cancelled",))
        self.assertEqual(s.ask("POST", f"/v1/jobs/{number}/retry")[0], 200)
        waits.join()
        self.assertEqual(s.wait(number, ("running",))["attempt"], 2)
        status, job = s.ask("DELETE", f"/v1/jobs/{number}")
        self.assertEqual((status, job["state"]), (200, "cancelled"))
        self.assertEqual(s.wait(s.submit(properties=[LASSO]))["verdict"], "violated")

    def test_asked_at_the_end(self):
        """Whatever is asked while omend ends is answered, or refused."""
        for _ in range(2):
            s = self.start(config=CALM)
            number = s.submit(properties=[LASSO])
            s.wait(number)

            def ask():
                while s.process.poll() is None:
                    for method, path in (("GET", "/metrics"), ("POST", f"/v1/jobs/{number}/retry"),
                                         ("GET", f"/v1/jobs/{number}/lasso.txt")):
                        try:
                            s.raw(method, path)
                        except OSError:
                            pass
                        except Exception:  # an answer that was cut off
                            pass
            threads = [threading.Thread(target=ask) for _ in range(4)]
            for t in threads:
                t.start()
            s.process.send_signal(signal.SIGTERM)
            s.process.send_signal(signal.SIGTERM)
            self.assertEqual(s.process.wait(SECONDS), 0, s.said())
            for t in threads:
                t.join()

    def test_one_at_a_time(self):
        """Two in one folder would run the same jobs."""
        s = self.start(config=CALM)
        done = subprocess.run([OMEND, "--listen", "127.0.0.1:0", "--data", s.data], capture_output=True,
                              text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "another omend uses ")
        s.process.kill()
        s.process.wait()
        self.start(config=CALM)

    def test_file_in_the_way(self):
        """A socket that a dead server left is replaced; what is none is left alone."""
        path = os.path.join(self.folder.name, "notes")
        with open(path, "w") as f:
            f.write("mine")
        done = subprocess.run([OMEND, "--listen", "unix:" + path, "--data", os.path.join(self.folder.name, "d")],
                              capture_output=True, text=True, timeout=SECONDS)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot listen", done.stderr)
        with open(path) as f:
            self.assertEqual(f.read(), "mine")
        os.unlink(path)
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(path)
        process = subprocess.Popen([OMEND, "--listen", "unix:" + path, "--data", os.path.join(self.folder.name, "d")],
                                   stdout=subprocess.PIPE, text=True)
        self.assertIn("listens on unix:", process.stdout.readline())
        process.terminate()
        self.assertEqual(process.wait(SECONDS), 0)
        process.stdout.close()

    def test_other_sites(self):
        """Where there are no tokens, no page of another site may ask by somebody's browser."""
        s = self.start(config=CALM)
        here = f"{s.host}:{s.port}"
        for headers, status in (({"Origin": "http://" + here}, 200), ({"Host": "localhost:8440"}, 200),
                                ({"Host": "[::1]:8440"}, 200), ({"Origin": "http://elsewhere.example"}, 403),
                                ({"Origin": "null"}, 403), ({"Origin": "http://" + here + ".example"}, 403),
                                ({"Host": "elsewhere.example"}, 403), ({"Host": "127.0.0.1.example:8440"}, 403),
                                ({"Host": "elsewhere.example:8440", "Origin": "http://elsewhere.example:8440"}, 403)):
            answer, text = s.raw("GET", "/v1/jobs", headers=headers)
            self.assertEqual(answer.status, status, (headers, text))


if __name__ == "__main__":
    unittest.main()
