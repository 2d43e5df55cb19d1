#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""omend with concurrent requests, and with rare or malicious input."""
import json
import os
import signal
import socket
import subprocess
import threading
import unittest

from server import LASSO, OMEND, SECONDS, Case, demo, until


CALM = "calibrate = false;"  # the tests do not depend on devices


def form(parts):
    return b"".join(b"--XX\r\nContent-Disposition: form-data; name=\"" + name.encode() + b"\"\r\n\r\n" + text + b"\r\n"
                    for name, text in parts) + b"--XX--\r\n"


class Forms(Case):
    def send(self, s, parts):
        answer, text = s.raw("POST", "/v1/jobs", form(parts), {"Content-Type": "multipart/form-data; boundary=XX"})
        return answer.status, json.loads(text)

    def test_pieces(self):
        """A part arrives in pieces, which may end anywhere, also within a character."""
        s = self.start(config=CALM)
        for shift in range(3):
            model = "//" + "x" * shift + "\u20ac" * 60000 + "\n" + demo("starvation.dve")
            status, value = self.send(s, [("model", model.encode()), ("language", b"dve"),
                                          ("ltl", LASSO["ltl"].encode())])
            self.assertEqual(status, 201, value)
            self.assertEqual(s.ask("GET", f"/v1/jobs/{value['id']}/model")[1]["model"], model)
        self.assertEqual(s.wait(value["id"])["verdict"], "violated")

    def test_nonsense(self):
        """Rejected requests, which must not prevent omend from starting again."""
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
        """Returns name and state of each child."""
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
        """An ended job leaves no process behind, not even a zombie."""
        s = self.start(config=CALM)
        for number in [s.submit(properties=[LASSO]) for _ in range(4)]:
            s.wait(number)
        self.assertNotIn(("omend-job", "Z"), self.children(s.process))

    def test_retry_at_once(self):
        """A job that is queued again before the old attempt is cleaned up works like any other."""
        s = self.start(config="threads = 1; " + CALM)
        number = s.submit_endless()
        s.wait(number, ("running",))
        work = os.path.join(s.data, "jobs", str(number), "1", "work")
        until(lambda: os.path.isdir(work), "it has no folder")
        for i in range(20):  # makes the clean-up take a while
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
        """Requests while omend ends are answered or rejected."""
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
                        except Exception:  # a truncated answer
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
        """Two servers in one folder would run the same jobs."""
        s = self.start(config=CALM)
        done = subprocess.run([OMEND, "--listen", "127.0.0.1:0", "--data", s.data], capture_output=True,
                              text=True, timeout=SECONDS)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, "another omend uses ")
        s.process.kill()
        s.process.wait()
        self.start(config=CALM)

    def test_file_in_the_way(self):
        """The socket of a dead server is replaced; any other file is kept."""
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
        self.assertFalse(os.path.exists(path))

    def test_passed_socket_is_not_removed(self):
        """The file of a socket that omend was passed belongs to the service manager, also if omend fails to start."""
        path, data = (os.path.join(self.folder.name, name) for name in ("s", "data"))
        with open(data, "w"):
            pass  # a file, so omend cannot start
        with socket.socket(socket.AF_UNIX) as passed:
            passed.bind(path)
            passed.listen()
            command = f"exec 3<&{passed.fileno()}; LISTEN_FDS=1 LISTEN_PID=$$ exec \"$0\" --data \"$1\" --config \"$2\""
            config = os.path.join(self.folder.name, "conf")
            with open(config, "w") as f:
                f.write(CALM)
            for folder in (data, os.path.join(self.folder.name, "d")):
                process = subprocess.Popen(["sh", "-c", command, OMEND, folder, config], pass_fds=[passed.fileno()],
                                           stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
                if folder != data:
                    self.assertIn("listens on unix:", process.stdout.readline())
                    process.terminate()
                process.communicate(timeout=SECONDS)
                self.assertEqual(process.returncode != 0, folder == data)
                self.assertTrue(os.path.exists(path))

    def test_other_sites(self):
        """Without tokens, pages of other sites must not send requests through a user's browser."""
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
