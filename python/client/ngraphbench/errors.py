# SPDX-License-Identifier: Apache-2.0
"""The errors of this package. Each message says what failed, where, and what to do next."""

from collections.abc import Sequence


class NgbError(Exception):
    """The base of all errors of this package."""

    def _render_traceback_(self) -> list[str]:
        """Called by IPython: a notebook shows the message alone, because the cell above it shows where."""
        return [f"{type(self).__name__}: {self}"]


class ResultsError(NgbError):
    """A results folder cannot be read: there is none, it is of a newer version, or it is no results file."""


class ModelError(NgbError):
    """A model in memory cannot be saved: the message names the attribute and says what to do."""


class ProgramMissingError(NgbError):
    """The program `ngb` was not found, or cannot be started."""


class ProgramError(NgbError):
    """The program `ngb` ended with an error.

    `text` is what it printed on stderr. `exit_code` is 2 for wrong usage or a wrong study, 3 if it could not continue,
    130 if it was interrupted, and minus the signal's number if a signal ended it. `command` is the command line.
    """

    def __init__(self, command: Sequence[str], exit_code: int, text: str) -> None:
        self.command = tuple(command)
        self.exit_code = exit_code
        self.text = text.strip()
        end = f"was ended by signal {-exit_code}" if exit_code < 0 else f"ended with exit code {exit_code}"
        name = " ".join(["ngb", *self.command[1:2]])
        super().__init__(f"{self.text or 'it printed no reason'}\n({name} {end})")


class CellsFailedWarning(UserWarning):
    """Some cells of a run have no result. The reasons are in `Results.failures`."""
