# SPDX-License-Identifier: Apache-2.0
"""ngb.measure: modules that are in memory, saved as they are, and measured beside files and names."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys
import threading
import unittest

from package import SITE, PackageTest, ngb

if importlib.util.find_spec("torch") is None and not SITE.exists():
    print("skipped: neither torch nor the toolchain identity is installed")
    sys.exit(77)
sys.path.append(str(SITE))

import pandas  # noqa: E402
import torch  # noqa: E402
from ngraphbench import notebook, saved_module  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402

WIDTH = 4
SHIFT = torch.full((WIDTH,), 0.5)
double = lambda value: 2 * value  # noqa: E731
NETS = """
import torch
import scales
class Scaled(torch.nn.Module):
    def forward(self, x):
        return x * scales.FACTOR
"""
SAYS_OUTPUT = """
import importlib.util, sys, torch
for folder in sys.argv[1:]:
    sys.path[:0] = [folder]
    spec = importlib.util.spec_from_file_location("user_model", folder + "/saved_module.py")
    sys.modules["user_model"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made = module.build()
    made.load_state_dict(torch.load(folder + "/weights.pt", weights_only=True))
    torch.save(made.eval()(torch.ones(2, 4)), folder + "/output.pt")
"""


class Base(nn.Module):
    def scaled(self, x):
        return double(x) + SHIFT


class Net(Base):
    def __init__(self, act=F.relu):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(WIDTH, WIDTH), nn.Linear(WIDTH, WIDTH)])
        self.layers[1].weight = self.layers[0].weight  # tied
        self.act = act
        self.register_buffer("offset", torch.ones(WIDTH), persistent=False)

    def forward(self, x):
        for layer in self.layers:
            x = self.act(layer(x))
        return self.scaled(x) + self.offset


class Pair(nn.Module):
    def forward(self, tokens, *, mask):
        return F.one_hot(tokens, 3) * mask[..., None]


class Keeps(nn.Module):
    def __init__(self, what):
        super().__init__()
        self.inner = nn.Identity()
        self.inner.kept = what

    def forward(self, x):
        return self.inner(x)


class Unready(nn.Module):
    def forward(self, x):
        return x + not_defined_anywhere  # noqa: F821


class Saving(PackageTest):
    def save(self, module, inputs, name="saved", sizes=(2,)):
        return saved_module.save("mine", module, inputs, list(sizes), self.folder / name)

    def test_a_module_is_the_same_in_another_process_with_what_its_source_needs(self):
        (self.folder / "nets.py").write_text(NETS)
        (self.folder / "scales.py").write_text("FACTOR = 3\n")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        import nets

        modules = {"own": Net(torch.tanh), "of_a_file": nn.Sequential(nn.Linear(4, 4), nets.Scaled())}
        modules["channels_last"] = nn.Sequential(nn.Unflatten(1, (4, 1, 1)), nn.Conv2d(4, 4, 1)).to(memory_format=torch.channels_last)
        for name, module in modules.items():
            self.save(module, torch.ones(2, 4), name)
        environment = {**os.environ, "PYTHONPATH": str(SITE)}
        subprocess.run([sys.executable, "-c", SAYS_OUTPUT, *map(str, (self.folder / name for name in modules))], check=True,
                       env=environment, cwd="/")
        for name, module in modules.items():
            torch.testing.assert_close(torch.load(self.folder / name / "output.pt"), module.eval()(torch.ones(2, 4)), rtol=0, atol=0)
        text = (self.folder / "own/saved_module.py").read_text()
        self.assertIn("WIDTH = 4\n", text)
        self.assertIn("double = lambda value: 2 * value", text)
        self.assertIn("import torch.nn.functional as F\n", text)
        self.assertNotIn("class Pair", text)
        self.assertTrue((self.folder / "of_a_file/scales.py").exists())

    def test_inputs_are_saved_by_the_names_of_forwards_arguments_with_rows_for_the_largest_batch(self):
        entry = self.save(Pair(), {"tokens": torch.tensor([[0, 1], [2, 0]]), "mask": torch.ones(2, 2)}, "pair", (1, 3))
        self.assertEqual(entry["shapes"], {"tokens": ["batch", 2], "mask": ["batch", 2]})
        self.assertEqual(entry["inputs"]["tokens"], {"file": f"{self.folder.name}/pair/tokens.npy", "type": "i64"})
        self.assertNotIn("state_dict", entry)
        self.assertEqual(saved_module.numpy.load(self.folder / "pair/tokens.npy").tolist(), [[0, 1], [2, 0], [0, 1]])

    def test_what_cannot_be_saved_is_named_with_what_to_do(self):
        for number, (what, said) in enumerate({
                threading.Lock(): r"mine\.inner\.kept cannot be saved: .*lock.*; remove the attribute",
                (lambda: 1): r"mine\.inner\.kept cannot be saved: .*; define it at the top of a cell or file"}.items()):
            error = self.raised(ngb.ModelError, self.save, Keeps(what), torch.ones(1), f"kept{number}")
            self.assertRegex(str(error), said)
        for module, inputs, said in (
                (Unready(), torch.ones(1), "what was saved of it does not run: NameError: name 'not_defined_anywhere'"),
                (torch.jit.trace(nn.Identity(), torch.ones(1)), torch.ones(1), "give the module that it was made from"),
                (nn.Identity(), None, "a module needs inputs"),
                (nn.Identity(), torch.ones(1, dtype=torch.bfloat16), "input input is of type bfloat16")):
            error = self.raised(ngb.ModelError, self.save, module, inputs, f"refused-{len(said)}")
            self.assertIn(said, str(error))

    def test_what_is_no_model_is_refused(self):
        self.assertIn("int is no torch.nn.Module", str(self.raised(ngb.ModelError, ngb.measure, {"mine": 3})))


@unittest.skipUnless(SITE.exists(), "the toolchain identity is not installed")
class Measuring(PackageTest):
    def test_a_module_and_a_name_are_measured_side_by_side_and_once(self):
        os.environ["NGB_TOOLCHAINS"] = str(SITE.parents[2])
        small = {"zoo": {"conv_block": {"width": 8, "depth": 1, "image_size": 16}}}
        asked = dict(compilers=["identity"], processes=1, repetitions=3, warm_up=1, longer_look_s=0,
                     disturbance={"max_wait_percent": 100}, progress=False)
        torch.manual_seed(1)
        results = ngb.measure({"mine": Net(), "theirs": small}, torch.ones(2, 4), batch_sizes=[3], **asked)
        self.assertEqual(set(results.cells["status"]), {"measured"}, results.failures["message"].tolist())
        self.assertEqual(set(results.cells["model"]), {"mine", "theirs"})
        self.assertRegex(results.folders[0].name, r"^mine-theirs-[0-9a-f]{8}$")
        torch.manual_seed(1)
        again = ngb.measure({"mine": Net(), "theirs": small}, torch.ones(2, 4), batch_sizes=[3], **asked)
        self.assertEqual(again.folders, results.folders)
        self.assertEqual(len(again.samples), len(results.samples))
        self.assertEqual([each.name for each in pathlib.Path("results").iterdir()], [results.folders[0].name])
        error = self.raised(ngb.ModelError, ngb.measure, Net(), torch.ones(2, 4), output=results.folders[0], **asked)
        self.assertIn("there is something else here", str(error))


class Shown(PackageTest):
    def test_words_between_backticks_are_code_in_a_notebook(self):
        cells = pandas.DataFrame(columns=["device", "model", "batch", "load", "throughput_per_s", "throughput_per_s_low", "throughput_per_s_high"])
        shown = notebook.html_of(["3 rounds (`rounds: {until: decided}`)"], "| x |\n| --- |\n", cells, ["`turns` < 2"])
        self.assertIn("<p>3 rounds (<code>rounds: {until: decided}</code>)</p>", shown)
        self.assertIn("<li><code>turns</code> &lt; 2</li>", shown)

    def test_a_notebook_shows_the_answer_the_table_and_a_bar_for_each_speed(self):
        results = self.measure()
        shown = results._repr_html_()
        for sentence in results.answer:
            escaped = sentence.replace("&", "&amp;").replace("'", "&#x27;")
            self.assertIn(re.sub("`(.*?)`", r"<code>\1</code>", escaped), shown)
        self.assertEqual(shown.count("<tr>"), 1 + len(results.cells))
        widths = [float(each) for each in re.findall(r'<rect y="2" width="([\d.]+)"', shown)]
        self.assertEqual(len(widths), 8)  # of twelve cells, four failed
        for width, expected in zip(sorted(widths), [40] * 4 + [160] * 4, strict=True):  # 4 ms beside 1 ms
            self.assertAlmostEqual(width, expected, delta=0.05 * expected)
        self.assertIn("failed: toolchain_missing", shown)

    def test_the_best_compiler_of_each_workload_is_named_with_its_options(self):
        best = self.measure("best").best()
        self.assertEqual(best["compiler"].tolist(), ["null"] * 4)
        self.assertEqual(set(best["options_json"]), {'{"made_up_ns":1000000}'})
        self.assertEqual({names[0].split()[0] for names in best["may_be_fastest"]}, {"fast"})
        self.assertAlmostEqual(best["speed_up_ratio"].iloc[0], 4, delta=0.2)


if __name__ == "__main__":
    unittest.main()
