# SPDX-License-Identifier: Apache-2.0
"""Compares what `ngb show --json` says with what pandas and scipy make of the raw samples of the same file."""

import dataclasses

import claims
import findings
import series

PARTS = ("value", "low", "high", "standard_error", "degrees", "adjusted_p")


@dataclasses.dataclass
class Agreement:
    """All numbers of one name: a metric, a series, a kind of finding, or a claim."""

    name: str
    compared: int = 0  # numbers, ends of intervals and p values among them
    without: int = 0  # values of which both say that there is none
    largest: float = 0.0  # relative difference of numbers and ends of intervals
    largest_of_p: float = 0.0  # of p values
    ours: float | None = None  # an example: the last value
    theirs: float | None = None
    unlike: list = dataclasses.field(default_factory=list)  # what only one of the two has, or says otherwise

    def add(self, where, ours, theirs, part="value"):
        if ours is None and theirs is None:
            self.without += part == "value"
        elif ours is None or theirs is None:
            self.unlike.append(f"{where} {part}: ours {ours}, pandas {theirs}")
        else:
            self.compared += 1
            difference = relative_difference(ours, theirs)
            if part == "adjusted_p":
                self.largest_of_p = max(self.largest_of_p, difference)
            else:
                self.largest = max(self.largest, difference)
            if part == "value":
                self.ours, self.theirs = float(ours), float(theirs)

    def add_words(self, where, ours, theirs):
        if ours != theirs:
            self.unlike.append(f"{where}: ours {ours}, pandas {theirs}")

    def add_rows(self, ours, theirs):
        """Both are sets of what identifies a row."""
        for name, rows in (("ours", ours - theirs), ("pandas", theirs - ours)):
            self.unlike += [f"only {name} has: {row}" for row in sorted(map(str, rows))]


def relative_difference(a, b):
    """|a - b| over the larger of both, or over 1 if both are within rounding of 0 (an end of an interval, a slope)."""
    size = max(abs(a), abs(b))
    return abs(a - b) / (size if size > 1e-9 else 1.0)


class Table:
    """The agreements by name, in the order in which they were first seen."""

    def __init__(self):
        self._rows = {}

    def __getitem__(self, name):
        return self._rows.setdefault(name, Agreement(name))

    def rows(self):
        return list(self._rows.values())

    def names(self):
        return set(self._rows)


def compare_metrics(table, shown, oracle):
    by_id = {oracle.id_of(key): key for key in oracle.cells()}
    for cell in shown["cells"]:
        own = oracle.metrics(by_id[cell["cell_id"]])
        ours = cell["metrics"] | {f"flag_{name}": {"value": value} for name, value in cell["flags"].items()}
        for name in sorted(ours.keys() | own.keys()):
            _add_number(table[name], cell["cell_id"], ours.get(name), own.get(name))


def compare_series(table, shown, oracle):
    ours = {(each["series"], (*each["cell_ids"], *_shape_of(each))): each for each in shown["series"]["values"]}
    theirs = series.series_of(oracle)
    for name, cell_ids in sorted(ours.keys() | theirs.keys()):
        where = " ".join(cell_ids)
        if (name, cell_ids) not in theirs or (name, cell_ids) not in ours:
            table[name].unlike.append(f"{where}: only one of the two has this row")
            continue
        _add_number(table[name], where, ours[name, cell_ids], theirs[name, cell_ids])


def _shape_of(row):
    """The shape that the row is about, one of several of its cell."""
    return [row["subject"].rpartition(", ")[2]] if row["series"].startswith("shape_") else []


def compare_conclusions(table, shown, oracle):
    told = shown["conclusions"]
    theirs = findings.findings_of(oracle)
    for kind, rows in theirs.items():
        ours = {tuple(row["cell_ids"]): row for each in told["findings"] if each["kind"] == kind for row in each["rows"]}
        table[kind].add_rows(ours.keys(), rows.keys())
        for ids in ours.keys() & rows.keys():
            _add_row(table[kind], " ".join(ids), ours[ids], rows[ids])
    _compare_reversals(table, told, oracle)
    _compare_claims(table, told, oracle)


def _compare_reversals(table, told, oracle):
    reversals, looked_at = findings.reversals_of(oracle)
    row = table["reversal"]
    row.add_words("orders compared", told["orders"]["looked_at"], looked_at)
    ours = {(each["ranked"], frozenset(tuple(side["cell_ids"]) for side in each["sides"])): each for each in told["reversals"]}
    theirs = {(ranked, frozenset(sides)): sides for ranked, sides in reversals}
    row.add_rows(ours.keys(), theirs.keys())
    for name in ours.keys() & theirs.keys():
        for place, side in enumerate(ours[name]["sides"]):
            side = side | {"adjusted_p": ours[name]["adjusted_p"], "outcome": ("faster", "slower")[place]}
            _add_row(row, " ".join(side["cell_ids"]), side, theirs[name][tuple(side["cell_ids"])])
    sentences = [row["cell_ids"] for each in told["findings"] if each["kind"] == "reversal" for row in each["rows"]]
    known = {ids for sides in theirs.values() for ids in sides}
    row.add_words("rows behind sentences", [ids for ids in sentences if tuple(ids) not in known], [])


def _compare_claims(table, told, oracle):
    theirs = claims.claims_of(oracle)
    ours = {(each["claim"], frozenset(each["cell_ids"])): each for each in told["claims"] if each["status"] != "not_measured"}
    for claim in {each["claim"]: None for each in told["claims"]}:
        table[claim].add_rows(*({ids for name, ids in found if name == claim} for found in (ours, theirs)))
    for name in ours.keys() & theirs.keys():
        number, status, p = theirs[name]
        where = " ".join(sorted(name[1]))
        table[name[0]].add_words(where, ours[name]["status"], status)
        _add_number(table[name[0]], where, ours[name], number)
        table[name[0]].add(where, ours[name]["adjusted_p"], p, "adjusted_p")


def _add_row(agreement, where, ours, row):
    agreement.add_words(where, ours["outcome"], row.outcome)
    _add_number(agreement, where, ours, row.value)
    agreement.add(where, ours["adjusted_p"], row.adjusted_p, "adjusted_p")


def _add_number(agreement, where, ours, number):
    ours = ours or {}
    for part in ("value", "low", "high"):
        agreement.add(where, ours.get(part), getattr(number, part, None), part)
    for part in ("standard_error", "degrees"):
        if part in ours:
            agreement.add(where, ours[part], getattr(number, part, None), part)
