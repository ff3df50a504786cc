# SPDX-License-Identifier: Apache-2.0
"""A session: the plugins that are loaded, and the folders of presets."""
from __future__ import annotations

import ctypes
import os
import threading
import weakref
from ctypes import c_void_p
from typing import Any, Callable, Dict, Optional, Sequence, Union

from . import _library as library
from ._library import byref, encoded, lib
from ._structs import SessionOptions
from ._values import Frames, Path, Settings, path_text
from ._bake import Bake, Listeners, Progress, logger, options_of
from .cache import Cache
from .errors import UsageError
from .frame import Frame

Folders = Union[Path, Sequence[Path], None]


def _joined(folders: Folders) -> Optional[str]:
    """One folder, or several, as the library wants them."""
    if folders is None or isinstance(folders, (str, os.PathLike)):
        return path_text(folders)
    return ":".join(os.fspath(folder) for folder in folders)


class Session(library.Handled):
    """The functions of the module `billow`, with folders of plugins and presets of one's own before all others.

    Plugins that can't be loaded are warnings of the logger "billow", and in list()["broken"]."""

    def __init__(self, plugin_path: Folders = None, preset_path: Folders = None) -> None:
        options = SessionOptions(size=ctypes.sizeof(SessionOptions), plugin_path=encoded(_joined(plugin_path)),
                                 preset_path=encoded(_joined(preset_path)))
        handle = c_void_p()
        status = lib.bw_session_open(byref(options), byref(handle))
        self._handle: Optional[int] = library.handle_of(status, handle)
        for line in library.last_text().splitlines():
            logger.warning("%s", line)
        self._finalizer = weakref.finalize(self, lib.bw_session_close, self._handle)

    @property
    def handle(self) -> int:
        if self._handle is None:
            raise UsageError("the session was closed")
        return self._handle

    def close(self) -> None:
        """Bakes and caches that were opened with it live on."""
        if self._handle is not None:
            self._finalizer()
            self._handle = None

    def __enter__(self) -> "Session":
        self.handle
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # ---- what there is ----

    def list(self) -> Dict[str, Any]:
        """"stages", "exporters", "presets" and "broken", each with names, briefs and files."""
        listed: Dict[str, Any] = library.json_of(lib.bw_session_list(self.handle))
        return listed

    def info(self, name: str) -> Dict[str, Any]:
        """All that is called so: {"stage", "exporter"} with parameters and ports, {"section"} of presets, {"preset"},
        {"file"} of a .vdb."""
        described: Dict[str, Any] = library.json_of(lib.bw_session_describe(self.handle, encoded(name)))
        return described

    def machine(self, folder: Optional[Path] = None) -> Dict[str, Any]:
        """Versions, SIMD level, cores, memory, folders; the free disk space of `folder`."""
        told: Dict[str, Any] = library.json_of(lib.bw_session_machine(self.handle, encoded(path_text(folder))))
        return told

    def schema(self) -> Dict[str, Any]:
        """JSON Schema of presets."""
        schema: Dict[str, Any] = library.json_of(lib.bw_session_schema(self.handle))
        return schema

    def open(self, cache: Path) -> Cache:
        """A bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb."""
        return Cache(self, cache)

    # ---- bakes ----

    def prepare(self, preset: Optional[Path] = None, settings: Optional[Settings] = None, *,
                text: Optional[str] = None, out: Optional[Path] = None, frames: Optional[Frames] = None,
                threads: int = 0, seed: Optional[int] = None, memory: Optional[str] = None,
                mute: Sequence[str] = (), quick: bool = False, simd: Optional[str] = None, mode: str = "keep",
                from_frame: Optional[int] = None, overcommit: bool = False,
                on_start: Optional[Callable[[], Any]] = None,
                on_progress: Optional[Callable[[Progress], Any]] = None,
                on_frame: Optional[Callable[[Frame], Any]] = None,
                on_log: Optional[Callable[[str, str, str], Any]] = None,
                on_output: Optional[Callable[[str, str], Any]] = None) -> Bake:
        """A bake that is read, wired and checked, but not started. See billow.bake for all these words."""
        options = options_of(preset, settings, text=text, out=out, frames=frames, threads=threads, seed=seed,
                             memory=memory, mute=mute, quick=quick, simd=simd, mode=mode, from_frame=from_frame,
                             overcommit=overcommit)
        return Bake(self, options, Listeners(on_start, on_progress, on_frame, on_log, on_output))

    def start(self, preset: Optional[Path] = None, settings: Optional[Settings] = None, **words: Any) -> Bake:
        """Start a bake and return at once."""
        return self.prepare(preset, settings, **words).start()

    def bake(self, preset: Optional[Path] = None, settings: Optional[Settings] = None, **words: Any) -> Bake:
        """Bake, and return when all frames are made."""
        with self.start(preset, settings, **words) as bake:
            bake.wait()
        return bake

    def check(self, preset: Optional[Path] = None, settings: Optional[Settings] = None, **words: Any) -> Dict[str, Any]:
        """Raise what a run would find out before its first frame; else what Bake.describe says."""
        with self.prepare(preset, settings, **words) as bake:
            bake.check()
            return bake.describe()


_default: Optional[Session] = None
_default_lock = threading.Lock()


def default() -> Session:
    """The session of the module's own functions, opened when the first of them is called."""
    global _default
    with _default_lock:
        if _default is None:
            _default = Session()
        return _default
