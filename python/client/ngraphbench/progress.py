# SPDX-License-Identifier: Apache-2.0
"""The progress of a run as a bar."""

import re
import warnings
from types import TracebackType
from typing import Any, Self, TextIO

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that ipywidgets is missing: the bar is text then
    from tqdm.auto import tqdm

# "3 of at most 60 processes, at most 2 min left after 9 s · resnet18 batch 8, openvino: 23.1 samples/s", as `ngb run` prints where no
# terminal is
_FINISHED = re.compile(r"(?P<done>\d+) of (?:at most )?(?P<all>\d+) processes(?:, (?P<left>[^·]*) left)?(?: after [^·]*)? · (?P<what>.*)")


class Progress:
    """Follows the lines that `ngb run` prints. `remarks` are those that report no finished process.

    With `file` None nothing is shown. In a notebook, the bar is a widget if ipywidgets is installed.
    """

    def __init__(self, file: TextIO | None) -> None:
        self.remarks: list[str] = []
        self._file = file
        self._bar: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._bar is not None:
            self._bar.close()

    def take(self, line: str) -> None:
        """Shows one line of the program."""
        finished = _FINISHED.fullmatch(line)
        if finished is None:
            self.remarks.append(line)
            if self._file is not None:
                tqdm.write(line, file=self._file)
        elif self._file is not None:
            self._show(int(finished["done"]), int(finished["all"]), finished["left"], finished["what"])

    def _show(self, done: int, total: int, left: str | None, what: str) -> None:
        if self._bar is None:
            self._bar = tqdm(total=total, bar_format="{n_fmt}/{total_fmt} |{bar}| {desc}", file=self._file)
        self._bar.total = total  # processes of cells that failed are not counted any more
        self._bar.n = done
        self._bar.set_description_str(f"{left} left · {what}" if left else what)
