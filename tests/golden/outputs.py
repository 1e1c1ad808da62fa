# SPDX-License-Identifier: Apache-2.0
"""What each command that reads results writes, in each of its formats: the bytes that people and programs read."""

import base64
import dataclasses
import html.parser
import re
import zlib

AXES = ("version", "options", "device", "compute_device", "threads", "precision", "load", "model")
SIDES = {"version": ("1.30.0", "1.31.1"), "options": ("default", "instances=2"), "device": ("xeon", "laptop"),
         "compute_device": ("cpu", "gpu"), "threads": ("2", "4"), "precision": ("f32", "bf16"), "load": ("none", "cpu: 1"),
         "model": ("conv_block width=8 depth=2", "conv_block width=8 depth=4")}


@dataclasses.dataclass(frozen=True)
class Output:
    file: str  # below outputs/
    arguments: tuple  # of ngb; "RESULTS" stands for the results folder


def _compared(verb, name, form, *arguments):
    return Output(f"{verb}-{name}.{form}", (verb, "RESULTS", *arguments, "--format", form))


def _of_everything():
    for form in ("text", "csv", "markdown"):
        yield Output(f"show.{form}", ("show", "RESULTS", "--format", form))
    yield Output("show.json", ("show", "RESULTS", "--json", "--compiler", "openvino"))
    yield Output("show-all-best.text", ("show", "RESULTS", "--all", "--best", "--model", "conv_block"))
    yield Output("series.text", ("show", "RESULTS", "--series"))
    yield Output("findings.text", ("show", "RESULTS", "--findings"))
    for form in ("text", "csv"):
        yield Output(f"profile.{form}", ("profile", "RESULTS", "--format", form, "--cost", "xeon=0.5"))
    yield Output("profile.json", ("profile", "RESULTS", "--json", "--compiler", "openvino"))
    for form in ("text", "json", "csv", "markdown", "github"):
        yield _compared("compare", "compilers", form, "--baseline", "identity", "--candidate", "plain", "--all")
    yield _compared("gate", "compilers", "text", "--baseline", "identity", "--candidate", "plain")
    yield _compared("gate", "compilers", "json", "--baseline", "identity", "--candidate", "plain")
    for axis in AXES:
        baseline, candidate = SIDES[axis]
        yield _compared("compare", axis, "text", "--by", axis, "--baseline", baseline, "--candidate", candidate)
    yield Output("history.csv", ("history", "RESULTS", "--by", "version", "--model", "conv_block width=8 depth=2",
                                 "--format", "csv"))
    choose = ("choose", "RESULTS", "--latency", "p90=100ms", "--load", "20/s", "--cost", "xeon=0.5", "--cost", "laptop=0.1",
              "--model", "conv_block width=8 depth=2")
    yield Output("choose.text", (*choose, "--all"))
    yield Output("choose.json", (*choose, "--json"))


def _of_stored():
    yield Output("stored-show.text", ("show", "RESULTS"))
    yield Output("stored-profile.csv", ("profile", "RESULTS", "--format", "csv"))
    yield Output("stored-compare.csv", ("compare", "RESULTS", "--baseline", "identity", "--candidate", "onnxruntime",
                                        "--format", "csv"))


OF_EVERYTHING = tuple(_of_everything())
OF_STORED = tuple(_of_stored())
TABLES = ("csv", "latex")


def steady(text):
    """The text with numbers to 12 digits, because compilers differ in the last ones."""
    return re.sub(r"-?\d+\.\d{6,}(?:e[-+]?\d+)?", lambda number: f"{float(number[0]):.12g}", text)


class _Page(html.parser.HTMLParser):
    """Collects the words of a page, a line for each element, and the data that its scripts read."""

    def __init__(self):
        super().__init__()
        self.words = []
        self.data = ""
        self._left_out = None  # the open element whose text no one reads

    def handle_starttag(self, tag, attributes):
        if tag in ("style", "script", "svg"):
            given = dict(attributes)
            self._left_out = tag + given.get("type", "") + given.get("id", "")

    def handle_endtag(self, tag):
        if self._left_out and self._left_out.startswith(tag):
            self._left_out = None

    def handle_data(self, data):
        if self._left_out == "scriptapplication/jsondata":
            self.data += data
        elif self._left_out == "scripttext/plainspecifications":
            self.data += "\n" + zlib.decompress(base64.b64decode(data)).decode()
        elif not self._left_out and data.strip() and not data.startswith("Made by NGraphBench"):
            self.words.append(data.strip())


def of_page(text):
    """The words of a page, and the data that its scripts read, in lines."""
    page = _Page()
    page.feed(text)
    return "\n".join(page.words) + "\n", page.data.replace("],[", "],\n[") + "\n"
