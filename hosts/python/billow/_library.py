# SPDX-License-Identifier: Apache-2.0
"""libbillow: its functions with their types, and conversions to Python's values and exceptions.

ctypes releases the GIL during every call, so that callbacks from a bake's thread can acquire it."""
from __future__ import annotations

import ctypes
import gc
import json
from ctypes import POINTER, byref, c_char_p, c_double, c_float, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p
from typing import Any, Iterable, Optional

from . import _find
from ._structs import (BakeFacts, BakeOptions, Box, Eye, LastError, MosaicWish, MovieWish, Pixels, SessionOptions,
                       SnapshotFacts, ViewFacts)
from .errors import BY_STATUS, Error

VERSION = "0.1."  # whose structs _structs.py has

lib = _find.load()

_HANDLE = POINTER(c_void_p)
_TEXT = c_void_p  # to be freed: not c_char_p, whose address would be lost

#: In JSON U+EF80 … U+EFFF are bytes that are no UTF-8.
BYTES = {0xEF00 + byte: 0xDC00 + byte for byte in range(0x80, 0x100)}

_PROTOTYPES = {
    "bw_error_last": (POINTER(LastError), []),
    "bw_version": (c_char_p, []),
    "bw_plugin_interface": (c_char_p, []),
    "bw_process_rank": (c_int32, [POINTER(c_int32)]),
    "bw_text_free": (None, [c_void_p]),
    "bw_number_words": (c_char_p, [c_double, c_char_p, c_char_p]),
    "bw_nearest_word": (c_char_p, [c_char_p, POINTER(c_char_p), c_uint32]),
    "bw_session_open": (c_int, [POINTER(SessionOptions), _HANDLE]),
    "bw_session_close": (None, [c_void_p]),
    "bw_session_list": (_TEXT, [c_void_p]),
    "bw_session_machine": (_TEXT, [c_void_p, c_char_p]),
    "bw_session_schema": (_TEXT, [c_void_p]),
    "bw_session_find": (_TEXT, [c_void_p, c_char_p]),
    "bw_preset_tree": (_TEXT, [c_char_p, c_char_p]),
    "bw_yaml_read": (_TEXT, [c_char_p]),
    "bw_folder_open": (c_int, [c_char_p, c_char_p]),
    "bw_folder_read": (_TEXT, [c_char_p, c_char_p, c_size_t, POINTER(c_size_t)]),
    "bw_folder_has": (c_int, [c_char_p, c_char_p]),
    "bw_session_describe": (_TEXT, [c_void_p, c_char_p]),
    "bw_plugin_validate": (_TEXT, [c_char_p]),
    "bw_bake_open": (c_int, [c_void_p, POINTER(BakeOptions), _HANDLE]),
    "bw_bake_close": (c_int, [c_void_p]),
    "bw_bake_facts": (c_int, [c_void_p, POINTER(BakeFacts)]),
    "bw_bake_describe": (_TEXT, [c_void_p]),
    "bw_bake_check": (c_int, [c_void_p]),
    "bw_bake_start": (c_int, [c_void_p]),
    "bw_bake_join": (c_int, [c_void_p]),
    "bw_bake_parted": (c_int, [c_void_p]),
    "bw_bake_wait": (c_int, [c_void_p, c_double]),
    "bw_bake_cancel": (c_int, [c_void_p]),
    "bw_bake_checkpoint": (c_int, [c_void_p]),
    "bw_bake_set_values": (c_int, [c_void_p, c_void_p]),
    "bw_snapshot_hold": (c_int, [c_void_p]),
    "bw_snapshot_close": (None, [c_void_p]),
    "bw_snapshot_facts": (c_int, [c_void_p, POINTER(SnapshotFacts)]),
    "bw_snapshot_read": (c_int, [c_void_p, c_uint32, c_uint32, POINTER(Box), c_int32, POINTER(c_float)]),
    "bw_snapshot_picture": (c_int, [c_void_p, c_char_p, c_uint32, POINTER(Pixels)]),
    "bw_view_open": (c_int, [c_void_p, _HANDLE]),
    "bw_view_open_as": (c_int, [c_void_p, c_void_p, POINTER(c_char_p), c_int32, _HANDLE]),
    "bw_view_close": (None, [c_void_p]),
    "bw_view_facts": (c_int, [c_void_p, POINTER(ViewFacts)]),
    "bw_view_picture": (c_int, [c_void_p, POINTER(Eye), c_int32, c_int32, c_int32, POINTER(Pixels)]),
    "bw_pixels_free": (None, [POINTER(Pixels)]),
    "bw_view_meet": (c_int, [c_void_p, POINTER(Eye), c_int32, c_int32, POINTER(c_double), POINTER(c_double),
                             POINTER(c_int32)]),
    "bw_bake_outlines": (_TEXT, [c_void_p, c_int64]),
    "bw_film_open": (c_int, [c_int32, c_int32, c_double, _HANDLE]),
    "bw_film_add": (c_int, [c_void_p, POINTER(Pixels)]),
    "bw_film_write": (c_int, [c_void_p, c_char_p]),
    "bw_film_join": (c_int, [POINTER(c_char_p), c_int32, c_char_p]),
    "bw_film_close": (None, [c_void_p]),
    "bw_pixels_write": (c_int, [POINTER(Pixels), c_char_p]),
    "bw_cache_points": (c_int, [c_void_p, c_int64, _HANDLE]),
    "bw_cache_open": (c_int, [c_void_p, c_char_p, _HANDLE]),
    "bw_cache_close": (None, [c_void_p]),
    "bw_cache_describe": (_TEXT, [c_void_p, c_int32]),
    "bw_cache_survey": (_TEXT, [c_void_p, c_char_p]),
    "bw_cache_check": (_TEXT, [c_char_p]),
    "bw_cache_check_for": (_TEXT, [c_char_p, c_char_p]),
    "bw_cache_convert": (_TEXT, [c_char_p, c_char_p]),
    "bw_cache_compare": (_TEXT, [c_char_p, c_char_p]),
    "bw_cache_frame": (c_int, [c_void_p, c_int64, _HANDLE]),
    "bw_cache_movie": (c_int, [c_void_p, POINTER(MovieWish)]),
    "bw_cache_mosaic": (c_int, [POINTER(MosaicWish)]),
    "bw_cache_scene": (_TEXT, [c_void_p, c_char_p, c_char_p]),
    "bw_cache_sky": (c_int, [c_void_p, c_char_p, POINTER(c_int32)]),
}

