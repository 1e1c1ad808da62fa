#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Somebody watches the live page while a cell is timed: does that shift a repetition of a millisecond?

    watched.py BUILD [--quick] [--output FOLDER] [--json FILE]

One process measures one small model for two minutes. Every two seconds a reader opens the stream of events (`--serve`) or
leaves it, so that neighbouring windows of the same process differ in nothing but the reader. A pair is the log ratio of
the mean time of a repetition in a window with the reader and in the next window without, or the other way round. The
reader is a browser without a window (Chromium), or a plain reader of events where there is none. It runs on the lowest
processor, as the server does."""

import contextlib
import http.client
import os
import pathlib
import re
import subprocess
import sys
import threading
import time

from trust import Bench
from windows import LIMIT, WINDOW_S, Shift, write_study

sys.path.append(str(pathlib.Path(__file__).parents[2] / "browser"))
from browser import Browser, Page, find_browser  # noqa: E402


class PlainReader:
    """Reads the events on a thread until it leaves."""

    def __init__(self, url):
        self.host = re.search(r"//([^/]+)/", url)[1]
        self.events = 0

    def come(self):
        self.connection = http.client.HTTPConnection(self.host, timeout=30)
        self.connection.request("GET", "/events")
        self.answer = self.connection.getresponse()
        self.socket = self.connection.sock or self.answer.fp.raw._sock
        self.thread = threading.Thread(target=self.read)
        self.thread.start()

    def read(self):
        with contextlib.suppress(OSError, ValueError):
            self.events += sum(line.startswith(b"data:") for line in self.answer)

    def leave(self):
        import socket
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.connection.close()

    def end(self):
        pass


class BrowserReader:
    """Opens the page in Chromium, and an empty page when it leaves."""

    def __init__(self, url):
        self.url, self.events = url, 0
        self.browser = Browser(find_browser())
        self.page = Page(self.browser)

    def come(self):
        self.page.open(self.url)

    def leave(self):
        self.events += self.page.run("document.getElementById('study').textContent") != "A run"
        self.page.open("about:blank")

    def end(self):
        self.browser.close()


def come_and_leave(client, reader, seconds):
    """Returns [(begin_unix_ns, end_unix_ns, is_watched), …]."""
    windows, is_watched, end = [], True, time.monotonic() + seconds
    while time.monotonic() < end and client.poll() is None:
        begin = time.time_ns()
        try:
            if is_watched:
                reader.come()
            time.sleep(WINDOW_S)
            windows.append((begin, time.time_ns(), is_watched))
            if is_watched:
                reader.leave()
        except (ConnectionError, RuntimeError):
            break  # the run has ended; what was seen until then counts
        is_watched = not is_watched
    return windows


def main():
    bench = Bench("watched", __doc__)
    study, folder, seconds = write_study(bench, "watched")
    client = subprocess.Popen([bench.ngb, "run", study, "--serve", "--no-report"], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    url = re.search(r"Live page: (\S+)", client.stderr.readline())
    if url is None:
        raise SystemExit("watched: ngb run ended before it measured; run it by hand: ngb run " + str(study) + " --serve")
    threading.Thread(target=client.stderr.read, daemon=True).start()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    reader = (BrowserReader if find_browser() else PlainReader)(url[1])
    time.sleep(3)  # the model is written and compiled, the timed phase has begun
    try:
        windows = come_and_leave(client, reader, seconds)
    finally:
        reader.end()
    if client.wait() != 0:
        raise SystemExit(f"watched: ngb run ended with {client.returncode}")
    shift, name = Shift(folder, windows), "shift of a repetition by a reader of the live page"
    if shift.why_unknown() or reader.events == 0:
        bench.figure(name, None, limit=LIMIT, reason=shift.why_unknown() or "the reader never saw the run")
        bench.end()
    shift.report(bench, name, f", with {'Chromium' if find_browser() else 'a plain reader'}")
    bench.end()


if __name__ == "__main__":
    main()
