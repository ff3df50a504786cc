# SPDX-License-Identifier: Apache-2.0
"""A grid field of one frame: values by box, or by tile without a copy."""
from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Iterable, Iterator, NamedTuple, Optional, Sequence, Tuple

import numpy as np

from ._library import byref, decoded, check, lib
from ._structs import Box, Int3, SnapshotGrid
from ._values import as_integer
from ._views import DTYPES, Array, Dtype, view
from .errors import UsageError

if TYPE_CHECKING:
    from .frame import Snapshot

KINDS = ("scalar", "vector", "mac")
Triple = Tuple[int, int, int]


def _triple(numbers: Iterable[int]) -> Triple:
    i, j, k = (as_integer("a box", n) for n in numbers)
    return i, j, k


class Tile(NamedTuple):
    """An active tile. values[c][a, b, d] is component c of cell lo + (a, b, d)."""
    lo: Triple                       #: its first cell
    values: Tuple[Array, ...]   #: read-only views, one a component


class Field:
    """Values on a grid of cubic cells, nothing but the background outside of `lo` … `lo + shape`.

    Cells are indexed [i, j, k] along x, y, z. Cell (0, 0, 0) has its low corner at `origin`. The kind "mac" keeps
    component c on the cells' low faces along axis c."""

    def __init__(self, snapshot: "Snapshot", number: int, grid: SnapshotGrid) -> None:
        self._snapshot = snapshot
        self._number = number
        self._grid = grid
        self.name: str = decoded(grid.name)
        self.domain: Optional[str] = decoded(grid.domain) if grid.domain else None  #: None in caches
        self.unit: str = decoded(grid.unit) or "1"
        self.kind: str = KINDS[grid.kind]               #: "scalar", "vector" or "mac"
        self.dtype: Dtype = DTYPES[grid.precision]   #: of the tiles
        self.components: int = grid.comps               #: 1 or 3
        self.voxel: float = grid.voxel                  #: edge of a cell, m
        self.origin: Tuple[float, float, float] = (grid.origin[0], grid.origin[1], grid.origin[2])  #: m
        self.background: Tuple[float, ...] = tuple(grid.background)[:grid.comps]
        self.lo: Triple = _triple(grid.lo)              #: first cell of the box
        self.shape: Triple = _triple(grid.n)          #: cells of the box

    def __repr__(self) -> str:
        cells = " x ".join(str(n) for n in self.shape)
        return f"<billow.Field {self.name}: {self.kind}, {cells} cells of {self.voxel:g} m from cell {self.lo} on>"

    def dense(self, lo: Optional[Sequence[int]] = None, shape: Optional[Sequence[int]] = None, *,
              component: Optional[int] = None, centred: bool = True) -> Array:
        """A new float32 array of a box of cells; all of them when none is named.

        [i, j, k] for scalars or one `component`, [i, j, k, c] for vectors. i runs fastest in memory. Velocities are
        means of both faces, or with `centred=False` what stands on the low ones. Beyond the domain its sides' rules
        hold, in inactive tiles the background."""
        box = self._box(lo, shape)
        size = tuple(box.n)
        if component is not None or self.components == 1:
            out = np.empty(size, np.float32, order="F")
            self._read(component or 0, box, centred, out)
            return out
        out = np.empty(size + (self.components,), np.float32, order="F")
        for c in range(self.components):
            self._read(c, box, centred, out[..., c])
        return out

    def tiles(self) -> Iterator[Tile]:
        """Every active tile, as read-only views on the snapshot's own memory, in `dtype`; for fields of a running
        bake. The frame is kept as long as any of the arrays is."""
        if self.domain is None:
            raise UsageError(f"{self.name} comes from a file and has no tiles: read it with dense()")
        grid, shape = self._grid, tuple(self._grid.tile)
        for t in range(grid.n_tiles):
            lo = _triple(grid.coord[t][a] * shape[a] for a in range(3))
            yield Tile(lo, tuple(view(self._snapshot, grid.data[c][t], shape, self.dtype, "F")
                                 for c in range(self.components)))

    @property
    def tile_count(self) -> int:
        """Active tiles; 0 in caches."""
        return int(self._grid.n_tiles)

    def centres(self, axis: int) -> Array:
        """World coordinates of the cells' centres along an axis of the box, m: 0 is x, 2 is z."""
        first = self.lo[axis] + 0.5
        return self.origin[axis] + self.voxel * (first + np.arange(self.shape[axis]))

    def _box(self, lo: Optional[Sequence[int]], shape: Optional[Sequence[int]]) -> Box:
        low = self.lo if lo is None else lo
        if shape is None and lo is not None:
            raise UsageError("a box wants both: lo and shape")
        size = self.shape if shape is None else shape
        if len(low) != 3 or len(size) != 3:
            raise UsageError(f"a box has three numbers for lo and three for shape, not {low} and {size}")
        low, size = _triple(low), _triple(size)
        if min(size) < 0 or any(abs(number) >= 2**31 for number in low + size):  # ctypes would wrap them
            raise UsageError(f"a box of {size} cells from {low} can't be")
        return Box(Int3(*low), Int3(*size))

    def _read(self, component: int, box: Box, centred: bool, out: Array) -> None:
        if 0 in tuple(box.n):
            return  # nothing is active
        if not 0 <= component < self.components:
            raise UsageError(f"{self.name} has no component {component}, it has {self.components}")
        place = out.ctypes.data_as(ctypes.POINTER(ctypes.c_float))
        check(lib.bw_snapshot_read(self._snapshot.handle, self._number, component, byref(box), int(centred), place))
