# SPDX-License-Identifier: Apache-2.0
"""A bake: opened and checked, started on a thread of its own, waited for, cancelled, closed."""
from __future__ import annotations

import ctypes
import dataclasses
import logging
import math
import threading
import time
import warnings
import weakref
from ctypes import c_void_p
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Optional

from . import _library as library
from ._library import byref, decoded, encoded, lib
from ._structs import (BakeFacts, BakeOptions, BakeProgress, OnFrame, OnLog, OnOutput, OnProgress, OnStart)
from ._values import Frames, Path, Settings, frames_text, path_text, settings_texts, as_integer
from .errors import UsageError
from .frame import Frame, Snapshot

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Sequence, Type

    from .session import Session

logger = logging.getLogger("billow")

MODES = {"keep": 0, "replace": 1, "beside": 2, "resume": 3}
LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING)
POLL_S = 0.05  # at which wait() looks for Ctrl-C


@dataclasses.dataclass(frozen=True)
class Progress:
    """Progress of a bake."""
    frame: int       #: first … last are written; what comes before is warm-up
    first: int
    last: int
    done: int        #: frames made, warm-up included
    total: int       #: and to make
    seconds: float   #: of this frame
    elapsed: float   #: of all
    substeps: int
    frame_done: bool  #: the frame is complete; else after a substep
    cells: int       #: active, all domains
    divergence: Optional[float]  #: largest of the projections' metrics; None: nobody reports one
    residual: Optional[float]
    iterations: Optional[float]
    memory: int      #: resident bytes of the process
    line: str        #: all that in one line of text
    written: int     #: frames up to this one have their files on the disk, movies apart; first - 1: none

    @classmethod
    def of(cls, p: BakeProgress) -> "Progress":
        def known(x: float) -> Optional[float]:
            return None if math.isnan(x) else x
        return cls(p.frame, p.first, p.last, p.done, p.total, p.seconds, p.elapsed, p.substeps, bool(p.frame_done),
                   p.cells, known(p.divergence), known(p.residual), known(p.iterations), p.memory, decoded(p.line), p.written)


@dataclasses.dataclass
class Listeners:
    """Functions that a bake calls on its own thread, one at a time. An exception in one cancels the bake."""
    on_start: Optional[Callable[[], Any]] = None
    on_progress: Optional[Callable[[Progress], Any]] = None
    on_frame: Optional[Callable[[Frame], Any]] = None
    on_log: Optional[Callable[[str, str, str], Any]] = None
    on_output: Optional[Callable[[str, str], Any]] = None


class _Callbacks:
    """The C callbacks of a bake. They have no reference to the Bake, which can thus be garbage-collected."""

    def __init__(self, listeners: Listeners) -> None:
        self.listeners = listeners
        self.progress: Optional[Progress] = None
        self.outputs: Dict[str, str] = {}
        self.error: Optional[BaseException] = None
        self.thunks = {"on_progress": OnProgress(self._progress), "on_log": OnLog(self._log),
                       "on_output": OnOutput(self._output)}
        if listeners.on_frame:
            self.thunks["on_frame"] = OnFrame(self._frame)
        if listeners.on_start:
            self.thunks["on_start"] = OnStart(self._start)

    def _call(self, bake: int, listener: Optional[Callable[..., Any]], *arguments: Any) -> None:
        """Nothing may be raised into C: the first exception is kept for wait() and cancels the bake."""
        if listener is None or self.error is not None:
            return
        try:
            listener(*arguments)
        except BaseException as error:  # SystemExit and KeyboardInterrupt too: wait() raises them where they belong
            self.error = error
            lib.bw_bake_cancel(bake)

    def _start(self, bake: int, _user: Any) -> None:
        self._call(bake, self.listeners.on_start)

    def _progress(self, bake: int, progress: Any, _user: Any) -> None:
        self.progress = Progress.of(progress.contents)
        self._call(bake, self.listeners.on_progress, self.progress)

    def _frame(self, bake: int, snapshot: int, _user: Any) -> None:
        def show() -> None:
            assert self.listeners.on_frame
            self.listeners.on_frame(Frame(Snapshot.held(snapshot)))
        self._call(bake, show)

    def _log(self, bake: int, level: int, who: bytes, text: bytes, _user: Any) -> None:
        number = LEVELS[min(max(level, 0), 2)]
        if self.listeners.on_log:
            self._call(bake, self.listeners.on_log, logging.getLevelName(number).lower(), decoded(who), decoded(text))
        else:
            self._call(bake, logger.log, number, "%s: %s", decoded(who), decoded(text))

    def _output(self, bake: int, what: bytes, path: bytes, _user: Any) -> None:
        self.outputs[decoded(what)] = decoded(path)
        self._call(bake, self.listeners.on_output, decoded(what), decoded(path))


