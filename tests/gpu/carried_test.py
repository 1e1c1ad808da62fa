# SPDX-License-Identifier: Apache-2.0
"""What gpu-proof carries: thinned libraries, archives in pieces, and the calls that bring them."""
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import unittest.mock

import calls
import carried
import machine
import preparing
import proof
import steps
import thinning

SOURCE = pathlib.Path(__file__).resolve().parent.parent.parent
PTX, MACHINE_CODE = 1, 2


def fat_binary(*codes):
    """Return a fat binary of (kind, architecture, content)."""
    entries = b""
    for kind, architecture, content in codes:
        head = bytearray(64)
        struct.pack_into("<HHIQI", head, 0, kind, 0, len(head), len(content), len(content))
        struct.pack_into("<I", head, 28, architecture)
        struct.pack_into("<Q", head, 56, len(content))
        entries += head + content
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


class InAFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path


class Thinned(InAFolder):
    def thin(self, library, *arguments):
        kept = thinning.thin(self.write("full.so", library), self.folder / "thin.so", *arguments)
        return kept, (self.folder / "thin.so").read_bytes()

    def test_code_for_other_gpus_becomes_zeros_and_nothing_else_changes(self):
        def library(others, own, ptx):
            return (b"ELF, and the four bytes \x50\xed\x55\xba by chance"
                    + fat_binary((MACHINE_CODE, 80, others), (MACHINE_CODE, 90, own), (PTX, 90, others)) + b"between"
                    + fat_binary((MACHINE_CODE, 80, others), (PTX, 80, ptx), (PTX, 120, others)) + b"the end")

        kept, thinned = self.thin(library(b"others", b"own 90", b"PTX 80"))
        self.assertEqual(kept, 12)
        self.assertEqual(thinned, library(bytes(6), b"own 90", b"PTX 80"))

    def test_kernels_are_chosen_by_their_names(self):
        def library(sparse):
            return fat_binary((MACHINE_CODE, 90, b"..text.sm90_xmma_f32f32_TF32..")) + fat_binary((MACHINE_CODE, 90, sparse))

        sparse = b"..text.sm90_sparse_gemm_f32.."
        _, thinned = self.thin(library(sparse), thinning.is_f32, lambda block, size: block)
        self.assertEqual(thinned, library(bytes(len(sparse))))
        self.assertEqual([thinning.is_used(name) for name in ("sm90_gemm_f32", "sm90_gemm_f16", "sm90_gemm_i8i8")],
                         [True, True, False])
        self.assertEqual([thinning.is_f32(name) for name in ("sm90_gemm_f32", "sm90_gemm_f16")], [True, False])

    def test_a_difference_added_to_its_base_is_the_full_library(self):
        full = self.write("full.so", b"a" * 65536 + b"b" * 65536 + b"c" * 100)
        base = self.write("base.so", b"a" * 65536 + bytes(65536) + b"c" * 99 + b"d")
        (self.folder / "blocks").mkdir()
        thinning.write_difference(full, base, self.folder / "blocks")
        thinning.add_difference(self.folder / "blocks", base)
        self.assertEqual(base.read_bytes(), full.read_bytes())
        self.assertEqual((self.folder / "blocks/blocks").stat().st_size, 65536 + 100)


