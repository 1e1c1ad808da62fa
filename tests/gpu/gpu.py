# SPDX-License-Identifier: Apache-2.0
"""What the NVIDIA driver tells of the first GPU. Needs no package."""
import ctypes


class NoGpu(Exception):
    """Why there is none."""


def first_gpu():
    """Return facts about the first GPU that this process may use. Raises NoGpu."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise NoGpu(f"there is no NVIDIA driver here ({error})") from None
    count, version, major, minor = (ctypes.c_int() for _ in range(4))
    _call(driver, "cuInit", 0)
    _call(driver, "cuDeviceGetCount", ctypes.byref(count))
    if count.value == 0:
        raise NoGpu("the driver shows no GPU to this process (CUDA_VISIBLE_DEVICES?)")
    device, name = ctypes.c_int(), ctypes.create_string_buffer(256)
    _call(driver, "cuDeviceGet", ctypes.byref(device), 0)
    _call(driver, "cuDeviceGetName", name, len(name) - 1, device)
    _call(driver, "cuDriverGetVersion", ctypes.byref(version))
    for value, attribute in ((major, 75), (minor, 76)):  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_…
        _call(driver, "cuDeviceGetAttribute", ctypes.byref(value), attribute, device)
    return {"gpu": name.value.decode("utf-8", "replace"), "gpus": str(count.value),
            "compute_capability": f"{major.value}.{minor.value}",
            "driver_cuda_version": f"{version.value // 1000}.{version.value % 1000 // 10}"}


def _call(driver, function, *arguments):
    status = getattr(driver, function)(*arguments)
    if status == 0:
        return
    text = ctypes.c_char_p()
    known = driver.cuGetErrorString(status, ctypes.byref(text)) == 0 and text.value
    raise NoGpu(f"{function}: {text.value.decode() if known else 'CUDA'} (CUDA error {status})")