def _close(handle: int, callbacks: _Callbacks) -> None:
    """Cancel and wait. `callbacks` is kept until the library no longer calls it."""
    if lib.bw_bake_close(handle) < 0:  # from a callback of this very bake: another thread waits for its end
        threading.Thread(target=lib.bw_bake_close, args=(handle,), daemon=True).start()


class Bake(library.Handled):
    """Made by billow.start() and billow.bake(). A `with` block cancels it, if it still runs, and closes it.

    One that nobody holds any more is cancelled. Once closed, `name`, `out`, `outputs`, `progress` and `facts` stay."""

    def __init__(self, session: "Session", options: BakeOptions, listeners: Listeners) -> None:
        self._callbacks = _Callbacks(listeners)
        for name, thunk in self._callbacks.thunks.items():
            setattr(options, name, thunk)
        handle = c_void_p()
        self._handle: Optional[int] = library.handle_of(
            lib.bw_bake_open(session.handle, byref(options), byref(handle)), handle)
        self._finalizer = weakref.finalize(self, _close, self._handle, self._callbacks)
        self._started = self._over = False
        self._facts: Dict[str, Any] = {}
        self._read_facts()

    # ---- facts ----

    def _read_facts(self) -> None:
        facts = BakeFacts(size=ctypes.sizeof(BakeFacts))
        library.check(lib.bw_bake_facts(self._open(), byref(facts)))
        for name, _kind in BakeFacts._fields_[1:]:
            value = getattr(facts, name)
            self._facts[name] = decoded(value) if isinstance(value, bytes) else value

    def _open(self) -> int:
        if self._handle is None:
            raise UsageError(f"the bake of {self._facts.get('name', 'this')} was closed")
        return self._handle

    @property
    def facts(self) -> Dict[str, Any]:
        """Of struct bw_bake_facts: "name", "path", "out", "hash", "simd", "first", "last", "fps", "memory", …"""
        if self._handle is not None:
            self._read_facts()
        return dict(self._facts)

    @property
    def name(self) -> str:
        """Of the preset."""
        return str(self._facts["name"])

    @property
    def out(self) -> Optional[str]:
        """The output folder, or None."""
        out = self._facts["out"]
        return None if out is None else str(out)

    @property
    def outputs(self) -> Dict[str, str]:
        """Files worth seeing, once it is done: "movie", "picture", "cache", "particles"."""
        return dict(self._callbacks.outputs)

    @property
    def progress(self) -> Optional[Progress]:
        """The latest; None before the first substep ended."""
        return self._callbacks.progress

    @property
    def closed(self) -> bool:
        return self._handle is None

    def __repr__(self) -> str:
        state = "closed" if self.closed else "done" if self._over else "started" if self._started else "open"
        return f"<billow.Bake {self.name}: {state}>"

    def describe(self) -> Dict[str, Any]:
        """Wiring, estimates of memory and disk, all values; before the start or when it is over."""
        described: Dict[str, Any] = library.json_of(lib.bw_bake_describe(self._open()))
        return described

    def check(self) -> None:
        """Raise what a run would find out before its first frame."""
        library.check(lib.bw_bake_check(self._open()))

    # ---- running ----

    def start(self) -> "Bake":
        """Begin, once."""
        library.check(lib.bw_bake_start(self._open()))
        self._started = True
        self._read_facts()
        return self

    def cancel(self) -> None:
        """Ask it to stop when the substep ends, with a checkpoint; once more: at once. Does not wait. From any thread,
        from callbacks too."""
        if self._handle is not None:
            library.check(lib.bw_bake_cancel(self._handle))

    def checkpoint(self) -> None:
        """Ask for a checkpoint when the frame is whole. From any thread, from callbacks too."""
        library.check(lib.bw_bake_checkpoint(self._open()))

    def wait(self, timeout: Optional[float] = None) -> bool:
        """Wait until it is done: True. False: it still runs after `timeout` seconds.

        Raises what a callback raised, or what ended the bake: billow.Cancelled, billow.DivergedError, … Ctrl-C raises
        KeyboardInterrupt here and lets the bake run on: cancel it, or leave its `with` block."""
        end = math.inf if timeout is None else time.monotonic() + timeout
        while True:
            left = max(0.0, end - time.monotonic())
            status = lib.bw_bake_wait(self._open(), min(POLL_S, left))
            if status != 1:
                return self._end(status)
            if left <= 0:
                return False

    def _end(self, status: int) -> bool:
        failed = library.last_error() if status < 0 else None
        if isinstance(failed, UsageError):
            raise failed  # it was never started, or waits for itself
        self._over = True
        self._read_facts()
        error, self._callbacks.error = self._callbacks.error, None
        self._callbacks.listeners = Listeners()  # frees what they refer to
        if error is not None:
            raise error
        if failed is not None:
            raise failed
        return True

    def close(self) -> None:
        """Cancel it if it runs, wait until it stopped, and give its memory back. Not from its own callbacks."""
        if self._handle is None:
            return
        library.check(lib.bw_bake_close(self._handle))
        self._handle = None
        self._finalizer.detach()

    def __enter__(self) -> "Bake":
        self._open()
        return self

    def __exit__(self, kind: "Optional[Type[BaseException]]", error: Optional[BaseException],
                 trace: "Optional[TracebackType]") -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_started", False) and not self._over and not self.closed:
            warnings.warn(f"{self!r} was dropped before wait(): it is cancelled", ResourceWarning, source=self)


