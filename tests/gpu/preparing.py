# SPDX-License-Identifier: Apache-2.0
"""Makes the folder that a proof carries, where there is a network and no GPU: a release build, what PyTorch's environment
there lacks, and TensorRT, ONNX Runtime and TVM, thinned for GPUs of compute capability 9.0 and Python 3.12. What is there
already is not made again."""
import contextlib
import functools
import hashlib
import importlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import carried
import thinning

# In the order in which they are carried.
ARCHIVES = ("ngb", "packages", "tensorrt", "kernels", "onnxruntime", "tvm", "kernels-f16")
_PLATFORMS = [f"manylinux_2_{minor}_x86_64" for minor in (34, 31, 28, 27, 24, 17)] + ["manylinux2014_x86_64"]
_TENSORRT = re.compile(r"libnv(infer|infer_plugin|onnxparser|infer_builder_resource)\.so[^/]*$")
_RESOURCE = "libnvinfer_builder_resource.so*"
# What a build with TensorRT's headers has, by the target that makes it.
_BUILT = {"programs": "lib/ngraphbench/compilers/tensorrt-cpp/tensorrt-cpp.so", "enqueue_loop": "bench/enqueue_loop"}


class Unprepared(Exception):
    """What is missing, and what to do."""


class Preparation:
    def __init__(self, repository: pathlib.Path, folder: pathlib.Path, build, places):
        """Make archives in `folder`/work. `build` is a release build, or None: one is made. `places` are folders in which
        downloads are searched before anything is downloaded."""
        self._repository, self._build = repository, build
        self._work = folder / "work"
        self._places = [*places, self._work / "downloads", pathlib.Path.home() / ".m2/repository"]
        self._pins = json.loads((repository / "versions.json").read_text())["gpu-proof"]
        self._makers = {"ngb": self._make_ngb, "packages": self._make_packages, "tensorrt": self._make_tensorrt,
                        "kernels": self._make_kernels, "onnxruntime": self._make_onnxruntime, "tvm": self._make_tvm,
                        "kernels-f16": self._make_kernels_f16}

    def archive(self, name) -> pathlib.Path:
        """Return the packed archive, made if it is not there. Raises Unprepared."""
        path, folder = self._work / f"{name}.tar.xz", self._work / name
        if not path.exists():
            print(f"== {name}", flush=True)
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            self._makers[name](folder)
            is_packed_already = name in ("onnxruntime", "kernels", "kernels-f16")  # but for its zeros
            _run("sh", "-c", f"tar -C '{folder}' -cf - . | xz -T0 -{2 if is_packed_already else 6} >'{path}.part'")
            os.replace(f"{path}.part", path)
        return path

    def _make_ngb(self, folder):
        build = self._build or self._repository / "build/release"
        if self._build is None:
            _run("scripts/setup", cwd=self._repository)
            _run("cmake", "--preset", "release", cwd=self._repository)
            has_headers = re.search("TENSORRT_HEADERS_SERVE[^=]*=1", (build / "CMakeCache.txt").read_text())
            self._demand(has_headers, f"{build} was configured without tensorrt-cpp")
            _run("cmake", "--build", "--preset", "release", "--target", *_BUILT, cwd=self._repository)
        for part in _BUILT.values():
            self._demand((build / part).exists(), f"{build / part} is not there")
        for part in ("bin", "lib/ngraphbench"):
            shutil.copytree(build / part, folder / part)
        (folder / "bench").mkdir()
        shutil.copy(build / "bench/enqueue_loop", folder / "bench")

    @staticmethod
    def _demand(is_met, otherwise):
        if not is_met:
            raise Unprepared(f"{otherwise}: the build had no headers of TensorRT. scripts/setup fetches them by cargo, and says why it "
                             "cannot; then build again")

    def _make_packages(self, folder):
        """PyTorch's own environment there has neither."""
        self._unzip("onnx2torch", folder)
        self._unzip("timm", folder)

    def _make_tensorrt(self, folder):
        libraries = folder / "tensorrt_libs"
        libraries.mkdir()
        for source in sorted(self._tensorrt_in_full().glob("*.so*")):
            if not source.match(_RESOURCE):
                _tell(source.name, thinning.thin(source, libraries / source.name))
        self._unzip("tensorrt_cu12_bindings", folder, ("/plugin/",))

    def _make_kernels(self, folder):
        source, = self._tensorrt_in_full().glob(_RESOURCE)
        kept = thinning.thin(source, folder / source.name, thinning.is_f32, self._decompress)
        _tell(source.name, kept)

    def _make_kernels_f16(self, folder):
        """What the kernels for f16 add to those for f32."""
        self.archive("kernels")
        source, = self._tensorrt_in_full().glob(_RESOURCE)
        both = self._work / "both.so"
        _tell(source.name, thinning.thin(source, both, thinning.is_used, self._decompress))
        thinning.write_difference(both, self._work / "kernels" / source.name, folder)
        both.unlink()

    def _make_onnxruntime(self, folder):
        """The Python module is not used."""
        self._unzip("onnxruntime_gpu", folder, ("pybind11_state", "/transformers/", "/tools/", "/quantization/"))
        library = folder / "onnxruntime/capi/libonnxruntime_providers_cuda.so"
        full = library.replace(self._work / library.name)
        _tell(library.name, thinning.thin(full, library))
        full.unlink()

    def _make_tvm(self, folder):
        self._unzip("apache_tvm", folder, ("/3rdparty/", "/include/", "/src/"))
        self._unzip("apache_tvm_ffi", folder)
        self._unzip("xgboost_cpu", folder)

    def _tensorrt_in_full(self) -> pathlib.Path:
        folder = self._work / "tensorrt-in-full"
        if not folder.exists():
            part = folder.with_suffix(".part")
            shutil.rmtree(part, ignore_errors=True)
            part.mkdir()
            with zipfile.ZipFile(self._download("tensorrt")) as archive:
                for member in filter(_TENSORRT.search, archive.namelist()):
                    with archive.open(member) as source, (part / os.path.basename(member)).open("wb") as file:
                        shutil.copyfileobj(source, file)
            part.rename(folder)
        return folder

    def _unzip(self, package, into, leave_out=()):
        with zipfile.ZipFile(self._download(package)) as archive:
            archive.extractall(into, [name for name in archive.namelist() if not any(word in name for word in leave_out)])

    def _download(self, package) -> pathlib.Path:
        """Return the pinned archive of a package, from where it is or from where its name leads. Raises Unprepared."""
        (name, sha256), = ((name, sha256) for name, sha256 in self._pins["archives"].items()
                           if name.startswith(f"{package}-"))
        found = self._find(name)
        if found is None:
            self._fetch(name)
            found = self._find(name)
        if found is None:
            raise Unprepared(f"{name} is neither in {', '.join(map(str, self._places))} nor to be had as above: put it into "
                             f"{self._work / 'downloads'}; its SHA-256 is {sha256}")
        with found.open("rb") as file:
            digest = hashlib.sha256()
            for content in iter(functools.partial(file.read, 1 << 20), b""):
                digest.update(content)
        if digest.hexdigest() != sha256:
            raise Unprepared(f"{found} does not have the SHA-256 that versions.json pins ({sha256}): remove it")
        return found

    def _find(self, name):
        return next((path for place in self._places for path in sorted(place.rglob(name))), None)

    def _fetch(self, name) -> None:
        downloads = self._work / "downloads"
        downloads.mkdir(exist_ok=True)
        with contextlib.suppress(subprocess.CalledProcessError, FileNotFoundError):  # _download() says what to do
            if name.endswith(".jar"):
                # Maven's own folder need not be that of $HOME: Java takes the user's home from the user database.
                _run("mvn", "-q", "dependency:get", f"-Dartifact={self._pins['libraries']}", "-Dtransitive=false",
                     f"-Dmaven.repo.local={downloads / 'maven'}")
                return
            package, version = name.split("-")[:2]
            _run(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--python-version",
                 "3.12", "--implementation", "cp", *(word for each in _PLATFORMS for word in ("--platform", each)),
                 "-d", downloads, f"{package}=={version}")

    def _decompress(self, block, size):
        return self._lz4.decompress(block, uncompressed_size=size)

    @functools.cached_property
    def _lz4(self):
        folder = self._work / "lz4"
        if not folder.exists():
            _run(sys.executable, "-m", "pip", "install", "--quiet", "--target", folder, f"lz4=={self._pins['lz4']}")
        sys.path.insert(0, str(folder))
        return importlib.import_module("lz4.block")


def prepare(repository, folder, build, places, piece_mib) -> None:
    """Make all archives and share them out into pieces. Raises Unprepared."""
    preparation = Preparation(repository, folder.resolve(), build, places)
    archives = [preparation.archive(name) for name in ARCHIVES]
    carried.share_out(archives, folder, piece_mib << 20)
    for entry in carried.read_manifest(folder):
        print(f"{entry['name']}: {entry['bytes'] / 1e6:.1f} MB in {', '.join(entry['pieces'])}")


def _tell(name, kept) -> None:
    print(f"   {name}: {kept / 1e6:.0f} MB of code stay", flush=True)


def _run(*command, **keywords) -> None:
    print("   $ " + " ".join(map(str, command))[:160], flush=True)
    subprocess.run(["nice", *map(str, command)], check=True, **keywords)
