# SPDX-License-Identifier: Apache-2.0
"""Everything that is known to go wrong. A fault is a function of the world, the client at work, the witness of the journals
and the random numbers of the run; when it returns, whoever is at the keyboard types the obvious commands."""

import contextlib
import os
import shutil
import signal
import sqlite3
import subprocess
import threading
import time

import changes
import halves
import theirs
from journal import read
from world import DEVICES, Violation

STOP_PATIENCE_S = 10  # Ctrl-C ends ngb within 5 s; a busy machine gets twice as long


def until(is_so, client, patience_s=20):
    """Waits for an outside effect; not beyond the end of the client, nor for ever."""
    end = time.monotonic() + patience_s
    while time.monotonic() < end and client.poll() is None and not is_so():
        time.sleep(0.01)


def until_measured(world, client, random):
    wanted = random.randint(1, 2 * world.planned() - 4)
    until(lambda: world.recorded() >= wanted, client)


def any_instant(world, client, random):
    end = time.monotonic() + random.uniform(0, 4)
    until(lambda: time.monotonic() > end, client)


def kill_client(client):
    client.kill()
    client.wait()


def kill_role(role):
    def fault(world, client, witness, random):
        any_instant(world, client, random)
        until(lambda: world.processes(role), client, 5)
        chosen = world.processes(role)
        world.say(f"{len(chosen)} to choose from")
        if chosen:
            world.kill([random.choice(chosen)])
    return fault


def client_killed(world, client, witness, random):
    any_instant(world, client, random)
    kill_client(client)


def client_told_to_stop(number):
    def fault(world, client, witness, random):
        any_instant(world, client, random)
        client.send_signal(number)
        world.wait(client, STOP_PATIENCE_S)
    return fault


def half_open_connection(world, client, witness, random):
    any_instant(world, client, random)
    cable = world.folder / "net" / f"{random.choice(DEVICES)}.down"
    cable.touch()
    time.sleep(random.uniform(0.5, 5))
    cable.unlink()


def half_open_and_client_killed(world, client, witness, random):
    half_open_connection(world, client, witness, random)
    kill_client(client)


def deaf_device(world, client, witness, random):
    """Its reception, or its agent, stops for a while."""
    any_instant(world, client, random)
    deaf = world.processes(random.choice(["reception", "agent"]), random.choice(DEVICES))
    world.kill(deaf, signal.SIGSTOP)
    time.sleep(random.uniform(0.5, 3))
    world.kill(deaf, signal.SIGCONT)


def deaf_device_and_ctrl_c(world, client, witness, random):
    """ngb ends although the device hears nothing."""
    any_instant(world, client, random)
    deaf = world.processes(host=random.choice(DEVICES))
    world.kill(deaf, signal.SIGSTOP)
    time.sleep(random.uniform(0.2, 1))
    client.send_signal(signal.SIGINT)
    try:
        world.wait(client, STOP_PATIENCE_S)
    finally:
        world.kill(deaf, signal.SIGCONT)


@contextlib.contextmanager
def small_disk(folder, size):
    """A disk of its own below `folder`; whether there could be one."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "ngb-chaos", folder], capture_output=True).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", folder])


def fill(folder):
    with open(folder / "filler", "wb", buffering=0) as filler, contextlib.suppress(OSError):
        os.posix_fallocate(filler.fileno(), 0, max(1, shutil.disk_usage(folder).free - 2**16))
        filler.seek(0, os.SEEK_END)
        while True:
            filler.write(b"x" * 4096)


def full_disk(world, client, witness, random):
    """Of the client's results: what is small from the start is the disk that it writes to."""
    until_measured(world, client, random)
    kill_client(client)
    kept = world.folder / "kept"
    world.results.rename(kept)
    # The disk stays mounted below the results until the run is over; world.undo unmounts it.
    stack = contextlib.ExitStack()
    if not stack.enter_context(small_disk(world.results, "64m")):
        world.say("no small disk here: nothing was filled")
        world.results.rmdir()
        kept.rename(world.results)
        return
    world.undo.append(stack.close)
    shutil.copytree(kept, world.results, dirs_exist_ok=True)
    fill(world.results)
    if world.ngb("run", "study.yaml") == 0 and world.recorded() < 2 * world.planned():
        raise Violation("a full disk, and ngb run says that all is well")
    (world.results / "filler").unlink()


def full_disk_of_a_device(world, client, witness, random):
    """The device comes back from a power loss with a disk that fills up."""
    until_measured(world, client, random)
    kill_client(client)
    host = random.choice(DEVICES)
    folder = world.device_folder(host)
    kept = world.folder / "kept"
    stack = contextlib.ExitStack()
    with world.without_power(host):
        if folder.exists():
            folder.rename(kept)
        if not stack.enter_context(small_disk(folder, "400m")):
            world.say("no small disk here: nothing was filled")
            folder.rmdir()
            if kept.exists():
                kept.rename(folder)
            return
        world.undo.append(stack.close)
        os.chmod(folder, 0o700)
        if kept.exists():
            shutil.copytree(kept, folder, dirs_exist_ok=True, symlinks=True, ignore=shutil.ignore_patterns("*.sock"))
    again = world.start("run", "study.yaml")
    any_instant(world, again, random)
    with contextlib.suppress(OSError):
        fill(folder)
    world.wait(again)
    with contextlib.suppress(OSError):
        (folder / "filler").unlink()


