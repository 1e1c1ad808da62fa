# SPDX-License-Identifier: Apache-2.0
"""What a file in OpenVINO's own form (.xml, with its weights in .bin) wants as inputs."""
import openvino as ov

_TYPES = {"boolean": "bool"}


def inputs(path):
    """Return [{"name", "type", "shape"}] in the file's order; an open extent is -1."""
    told = []
    for port in ov.Core().read_model(path).inputs:
        kind = port.get_element_type().get_type_name()
        shape = [extent.get_length() if extent.is_static else -1 for extent in port.get_partial_shape()]
        told.append({"name": port.get_any_name(), "type": _TYPES.get(kind, kind), "shape": shape})
    return told
