# SPDX-License-Identifier: Apache-2.0
"""How often `ngb explain` names the one operator that was made slower first.

    python3 slower.py NGB --build BUILD [--model resnet18] [--repeats 10] [--rounds 5] [--quick]

The candidate is the model's file with two products more before its classifier, whose weights together take about 4 MB to read:
1 % of a ResNet-18's time on one thread. A line for each run has the plain times, by how much they differ, the region that is first,
and whether it is the classifier's, told from 0. The last line counts them. `--quick` is one run. NGB is the program; BUILD has the
programs of the tests. It needs the toolchains identity and onnxruntime.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import attributed

WIDTH = 1024  # between the two products


def enter_toolchain(build):
    """The identity's Python goes on: its toolchain has onnx."""
    source = pathlib.Path(__file__).resolve().parents[3]
    python, site = attributed.toolchain_of(source, build, "identity")
    environment = {**os.environ, "PYTHONPATH": site, "IN_TOOLCHAIN": "1"}
    sys.exit(subprocess.run([python, "-B", os.path.abspath(__file__), *sys.argv[1:]], env=environment, check=False).returncode)


def write_slower(path, changed):
    """Write the file with two products more. Return the name of the classifier."""
    import numpy
    import onnx
    from onnx import helper, numpy_helper

    model = onnx.load(path)
    graph = model.graph
    classifier = next(node for node in graph.node if node.op_type in ("Gemm", "MatMul") and node.output[0] == graph.output[0].name)
    weights = next(each for each in graph.initializer if each.name == classifier.input[1])
    classes = graph.output[0].type.tensor_type.shape.dim[-1].dim_value
    features = next(extent for extent in weights.dims if extent != classes)
    draw = numpy.random.default_rng(1)
    for name, shape in (("slower.w1", (features, WIDTH)), ("slower.w2", (WIDTH, features))):
        values = draw.standard_normal(shape).astype(numpy.float32) / numpy.float32(shape[0] ** 0.5)
        graph.initializer.append(numpy_helper.from_array(values, name))
    place = list(graph.node).index(classifier)
    first = helper.make_node("MatMul", [classifier.input[0], "slower.w1"], ["slower.a"], name="slower.one")
    second = helper.make_node("MatMul", ["slower.a", "slower.w2"], ["slower.b"], name="slower.two")
    classifier.input[0] = "slower.b"
    graph.node.insert(place, first)
    graph.node.insert(place + 1, second)
    onnx.save(model, changed)
    return classifier.name


def explained(given, folder, classifier):
    """Profile the two files, and explain. Return a line for the table, and whether it names the classifier first."""
    study = {"name": "slower", "models": [{"onnx": "plain.onnx", "label": "plain"}, {"onnx": "slower.onnx", "label": "slower"}],
             "compilers": ["onnxruntime"], "batch_sizes": [1], "threads": 1, "profile": True, "processes": given.rounds}
    (folder / "study.json").write_text(json.dumps(study))
    ran = subprocess.run([given.ngb, "run", "study.json", "-o", "profiles", "--no-report"], cwd=folder, capture_output=True, text=True)
    if ran.returncode != 0:
        return ran.stderr.strip().splitlines()[-1], False
    done = subprocess.run([given.ngb, "explain", "profiles", "--by", "model", "--baseline", "plain", "--candidate", "slower", "--json"],
                          cwd=folder, capture_output=True, text=True)
    told = json.loads(done.stdout) if done.stdout.strip() else {}
    if not told.get("pairs"):
        return done.stderr.strip().splitlines()[-1], False
    regions = [row for row in told["rows"] if row["kind"] == "region"]
    plain = next(row for row in told["rows"] if row["kind"] == "plain time")
    first = regions[0]
    base_ms, new_ms = plain["baseline_ns"] / 1e6, plain["candidate_ns"] / 1e6
    is_told = first["adjusted_p"] is not None and first["adjusted_p"] < 0.05
    is_right = classifier in first["region"] and is_told
    return (f"{base_ms:.3f} ms, {new_ms:.3f} ms ({100 * (new_ms / base_ms - 1):+.2f} %); first {first['region']} "
            f"by {(first['candidate_ns'] - first['baseline_ns']) / 1e6:+.3f} ms "
            f"({100 * (first['candidate_ns'] - first['baseline_ns']) / plain['baseline_ns']:+.2f} %), "
            f"{'told' if is_told else 'not told'} from 0"), is_right


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ngb", type=os.path.abspath)
    parser.add_argument("--build", required=True)
    parser.add_argument("--model", default="resnet18")
    parser.add_argument("--repeats", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true")
    given = parser.parse_args()
    if "IN_TOOLCHAIN" not in os.environ:
        enter_toolchain(given.build)
    right = 0
    repeats = 1 if given.quick else given.repeats
    for _ in range(repeats):
        with tempfile.TemporaryDirectory(prefix="ngb-slower-") as place:
            folder = pathlib.Path(place)
            path, _ = attributed.Bench(given.build, place).write(given.model)
            os.rename(path, folder / "plain.onnx")
            classifier = write_slower(folder / "plain.onnx", folder / "slower.onnx")
            words, is_right = explained(given, folder, classifier)
        print(words, flush=True)
        right += is_right
    print(f"{right} of {repeats} runs name {classifier} first")


if __name__ == "__main__":
    main()