for _name, (_result, _arguments) in _PROTOTYPES.items():
    _function = getattr(lib, _name)
    _function.restype = _result
    _function.argtypes = _arguments


def decoded(text: Optional[bytes]) -> str:
    """Bytes that are no UTF-8, in file names, become surrogates: `encoded` and os.fsencode restore them."""
    return (text or b"").decode("utf-8", "surrogateescape")


def version() -> str:
    """Of the library, "0.1.0"."""
    return decoded(lib.bw_version())


if not version().startswith(VERSION):
    raise ImportError(f"this package is for libbillow {VERSION}x, found {version()}")


def encoded(text: Optional[str]) -> Optional[bytes]:
    """For the library, where NUL ends a text."""
    if text is not None and not isinstance(text, str):
        raise TypeError(f"a text is wanted, not {text!r}")
    if text is not None and "\0" in text:
        raise ValueError(f"a text with a NUL in it: {text!r}")
    return None if text is None else text.encode("utf-8", "surrogateescape")


def texts(words: Iterable[str]) -> Any:
    """An array of C strings, which owns them."""
    listed = [encoded(word) for word in words]
    return (c_char_p * len(listed))(*listed)


def nearest(word: str, words: Iterable[str]) -> Optional[str]:
    """The word that may have been meant, or None."""
    listed = texts(words)
    near = lib.bw_nearest_word(encoded(word), listed, len(listed))
    return decoded(near) if near else None


def last_text() -> str:
    """Warnings of the last call on this thread, if it was good."""
    return decoded(lib.bw_error_last().contents.text)


def last_error() -> Error:
    """The last call's failure on this thread, as an exception to raise."""
    collects = gc.isenabled()
    gc.disable()  # a finalizer may close a handle, a call that resets the last error
    try:
        e = lib.bw_error_last().contents
        kind = BY_STATUS.get(e.status, Error)
        return kind(decoded(e.sentence), file=decoded(e.file) if e.file else None, line=e.line, column=e.column,
                    count=e.count, text=decoded(e.text))
    finally:
        if collects:
            gc.enable()


def check(status: int) -> None:
    """Raise last_error for a negative status."""
    if status < 0:
        raise last_error()


def json_of(address: Optional[int]) -> Any:
    """Parse a JSON text of the library and free it; raises last_error for NULL."""
    bytes_ = text_of(address).translate(BYTES).encode("utf-8", "surrogateescape")
    return json.loads(decoded(bytes_))


def text_of(address: Optional[int]) -> str:
    """Decode a text of the library and free it; raises last_error for NULL."""
    if not address:
        raise last_error()
    try:
        return decoded(ctypes.string_at(address))
    finally:
        lib.bw_text_free(address)


class Handled:
    """Base of classes with a handle of the library, which is valid in this process alone and must be closed once."""

    def __reduce__(self) -> Any:
        raise TypeError(f"a {type(self).__name__} can't be copied or pickled: it belongs to this process")


def handle_of(status: int, handle: c_void_p) -> int:
    check(status)
    assert handle.value
    return handle.value


__all__ = ["Handled", "byref", "check", "decoded", "encoded", "handle_of", "json_of", "last_error", "last_text", "lib",
           "nearest", "text_of", "texts", "version"]
