# SPDX-License-Identifier: Apache-2.0
"""How much of an inference each compiler's profile accounts for, what profiling costs, and how many ONNX nodes are found:

    python attributed.py --build BUILD [--quick] [--compilers a,b] [--models a,b] [--json FILE]

prints a table per compiler (Markdown). Each pair is a process of its own on one processor, which alternates plain and
profiled repetitions. --quick: the two blocks and resnet18, three repetitions of five inferences."""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
MODELS = ("resnet18", "deit3_small_patch16_224", "efficientnet_b3", "convnext_tiny", "swin_s3_tiny_224",
          "conv_block", "mha_block")
QUICK = ("resnet18", "conv_block", "mha_block")
COMPILERS = ("onnxruntime", "openvino", "identity", "eager-cpp", "torchscript", "torch-compile", "aotinductor", "xla",
             "iree", "tvm")


def toolchain_of(source, build, compiler, version=None):
    """Return (interpreter, site-packages) of the version, or of the default one; None if it is not installed."""
    with open(os.path.join(build, "lib", "ngraphbench", "compilers", compiler, "compiler.json"), encoding="utf-8") as file:
        owner = json.load(file).get("toolchain", compiler)
    with open(os.path.join(source, "versions.json"), encoding="utf-8") as file:
        version = version or json.load(file)["toolchains"][owner]["default"]
    home = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
    root = os.environ.get("NGB_TOOLCHAINS") or os.path.join(home, "ngraphbench", "toolchains")
    folder = os.path.join(root, owner, version)
    if not os.path.exists(os.path.join(folder, "manifest.json")):
        return None
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        return json.load(file)["python"], os.path.join(folder, "site")


class Bench:
    """Runs profiles with the programs of a build. `numpy_site` has numpy and onnx."""

    def __init__(self, build, folder, threads=1):
        self.build, self.folder, self.threads = os.path.abspath(build), folder, threads
        self.source = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
        self.lib = os.path.join(self.build, "lib", "ngraphbench")
        self.identity = toolchain_of(self.source, self.build, "identity")

    def write(self, model):
        """Return (path of the built-in model's file, its recipe)."""
        path = os.path.join(self.folder, model + ".onnx")
        program = os.path.join(self.build, "tests", "write_recipe")
        told = subprocess.run([program, model, "{}", "1", "1", "1", path], check=True, capture_output=True, text=True)
        return path, json.loads(told.stdout)["recipe"]

    def profile(self, compiler, path, recipe="", rounds=5, inferences=20, options=(), limit_s=900, version=None):
        """Return what profiled.py reports, or {"failure"}."""
        toolchain = toolchain_of(self.source, self.build, compiler, version)
        if toolchain is None:
            return {"failure": {"kind": "toolchain_missing", "message": f"no toolchain of {compiler}"}}
        with open(os.path.join(self.lib, "compilers", compiler, "compiler.json"), encoding="utf-8") as file:
            host = json.load(file)["host"]
        scratch = tempfile.mkdtemp(dir=self.folder)
        request = {"compiler": compiler, "host": host, "lib": self.lib, "site": toolchain[1], "python": toolchain[0],
                   "threads": self.threads, "model": path, "recipe": recipe, "inputs": inputs_of(path),
                   "rounds": rounds, "inferences": inferences, "options": dict(options),
                   "answer": os.path.join(scratch, "answer.json")}
        with open(os.path.join(scratch, "request.json"), "w", encoding="utf-8") as file:
            json.dump(request, file)
        interpreter, site = (toolchain if host == "python" else self.identity)
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([site, os.path.join(self.lib, "python")])}
        command = [interpreter, os.path.join(HERE, "profiled.py"), os.path.join(scratch, "request.json")]
        try:
            told = subprocess.run(command, cwd=scratch, env=environment, capture_output=True, text=True, timeout=limit_s,
                                  check=False)
        except subprocess.TimeoutExpired:
            return {"failure": {"kind": "timeout", "message": f"{limit_s} s"}}
        if not os.path.exists(request["answer"]):
            return {"failure": {"kind": "exit", "message": f"code {told.returncode}: {told.stderr.strip()[-2000:]}"}}
        with open(request["answer"], encoding="utf-8") as file:
            return json.load(file)


