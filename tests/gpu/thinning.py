# SPDX-License-Identifier: Apache-2.0
"""Makes NVIDIA's libraries small for one kind of GPU. They contain fat binaries: each holds a kernel's machine code for
several GPUs, and PTX, which the driver compiles. What a GPU of compute capability 9.0 does not use is set to zero, so that
it takes no room when the library is packed; nothing else changes, sizes and places included."""
import functools
import json
import mmap
import pathlib
import re
import shutil
import struct

_ARCHITECTURE = 90
_PTX, _MACHINE_CODE = 1, 2
_MAGIC = struct.pack("<I", 0xBA55ED50)
_HEADER_BYTES = 16
_BLOCK_BYTES = 1 << 16
# TensorRT's kernels that no study of a proof uses, by words in their names: integers, FP8, sparse weights; bf16 and
# transposed convolutions. Those of f16 are carried apart.
_UNUSED = re.compile(r"i8|int8|imma|e4m3|e5m2|fp8|8816|sparse|bf16|deconv|dgrad|wgrad")
_HALF = re.compile(r"f16|fp16|hmma|h884|h1688|h16816|hhx|half")


def is_used(names: str) -> bool:
    """Return whether the kernels with these names, in lower case, are of f32, TF32 or f16."""
    return not _UNUSED.search(names)


def is_f32(names: str) -> bool:
    return is_used(names) and not _HALF.search(names)


def thin(source: pathlib.Path, target: pathlib.Path, keeps=None, decompress=None) -> int:
    """Copy a library without the code that the GPU does not use: code for other GPUs, and PTX where the GPU's own code is
    there. `keeps` says by a kernel's names whether its own code stays, if not all does; for that, `decompress` is LZ4's:
    (bytes, size) -> bytes. Returns how many bytes of code stay."""
    shutil.copyfile(source, target)
    kept = 0
    with open(target, "r+b") as file, mmap.mmap(file.fileno(), 0) as data:
        at = 0
        while (at := data.find(_MAGIC, at)) >= 0:
            entries = list(_entries(data, at))
            has_own = any(entry[:2] == (_MACHINE_CODE, _ARCHITECTURE) for entry in entries)
            for kind, architecture, begin, size, packed, full in entries:
                stays = (kind, architecture) == (_MACHINE_CODE, _ARCHITECTURE) if has_own else (
                    kind == _PTX and architecture <= _ARCHITECTURE)
                if stays and keeps is not None:
                    stays = keeps(_names(decompress(data[begin:begin + packed], full), kind))
                if stays:
                    kept += size
                else:
                    data[begin:begin + size] = bytes(size)
            at += len(_MAGIC)
    return kept


def _entries(data, at):
    """Yield (kind, architecture, begin, bytes, bytes packed, bytes unpacked) of each code in the fat binary at `at`."""
    version, header, size = struct.unpack_from("<HHQ", data, at + len(_MAGIC))
    place, end = at + _HEADER_BYTES, at + _HEADER_BYTES + size
    if version != 1 or header != _HEADER_BYTES or end > len(data):
        return  # these four bytes are something else
    while place < end:
        kind, _, head, length, packed = struct.unpack_from("<HHIQI", data, place)
        (architecture,), (full,) = struct.unpack_from("<I", data, place + 28), struct.unpack_from("<Q", data, place + 56)
        yield kind, architecture, place + head, length, packed, full
        place += head + length


def _names(code: bytes, kind: int) -> str:
    pattern = rb"\.text\.(\w+)" if kind == _MACHINE_CODE else rb"\.entry\s+(\w+)"
    return b"|".join(name for name in re.findall(pattern, code) if not name.startswith(b"__nv_static")).decode().lower()


def write_difference(full: pathlib.Path, base: pathlib.Path, folder: pathlib.Path) -> None:
    """Write the blocks in which `full` differs from `base`, which has its size."""
    places = []
    with full.open("rb") as ours, base.open("rb") as theirs, (folder / "blocks").open("wb") as blocks:
        for at, content in enumerate(iter(functools.partial(ours.read, _BLOCK_BYTES), b"")):
            if content != theirs.read(_BLOCK_BYTES):
                places.append(at * _BLOCK_BYTES)
                blocks.write(content)
    (folder / "blocks.json").write_text(json.dumps({"of": base.name, "bytes": full.stat().st_size, "places": places}))


def add_difference(folder: pathlib.Path, base: pathlib.Path) -> None:
    """Write the blocks that write_difference() put into `folder` to their places in `base`."""
    told = json.loads((folder / "blocks.json").read_text())
    with (folder / "blocks").open("rb") as blocks, base.open("r+b") as library:
        for at in told["places"]:
            library.seek(at)
            library.write(blocks.read(min(_BLOCK_BYTES, told["bytes"] - at)))
