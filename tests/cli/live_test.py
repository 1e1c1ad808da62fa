# SPDX-License-Identifier: Apache-2.0
"""ngb run --serve: the page of a run that is under way, read as a browser, Prometheus and a stuck reader read it."""

import http.client
import json
import re
import socket
import time
import unittest

from ngb_program import NULL_STUDY, NgbTest

STUDY = NULL_STUDY.replace('- "null"', '- "null": {options: {compile_ns: 300000000}}')


class LiveTest(NgbTest):
    def serve(self, *arguments):
        self.write("study.yaml", STUDY)
        run = self.start("run", "study.yaml", *arguments)
        line = run.stdout.readline()
        found = re.search(r"^Live page: http://([\d.]+):(\d+)/(?:\?token=(\w+))?$", line.strip())
        self.assertTrue(found, line)
        self.host = found[1]
        return run, int(found[2]), found[3]

    def get(self, port, path, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=1500)
        self.addCleanup(connection.close)
        connection.request("GET", path, headers=headers)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer

    def test_shows_the_run_to_a_browser_and_to_prometheus_and_ends_as_the_report(self):
        run, port, token = self.serve("--serve")
        self.assertIsNone(token)
        # Connects, asks and never reads; others never ask. What fills the kernel's buffers: tests/unit/live/server_test.cpp.
        stuck = [socket.create_connection(("127.0.0.1", port)) for _ in range(3)]
        for each in stuck:
            self.addCleanup(each.close)
        stuck[0].sendall(b"GET /events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port)
        status, headers, page = self.get(port, "/")
        self.assertEqual(status, 200)
        self.assertIn("default-src 'none'", headers["Content-Security-Policy"])
        self.assertNotIn("Access-Control-Allow-Origin", headers)
        self.assertIn(b"/live.js", page.read())
        self.assertEqual(self.get(port, "/live.js")[0], 200)
        self.assertEqual(self.get(port, "/live.css")[0], 200)
        self.assertEqual(self.get(port, "/report")[0], 404)
        self.assertEqual(self.get(port, "/", Host="evil.example")[0], 403)
        asked = time.monotonic()
        status, headers, events = self.get(port, "/events")
        self.assertEqual((status, headers["Content-Type"]), (200, "text/event-stream; charset=utf-8"))
        metrics = self.get(port, "/metrics")[2].read().decode()
        self.assertRegex(metrics, r'(?m)^ngb_cells\{state="planned"\} \d+$')
        self.assertRegex(metrics, r"(?m)^ngb_processes 12$")
        self.assertRegex(metrics, r"(?m)^ngb_processes_done_total \d+$")
        self.assertRegex(metrics, r'(?m)^ngb_device_state\{device="local",state="\w+"\} 1$')
        states, came, name = [], [], ""
        for line in events:
            kind, _, value = line.decode().rstrip("\n").partition(": ")
            name = value if kind == "event" else name
            if kind == "data":
                states.append((name, json.loads(value)))
                came.append(time.monotonic())
        self.assertGreaterEqual(len(states), 3)
        self.assertEqual([each for each, _ in states[:-1]], ["state"] * (len(states) - 1))
        # No more than one a second, but for the end. On a busy machine the first is read late.
        self.assertGreater(came[-2] - asked, 0.9 * (len(states) - 3))
        name, last = states[-1]
        self.assertEqual((name, last["ending"], last["has_ended"]), ("end", "The run has ended.", True))
        self.assertEqual((last["processes_done"], last["processes_total"]), (12, 12))
        self.assertEqual(last["counts"], {"planned": 0, "partial": 0, "measured": 4, "decided": 0, "failed": 0})
        self.assertEqual(last["devices"], [{"name": "local", "progress": "finished", "doing": ""}])
        self.assertTrue(all(cell["samples_per_s"] > 0 for cell in last["cells"]))
        report = self.get(port, "/report")[2].read()
        self.assertEqual(report, (self.folder / "results/test/report/index.html").read_bytes())
        self.assertEqual(run.wait(timeout=1500), 0)

    def test_demands_the_token_at_an_address_that_others_reach(self):
        run, port, token = self.serve("--serve", "0.0.0.0:0", "--no-report")
        self.assertRegex(token, "^[0-9a-f]{32}$")
        self.assertNotEqual(self.host, "0.0.0.0", "no browser opens it")
        if self.host != "127.0.0.1":  # a machine with a network
            self.assertRegex(run.stdout.readline(), r"^ +or at (\S+, )*127.0.0.1, with the same port and token$")
        self.assertEqual(self.get(port, "/")[0], 401)
        self.assertEqual(self.get(port, "/events?token=" + "0" * 32)[0], 401)
        self.assertEqual(self.get(port, "/metrics")[0], 401)
        self.assertEqual(self.get(port, "/?token=" + token)[0], 200)
        self.assertEqual(self.get(port, "/metrics", Authorization="Bearer " + token)[0], 200)
        taken = self.ngb("run", "study.yaml", "-o", "other", "--serve", f"127.0.0.1:{port}")
        self.assertEqual(taken.returncode, 2)
        self.assertIn(f"port {port} is in use; choose another port", taken.stderr)
        elsewhere = self.ngb("run", "study.yaml", "-o", "other", "--serve", "192.0.2.1:0")
        self.assertEqual(elsewhere.returncode, 2)
        self.assertIn("192.0.2.1 is not an address of this machine", elsewhere.stderr)
        word = self.ngb("run", "--serve", "study.yaml", "study.yaml")
        self.assertEqual(word.returncode, 2)
        self.assertIn('"study.yaml" is neither a port nor an address', word.stderr)
        self.assertFalse((self.folder / "other").exists())
        self.assertEqual(run.wait(timeout=1500), 0)


if __name__ == "__main__":
    unittest.main()
