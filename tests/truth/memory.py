# SPDX-License-Identifier: Apache-2.0
"""The memory of processes as allocators and leaks make it, inference by inference, and what ngb says of it."""

import random

import made_up_results as made_up
from made_up import Process
from studies import Counted, Folder

INFERENCES = 1_300
EVERY = 10  # inferences from one mark to the next
PAGE = 4096
KB, MB = 1000, 1_000_000


class Memory:
    """What a process holds; `step` is what an inference does to it."""

    def __init__(self, draw):
        self.draw = draw
        self.base = 100 * MB + draw.gauss(0, 1 * MB)
        self.more = 0.0  # that it holds beyond its base
        self.noise = 0.0  # of this moment
        self.inference = 0

    def step(self):
        self.inference += 1


class Quiet(Memory):
    """Nothing happens."""


class Noisy(Memory):
    """Buffers of up to a MB come and go."""

    def step(self):
        super().step()
        self.noise = self.draw.uniform(0, MB)


class Wandering(Memory):
    """An allocator gives back and asks again: what it holds wanders around a level."""

    def step(self):
        super().step()
        self.noise = 0.98 * self.noise + self.draw.gauss(0, 50 * KB)


class Filling(Memory):
    """An arena that is full after 500 inferences."""

    def step(self):
        super().step()
        if self.inference <= 500:
            self.more += 40 * KB


class Approaching(Memory):
    """An arena that takes less and less: it halves what is missing in 60 inferences."""

    def step(self):
        super().step()
        self.more = 20 * MB * (1 - 2 ** (-self.inference / 60))


class Doubling(Memory):
    """A container that doubles when it is full, for the last time at 256 inferences or so."""

    def __init__(self, draw):
        super().__init__(draw)
        self.next = draw.uniform(1, 2)

    def step(self):
        super().step()
        if self.next < 300 and self.inference >= self.next:
            self.more += 8 * KB * self.next
            self.next *= 2


class Stepping(Memory):
    """Something is cached for good now and then within the first 600 inferences."""

    def step(self):
        super().step()
        if self.inference <= 600 and self.draw.random() < 1 / 150:
            self.more += 300 * KB


class Leaking(Noisy):
    """1 kB of each inference stays, and buffers come and go."""

    def step(self):
        super().step()
        self.more += 1 * KB


class FillingAndLeaking(Filling):
    """An arena fills, and 1 kB of each inference stays."""

    def step(self):
        super().step()
        self.more += 1 * KB


LEAKS = (Leaking, FillingAndLeaking)
NO_LEAKS = (Quiet, Noisy, Wandering, Filling, Approaching, Doubling, Stepping)


def marks(draw, kind):
    """The readings of a process's memory at marks: whole pages, as the kernel counts them."""
    memory = kind(draw)
    found = []
    for inference in range(1, INFERENCES + 1):
        memory.step()
        if inference == 1 or inference % EVERY == 0:
            held = max(0.0, memory.base + memory.more + memory.noise)
            at_s = inference / 1000
            found += [("inferences", "mark", float(inference), at_s), ("memory", "mark", float(held // PAGE * PAGE), at_s)]
    return found


def growths(kind, cells, processes=5, seed=1):
    """What ngb says of cells whose processes have such memory: the values of the metric."""
    draw = random.Random(f"{kind.__name__} {seed}")
    with Folder() as folder:
        made_up.study(folder, ["identity"], [f"m{i}" for i in range(cells)], processes,
                      lambda compiler, model, number: Process([10.0] * 4, readings=marks(draw, kind)))
        return [cell["metrics"]["memory_growth_bytes_per_inference"] for cell in made_up.shown(folder)["cells"]]


def leaks_told(kind, cells):
    """How many of the cells are said to leak: the interval is above 0."""
    told = Counted()
    for growth in growths(kind, cells):
        told.add(growth["low"] > 0)
    return told
