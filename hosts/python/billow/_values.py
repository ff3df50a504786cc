# SPDX-License-Identifier: Apache-2.0
"""Python's values as a preset writes them: {"domain.voxel": 0.02} is "domain.voxel=0.02"."""
from __future__ import annotations

import json
import operator
import os
import re
from typing import Any, List, Mapping, Match, Optional, Sequence, Tuple, Union

from .errors import UsageError

Path = Union[str, "os.PathLike[str]"]
Settings = Union[Mapping[str, Any], Sequence[str]]
Frames = Union[str, Tuple[int, int], range]


def plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's own."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, os.PathLike):
        return os.fsdecode(value)
    raise TypeError(f"{type(value).__name__} is no value of a preset")


def _readable(found: Match[str]) -> str:
    """Control characters by their numbers, and as presets have them bytes of file names that are no UTF-8."""
    code = ord(found[0])
    return f"\\u{code:04x}" if code < 0xDC80 else chr(0xEF00 | code & 0xFF)


def value_text(key: str, value: Any) -> str:
    """Text is taken as it stands: "2 cm", "=60 + 30*sin(t)". All else is JSON, which YAML understands."""
    if isinstance(value, str):
        return value
    if value is None:
        raise UsageError(f"{key} is None; leave it out where the preset's own value is meant")
    try:
        text = json.dumps(value, default=plain, allow_nan=False, ensure_ascii=False)  # YAML has no halves of pairs
        return re.sub("[\x7f-\x9f\u2028\u2029\udc80-\udcff]", _readable, text)
    except (TypeError, ValueError) as why:
        raise UsageError(f"{key}: {why}") from None


def settings_texts(settings: Optional[Settings]) -> List[str]:
    """A mapping of keys to values, or lines "key=value" as they are."""
    if settings is None:
        return []
    if isinstance(settings, str):
        raise UsageError(f'settings are a mapping or a list: {{"{settings.split("=")[0]}": …}}')
    if isinstance(settings, Mapping):
        return [f"{key}={value_text(key, value)}" for key, value in settings.items()]
    return [str(line) for line in settings]


def frames_text(frames: Optional[Frames]) -> Optional[str]:
    """"1-40", (1, 40) with both ends, or range(1, 41)."""
    if frames is None or isinstance(frames, str):
        return frames
    if isinstance(frames, range):
        if frames.step != 1 or not frames:
            raise UsageError(f"frames follow one another, there is at least one: not {frames}")
        return f"{frames[0]}-{frames[-1]}"
    try:
        first, last = frames
        return f"{operator.index(first)}-{operator.index(last)}"
    except (TypeError, ValueError):
        raise UsageError(f'frames are "1-40", (1, 40) or range(1, 41), not {frames!r}') from None


def path_text(path: Optional[Path]) -> Optional[str]:
    return None if path is None else os.fsdecode(path)


def as_integer(what: str, number: Any) -> int:
    """Python's int, or NumPy's; no number that would have to be cut."""
    try:
        return operator.index(number)
    except TypeError:
        raise UsageError(f"{what} wants a whole number, not {number!r}") from None


def look_text(look: Any) -> Optional[str]:
    """Options of a picture or movie: YAML text, or a mapping."""
    if look is None or isinstance(look, str):
        return look
    return value_text("look", dict(look))
