# SPDX-License-Identifier: Apache-2.0
"""A finished sequence of VDB files, ours or anybody's."""
from __future__ import annotations

import ctypes
import os
import weakref
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from . import _library as library
from ._library import byref, encoded, lib
from ._structs import MosaicWish, MovieWish, OnMovieFrame
from ._values import Path, look_text, path_text, as_integer
from .errors import UsageError
from .frame import Frame, Snapshot

if TYPE_CHECKING:
    from .session import Session


def mosaic(caches: Sequence[Optional["Cache"]], out: Path, columns: int = 0, labels: Sequence[str] = (),
           options: Union[str, Mapping[str, Any], None] = None, place: int = 0, fps: float = 0) -> None:
    """Several caches in one NAME.png (frame number `place`, counted from 1; 0: the last) or NAME.mp4, in rows of
    `columns` (0: all in one), a label above each. None is an empty place. Options are those of `billow preview`."""
    count = len(caches)
    handles = (c_void_p * count)(*[cache._open() if cache else None for cache in caches])
    texts = (ctypes.c_char_p * count)(*[encoded(labels[i]) if i < len(labels) else None for i in range(count)])
    wish = MosaicWish(size=ctypes.sizeof(MosaicWish), columns=columns or count, count=count, place=place,
                      caches=handles, labels=texts, options=encoded(look_text(options)), out=encoded(path_text(out)),
                      fps=fps)
    if lib.bw_cache_mosaic(byref(wish)) < 0:
        raise library.last_error()


class Cache(library.Handled):
    """billow.open("out/plume"): len(cache), cache[40], `for frame in cache`. Frames have the numbers of their files:
    cache[0] is frame 0, if there is one; cache.numbers tells them."""

    def __init__(self, session: "Session", what: Path) -> None:
        handle = c_void_p()
        self._handle: Optional[int] = library.handle_of(
            lib.bw_cache_open(session.handle, encoded(path_text(what)), byref(handle)), handle)
        self._finalizer = weakref.finalize(self, lib.bw_cache_close, self._handle)
        self._what = str(what)
        self._numbers: Optional[List[int]] = None

    def _open(self) -> int:
        if self._handle is None:
            raise UsageError(f"the cache {self._what} was closed")
        return self._handle

    def describe(self, flow: bool = False) -> Dict[str, Any]:
        """"name", "pattern", "file", "first", "last", "count", the "ranges" of frames that are there, the first
        thousand that are "missing"; with `flow` what the files say too: "fps", "voxel", "flow", "fields" and the
        "domain" as a preset says it."""
        described: Dict[str, Any] = library.json_of(lib.bw_cache_describe(self._open(), int(flow)))
        return described

    @property
    def numbers(self) -> List[int]:
        """Of the frames, in order."""
        if self._numbers is None:
            self._numbers = [n for first, last in self.describe()["ranges"] for n in range(first, last + 1)]
        return list(self._numbers)

    def __len__(self) -> int:
        return len(self.numbers)

    def __contains__(self, number: object) -> bool:
        return number in self.numbers

    def __iter__(self) -> Iterator[Frame]:
        return (self[number] for number in self.numbers)

    def __getitem__(self, number: int) -> Frame:
        """The frame of that number."""
        handle, number = c_void_p(), as_integer("a frame's number", number)
        if abs(number) >= 2**63:  # ctypes would wrap it
            raise UsageError(f"{self._what} has no frame {number}")
        status = lib.bw_cache_frame(self._open(), number, byref(handle))
        return Frame(Snapshot(library.handle_of(status, handle)))

    def __repr__(self) -> str:
        return f"<billow.Cache {self._what}{': closed' if self._handle is None else ''}>"

    def movie(self, out: Optional[Path] = None, options: Union[str, Mapping[str, Any], None] = None,
              on_frame: Optional[Callable[[int, int], Any]] = None) -> None:
        """Write NAME.mp4, or a picture or contact sheet NAME.png, as `billow preview` does, whose options these are.
        on_frame(done, total) is called after each frame; what it raises stops the movie."""
        errors = []

        def tell(done: int, total: int, _user: Any) -> int:
            try:
                if on_frame:
                    on_frame(done, total)
                return 1
            except BaseException as error:
                errors.append(error)
                return 0

        wish = MovieWish(size=ctypes.sizeof(MovieWish), options=encoded(look_text(options)),
                         out=encoded(path_text(out)), on_frame=OnMovieFrame(tell))
        status = lib.bw_cache_movie(self._open(), byref(wish))
        failed = library.last_error() if status < 0 else None
        if errors:
            raise errors[0]
        if failed:
            raise failed

    def scene(self, format: str = "blender", files: Optional[Path] = None) -> str:
        """For other programs: "blender", a Python script, or "usd"; "blender-scene" and "usd-scene" hold the movie's
        camera, lights, floor and obstacles, too. `files`: the files' folder in it, where that is not the cache's own."""
        folder = os.path.dirname(self.describe()["pattern"]) if files is None else path_text(files)
        return library.text_of(lib.bw_cache_scene(self._open(), encoded(format), encoded(folder)))

    def close(self) -> None:
        """Frames that were read stay."""
        if self._handle is not None:
            self._finalizer()
            self._handle = None

    def __enter__(self) -> "Cache":
        self._open()
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()
