# SPDX-License-Identifier: Apache-2.0
"""ngb models: the list, the layers, the files, and impossible models."""

import json
import subprocess

from ngb_program import BIN, NgbTest


class Models(NgbTest):
    def test_the_list_has_the_papers_counts(self):
        listed = {row["name"]: row for row in json.loads(self.ngb("models", "--json").stdout)}
        self.assertEqual(listed["efficientnet_b3"]["parameters"], 12233232)
        self.assertEqual(listed["deit3_base_patch16_224"]["macs_torchinfo"], 201581032)

    def test_the_layers_add_up_to_the_whole(self):
        shown = json.loads(self.ngb("models", "show", "swin_s3_tiny_224", "--batch", "2", "--json").stdout)
        for count in ("parameters", "macs", "macs_torchinfo"):
            self.assertEqual(sum(layer[count] for layer in shown["layers"]), shown[count])
        self.assertEqual(shown["parameters"], 28328674)

    def test_a_family_is_shown_with_its_parameters(self):
        shown = self.ngb("models", "show", "resnet", "--parameters", '{"depths": [1, 1, 1, 1], "width": 0.5}')
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("width            0.5", shown.stdout)
        self.assertIn("layer4.0.conv2", shown.stdout)

    def test_a_model_is_written_with_a_dynamic_batch(self):
        written = self.ngb("models", "write", "mlp", "--batch", "dynamic", "-o", "mlp.onnx")
        self.assertEqual(written.returncode, 0, written.stderr)
        self.assertIn(b"batch", (self.folder / "mlp.onnx").read_bytes())

    def test_a_device_writes_the_weights_of_larger_models_beside_them(self):
        for depth, files in ((1, ["model.onnx"]), (40, ["model.onnx", "model.onnx.data"])):
            with self.subTest(depth=depth):
                folder = self.folder / str(depth)
                folder.mkdir()
                recipe = {"family": "mlp", "parameters": {"classes": 10, "depth": depth, "features": 100, "width": 100},
                          "revision": 3, "seed": 1}
                subprocess.run([BIN / "ngb-worker", "write-model", "--recipe",
                                json.dumps(recipe, separators=(",", ":")), "--batch", "1", "-o", folder / "model.onnx"],
                               check=True, stdout=subprocess.DEVNULL)
                self.assertEqual(sorted(file.name for file in folder.iterdir()), files)

    def test_a_user_gets_the_bytes_that_a_device_measures(self):
        (self.folder / "device").mkdir()
        values = {"classes": 10, "depth": 40, "features": 100, "width": 100}
        recipe = {"family": "mlp", "parameters": values, "revision": 3, "seed": 1}
        subprocess.run([BIN / "ngb-worker", "write-model", "--recipe", json.dumps(recipe), "--batch", "1", "-o",
                        self.folder / "device/net.onnx"], check=True, capture_output=True)
        written = self.ngb("models", "write", "mlp", "--parameters", json.dumps(values), "--as-measured", "-o", "net.onnx")
        self.assertEqual(written.returncode, 0, written.stderr)
        for name in ("net.onnx", "net.onnx.data"):
            self.assertEqual((self.folder / name).read_bytes(), (self.folder / "device" / name).read_bytes())

    def test_a_file_that_is_there_is_not_replaced(self):
        for name in ("mine.onnx", "mine.onnx.data"):
            with self.subTest(name=name):
                mine = self.write(name, "precious")
                written = self.ngb("models", "write", "mlp", "-o", "mine.onnx")
                self.assertEqual(written.returncode, 2)
                self.assertIn(f"{name}: this file exists already; give another name", written.stderr)
                self.assertEqual(mine.read_text(), "precious")
                mine.unlink()

    def test_an_impossible_model_is_one_clear_message_and_no_file(self):
        for name, parameters, said in (
            ("resnet81", "{}", "unknown model, did you mean resnet18?"),
            ("mha_block", '{"embed": 100}', "8 heads do not divide the width 100"),
            ("swin", '{"windows": [14, 14, 14, 14]}', "a window of 14 is larger than the map of stage 4, which is 7"),
            ("conv_block", '{"depth": 0}', "depth: 0 is out of range, expected 1 to 1000"),
            ("conv_block", '{"width": 1000000000}', "width: 1000000000 is out of range"),
            ("mlp", "[]", "not a JSON object"),
        ):
            with self.subTest(name=name, parameters=parameters):
                written = self.ngb("models", "write", name, "--parameters", parameters, "-o", "model.onnx")
                self.assertEqual(written.returncode, 2)
                self.assertIn(said, written.stderr)
                self.assertEqual(len(written.stderr.strip().splitlines()), 1)
                self.assertEqual(list(self.folder.glob("model.onnx*")), [])

    def test_an_invalid_batch_is_refused(self):
        for batch in ("0", "-1", "many", "99999999"):
            with self.subTest(batch=batch):
                written = self.ngb("models", "write", "mlp", f"--batch={batch}", "-o", "mlp.onnx")
                self.assertNotEqual(written.returncode, 0)
                self.assertIn("batch", written.stderr)

    def test_a_target_that_cannot_be_written_is_named(self):
        written = self.ngb("models", "write", "mlp", "-o", "absent/mlp.onnx")
        self.assertEqual(written.returncode, 3)
        self.assertIn("absent/mlp.onnx: cannot write: No such file or directory", written.stderr)
