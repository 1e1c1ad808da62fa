# SPDX-License-Identifier: Apache-2.0
"""The folder that a proof carries to a machine without a network: files cut into pieces of at most 60 MiB, with a
manifest of their SHA-256. `prepare` makes it where there is a network; `unpack` puts the files together again."""
import ctypes
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

PIECE_BYTES = 60 << 20
MANIFEST = "manifest.json"
_CHUNK = 1 << 20


class Damaged(Exception):
    """What is missing or changed."""


def cut(path: pathlib.Path, folder: pathlib.Path, piece_bytes=PIECE_BYTES):
    """Cut a file into pieces in `folder`. Returns its entry in the manifest."""
    digest, pieces = hashlib.sha256(), []
    with path.open("rb") as file:
        while content := file.read(piece_bytes):
            digest.update(content)
            pieces.append(f"{path.name}.{len(pieces):03d}")
            (folder / pieces[-1]).write_bytes(content)
    return {"name": path.name, "bytes": path.stat().st_size, "sha256": digest.hexdigest(), "pieces": pieces}


def join(entry, folder: pathlib.Path, into: pathlib.Path) -> pathlib.Path:
    """Put a file together. Raises Damaged."""
    missing = [piece for piece in entry["pieces"] if not (folder / piece).is_file()]
    if missing:
        raise Damaged(f"{folder} lacks {', '.join(missing[:3])}{' …' if len(missing) > 3 else ''}: carry the rest")
    digest, path = hashlib.sha256(), into / os.path.basename(entry["name"])
    with path.open("wb") as file:
        for piece in entry["pieces"]:
            with (folder / piece).open("rb") as part:
                while content := part.read(_CHUNK):
                    digest.update(content)
                    file.write(content)
    if digest.hexdigest() != entry["sha256"]:
        raise Damaged(f"{entry['name']}: its pieces in {folder} do not have the SHA-256 of the manifest: carry it again")
    return path


def write_manifest(folder: pathlib.Path, entries) -> None:
    (folder / MANIFEST).write_text(json.dumps({"format": 1, "files": entries}, indent=1) + "\n")


def read_manifest(folder: pathlib.Path):
    path = folder / MANIFEST
    if not path.is_file():
        raise Damaged(f"{folder} has no {MANIFEST}: make it with scripts/gpu-proof --prepare {folder}")
    return json.loads(path.read_text())["files"]


def unpack(folder: pathlib.Path, into: pathlib.Path):
    """Unpack all files: an archive named ngb becomes the build, and each other belongs to the toolchain that its entry
    names. Returns (build or None, {compiler: folder of packages}). Raises Damaged."""
    build, sites = None, {}
    for entry in read_manifest(folder):
        into.mkdir(parents=True, exist_ok=True)
        path = join(entry, folder, into)
        if entry["for"] == "build":
            build = into / "build"
            with tarfile.open(path) as archive:
                archive.extractall(build)
        else:
            site = into / entry["for"]
            _unpack_zip(path, site, entry.get("libraries"))
            sites[entry["for"]] = site
        path.unlink()
    return build, sites


def _unpack_zip(path, site, libraries) -> None:
    """Unpack a wheel, or of an archive of libraries only those, without their folders, into the folder `libraries`."""
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if libraries is None:
                archive.extract(member, site)
            elif ".so" in member.filename:
                target = site / libraries / os.path.basename(member.filename)
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(member) as source, target.open("wb") as file:
                    shutil.copyfileobj(source, file)


def prepare(repository: pathlib.Path, folder: pathlib.Path, python_version: str, jar: str) -> None:
    """Build for release and download what a machine may lack. Where a download fails, says so and goes on."""
    folder.mkdir(parents=True, exist_ok=True)
    downloads = folder / "downloads"
    downloads.mkdir(exist_ok=True)
    versions = json.loads((repository / "versions.json").read_text())["toolchains"]
    subprocess.run(["cmake", "--preset", "release"], cwd=repository, check=True)
    subprocess.run(["cmake", "--build", "--preset", "release"], cwd=repository, check=True)
    archive = downloads / "ngb.tar.xz"
    with tarfile.open(archive, "w:xz") as tar:
        for part in ("bin", "lib/ngraphbench", "bench/enqueue_loop"):
            if (repository / "build/release" / part).exists():
                tar.add(repository / "build/release" / part, part)
        for library in _libraries_of(repository / "build/release/bin/ngb"):
            tar.add(os.path.realpath(library), f"lib/carried/{os.path.basename(library)}")
    entries = [{**cut(archive, folder), "for": "build"}]
    wheels = [("onnxruntime", f"onnxruntime-gpu=={versions['onnxruntime']['default']}"),
              ("tensorrt", f"tensorrt-cu13-bindings=={versions['tensorrt']['default']}")]
    for compiler, requirement in wheels:
        for path in _download(requirement, downloads / compiler, python_version):
            entries.append({**cut(path, folder), "for": compiler})
    if jar:
        entries.append({**cut(pathlib.Path(jar), folder), "for": "tensorrt", "libraries": "tensorrt_libs"})
    write_manifest(folder, entries)
    shutil.rmtree(downloads)
    print(f"{folder}: {len(entries)} files in {sum(len(entry['pieces']) for entry in entries)} pieces, "
          f"{sum(entry['bytes'] for entry in entries) / 1e6:.0f} MB; TensorRT's libraries "
          + ("are among them" if jar else "are not: name an archive of them with --libraries"))


def _libraries_of(program):
    """Return the paths of the shared libraries that a machine may lack."""
    listed = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.splitlines()
    paths = [line.split()[2] for line in listed if len(line.split()) > 3]
    return [path for path in paths if any(word in path for word in ("yaml", "sqlite", "fmt", "ssl", "crypto"))]


def missing_libraries(build: pathlib.Path, into: pathlib.Path):
    """Return a folder of the carried libraries that this machine lacks, or None if it lacks none."""
    for library in sorted((build / "lib/carried").glob("*.so*")):
        try:
            ctypes.CDLL(library.name)
        except OSError:
            into.mkdir(exist_ok=True)
            shutil.copy(library, into)
    return into if into.exists() else None


def _download(requirement, folder, python_version):
    platforms = [f"manylinux_2_{minor}_x86_64" for minor in (34, 28, 27, 17)] + ["manylinux2014_x86_64"]
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--dest", folder,
               "--python-version", python_version, "--implementation", "cp",
               *(word for platform in platforms for word in ("--platform", platform)), requirement]
    if subprocess.run(command, check=False).returncode != 0:
        print(f"pip does not provide {requirement}: carried without it", file=sys.stderr)
    return sorted(folder.glob("*.whl"))
