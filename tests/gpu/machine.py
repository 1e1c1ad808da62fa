# SPDX-License-Identifier: Apache-2.0
"""The machine on which a proof runs: its build of ngb, and its toolchains, carried there or its own."""
import json
import os
import pathlib
import shutil
import subprocess

import carried
import thinning
from steps import CommandFailed, Failed, Skip

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent.parent
# What a Python of the machine must be able to import to be adopted.
MODULES = {"identity": "torch", "onnxruntime": "onnxruntime", "tensorrt": "tensorrt", "tvm": "tvm"}
OWNERS = tuple(MODULES)  # compilers with a toolchain of their own
# The carried packages of each, and whether the machine's own PyTorch is behind them.
_CARRIED = {"identity": ("packages", True), "onnxruntime": ("onnxruntime", False), "tvm": ("tvm", True)}
_ASK = ("import importlib.util, sys, sysconfig; print(importlib.util.find_spec({module!r}) is not None, sys.prefix, "
        "sysconfig.get_path('purelib'))")


class Machine:
    def __init__(self, proof, build, carried_in, adopt, uses_own):
        """`build` and `carried_in` are folders or None, `adopt` maps compilers to folders, and `uses_own` says whether
        what the machine's own Python has is adopted."""
        self.proof, self.build = proof, build
        self.versions, self.sites = {}, {}
        self._carried, self._found, self._uses_own = carried_in, adopt, uses_own
        self._there = proof.folder / "carried"
        self.environment = {"NGB_TOOLCHAINS": str(proof.folder / "toolchains"), "NGB_CACHE": str(proof.folder / "cache")}

    def ngb(self, *words):
        return self.proof.run([self.build / "bin/ngb", *words], self.environment)

    def prepare_build(self):
        told = self._unpack() if self._carried else ""
        if self.build is None:
            self.build = REPOSITORY / "build/release"
            self.proof.run(["cmake", "--preset", "release"], folder=REPOSITORY)
            self.proof.run(["cmake", "--build", "--preset", "release"], folder=REPOSITORY)
        self.build = self.build.resolve()
        self.proof.facts["ngb"] = self.ngb("--version").strip().splitlines()[-1]
        listed = {each["name"] for each in json.loads(self.ngb("compilers", "--json"))}
        self.proof.facts["tensorrt-cpp"] = "built" if "tensorrt-cpp" in listed else "not built: no headers of TensorRT"
        for each in json.loads(self.ngb("toolchain", "list", "--json")):  # what an earlier proof in this folder adopted
            self._use(each)
        return told

    def _unpack(self):
        try:
            there, missing = carried.receive(self._carried, self._there)
        except carried.Damaged as why:
            raise Failed(str(why)) from None
        if "ngb" in there:
            self.build = self._there / "ngb"
        elif self.build is None:
            raise Failed(f"{self._carried} lacks {missing[0]}, a piece of ngb itself: carry it first")
        if {"tensorrt", "kernels"} <= set(there):
            self._put_kernels("kernels-f16" in there)
        return f"{', '.join(there)}; still missing: {', '.join(missing) or 'nothing'}"

    def _put_kernels(self, has_half):
        """Put TensorRT's kernels beside its other libraries, and those of f16 between them."""
        libraries, kernels = self._there / "tensorrt/tensorrt_libs", self._there / "kernels"
        for path in kernels.glob("*.so*"):
            if not (libraries / path.name).exists():
                (libraries / path.name).symlink_to(path)
            if has_half and not (kernels / "f16").exists():
                thinning.add_difference(self._there / "kernels-f16", path)
                (kernels / "f16").touch()
        self._found.setdefault("tensorrt", str(self._there / "tensorrt"))

    def has_carried(self, archive):
        return self._carried is None or (self._there / f"{archive}.unpacked").exists()

    def adopt(self, compiler):
        folder = self._found.get(compiler) or self._environment_of(compiler) or self._own(compiler)
        if folder is None:
            raise Skip(f"this machine has no {MODULES[compiler]}; name its folder with --adopt {compiler}=FOLDER")
        self._let_loader_find(folder)
        self.ngb("toolchain", "adopt", compiler, folder)
        for each in json.loads(self.ngb("toolchain", "list", "--json")):
            if each["compiler"] == compiler:
                self._use(each)
        return f"{self.versions[compiler]} from {folder}"

    def _use(self, toolchain):
        compiler = toolchain["compiler"]
        self.versions[compiler], self.sites[compiler] = toolchain["version"], toolchain
        self.proof.facts[f"version of {compiler}"] = toolchain["version"]
        self._let_loader_find(toolchain["site"])

    def _let_loader_find(self, folder):
        """TensorRT before 10.7 finds its kernels by the loader only, and adopting imports the module, which needs the
        libraries."""
        libraries = str(pathlib.Path(folder, "tensorrt_libs"))
        path = (self.environment.get("LD_LIBRARY_PATH") or os.environ.get("LD_LIBRARY_PATH", "")).split(os.pathsep)
        if os.path.isdir(libraries) and libraries not in path:
            self.environment["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, [libraries, *path]))

    def _environment_of(self, compiler):
        """Return the folder of a virtual environment with the carried packages of a compiler, and behind them those of the
        machine's PyTorch, which nobody need be able to write; or None if there are none."""
        packages, needs_torch = _CARRIED.get(compiler, ("", False))
        if not packages or self._carried is None or not self.has_carried(packages):
            return None
        python = self._python_with("torch")
        if python is None:
            raise Skip("this machine has no PyTorch: name a Python that has it in NGB_PYTHON")
        folder = self.proof.folder / "environments" / compiler
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)  # a call whose time was over has left a part
            self.proof.run([python[0], "-m", "venv", "--without-pip", folder])
            site, = folder.glob("lib/python3*/site-packages")
            cuda = self._there / packages / "nvidia"
            if compiler != "identity" and not cuda.is_symlink():  # they look for CUDA's libraries beside themselves
                cuda.symlink_to(pathlib.Path(python[2], "nvidia"))
            for path in sorted((self._there / packages).iterdir()):
                (site / path.name).symlink_to(path)
            if needs_torch:
                (site / "torch.pth").write_text(f"{python[2]}\n")
            (folder / "complete").touch()
        return str(folder)

    def _own(self, compiler):
        """Return the folder of the machine's own Python that has the compiler, if there is one."""
        found = self._python_with(MODULES[compiler]) if self._uses_own else None
        return found[1] if found and pathlib.Path(found[1], "bin/python").exists() else None

    @staticmethod
    def _python_with(module):
        """Return (program, prefix, folder of packages) of a Python that has the module, or None."""
        for python in filter(None, (os.environ.get("NGB_PYTHON"), "python3")):
            told = subprocess.run([python, "-c", _ASK.format(module=module)], capture_output=True, text=True,
                                  check=False).stdout.split()
            if told[:1] == ["True"]:
                return python, told[1], told[2]
        return None

    def python(self, compiler):
        """Return the toolchain's interpreter and the environment in which it finds the toolchain's packages."""
        if compiler not in self.sites:
            raise Skip(f"there is no toolchain of {compiler}")
        toolchain = self.sites[compiler]
        return toolchain["python"], {**self.environment, "PYTHONPATH": toolchain["site"]}

    def describe(self):
        for command in (["nvidia-smi", "-q"], ["lscpu"], ["ldd", "--version"], ["df", "-h", self.proof.folder]):
            try:
                self.proof.run(command)
            except (FileNotFoundError, CommandFailed) as why:
                self.proof.facts[f"without {command[0]}"] = str(why)
