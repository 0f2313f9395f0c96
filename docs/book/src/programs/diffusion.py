"""Diffusion along a line of cells: NumPy computes on the memory of a coarray, Fortran exchanges the ends."""
import ctypes

import numpy as np

field = ctypes.CDLL("./libfield.so")
field.field_make.restype = ctypes.POINTER(ctypes.c_double)
field.field_sum.restype = ctypes.c_double
field.field_sum.argtypes = [ctypes.c_double]

CELLS = 100
u = np.ctypeslib.as_array(field.field_make(CELLS), (CELLS + 2,))
if field.field_image() == 1:
    u[1] = 1000.0
for _ in range(200):
    field.field_exchange()
    u[1:-1] += 0.25 * (u[:-2] - 2 * u[1:-1] + u[2:])
total = field.field_sum(u[1:-1].sum())
if field.field_image() == 1:
    print(f"sum after 200 steps: {total:.6f}")