def options_of(preset: Optional[Path], settings: Optional[Settings], *, text: Optional[str], out: Optional[Path],
               frames: Optional[Frames], threads: int, seed: Optional[int], memory: Optional[str],
               mute: "Sequence[str]", quick: bool, simd: Optional[str], mode: str,
               from_frame: Optional[int], overcommit: bool) -> BakeOptions:
    """What bw_bake_open copies."""
    if mode not in MODES:
        near = library.nearest(str(mode), MODES)
        raise UsageError(f"mode is keep, replace, beside or resume, not {mode!r}" + (f"; did you mean {near}?" if near else ""))
    if isinstance(mute, str):
        raise UsageError(f'mute is a list of ids: ["{mute}"]')
    if not 0 <= as_integer("threads", threads) <= 1024:
        raise UsageError(f"threads wants a whole number from 1 to 1024, or 0 for all cores, not {threads}")
    lines: List[str] = settings_texts(settings)
    set_, mute_ = library.texts(lines), library.texts(mute)
    return BakeOptions(size=ctypes.sizeof(BakeOptions), mode=MODES[mode], preset=encoded(path_text(preset)),
                       text=encoded(text), set=set_, mute=mute_, n_set=len(set_), n_mute=len(mute_),
                       frames=encoded(frames_text(frames)),
                       from_frame=encoded(None if from_frame is None else str(as_integer("from_frame", from_frame))),
                       seed=encoded(None if seed is None else str(as_integer("seed", seed))),
                       memory=encoded(memory), out=encoded(path_text(out)), simd=encoded(simd), threads=int(threads),
                       quick=int(quick), overcommit=int(overcommit))
