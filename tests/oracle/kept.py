# SPDX-License-Identifier: Apache-2.0
"""Results of other machines that the repository keeps as bundles."""

import pathlib
import sqlite3
import zipfile

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "studies/results"


def bundles():
    return sorted(FOLDER.glob("*/*.zip"))


def unpacked(bundle, folder):
    """Unpack a bundle's results file. Returns the results folder."""
    results = folder / f"{bundle.parent.name}-{bundle.stem}"
    results.mkdir()
    with zipfile.ZipFile(bundle) as archive:
        (results / "results.db").write_bytes(archive.read("results/results.db"))
    return results


def is_of_profiles(results):
    """Whether the results are profiles, of which no speed and no use of a processor is told."""
    database = sqlite3.connect(results / "results.db")
    (count,), = database.execute("SELECT COUNT(*) FROM profile")
    database.close()
    return count > 0


def is_baseline(cell):
    return cell.compiler_label in ("eager", "eager spin")
