# SPDX-License-Identifier: Apache-2.0
"""Looking around in one frame: its render from anywhere, as the bake's own movie shows it."""
from __future__ import annotations

import ctypes
import weakref
from dataclasses import dataclass
from typing import Optional, Sequence, Tuple

import numpy as np

from ._library import Handled, byref, check, lib
from ._structs import Eye as EyeStruct
from ._structs import Pixels, ViewFacts
from ._views import Array

Triple = Tuple[float, float, float]


@dataclass(frozen=True)
class Eye:
    """Where one looks from, metres, z up: `at` towards `target`; `angle` from the top to the bottom of the picture,
    rad."""

    at: Sequence[float]
    target: Sequence[float]
    up: Sequence[float] = (0, 0, 1)
    angle: float = 0.5


def pixels_array(pixels: Pixels) -> Array:
    """A copy, after which the library's own is given back."""
    try:
        dtype = np.dtype(np.float32 if pixels.is_float else np.uint8)
        shape = (pixels.height, pixels.width, pixels.channels)
        memory = ctypes.string_at(pixels.memory, int(np.prod(shape)) * dtype.itemsize)
        return np.frombuffer(memory, dtype).reshape(shape).copy()
    finally:
        lib.bw_pixels_free(byref(pixels))


class View(Handled):
    """What a render of a frame shows; it needs neither the frame nor its files any more."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._finalizer = weakref.finalize(self, lib.bw_view_close, handle)
        facts = ViewFacts(size=ctypes.sizeof(ViewFacts))
        check(lib.bw_view_facts(handle, byref(facts)))
        self.renders: bool = bool(facts.renders)  #: False: the frame is flat, or has nothing that a render shows
        self.size: Tuple[int, int] = (facts.width, facts.height)  #: of the movie, width and height
        self.box: Tuple[Triple, Triple] = (tuple(facts.lo), tuple(facts.hi))  #: the stage
        self.seen: Tuple[Triple, Triple] = (tuple(facts.seen_lo), tuple(facts.seen_hi))  #: what there is to be seen
        e = facts.eye
        self.eye = Eye(tuple(e.at), tuple(e.target), tuple(e.up), e.angle)  #: the movie's camera

    def picture(self, eye: Optional[Eye] = None, size: Optional[Tuple[int, int]] = None, *,
                coarse: bool = False) -> Array:
        """uint8 [row, column, RGB]; without an eye by the movie's camera. `coarse`: in wider cells, much quicker."""
        pixels = Pixels()
        width, height = size or self.size
        struct = EyeStruct((ctypes.c_double * 3)(*eye.at), (ctypes.c_double * 3)(*eye.target),
                           (ctypes.c_double * 3)(*eye.up), eye.angle) if eye else None
        check(lib.bw_view_picture(self.handle, byref(struct) if struct else None, width, height, int(coarse),
                                 byref(pixels)))
        return pixels_array(pixels)
