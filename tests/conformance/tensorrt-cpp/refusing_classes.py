# SPDX-License-Identifier: Apache-2.0
"""refusing_classes.py OUTPUT COMPILER INCLUDE…: for the classes that TensorRT's library implements, a class each that
ends the process, with the function's name, when a function is called that the stand-in does not have."""
import re
import subprocess
import sys

CLASSES = {
    "nvinfer1::apiv": ["VHostMemory", "VRuntime", "VOptimizationProfile", "VCudaEngine", "VExecutionContext", "VTensor",
                       "VTimingCache", "VBuilderConfig", "VBuilder", "VNetworkDefinition"],
    "nvonnxparser": ["IParser", "IParserError"],
}
FUNCTION = re.compile(r"\bvirtual\s+(?P<result>[^;()]*?[\s*&])(?P<name>\w+)\s*\((?P<arguments>[^;]*)\)"
                      r"(?P<kind>[^;()]*)=\s*0\s*;")


def header_text(compiler, includes):
    command = [compiler, "-std=c++20", "-E", "-P", "-x", "c++", "-", *(f"-I{folder}" for folder in includes)]
    text = subprocess.run(command, input="#include <NvOnnxParser.h>\n", capture_output=True, text=True, check=True)
    return re.sub(r"\[\[.*?\]\]|__attribute__\(\(.*?\)\)", "", text.stdout)


def refusing_class(text, name):
    body = re.search(rf"\bclass\s+{name}\b[^;{{]*{{(.*?)\n}};", text, re.S).group(1)
    lines = [f"class Refusing{name} : public {name} {{", " public:"]
    for found in FUNCTION.finditer(body):
        kind = found["kind"].replace("override", "")
        lines.append(f"  {found['result']}{found['name']}({found['arguments']}){kind} override "
                     f"{{ recording_stand_in::refuse(\"{name}::{found['name']}\"); }}")
    return "\n".join([*lines, "};"])


def main(output, compiler, *includes):
    text = header_text(compiler, includes)
    parts = ["#pragma once", "#include <NvOnnxParser.h>",
             "namespace recording_stand_in { [[noreturn]] void refuse(const char* function) noexcept; }"]
    for namespace, names in CLASSES.items():
        parts += [f"namespace {namespace} {{", *(refusing_class(text, name) for name in names), "}"]
    with open(output, "w") as file:
        file.write("\n".join(parts) + "\n")


main(*sys.argv[1:])
