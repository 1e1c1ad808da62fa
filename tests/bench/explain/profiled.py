# SPDX-License-Identifier: Apache-2.0
"""One compiler's profile of one ONNX file, in a process of its own: python profiled.py REQUEST.json prints a JSON object.

It calls the compiler as the worker does, a native one through its C table (ctypes) and a Python one through its host,
and alternates plain and profiled repetitions. Only numpy is needed, and for a Python compiler its toolchain."""
import ctypes
import json
import os
import shutil
import sys
import time

import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
F32 = 1


class Failure(Exception):
    """What a compiler reports: its status or kind, and its message."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind, self.message = kind, message


class _Error(ctypes.Structure):
    _fields_ = [("message", ctypes.c_char * 4096), ("advice", ctypes.c_char * 1024)]


class _Tensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("dtype", ctypes.c_int), ("rank", ctypes.c_int32),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("data", ctypes.c_void_p), ("size_bytes", ctypes.c_uint64)]


class _Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


class _Settings(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("toolchain_dir", ctypes.c_char_p), ("device", ctypes.c_char_p),
                ("precision", ctypes.c_char_p), ("threads", ctypes.c_int32), ("options", ctypes.POINTER(_Option)),
                ("option_count", ctypes.c_uint32), ("python", ctypes.c_char_p), ("cache_dir", ctypes.c_char_p),
                ("report", ctypes.c_void_p), ("report_context", ctypes.c_void_p),
                ("settings", ctypes.POINTER(_Option)), ("setting_count", ctypes.c_uint32),
                ("in_flight", ctypes.c_int32), ("is_profiled", ctypes.c_int32),
                ("has_compiled_file", ctypes.c_int32), ("has_many_shapes", ctypes.c_int32)]


class _Model(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_uint32), ("path", ctypes.c_char_p), ("recipe_json", ctypes.c_char_p),
                ("inputs", ctypes.POINTER(_Tensor)), ("input_count", ctypes.c_uint32),
                ("artifact_path", ctypes.c_char_p)]


class _Kernel(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kind", ctypes.c_char_p), ("ns", ctypes.c_double),
                ("nodes", ctypes.POINTER(ctypes.c_char_p)), ("node_count", ctypes.c_uint32),
                ("outputs", ctypes.POINTER(ctypes.c_char_p)), ("output_count", ctypes.c_uint32),
                ("found_by", ctypes.c_char_p)]


class _Table(ctypes.Structure):
    _fields_ = [("abi", ctypes.c_uint32), ("struct_size", ctypes.c_uint32)] + [
        (name, ctypes.c_void_p) for name in ("describe", "open", "compile", "load", "bind", "run", "read", "inspect",
                                             "close", "slots", "start", "finish", "begin_profile", "end_profile")]


def _named(pointer, count):
    return [pointer[i].decode("utf-8", "replace") for i in range(count)]


def _description(folder):
    with open(os.path.join(folder, "compiler.json"), encoding="utf-8") as file:
        return json.load(file)


class Native:
    """A session with a native plugin."""

    def __init__(self, request):
        folder = os.path.join(request["lib"], "compilers", request["compiler"])
        self._library = ctypes.CDLL(os.path.join(folder, request["compiler"] + ".so"))
        self._library.ngb_compiler_table.restype = ctypes.POINTER(_Table)
        self._table = self._library.ngb_compiler_table().contents
        self._error, self._session = _Error(), ctypes.c_void_p()
        description = _description(folder)
        values = {each["name"]: each["default"] for each in description["options"]} | request.get("options", {})
        given = [_Option(name.encode(), value.encode()) for name, value in values.items()]
        options = (_Option * max(len(given), 1))(*given)
        settings = _Settings(ctypes.sizeof(_Settings), request["site"].encode(), b"cpu", b"f32", request["threads"],
                             options, len(given), request["python"].encode(), b"", None, None, None, 0, 1, 1)
        self._call("open", ctypes.byref(settings), ctypes.byref(self._session), session=False)
        self._keep = []
        # A file that a compiler may keep is for processes that load it.
        artifact = os.path.join(os.getcwd(), "artifact") if description["produces_file"] else ""
        tensors = (_Tensor * len(request["inputs"]))(*[self._tensor(each, None) for each in request["inputs"]])
        model = _Model(ctypes.sizeof(_Model), request["model"].encode(), request.get("recipe", "").encode(), tensors,
                       len(tensors), artifact.encode())
        self._call("compile", ctypes.byref(model))
        if artifact:
            self._call("load", ctypes.byref(model))
            _remove(artifact)
        data = [_values(each) for each in request["inputs"]]
        self._keep += data
        bound = [self._tensor(each, value) for each, value in zip(request["inputs"], data)]
        self._call("bind", (_Tensor * len(bound))(*bound), len(bound))
        run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(self._table.run)
        session, error = self._session, ctypes.byref(self._error)

        def infer():
            status = run(session, error)
            if status:
                raise self._failure(status)

        self.infer = infer

    def _tensor(self, signature, data):
        shape = (ctypes.c_int64 * len(signature["shape"]))(*signature["shape"])
        self._keep.append(shape)
        return _Tensor(signature["name"].encode(), F32, len(signature["shape"]), shape,
                       None if data is None else data.ctypes.data, 0 if data is None else data.nbytes)

    def _failure(self, status):
        return Failure(status, self._error.message.decode("utf-8", "replace"))

    def _call(self, name, *arguments, session=True):
        pointer = getattr(self._table, name)
        if not pointer:
            raise Failure(12, f"the table has no {name}")
        function = ctypes.CFUNCTYPE(ctypes.c_int)(pointer)
        function.argtypes = None
        status = function(*([self._session] if session else []), *arguments, ctypes.byref(self._error))
        if status:
            raise self._failure(status)

    def begin_profile(self):
        self._call("begin_profile")

    def end_profile(self, inferences):
        kernels, count = ctypes.POINTER(_Kernel)(), ctypes.c_uint32()
        self._call("end_profile", ctypes.c_uint32(inferences), ctypes.byref(kernels), ctypes.byref(count))
        return [{"name": each.name.decode("utf-8", "replace"), "kind": each.kind.decode("utf-8", "replace"),
                 "ns": each.ns, "nodes": _named(each.nodes, each.node_count),
                 "outputs": _named(each.outputs, each.output_count), "found_by": each.found_by.decode()}
                for each in kernels[:count.value]]

    def close(self):
        ctypes.CFUNCTYPE(None, ctypes.c_void_p)(self._table.close)(self._session)


class Hosted:
    """A session with a Python adaptor."""

    def __init__(self, request):
        sys.path[:0] = [os.path.join(request["lib"], "python")]
        from ngraphbench.adaptor import CompilerError
        from ngraphbench.hosting import Host

        kind = json.loads(request["recipe"])["family"] if request.get("recipe") else "file"
        host = Host(os.path.join(request["lib"], "compilers", request["compiler"]), [kind])
        self._error = CompilerError
        options = request.get("options", {})
        device = options.get("device", "cpu")
        self._session = self._guarded(lambda: host.open(request["site"], device, "f32", request["threads"], options,
                                                        "", {}, True))
        artifact = os.path.join(os.getcwd(), "artifact")
        inputs = tuple((each["name"], "f32", tuple(each["shape"])) for each in request["inputs"])
        model = (request["model"], request.get("recipe", ""), inputs, artifact)
        self._guarded(lambda: self._session.compile(*model))
        if host.produces_file:
            self._guarded(lambda: self._session.load(*model))
            _remove(artifact)
        self._keep = [_values(each) for each in request["inputs"]]
        bound = tuple((*signature, memoryview(value).cast("B").toreadonly())
                      for signature, value in zip(inputs, self._keep))
        self._guarded(lambda: self._session.bind(bound))
        self._learn()

    def _learn(self):
        self.infer = self._guarded(self._session.runner)

    def _guarded(self, call):
        try:
            return call()
        except self._error as error:
            raise Failure(error.kind, error.message) from error

    def begin_profile(self):
        self._guarded(self._session.begin_profile)
        self._learn()

    def end_profile(self, inferences):
        told = self._guarded(lambda: self._session.end_profile(inferences))
        self._learn()
        return [dict(zip(("name", "kind", "ns", "nodes", "outputs", "found_by"), each)) for each in told]

    def close(self):
        self._session.close()


def _remove(artifact):
    """Remove what a compiler wrote, as the worker does once it is open."""
    if os.path.isdir(artifact):
        shutil.rmtree(artifact)
    elif os.path.exists(artifact):
        os.remove(artifact)


def _values(signature):
    return numpy.random.default_rng(1).uniform(-1, 1, signature["shape"]).astype(numpy.float32)


def _times(infer, count):
    """Return [(wall, processor time of all threads)] of each inference, in nanoseconds."""
    times = []
    for _ in range(count):
        begin, busy = time.perf_counter_ns(), time.process_time_ns()
        infer()
        times.append((time.perf_counter_ns() - begin, time.process_time_ns() - busy))
    return times


def profile(request):
    """Return {"rounds": [{"plain": times, "profiled": times, "kernels": [kernel], "again": times}]} or {"failure"}.
    A round's `again` are the first inferences after a profile."""
    try:
        session = (Native if request["host"] == "native" else Hosted)(request)
        count = request["inferences"]
        _times(session.infer, request.get("warm_up", 3))
        rounds = []
        for _ in range(request["rounds"]):
            plain = _times(session.infer, count)
            session.begin_profile()
            profiled = _times(session.infer, count)
            kernels = session.end_profile(count)
            rounds.append({"plain": plain, "profiled": profiled, "kernels": kernels,
                           "again": _times(session.infer, count)})
        session.close()
        return {"rounds": rounds}
    except Failure as failure:
        return {"failure": {"kind": failure.kind, "message": failure.message}}


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        asked = json.load(file)
    told = profile(asked)
    with open(asked["answer"], "w", encoding="utf-8") as file:
        json.dump(told, file)