def inputs_of(path):
    """Return the inputs of an ONNX file with static shapes."""
    import onnx

    graph = onnx.load(path, load_external_data=False).graph
    constants = {each.name for each in graph.initializer}
    return [{"name": each.name, "shape": [dim.dim_value for dim in each.type.tensor_type.shape.dim]}
            for each in graph.input if each.name not in constants]


def middle(values):
    """Return the mean of the middle half."""
    ordered = sorted(values)
    quarter = len(ordered) // 4
    return statistics.fmean(ordered[quarter:len(ordered) - quarter])


def summary(told, graph):
    """Return the numbers of one profile. Kernels' times are means over all inferences of a repetition, so they are
    compared with the mean of its walls. What profiling costs is a ratio of processor times, which other programs on the
    machine change least."""
    import mapping

    rounds = told["rounds"]
    attributed = [sum(kernel["ns"] for kernel in each["kernels"]) / statistics.fmean(wall for wall, _ in each["profiled"])
                  for each in rounds]
    plain, profiled, again = ([middle(busy for _, busy in each[key]) for each in rounds]
                              for key in ("plain", "profiled", "again"))
    kernels = rounds[-1]["kernels"]
    return {"plain_ms": statistics.median(wall for each in rounds for wall, _ in each["plain"]) / 1e6,
            "attributed_percent": 100 * statistics.median(attributed),
            "attributed_of": [round(100 * each, 1) for each in attributed],
            "cost_percent": 100 * statistics.median(b / a - 1 for a, b in zip(plain, profiled)),
            "after_percent": 100 * statistics.median(b / a - 1 for a, b in zip(plain, again)),
            "kernels": len(kernels), "nodes": len(graph.nodes), "found": dict(mapping.count(graph, kernels)),
            "without_a_node_percent": 100 * sum(each["ns"] for each in kernels if not each["nodes"])
            / max(sum(each["ns"] for each in kernels), 1)}


def row(model, told):
    if "failure" in told:
        return f"| {model} | {told['failure']['kind']}: {told['failure']['message'][:200]} | | | | | |"
    found = dict(told["found"])
    lost = found.pop("not found", 0)
    how = ", ".join(f"{name} {count}" for name, count in sorted(found.items(), key=lambda each: -each[1]))
    return (f"| {model} | {told['plain_ms']:.2f} | {told['attributed_percent']:.1f} | {told['cost_percent']:+.1f} | "
            f"{told['kernels']} | {100 * (told['nodes'] - lost) / told['nodes']:.0f} % of {told['nodes']}: {how} | "
            f"{told['without_a_node_percent']:.1f} |")


HEAD = """
**{}**

| model | plain, ms | attributed, % | cost, % | kernels | nodes found | time of kernels without a node, % |
| --- | ---: | ---: | ---: | ---: | --- | ---: |"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--compilers", default=",".join(COMPILERS))
    parser.add_argument("--models")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--inferences", type=int)
    parser.add_argument("--json")
    arguments = parser.parse_args()
    models = arguments.models.split(",") if arguments.models else QUICK if arguments.quick else MODELS
    size = {"rounds": 3, "inferences": 5} if arguments.quick else {}
    size.update((key, value) for key, value in (("rounds", arguments.rounds), ("inferences", arguments.inferences)) if value)
    told = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(arguments.build, folder, arguments.threads)
        if bench.identity is None:
            sys.exit("attributed.py needs the toolchain identity: ngb toolchain install identity")
        sys.path[:0] = [bench.identity[1], os.path.join(bench.lib, "python"), HERE]
        import mapping

        written = {model: bench.write(model) for model in models}
        graphs = {model: mapping.Graph(path) for model, (path, _) in written.items()}
        for compiler in arguments.compilers.split(","):
            print(HEAD.format(compiler), flush=True)
            for model in models:
                got = bench.profile(compiler, *written[model], **size)
                told[compiler, model] = got if "failure" in got else summary(got, graphs[model])
                print(row(model, told[compiler, model]), flush=True)
    if arguments.json:
        with open(arguments.json, "w", encoding="utf-8") as file:
            json.dump({f"{compiler} {model}": value for (compiler, model), value in told.items()}, file, indent=1)


if __name__ == "__main__":
    main()
