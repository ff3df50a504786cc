# SPDX-License-Identifier: Apache-2.0
"""Billow in Python: bake smoke, fire and water, look at frames while they are made, and at finished caches.

    import billow

    def look(frame):
        print(frame.number, frame["density"].dense().max())

    billow.bake("plume", {"domain.voxel": 0.05}, on_frame=look, out="out/plume")
    density = billow.open("out/plume")[40]["density"].dense()

Every function here may be called from any thread. What fails raises billow.Error or one of its kin."""
from __future__ import annotations

import json

from typing import Any, Callable, Dict, Optional, Sequence

from . import _library
from ._values import Frames, Path, Settings
from ._bake import Bake, Progress
from .cache import Cache, mosaic
from .errors import (Cancelled, DivergedError, Error, FileError, LimitError, OutOfMemoryError, PluginError, PresetError,
                     UnknownNameError, UsageError)
from .fields import Field, Tile
from .frame import Frame
from .particles import Particles
from .session import Session, default
from .view import Eye, View

__version__ = _library.version()

__all__ = ["Bake", "Cache", "Cancelled", "DivergedError", "Error", "Eye", "Field", "FileError", "Frame", "LimitError",
           "OutOfMemoryError", "Particles", "PluginError", "PresetError", "Progress", "Session", "Tile",
           "UnknownNameError", "UsageError", "View", "bake", "check", "check_cache", "compare", "convert", "info", "list",
           "machine", "mosaic", "open", "prepare", "schema", "start", "validate_plugin"]


def bake(preset: Optional[Path] = None, settings: Optional[Settings] = None, *, text: Optional[str] = None,
         out: Optional[Path] = None, frames: Optional[Frames] = None, threads: int = 0, seed: Optional[int] = None,
         memory: Optional[str] = None, mute: Sequence[str] = (), quick: bool = False, simd: Optional[str] = None,
         mode: str = "keep", from_frame: Optional[int] = None, overcommit: bool = False,
         on_start: Optional[Callable[[], Any]] = None,
         on_progress: Optional[Callable[[Progress], Any]] = None,
         on_frame: Optional[Callable[[Frame], Any]] = None,
         on_log: Optional[Callable[[str, str, str], Any]] = None,
         on_output: Optional[Callable[[str, str], Any]] = None) -> Bake:
    """Bake, and return when all frames are made. Ctrl-C stops the bake and raises KeyboardInterrupt.

    preset    a name ("plume") or a path; with `text` the preset itself, and `preset` names it in messages
    settings  {"domain.voxel": 0.02, "stages.source.density": 2}: values instead of the preset's own
    out       output folder; "" is out/NAME; None: nothing is written, exporters do not run
    frames    "1-40", (1, 40) or range(1, 41): only these
    threads   0: all cores
    seed      a whole number; memory: "12G", stop cleanly beyond
    mute      ids of stages and exporters to leave out
    quick     voxels twice as large, simpler pictures, into out/NAME_quick
    simd      "baseline", "avx2" or "avx512"; None: the best there is
    mode      where `out` holds another bake: "keep" it and refuse, "replace" it, write "beside" it, or "resume" it:
              go on from its newest checkpoint
    from_frame with "resume": from this frame on settings may be others
    overcommit start although full boxes would not fit into memory; it stops at the limit

    Callbacks come from the bake's own thread, one at a time. What one raises cancels the bake and is raised here;
    raise billow.Cancelled to stop. Of frames, those that are kept stay valid for good.

    on_start()                  the first frame is about to be made
    on_progress(Progress)       after each substep and each frame
    on_frame(Frame)             a frame that is written, or would be, is whole
    on_log(level, who, text)    "debug", "info" or "warning"; without it they go to the logger "billow"
    on_output(what, path)       a file worth seeing: "movie", "picture", "cache", "particles"
    """
    return default().bake(preset, settings, text=text, out=out, frames=frames, threads=threads, seed=seed,
                          memory=memory, mute=mute, quick=quick, simd=simd, mode=mode, from_frame=from_frame,
                          overcommit=overcommit,
                          on_start=on_start, on_progress=on_progress, on_frame=on_frame, on_log=on_log, on_output=on_output)


def start(preset: Optional[Path] = None, settings: Optional[Settings] = None, **words: Any) -> Bake:
    """Start a bake and return at once; words as for bake(). Hold the answer: `with billow.start("plume") as b: …`."""
    return default().start(preset, settings, **words)


def prepare(preset: Optional[Path] = None, settings: Optional[Settings] = None, **words: Any) -> Bake:
    """Read, wire and check a bake, to be looked at and started later; words as for bake()."""
    return default().prepare(preset, settings, **words)


def check(preset: Optional[Path] = None, settings: Optional[Settings] = None, **words: Any) -> Dict[str, Any]:
    """Raise what a run would find out before its first frame; else its wiring and estimates. Words as for bake()."""
    return default().check(preset, settings, **words)


def open(cache: Path) -> Cache:
    """A bake's folder, a folder of numbered VDB files, one of them, or a pattern such as smoke_####.vdb."""
    return default().open(cache)


def info(name: str) -> Dict[str, Any]:
    """All that is called so: {"stage", "exporter"} with parameters and ports, {"section"} of presets, {"preset"},
    {"file"} of a .vdb."""
    return default().info(name)


def list() -> Dict[str, Any]:
    """"stages", "exporters", "presets" and "broken" plugins, each with names, briefs and files."""
    return default().list()


def machine(folder: Optional[Path] = None) -> Dict[str, Any]:
    """Versions, SIMD level, cores, memory, folders; the free disk space of `folder`."""
    return default().machine(folder)


def schema() -> Dict[str, Any]:
    """JSON Schema of presets."""
    return default().schema()


def check_cache(cache: Path, host: Optional[str] = None) -> Dict[str, Any]:
    """Is a bake's folder, a folder of VDB files, one of them, or a pattern such as smoke_####.vdb whole, and what hosts
    expect? {"sequences", "problems", "findings"}; a finding has a "kind", a "text", an "advice", and says whether it is
    a "problem" or a note. `host`: what breaks there, too: "blender", "houdini", "unreal", …"""
    checked: Dict[str, Any] = _library.json_of(
        _library.lib.bw_cache_check_for(_library.encoded(str(cache)), _library.encoded(host) if host else None))
    return checked


def convert(cache: Path, host: Optional[str] = None, **options: Any) -> Dict[str, Any]:
    """Write a cache anew by a host's rules, or as NanoVDB (`format="nvdb"`, `precision`, `compression`); it is only read.
    `out`: a folder; `force`: replace files; `proxy`: voxels twice as wide. {"for", "out", "files", "density_gain",
    "left_out"}."""
    wish = json.dumps({**({"for": host} if host else {}), **{key: str(value) if key == "out" else value for key, value in options.items()}})
    made: Dict[str, Any] = _library.json_of(
        _library.lib.bw_cache_convert(_library.encoded(str(cache)), _library.encoded(wish)))
    return made


def compare(a: Path, b: Path) -> Dict[str, Any]:
    """In what two folders, or two files, differ: {"equal", "files", "differences"}, each of these with its "file", a
    "text", and numbers."""
    compared: Dict[str, Any] = _library.json_of(
        _library.lib.bw_cache_compare(_library.encoded(str(a)), _library.encoded(str(b))))
    return compared


def validate_plugin(path: Path) -> Dict[str, Any]:
    """Read a plugin's tables with a strict eye: {"entries"}; PluginError with all that is wrong."""
    told: Dict[str, Any] = _library.json_of(_library.lib.bw_plugin_validate(_library.encoded(str(path))))
    return told
