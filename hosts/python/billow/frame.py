# SPDX-License-Identifier: Apache-2.0
"""One frame, of a running bake or of a cache: its fields and particles by name, and pictures of it."""
from __future__ import annotations

import ctypes
import weakref
from typing import Any, Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ._library import Handled, byref, decoded, check, last_error, lib, nearest
from ._structs import Pixels, SnapshotFacts
from ._values import look_text
from ._views import Array
from .errors import UnknownNameError, UsageError
from .fields import Field
from .particles import Particles
from .view import View, pixels_array

FLOAT, ALPHA = 1, 2  # BW_PIXELS_…

Key = Union[str, Tuple[str, str]]


class Snapshot(Handled):
    """Holds a snapshot of the library as long as anybody needs its memory."""

    def __init__(self, handle: int) -> None:
        self.handle = handle
        self._finalizer = weakref.finalize(self, lib.bw_snapshot_close, handle)
        self.facts = SnapshotFacts(size=ctypes.sizeof(SnapshotFacts))
        check(lib.bw_snapshot_facts(handle, byref(self.facts)))

    @classmethod
    def held(cls, handle: int) -> "Snapshot":
        """One that would end with the callback."""
        check(lib.bw_snapshot_hold(handle))
        return cls(handle)


class Frame(Mapping[Key, Any]):  # a Field or Particles
    """frame["density"] is a Field, frame["vortons"] are Particles. Where several domains have a field of one name,
    frame["density", "fine"] is that of one.

    It never changes, and may be kept: it holds the bake's memory, copied only where the bake writes to meanwhile."""

    def __init__(self, snapshot: Snapshot) -> None:
        facts = snapshot.facts
        self._snapshot = snapshot
        self._grids: Dict[str, Dict[str, int]] = {}  # by name and domain
        for i in range(facts.n_grids):
            of_name = self._grids.setdefault(decoded(facts.grids[i].name), {})
            of_name.setdefault(decoded(facts.grids[i].domain), i)
        self._points = {decoded(facts.points[i].name): i for i in range(facts.n_points)}
        self.number: int = facts.frame
        self.time: float = facts.time  #: s since the first frame
        self.fps: float = facts.fps

    def __getitem__(self, key: Key) -> Any:
        facts = self._snapshot.facts
        name, domain = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        if not isinstance(name, str):
            raise UsageError(f"fields have names: {key!r} is none")
        grids = self._grids.get(name, {})
        if domain is None and len(grids) > 1:
            raise UsageError(f'{name} is in the domains {", ".join(grids)}: say which, ["{name}", "{min(grids)}"]')
        if grids and (domain is None or domain in grids):
            i = next(iter(grids.values())) if domain is None else grids[domain]
            return Field(self._snapshot, i, facts.grids[i])
        if domain is None and name in self._points:
            return Particles(self._snapshot, facts.points[self._points[name]])
        raise self._unknown(name, domain)

    def __contains__(self, key: object) -> bool:
        name, domain = key if isinstance(key, tuple) and len(key) == 2 else (key, None)
        if not isinstance(name, str):
            return False
        if domain is not None:
            return domain in self._grids.get(name, {})
        return name in self._grids or name in self._points

    def __iter__(self) -> Iterator[Key]:
        for name, grids in self._grids.items():
            if len(grids) == 1:
                yield name
            else:
                yield from ((name, domain) for domain in grids)
        yield from self._points

    def __len__(self) -> int:
        return sum(map(len, self._grids.values())) + len(self._points)

    def __repr__(self) -> str:
        return f"<billow.Frame {self.number}: {', '.join(map(str, self))}>"

    @property
    def fields(self) -> List[Field]:
        """Grid fields of all domains."""
        facts = self._snapshot.facts
        return [Field(self._snapshot, i, facts.grids[i]) for i in range(facts.n_grids)]

    def picture(self, look: Union[str, Mapping[str, Any], None] = None, *, alpha: bool = False,
                light: bool = False) -> Array:
        """A picture as the png exporter makes it, [row, column, channel] from the top left.

        `look` are the exporter's parameters, {"view": "render", "size": 360} or as YAML; of a cache's frame the options
        of `billow preview`. uint8 in sRGB. Renders of a running bake: with `light` float32 in linear light, with
        `alpha` the same with premultiplied alpha, smoke alone over nothing."""
        pixels = Pixels()
        text = look_text(look)
        flags = (ALPHA if alpha else 0) | (FLOAT if light else 0)
        status = lib.bw_snapshot_picture(self._snapshot.handle, text.encode() if text is not None else None, flags,
                                         byref(pixels))
        if status:
            raise last_error()
        return pixels_array(pixels)

    def view(self) -> View:
        """What a render of it shows, to look around in."""
        handle = ctypes.c_void_p()
        check(lib.bw_view_open(self._snapshot.handle, byref(handle)))
        return View(handle.value or 0)

    def _unknown(self, name: str, domain: Optional[str]) -> UnknownNameError:
        if domain is not None and name in self._grids:
            there = ", ".join(self._grids[name])
            return UnknownNameError(f'frame {self.number} has no {name} in a domain "{domain}"; it is in {there}')
        names = [*self._grids, *self._points]
        near = nearest(name, names)
        return UnknownNameError(f'frame {self.number} has no field or particles "{name}"; '
                                + (f"did you mean {near}?" if near else f"it has {', '.join(names)}"))
