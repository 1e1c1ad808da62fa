# SPDX-License-Identifier: Apache-2.0
"""The build's programs without their debugging information, which is most of a development build. Tests that deliver the
programs to devices use them, since what is delivered is hashed, sent, and hashed again on every device."""

import fcntl
import os
import shutil
import subprocess


def lean_programs(build, *compilers):
    """Returns the folder of an installation below `build` with these compilers, or with all where none are named. It is made
    once and then updated as `build` changes."""
    folder = build / "-".join(("tests/lean", *compilers))
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several test programs begin at once
        wanted = [part for part in parts(build) if not compilers or compiler_of(part) in (None, *compilers)]
        for path in [*(folder / "bin").rglob("*"), *(folder / "lib").rglob("*")]:
            if path.is_file() and path.relative_to(folder) not in wanted:
                path.unlink()
        for part in wanted:
            update(folder / part, build / part)
    return folder


def parts(build):
    """The files of an installation, relative to its folder: those for this machine and those for other devices."""
    found = []
    for root in (build, *(build / "lib/ngraphbench-devices").glob("*")):
        files = [*(root / "bin").glob("ngb*"), *(root / "lib/ngraphbench").rglob("*")]
        found += [path.relative_to(build) for path in files if path.is_file() and "__pycache__" not in path.parts]
    return found


def compiler_of(part):
    """The compiler to which a file belongs; None for the files of all of them."""
    return part.parts[part.parts.index("compilers") + 1] if "compilers" in part.parts else None


def update(target, source):
    """Makes the copy anew unless it has the time of its source."""
    time_ns = source.stat().st_mtime_ns
    if target.exists() and target.stat().st_mtime_ns == time_ns:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    partial.unlink(missing_ok=True)
    if source.name == "ngb":  # is not delivered
        link(source, partial)
    else:
        shutil.copy(source, partial)
        strip(partial)
        os.utime(partial, ns=(time_ns, time_ns))
    partial.replace(target)


def link(source, target):
    """Makes a hard link, or a copy on another file system."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def strip(path):
    """Leaves a program as it is where there is no strip for its machine."""
    with path.open("rb") as file:
        header = file.read(20)
    if header[:4] != b"\x7fELF":
        return
    machine = {0x3E: "x86_64", 0xB7: "aarch64"}.get(header[18])
    for program in (f"{machine}-linux-gnu-strip", *(["strip"] if machine == os.uname().machine else [])):
        if shutil.which(program):
            subprocess.run([program, "--strip-debug", path], check=True)
            return
