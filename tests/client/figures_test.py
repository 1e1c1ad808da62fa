# SPDX-License-Identifier: Apache-2.0
"""ngb.figures: the report's figures as Altair charts."""

import json
import unittest

from package import PackageTest, ngb


class Figures(PackageTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.results = cls.measure()
        cls.figures = ngb.figures(cls.results)

    def test_each_is_a_chart_of_the_reports_specification(self):
        self.assertIn("throughput_by_batch", self.figures)
        self.assertGreater(len(self.figures), 8)
        for name, chart in self.figures.items():
            with self.subTest(name):
                told = json.loads(self.figures.specification(name))
                drawn = chart.to_dict()
                self.assertEqual(drawn["datasets"]["rows"], told["datasets"]["rows"])
                self.assertEqual({key: drawn.get(key) for key in told if key not in ("$schema", "config", "usermeta")},
                                 {key: value for key, value in told.items() if key not in ("$schema", "config", "usermeta")})

    def test_their_data_are_the_numbers_of_the_cells(self):
        data = self.figures.data("throughput_by_batch").dropna(subset="throughput_per_s")
        self.assertEqual(sorted(data["throughput_per_s"]), sorted(self.results.cells["throughput_per_s"].dropna()))

    def test_figures_without_data_are_named_with_their_reasons(self):
        self.assertIn("tcr_by_model (the study gives no model raw_bytes and encoded_bytes)", " ".join(self.figures.remarks))

    def test_a_figure_is_found_under_its_other_names(self):
        self.assertEqual(self.figures.specification("rtr_by_batch"), self.figures.specification("ase_by_batch"))
        self.assertNotIn("rtr_by_batch", list(self.figures))

    def test_an_unknown_name_gets_the_names_that_there_are(self):
        self.assertIn("throughput_by_batch", str(self.raised(KeyError, self.figures.__getitem__, "througput")))

    def test_filters_are_those_of_the_report(self):
        data = ngb.figures("results", batch=2, compiler=["fast", "slow"]).data("throughput_by_batch")
        self.assertEqual(set(data["batch"]), {2})
        error = self.raised(ngb.ProgramError, ngb.figures, "results", compiler="fats")
        self.assertIn("did you mean fast", error.text)

    def test_a_baseline_that_was_asked_for_holds_for_figures_too(self):
        chosen = ngb.figures(ngb.open("results", baseline="fast")).data("ratio_to_best")
        self.assertGreater(len(chosen), 0)


if __name__ == "__main__":
    unittest.main()