class Pieces(InAFolder):
    def archive(self, name, content):
        self.write("content", content)
        path = self.folder / f"{name}.tar.xz"
        with tarfile.open(path, "w:xz", preset=0) as archive:
            archive.add(self.folder / "content", "content")
        return path

    def carry(self, *letters):
        """Return a folder with the manifest and these folders of pieces."""
        folder = self.folder / f"carried-{''.join(letters)}"
        folder.mkdir()
        for name in ("manifest.json", *letters):
            (folder / name).symlink_to(self.folder / "prepared" / name)
        return folder

    def setUp(self):
        super().setUp()
        content = b"".join(hashlib.sha256(bytes([each])).digest() for each in range(40))  # packing saves nothing
        archives = [self.archive("small", b"x"), self.archive("large", content)]
        carried.share_out(archives, self.folder / "prepared", 1000)

    def test_archives_are_cut_into_folders_and_put_together_when_all_pieces_have_come(self):
        entries = carried.read_manifest(self.folder / "prepared")
        self.assertEqual([entry["pieces"] for entry in entries],
                         [["a/small.tar.xz.00"], ["a/large.tar.xz.00", "b/large.tar.xz.01"]])
        for folder in self.folder.glob("prepared/[a-z]"):
            self.assertLessEqual(sum(path.stat().st_size for path in folder.iterdir()), 1000)
        into = self.folder / "into"
        self.assertEqual(carried.receive(self.carry("a"), into), (["small"], ["b/large.tar.xz.01"]))
        self.assertEqual(carried.receive(self.carry("b"), into), (["small", "large"], []))
        self.assertEqual((into / "small/content").read_bytes(), b"x")
        self.assertEqual((into / "large/content").stat().st_size, 1280)

    def test_missing_and_damaged_pieces_are_named(self):
        (self.folder / "prepared/b/large.tar.xz.01").write_bytes(b"xxxx")
        with self.assertRaisesRegex(carried.Damaged, "large: its pieces .* carry a/large.tar.xz.00, b/large.tar.xz.01 again"):
            carried.receive(self.folder / "prepared", self.folder / "into")
        with self.assertRaisesRegex(carried.Damaged, "--prepare"):
            carried.receive(self.folder, self.folder / "into")


class Environments(InAFolder):
    """What is made of carried packages on a machine whose Python has PyTorch, in a folder that nobody need be able to write."""

    def setUp(self):
        super().setUp()
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", self.folder / "theirs"], check=True)
        site, = self.folder.glob("theirs/lib/python3*/site-packages")
        (site / "torch").mkdir()
        (site / "torch/__init__.py").write_text("")
        (site / "nvidia/cu13/lib").mkdir(parents=True)
        for name in ("packages/onnx2torch/__init__.py", "onnxruntime/onnxruntime/__init__.py",
                     "tensorrt/tensorrt_libs/libnvinfer.so.10", "kernels/libnvinfer_builder_resource.so.10.6.0"):
            self.write(f"out/carried/{name}", b"")
            (self.folder / "out/carried" / f"{name.partition('/')[0]}.unpacked").touch()
        found = unittest.mock.patch.dict("os.environ", NGB_PYTHON=str(self.folder / "theirs/bin/python"), LD_LIBRARY_PATH="/theirs")
        found.start()
        self.addCleanup(found.stop)
        self.machine = machine.Machine(steps.Proof(self.folder / "out", 60), None, self.folder / "carried", {}, False)

    def imported(self, compiler, *modules):
        python = pathlib.Path(self.machine._environment_of(compiler), "bin/python")
        return subprocess.run([python, "-c", f"import {', '.join(modules)}"], check=False, capture_output=True).returncode == 0

    def test_pytorch_is_behind_the_packages_that_it_lacks(self):
        self.assertTrue(self.imported("identity", "torch", "onnx2torch"))
        self.assertFalse(self.imported("onnxruntime", "torch"))

    def test_cudas_libraries_are_beside_onnx_runtime(self):
        folder = pathlib.Path(self.machine._environment_of("onnxruntime"))
        site, = folder.glob("lib/python3*/site-packages")
        self.assertTrue((site / "nvidia/cu13/lib").is_dir())
        self.assertTrue((site / "onnxruntime/../nvidia/cu13/lib").is_dir())  # also from where its own files are

    def test_tensorrts_kernels_are_beside_its_libraries_which_the_loader_finds(self):
        libraries = self.folder / "out/carried/tensorrt/tensorrt_libs"
        self.machine._put_kernels(False)
        self.assertTrue((libraries / "libnvinfer_builder_resource.so.10.6.0").is_file())
        self.machine._let_loader_find(libraries.parent)
        self.machine._let_loader_find(libraries.parent)
        self.assertEqual(self.machine.environment["LD_LIBRARY_PATH"], f"{libraries}:/theirs")