def garble(path, random):
    """Cuts the file, fills it with zeros, or turns a bit of it over."""
    content = bytearray(path.read_bytes())
    kind = random.choice(["cut", "zeros", "bit"]) if content else "bit"
    if kind == "cut":
        content = content[:random.randrange(len(content))]
    elif kind == "zeros":
        content = bytearray(len(content))
    elif content:
        content[random.randrange(len(content))] ^= 1 << random.randrange(8)
    mode = path.stat().st_mode
    path.unlink()  # it may be a link to something that is whole
    path.write_bytes(content)
    path.chmod(mode)
    return kind


def torn_file(pattern):
    """A device lost power, and a file that had been whole is not."""
    def fault(world, client, witness, random):
        until_measured(world, client, random)
        if random.random() < 0.5:
            kill_client(client)
        host = random.choice(DEVICES)
        with world.without_power(host):
            found = sorted(path for path in world.device_folder(host).glob(pattern)
                           if path.is_file() and path not in world.strangers and path.name != "lock")
            if not found:
                world.say("nothing to tear")
                return
            chosen = random.choice(found)
            before = read(chosen) if chosen.name == "journal" else set()
            kind = garble(chosen, random)
            world.say(f"{chosen.relative_to(world.folder)}: {kind}")
            if before:
                witness.forgive(chosen, before)
    return fault


def power_loss(world, client, witness, random):
    """A device is gone at once. Of a record on its way to the journal, a part is there; of content on its way, zeros."""
    any_instant(world, client, random)
    if random.random() < 0.5:
        kill_client(client)
    host = random.choice(DEVICES)
    with world.without_power(host):
        for journal in world.device_folder(host).glob("runs/*/journal"):
            content = journal.read_bytes()
            journal.write_bytes(content + content[:random.randrange(1, 200)])
        for partial in world.device_folder(host).glob("files/*.partial"):
            size = partial.stat().st_size
            kept = random.randint(0, size)
            partial.write_bytes(partial.read_bytes()[:kept] + b"\0" * (size - kept))


def edited_study(world, client, witness, random):
    until_measured(world, client, random)
    kill_client(client)
    world.batch_sizes = random.choice([[1], [2, 4], [1, 2, 4], [2, 1]])
    world.write_study()


def device_taken_out(world, client, witness, random):
    until_measured(world, client, random)
    kill_client(client)
    world.devices = [random.choice(DEVICES)]
    world.write_study()


def replaced_build(world, client, witness, random):
    """Between two lives of the client, its compiler's plugin or its worker becomes another build."""
    until_measured(world, client, random)
    kill_client(client)
    if random.random() < 0.5:
        for host in DEVICES:
            with world.without_power(host):
                pass
    installation = world.folder / "installation"
    part = random.choice([installation / "bin/ngb-worker", next(installation.glob("lib/ngraphbench/compilers/null/*.so"))])
    content = part.read_bytes()
    part.unlink()  # it is a link to the other runs' one
    part.write_bytes(content + b"another build")
    part.chmod(0o755)
    world.say(f"{part.name} is another build")
    world.has_unlike_builds = True


def reader_with_an_open_transaction(world, client, witness, random):
    until(lambda: world.recorded() >= 1, client)
    hold_s = random.choice([3, 3, 3, 35])
    began = threading.Event()

    def hold():
        reader = sqlite3.connect(f"file:{world.results}/results.db?mode=ro", uri=True, isolation_level=None)
        with contextlib.closing(reader):
            with contextlib.suppress(sqlite3.OperationalError):
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM process").fetchone()
            began.set()
            until(lambda: False, client, hold_s)

    thread = threading.Thread(target=hold)
    thread.start()
    began.wait()
    world.say(f"a reader for {hold_s} s")
    thread.join()


in_a_round = theirs.kill_in_a_round(kill_role, until_measured)
PREPARED = {"kill in a round in turns": theirs.in_turns}  # before the client begins
FAULTS = {
    "client killed": client_killed,
    "agent killed": kill_role("agent"),
    "reception killed": kill_role("reception"),
    "worker killed": kill_role("worker"),
    "connection killed": kill_role("connection"),
    "client told to stop (SIGINT)": client_told_to_stop(signal.SIGINT),
    "client told to stop (SIGTERM)": client_told_to_stop(signal.SIGTERM),
    "half-open connection": half_open_connection,
    "half-open connection, client killed": half_open_and_client_killed,
    "deaf device": deaf_device,
    "deaf device, Ctrl-C": deaf_device_and_ctrl_c,
    "full disk": full_disk,
    "full disk of a device": full_disk_of_a_device,
    "torn journal": torn_file("runs/*/journal"),
    "torn agent": torn_file("agents/*/ngb-agent"),
    "torn bundle": torn_file("bundles/*/**/*"),
    "torn content": torn_file("files/*"),
    "torn reference": torn_file("references/*"),
    "power loss": power_loss,
    "edited study": edited_study,
    "device taken out of the study": device_taken_out,
    "replaced build": replaced_build,
    "reader with an open transaction": reader_with_an_open_transaction,
    "kill in a round in turns": in_a_round,
    "link as work folder": theirs.link_as_work_folder,
    "model replaced under a gate": halves.model_replaced_under_a_gate,
    "model replaced under a bisection": halves.model_replaced_under_a_bisection,
    "model replaced under a calibration": halves.model_replaced_under_a_calibration,
    "user site that changes": halves.user_site_that_changes,
    "cancel beside the client": theirs.cancel_beside_the_client,
    **changes.FAULTS,
}
