"""The functions of xmprt.h for Python, as far as neighbours.py needs them."""
import ctypes
import subprocess

import numpy as np


class Team(ctypes.Structure):
    """An xmprt_team."""

    _fields_ = [("id", ctypes.c_int64)]


CURRENT = Team(0)
DOUBLE = 10  # XMPRT_DOUBLE

_directory = subprocess.check_output(["pkg-config", "--variable=libdir", "xmprt"], text=True).strip()
_library = ctypes.CDLL(_directory + "/libxmprt.so")
_library.xmprt_message.restype = ctypes.c_char_p
_memory, _bytes = ctypes.c_void_p, ctypes.c_size_t
_library.xmprt_get.argtypes = [Team, ctypes.c_int, _memory, _memory, _bytes]
_library.xmprt_co_sum.argtypes = [Team, _memory, _bytes, ctypes.c_int, ctypes.c_int]


def _check(status):
    if status != 0:
        raise RuntimeError(_library.xmprt_message().decode())


def _contiguous(array):
    """The library copies bytes that follow one another: no m[:, 3], no a[::2]."""
    if not array.flags.c_contiguous:
        raise ValueError("the elements do not follow one another in memory: give a contiguous part")


def this_image():
    return _library.xmprt_this_image(CURRENT)


def num_images():
    return _library.xmprt_num_images(CURRENT)


def sync():
    _check(_library.xmprt_sync(CURRENT))


def allocate(count):
    """An array of numbers on each image, which all of them can access."""
    block = _memory()
    _check(_library.xmprt_allocate(_bytes(8 * count), ctypes.byref(block)))
    return np.ctypeslib.as_array(ctypes.cast(block, ctypes.POINTER(ctypes.c_double)), (count,))


def get(image, shared):
    """What the image has in this part of an array of allocate."""
    _contiguous(shared)
    found = np.empty_like(shared)
    _check(_library.xmprt_get(CURRENT, image, found.ctypes.data, shared.ctypes.data, shared.nbytes))
    return found


def co_sum(values):
    """The sums over all images, in place."""
    _contiguous(values)
    if values.dtype != np.float64:
        raise TypeError(f"co_sum adds numbers of type float64, not {values.dtype}")
    _check(_library.xmprt_co_sum(CURRENT, values.ctypes.data, values.size, DOUBLE, 0))


if __name__ == "__main__":
    print(f"image {this_image()} of {num_images()}")
