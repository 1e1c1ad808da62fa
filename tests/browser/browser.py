# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, spoken to by its debugging protocol through a pipe. Needs no driver and no port."""

import collections
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest


def find_browser():
    """Returns the path of Chromium, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def find_axe():
    """Returns the path of axe-core, which scripts/setup tests fetches, or None."""
    path = pathlib.Path(__file__).resolve().parents[2] / "build/dependencies/axe/axe.min.js"
    return path if path.exists() else None


class Browser:
    """One browser, whose pages share its programs and nothing else."""

    def __init__(self, executable):
        self.folder = tempfile.mkdtemp(prefix="ngb-browser-")
        to_browser, self.output = os.pipe()
        self.input, from_browser = os.pipe()

        def connect():
            # The browser reads commands from descriptor 3 and writes answers to descriptor 4.
            reading, writing = os.dup(to_browser), os.dup(from_browser)
            os.dup2(reading, 3)
            os.dup2(writing, 4)

        self.process = subprocess.Popen(
            [executable, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-extensions",
             f"--user-data-dir={self.folder}", "--remote-debugging-pipe", "about:blank"],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, close_fds=False, preexec_fn=connect)
        os.close(to_browser)
        os.close(from_browser)
        self.buffer = b""
        self.number = 0
        self.events = collections.defaultdict(list)  # of each page, by its session

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.output)
        os.close(self.input)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self):
        while b"\0" not in self.buffer:
            part = os.read(self.input, 1 << 20)
            if not part:
                raise RuntimeError("the browser has ended")
            self.buffer += part
        text, _, self.buffer = self.buffer.partition(b"\0")
        return json.loads(text)

    def receive_event(self):
        """Waits for an event of any page and keeps it with those of its page."""
        event = self._message()
        self.events[event.get("sessionId")].append(event)

    def call(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._message()
            if answer.get("id") != self.number:
                self.events[answer.get("sessionId")].append(answer)
            elif "error" in answer:
                raise RuntimeError(f"{method}: {answer['error']['message']}")
            else:
                return answer["result"]


class Page:
    """A page in a window of its own, without the cookies, storage and settings of other pages. Everything that it logs,
    throws or asks the network for is kept."""

    def __init__(self, browser):
        self.browser = browser
        self.context = browser.call("Target.createBrowserContext")["browserContextId"]
        target = browser.call("Target.createTarget", url="about:blank", browserContextId=self.context)["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.events = browser.events[self.session]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        self.browser.call("Target.disposeBrowserContext", browserContextId=self.context)

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, **parameters)

    def wait_for_event(self, method):
        while not any(event.get("method") == method for event in self.events):
            self.browser.receive_event()

    def run_until_next_event(self):
        before = len(self.events)
        while len(self.events) == before:
            self.browser.receive_event()

    def open(self, address):
        self.events.clear()
        self.call("Page.navigate", url=address)
        self.wait_for_event("Page.loadEventFired")

    def run(self, expression):
        """Returns the value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(str(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def wait_for(self, expression, timeout_s=1500):
        end = time.monotonic() + timeout_s
        while time.monotonic() < end:
            value = self.run(expression)
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError(f"never true: {expression}")

    def resize(self, width, height):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def prefer(self, scheme, medium="screen"):
        """Makes the reader's appearance "light" or "dark", on the "screen" or on paper ("print")."""
        self.call("Emulation.setEmulatedMedia", media=medium, features=[{"name": "prefers-color-scheme", "value": scheme}])

    def press(self, key, text=""):
        """Presses a key as a person does: "Tab", "Enter", or " " with text " "."""
        codes = {"Tab": 9, "Enter": 13, " ": 32}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=codes[key],
                      **({"text": text} if text and kind == "keyDown" else {}))

    def complaints(self):
        """Returns what the page logged as warning or error, or threw."""
        found = []
        for event in self.events:
            method, what = event.get("method"), event.get("params", {})
            if method == "Runtime.exceptionThrown":
                found.append(what["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif method == "Log.entryAdded" and what["entry"]["level"] in ("error", "warning"):
                found.append(what["entry"]["text"])
            elif method == "Runtime.consoleAPICalled" and what["type"] in ("error", "warning", "assert"):
                found.append(str(what["args"]))
        return found

    def requests(self):
        """Returns the addresses that were asked for, other than the page's own and what it contains."""
        asked = [event["params"]["request"]["url"] for event in self.events
                 if event.get("method") == "Network.requestWillBeSent"]
        return [address for address in asked[1:] if not address.startswith("data:")]

    def screenshot(self, whole=False):
        import base64
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=whole)["data"])


@unittest.skipUnless(find_browser(), "no Chromium on this machine: scripts/setup tests installs it")
class BrowserTest(unittest.TestCase):
    """A test whose class has a browser. It stands before the other bases."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.browser = Browser(find_browser())
        cls.addClassCleanup(cls.browser.close)
