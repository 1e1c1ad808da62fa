# SPDX-License-Identifier: Apache-2.0
"""Tells which inputs a file in OpenVINO's own form (.xml, with its weights in .bin) has, and whether it keeps a cache."""
import functools

import openvino as ov

_TYPES = {"boolean": "bool"}


@functools.cache
def _read(path):
    return ov.Core().read_model(path)


def _extents(shape):
    return [extent.get_length() if extent.is_static else -1 for extent in shape]


def inputs(path):
    """Return [{"name", "type", "shape"}] in the file's order; an open extent is -1."""
    told = []
    for port in _read(path).inputs:
        kind = port.get_element_type().get_type_name()
        told.append({"name": port.get_any_name(), "type": _TYPES.get(kind, kind), "shape": _extents(port.get_partial_shape())})
    return told


def cache(path):
    """Return {"vocabulary"} if a state of the model grows from one inference to the next, else None.

    The vocabulary is the last extent of the scores, which are the first output; it is None if that extent is open."""
    model = _read(path)
    if not any(sink.get_output_partial_shape(0).is_dynamic for sink in model.get_sinks()):
        return None
    last = _extents(model.outputs[0].get_partial_shape())[-1]
    return {"vocabulary": last if last > 1 else None}