class Downloads(InAFolder):
    def test_an_archive_is_found_by_its_name_and_refused_by_its_hash(self):
        pins = {"gpu-proof": {"archives": {"toy-1.0-py3-none-any.whl": hashlib.sha256(b"good").hexdigest()}}}
        self.write("versions.json", json.dumps(pins).encode())
        preparation = preparing.Preparation(self.folder, self.folder / "out", None, [self.folder / "downloads"])
        found = self.write("downloads/below/toy-1.0-py3-none-any.whl", b"good")
        self.assertEqual(preparation._download("toy"), found)
        found.write_bytes(b"bad")
        with self.assertRaisesRegex(preparing.Unprepared, "toy-1.0-py3-none-any.whl does not have the SHA-256"):
            preparation._download("toy")

    def test_the_pinned_archives_have_the_projects_versions(self):
        versions = json.loads((SOURCE / "versions.json").read_text())
        names = dict(name.split("-")[:2] for name in versions["gpu-proof"]["archives"])
        # The package for GPUs follows later than the other.
        self.assertIn(names.pop("onnxruntime_gpu"), versions["toolchains"]["onnxruntime"]["tested"])
        pinned = {**versions["wheels"], "apache-tvm": versions["toolchains"]["tvm"]["default"]}
        compared = [(name, version, pinned[name.replace("_", "-")]) for name, version in names.items()
                    if name.replace("_", "-") in pinned]
        self.assertEqual(len(compared), 5)
        for name, version, ours in compared:
            self.assertEqual(version, ours, name)


class Calls(unittest.TestCase):
    ENTRIES = [{"name": name, "pieces": pieces} for name, pieces in (
        ("ngb", ["a/ngb"]), ("packages", ["a/packages"]), ("tensorrt", ["a/t0", "b/t1"]), ("kernels", ["b/k"]),
        ("onnxruntime", ["b/o0", "c/o1"]), ("tvm", ["c/v0", "d/v1", "e/v2"]), ("kernels-f16", ["e/h0", "f/h1"]))]

    def test_fifteen_minutes_are_divided_into_calls_within_the_budget(self):
        planned, left_out = calls.plan(proof.steps(), self.ENTRIES, 900)
        self.assertEqual([[step.name for step in call.steps] for call in planned],
                         [["pytorch", "programs", "questions", "agreement-pytorch", "peak"],
                          ["tensorrt", "agreement-tensorrt", "explain"],
                          ["onnxruntime", "wait", "onnxruntime-tensorrt"]])
        self.assertLessEqual(calls.total_s(planned), 880)
        self.assertIn("paper", [step.name for step in left_out])
        self.assertIn("scripts/gpu-proof --carried build/gpu -o FOLDER --pack RESULTS.tar.gz --limit 295 "
                      "--steps tensorrt,agreement-tensorrt,explain", calls.text(planned, left_out, 900, "build/gpu"))

    def test_a_step_waits_for_the_call_that_makes_its_archives_whole(self):
        planned, left_out = calls.plan(proof.steps(), self.ENTRIES, 10000)
        at = {step.name: call.folder for call in planned for step in call.steps}
        self.assertEqual([at[name] for name in ("pytorch", "tensorrt", "onnxruntime", "tvm", "half")], ["a", "b", "c", "e", "f"])
        self.assertEqual([step.name for step in left_out], ["paper"])  # no call is as long as that
        self.assertLessEqual(max(call.limit_s for call in planned), 600)


    def test_a_folder_that_no_step_needs_is_not_carried(self):
        planned, _ = calls.plan([step for step in proof.steps() if step.name in ("decoder", "half")], self.ENTRIES, 900)
        self.assertEqual([call.folder for call in planned], ["a", "b", "e", "f"])


class Page(unittest.TestCase):
    def test_docs_gpu_proof_has_a_row_for_each_step_in_their_order(self):
        page = (SOURCE / "docs/gpu-proof.md").read_text()
        rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in page.splitlines() if line.startswith("| `")]
        of_steps = [row for row in rows if row[1].endswith(" s")]
        self.assertEqual(of_steps, [[f"`{step.name}`", f"{step.seconds} s", f"{step.most_s} s"] for step in proof.steps()])
        self.assertEqual([row[0] for row in rows[:len(preparing.ARCHIVES)]], [f"`{name}`" for name in preparing.ARCHIVES])


if __name__ == "__main__":
    unittest.main()
