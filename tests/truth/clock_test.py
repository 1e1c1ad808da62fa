# SPDX-License-Identifier: Apache-2.0
"""What ngb measures against a log that the compiler keeps of its own inferences: a count in the time of a clock on the wall.

The inferences are uneven, so that the mean of their rates is far from their count in a time."""

import statistics
import unittest

import made_up_results as made_up
import uneven_compiler as uneven

SLOW_NOW_AND_THEN = [4.0] * 7 + [20.0]
WARM_UP, REPETITIONS, PROCESSES = 8, 48, 2
BUSY_PERCENT = 25
WITHIN = 0.15  # A busy machine wakes a sleeper late. The mean of rates is off by 35 %.


def spans(folder):
    """The [(begin, end)] in seconds of each process that left a log."""
    return [[tuple(int(number) * 1e-9 for number in line.split()) for line in file.read_text().splitlines()]
            for file in folder.iterdir()]


def counted_per_s(log):
    """The inferences of a second from the first that counts on."""
    return (REPETITIONS - 1) / (log[-1][0] - log[-REPETITIONS][0])


class Clock(unittest.TestCase):
    def measured(self, name, **keys):
        """Measures it; returns its cell as shown, and its processes' logs."""
        log = made_up.home() / f"{name}-log"
        log.mkdir()
        compiler = uneven.entry("slow now and then", SLOW_NOW_AND_THEN, log, BUSY_PERCENT, **keys.pop("compiler", {}))
        file = uneven.write_study(name, [compiler], warm_up=WARM_UP, repetitions=REPETITIONS, min_repetition_ms=0, **keys)
        cell, = made_up.shown(uneven.run(file))["cells"]
        return cell["metrics"], [each for each in spans(log) if len(each) >= WARM_UP + REPETITIONS]

    def expect(self, value, counted):
        self.assertLess(abs(value / counted - 1), WITHIN, f"ngb {value}, counted {counted}")

    def test_speed_is_the_inferences_of_a_time(self):
        told, logs = self.measured("plain", protocol="paper", processes=PROCESSES)
        self.assertEqual(len(logs), PROCESSES)
        counted = statistics.geometric_mean(map(counted_per_s, logs))
        self.expect(told["throughput_per_s"]["value"], counted)
        self.expect(told["cpu_per_inference_s"]["value"], BUSY_PERCENT / 100 * statistics.mean(SLOW_NOW_AND_THEN) / 1000)
        ends = sorted(end - begin for log in logs for begin, end in log[-REPETITIONS:])
        self.expect(told["latency_p50_s"]["value"], ends[len(ends) // 2])

    def test_speed_in_turns_is_the_inferences_of_its_own_time(self):
        told, logs = self.measured("turns", processes=PROCESSES, turns=6)
        speed = told["throughput_per_s"]["value"]
        # A busy machine wakes late, which the log has, and has turns run again, which the speed has not.
        counted = statistics.geometric_mean(1 / statistics.mean(end - begin for begin, end in log[WARM_UP:]) for log in logs)
        self.assertGreater(speed, (1 - WITHIN) * counted)
        self.assertLess(speed, (1 + WITHIN) * 1000 / statistics.mean(SLOW_NOW_AND_THEN))

    def test_instances_answer_together_what_all_of_them_count(self):
        told, logs = self.measured("instances", processes=1, compiler={"instances": 2})
        self.assertEqual(len(logs), 2)
        begin, end = max(log[WARM_UP][0] for log in logs), min(log[-1][1] for log in logs)
        count = sum(begin <= each[1] <= end for log in logs for each in log)
        self.expect(told["throughput_per_s"]["value"], count / (end - begin))


if __name__ == "__main__":
    unittest.main()
