# SPDX-License-Identifier: Apache-2.0
"""Results of other machines that the repository keeps as bundles."""

import pathlib
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


def is_baseline(cell):
    return cell.compiler_label in ("eager", "eager spin")
