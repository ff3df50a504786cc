# SPDX-License-Identifier: Apache-2.0
"""NumPy arrays that lie on a snapshot's own memory: read only, and alive as long as their base holds the snapshot."""
from __future__ import annotations

from typing import Any, Literal, Optional, Tuple

import numpy as np

Array = np.ndarray[Any, np.dtype[Any]]
Dtype = np.dtype[Any]

#: enum bw_precision
DTYPES: Tuple[Dtype, ...] = (np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.int64))


class _Memory:
    """What NumPy keeps as the base of the array."""

    def __init__(self, owner: Any, address: int, shape: Tuple[int, ...], strides: Tuple[int, ...],
                 dtype: Dtype) -> None:
        self.owner = owner
        self.__array_interface__ = {"version": 3, "data": (address, True), "shape": shape, "strides": strides,
                                    "typestr": dtype.str}


def view(owner: Any, address: Optional[int], shape: Tuple[int, ...], dtype: Dtype,
         order: Literal["C", "F"] = "C") -> Array:
    """`order` "F": the first index runs fastest, as i does in a tile."""
    strides, step = [], dtype.itemsize
    for n in (shape if order == "F" else reversed(shape)):
        strides.append(step)
        step *= n
    if order != "F":
        strides.reverse()
    if not address or 0 in shape:  # there may be no memory at all
        empty: Array = np.empty(shape, dtype, order=order)
        empty.flags.writeable = False
        return empty
    array: Array = np.asarray(_Memory(owner, address, shape, tuple(strides), dtype))
    return array
