# SPDX-License-Identifier: Apache-2.0
"""Every number that a study may say, at the largest that the table of keys allows: refused by `ngb plan`, or measured, sent,
recorded, shown and reported."""

import json
import unittest

from ngb_program import NgbTest

STUDY = {
    "name": "largest",
    "models": [{"zoo": {"conv_block": {"width": 8, "image_size": 16}}}],
    "compilers": [{"null": {}}],
    "reference": "none",
    "processes": 1,
    "repetitions": 1,
    "warm_up": 0,
    "min_repetition_ms": 0,
    "disturbance": {"max_wait_percent": 100},
}
# What a key needs beside it, or why it is only planned.
BESIDE = {
    "arrivals": {"arrivals": {"requests_per_s": 1_000_000, "requests": 10}},
    "stop_when": {"stop_when": {"half_width_percent": 100, "min_repetitions": 1, "max_repetitions": 2, "max_s": 1},
                  "repetitions": "auto"},
    "rounds": {"rounds": {"until": "decided", "min": 3, "max": 3}, "compilers": [{"null": {"label": "a"}}, {"null": {"label": "b"}}]},
    "turns": {"compilers": [{"null": {"label": "a"}}, {"null": {"label": "b"}}]},
}
ONLY_PLANNED = {
    "batch_sizes": "inputs of gigabytes",
    "processes": "a minute",
    "min_repetition_ms": "as long as it says",
    "longer_look_s": "as long as it says",
}


def numbers_in(schema, path=()):
    """Yields (key, key within it or None, its largest value)."""
    for name, key in schema["properties"].items():
        for choice in [key, *key.get("anyOf", [])]:
            if "maximum" in choice:
                yield (*path, name), choice["maximum"]
            elif "properties" in choice and not path:
                yield from numbers_in(choice, (name,))


class Largest(NgbTest):
    def study_with(self, path, value):
        study = json.loads(json.dumps({**STUDY, **BESIDE.get(path[0], {})}))
        section = study
        for name in path[:-1]:
            section = section.setdefault(name, {})
        section[path[-1]] = [value] if path == ("batch_sizes",) else value
        if path[0] == "stop_when" and "repetitions" in study and study["repetitions"] == "auto":
            del study["repetitions"]
        return self.write("study.yaml", json.dumps(study))

    def numbers(self):
        told = self.ngb("schema")
        self.assertEqual(told.returncode, 0, told.stderr)
        numbers = list(numbers_in(json.loads(told.stdout)))
        self.assertIn((("arrivals", "requests"), 1_000_000), numbers)
        self.assertGreater(len(numbers), 20)
        return numbers

    def test_value_of_each_key_is_refused_or_planned(self):
        for path, largest in self.numbers():
            with self.subTest(path):
                planned = self.ngb("plan", self.study_with(path, largest), timeout=1500)
                self.assertIn(planned.returncode, (0, 2), planned.stderr)
                self.assertNotEqual(planned.stdout if planned.returncode == 0 else planned.stderr, "")

    def test_value_of_each_key_of_the_protocol_passes_from_the_frame_to_the_report(self):
        for path, largest in self.numbers():
            study = self.study_with(path, largest)
            if path[0] in ONLY_PLANNED or self.ngb("plan", study).returncode != 0:
                continue
            with self.subTest(path):
                output = "results/" + "-".join(path)
                ran = self.ngb("run", study, "--output", output, timeout=1500)
                self.assertIn(ran.returncode, (0, 1), ran.stderr[-500:])
                self.assertNotIn("a frame claims", ran.stderr)
                shown = self.ngb("show", output, timeout=1500)
                self.assertEqual(shown.returncode, 0, shown.stderr)
                self.assertTrue((self.folder / output / "report/index.html").exists())

    def test_memory_limits_that_a_round_in_turns_may_exceed_are_said(self):
        two = {"compilers": [{"null": {"label": "a"}}, {"null": {"label": "b"}}], "memory_limit": "900 GB"}
        for turns, is_said in ((2, True), (1, False)):
            planned = self.ngb("plan", self.write("study.yaml", json.dumps({**STUDY, **two, "turns": turns})))
            self.assertEqual(planned.returncode, 0, planned.stderr)
            self.assertEqual("Memory: the 2 processes of a round in turns are there at once" in planned.stdout, is_said)


if __name__ == "__main__":
    unittest.main()
