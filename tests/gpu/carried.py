# SPDX-License-Identifier: Apache-2.0
"""What a proof carries to a machine without a network: archives, cut into pieces that lie in folders a, b, c, … of a size
that one transfer takes, with a manifest of their SHA-256. A transfer may bring one folder at a time."""
import hashlib
import io
import json
import pathlib
import shutil
import string
import tarfile

MANIFEST = "manifest.json"


class Damaged(Exception):
    """What is missing or changed, and what to do."""


def share_out(archives, folder: pathlib.Path, folder_bytes: int):
    """Cut the archives, in their order, into folders of at most `folder_bytes` below `folder`, and write the manifest."""
    for old in folder.glob("[a-z]"):
        shutil.rmtree(old)
    entries, letters, room = [], iter(string.ascii_lowercase), 0
    for archive in archives:
        content, pieces, at = archive.read_bytes(), [], 0
        while at < len(content):
            if room == 0:
                place, room = folder / next(letters), folder_bytes
                place.mkdir(parents=True)
            part = content[at:at + room]
            pieces.append(f"{place.name}/{archive.name}.{len(pieces):02d}")
            (folder / pieces[-1]).write_bytes(part)
            at, room = at + len(part), room - len(part)
        entries.append({"name": archive.name.partition(".")[0], "bytes": len(content),
                        "sha256": hashlib.sha256(content).hexdigest(), "pieces": pieces})
    (folder / MANIFEST).write_text(json.dumps({"format": 2, "archives": entries}, indent=1) + "\n")


def read_manifest(folder: pathlib.Path):
    """Return the archives' entries: "name", "bytes", "sha256", "pieces" as "a/name.tar.xz.00". Raises Damaged."""
    path = folder / MANIFEST
    if not path.is_file():
        raise Damaged(f"{folder} has no {MANIFEST}: make it with scripts/gpu-proof --prepare {folder}")
    return json.loads(path.read_text())["archives"]


def receive(folder: pathlib.Path, into: pathlib.Path):
    """Keep the pieces that have come, and unpack each archive that is whole and was not unpacked before into a folder of
    its name in `into`. Returns the names of the archives that are there, and the pieces that are missing. Raises Damaged
    for an archive that is not what was packed; its pieces are dropped."""
    kept, there, missing = into / "pieces", [], []
    kept.mkdir(parents=True, exist_ok=True)
    for entry in read_manifest(folder):
        mark = into / f"{entry['name']}.unpacked"
        if not mark.exists():
            paths = [kept / pathlib.Path(piece).name for piece in entry["pieces"]]
            for piece, path in zip(entry["pieces"], paths):
                if (folder / piece).is_file() and not path.exists():
                    shutil.copyfile(folder / piece, path)
            lacks = [piece for piece, path in zip(entry["pieces"], paths) if not path.exists()]
            if lacks:
                missing += lacks
                continue
            _unpack(entry, paths, into / entry["name"])
            mark.touch()
        there.append(entry["name"])
    return there, missing


def _unpack(entry, paths, into) -> None:
    content = b"".join(path.read_bytes() for path in paths)
    for path in paths:
        path.unlink()
    if hashlib.sha256(content).hexdigest() != entry["sha256"]:
        raise Damaged(f"{entry['name']}: its pieces do not have the SHA-256 of the manifest: carry "
                      f"{', '.join(entry['pieces'])} again")
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:xz") as archive:
        archive.extraction_filter = getattr(tarfile, "tar_filter", None)  # Debian 12's Python knows no filters
        archive.extractall(into)
