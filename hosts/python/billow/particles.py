# SPDX-License-Identifier: Apache-2.0
"""Particles of one frame: views of each attribute, or one structured array."""
from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Iterator, Mapping

import numpy as np

from ._library import decoded, nearest
from ._structs import SnapshotPoints
from ._views import DTYPES, Array, view
from .errors import UnknownNameError

if TYPE_CHECKING:
    from .frame import Snapshot


class Particles(Mapping[str, Array]):
    """Attributes by name: particles["pos"] is a read-only view of [count, 3] numbers, without a copy."""

    def __init__(self, snapshot: "Snapshot", points: SnapshotPoints) -> None:
        self._snapshot = snapshot
        self._points = points
        self._number = {decoded(points.attributes[a].name): a for a in range(points.n_attributes)}
        self.name: str = decoded(points.name)
        self.count: int = points.count
        self.units: Dict[str, str] = {name: decoded(points.attributes[a].unit) or "1"
                                      for name, a in self._number.items()}

    def __getitem__(self, name: str) -> Array:
        if name not in self._number:
            near = nearest(str(name), self._number)
            raise UnknownNameError(f"{self.name} has no attribute \"{name}\""
                                   + (f"; did you mean {near}?" if near else f", it has {', '.join(self._number)}"))
        a = self._number[name]
        row = self._points.attributes[a]
        shape = (self.count,) if row.comps == 1 else (self.count, row.comps)
        return view(self._snapshot, self._points.data[a], shape, DTYPES[row.precision])

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def __len__(self) -> int:
        return len(self._number)

    def __repr__(self) -> str:
        return f"<billow.Particles {self.name}: {self.count} with {', '.join(self._number)}>"

    def array(self) -> Array:
        """All of them as one structured array, a row a particle: a read-only copy."""
        columns = {name: self[name] for name in self}
        rows = np.empty(self.count, [(name, column.dtype, column.shape[1:]) for name, column in columns.items()])
        for name, column in columns.items():
            rows[name] = column
        rows.flags.writeable = False
        return rows
