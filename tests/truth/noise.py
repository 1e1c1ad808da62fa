# SPDX-License-Identifier: Apache-2.0
"""Times of repetitions as compilers on machines have them, and what a clock on the wall says of them in the long run."""

import dataclasses
import math

REPETITIONS = 20


@dataclasses.dataclass(frozen=True)
class Noise:
    """Factors by which a compiler's repetitions and processes take longer than its shortest usual time."""

    deviation: float = 0.02  # of a repetition, normal
    log_deviation: float = 0.0  # of a repetition, log-normal
    slow_share: float = 0.0  # of the repetitions, drawn
    slow_factor: float = 1.0
    mode_share: float = 0.0  # of the processes, drawn
    mode_factor: float = 1.0
    process_deviation: float = 0.0  # of a process, normal, on the log scale
    correlation: float = 0.0  # of a process's deviation with that of the process before (AR(1))

    @property
    def mean(self):
        """The mean factor of an inference in the long run: the time of N inferences / N."""
        of_process = math.exp(self.process_deviation**2 / 2) * (1 + self.mode_share * (self.mode_factor - 1))
        return math.exp(self.log_deviation**2 / 2) * (1 + self.slow_share * (self.slow_factor - 1)) * of_process


class Compiler:
    """Draws processes of a compiler whose inference takes `ms` where nothing disturbs it."""

    def __init__(self, random, ms, noise):
        self._random, self._ms, self._noise = random, ms, noise
        self._deviation = None  # of the last process

    def process(self, factor=1.0, repetitions=REPETITIONS):
        """The times of a process's repetitions; `factor` is what the machine does to all compilers of the round."""
        noise, random = self._noise, self._random
        ms = self._ms * factor * math.exp(self._next_deviation())
        if random.random() < noise.mode_share:
            ms *= noise.mode_factor
        return [ms * self._of_repetition() for _ in range(repetitions)]

    def _next_deviation(self):
        noise = self._noise
        drawn = self._random.gauss(0, noise.process_deviation)
        if self._deviation is None:
            self._deviation = drawn
        else:
            kept = noise.correlation
            self._deviation = kept * self._deviation + math.sqrt(1 - kept**2) * drawn
        return self._deviation

    def _of_repetition(self):
        noise, random = self._noise, self._random
        factor = max(0.5, random.gauss(1, noise.deviation)) * math.exp(random.gauss(0, noise.log_deviation))
        return factor * noise.slow_factor if random.random() < noise.slow_share else factor

    @property
    def per_s(self):
        """The inferences of a second in the long run."""
        return 1000 / (self._ms * self._noise.mean)
