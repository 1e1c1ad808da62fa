# SPDX-License-Identifier: Apache-2.0
"""What must hold after every fault, once the obvious commands were typed."""

import hashlib
import json
import subprocess

from world import DEVICES, WATCHDOG_S, Violation


def check_results(world, witnessed):
    """Everything is there, once, and what a journal had recorded is what is there."""
    if world.query("PRAGMA integrity_check") != [("ok",)]:
        raise Violation("results.db is damaged")
    # By origin: with --new-build, what another build had measured stays beside what counts.
    twice = world.query("SELECT cell_key, process_index, origin FROM process WHERE is_complete GROUP BY 1, 2, 3 "
                        "HAVING count(*) > 1")
    if twice:
        raise Violation(f"{len(twice)} results are there twice")
    rows = world.query("SELECT cell_id, process_index, started_unix_ns, cell.device FROM process JOIN cell USING (cell_key) "
                       "WHERE is_complete")
    for device in world.devices:
        count = len([row for row in rows if row[3] == device])
        if count < world.planned():
            raise Violation(f"{device} has {count} of {world.planned()} results")
    recorded = {row[:3] for row in rows}
    lost = [each for each in witnessed if tuple(each) not in recorded]
    if lost:
        raise Violation(f"{len(lost)} results that a journal had are lost: {sorted(lost)[:3]}")
    short = world.query("SELECT process_key FROM process LEFT JOIN repetition USING (process_key) WHERE is_complete "
                        "GROUP BY 1 HAVING sum(is_warm_up = 0) IS NOT 5")
    if short:
        raise Violation(f"{len(short)} results have too few repetitions")


def check_builds(world):
    """A cell whose processes were made with unlike builds says so, or has processes of one only."""
    columns = {row[1] for row in world.query("PRAGMA table_info(process)")}
    if "made_with_key" not in columns:
        raise Violation("no process says with which build it was made")
    if world.query("SELECT count(*) FROM process WHERE is_complete AND made_with_key IS NULL") != [(0,)]:
        raise Violation("a process does not say with which build it was made")
    mixed = {cell for cell, in world.query(
        "SELECT cell_id FROM process JOIN cell USING (cell_key) JOIN made_with USING (made_with_key) WHERE is_complete "
        "GROUP BY 1 HAVING count(DISTINCT build_sha256) > 1")}
    if mixed and not world.has_unlike_builds:
        raise Violation("one build counts as several")
    shown = subprocess.run([world.folder / "installation/bin/ngb", "show", world.results, "--json"], capture_output=True,
                           text=True, env=world.environment, timeout=WATCHDOG_S)
    for cell in json.loads(shown.stdout)["cells"]:
        is_said = "mixed_build" in cell["flags"]
        if (cell["cell_id"] in mixed) != is_said:
            raise Violation(f"{cell['cell_id']}: {'unlike builds are pooled' if not is_said else 'says that builds are unlike'}")


def check_strangers(world):
    for path, sha256 in world.strangers.items():
        if not path.exists():
            raise Violation(f"{path.relative_to(world.folder)}, which is not ours, is gone")
        if hashlib.sha256(path.read_bytes()).hexdigest() != sha256:
            raise Violation(f"{path.relative_to(world.folder)}, which is not ours, has changed")


def check_nothing_left(world):
    """After a teardown that says that it is verified."""
    for name in DEVICES:
        folder = world.device_folder(name)
        left = [path for path in folder.rglob("*") if not path.is_dir() and path not in world.strangers]
        left = [path for path in left if path.name not in (".ngraphbench", "filler")]
        if left:
            names = ", ".join(str(path.relative_to(world.folder)) for path in sorted(left)[:5])
            raise Violation(f"left after the teardown: {len(left)} files: {names}")


def check_no_processes(left):
    if left:
        raise Violation("still running: " + "; ".join(" ".join(each.words)[:120] for each in left[:3]))
