# SPDX-License-Identifier: Apache-2.0
"""Where libbillow lies: what BILLOW_LIBRARY says, beside an installed package, in the build tree, or on the system."""
from __future__ import annotations

import ctypes
import os
import pathlib
from typing import Iterator

NAME = "libbillow.so.0"
HERE = pathlib.Path(__file__).resolve().parent


def candidates() -> Iterator[str]:
    """Best first. The last is a plain name, which the system's loader looks up."""
    asked = os.environ.get("BILLOW_LIBRARY")
    if asked:
        yield asked
        return  # nothing else will do: another library would be a surprise
    beside = HERE / "_installed.txt"  # written by the installation: the way from here to the library
    if beside.is_file():
        yield os.path.normpath(HERE / beside.read_text(encoding="utf-8").strip())
    yield str(HERE.parents[2] / "build" / "library" / NAME)
    yield NAME


def load() -> ctypes.CDLL:
    """The library; ImportError names every place that was tried."""
    tried = []
    for path in candidates():
        if os.sep in path and not os.path.exists(path):
            tried.append(f"{path} (not there)")
            continue
        try:
            return ctypes.CDLL(path)
        except OSError as why:
            tried.append(str(why))
    raise ImportError("libbillow can't be loaded; set BILLOW_LIBRARY to its path. Tried: " + "; ".join(tried))
