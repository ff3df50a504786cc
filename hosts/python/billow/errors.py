# SPDX-License-Identifier: Apache-2.0
"""Exceptions: one class for each status of billow/status.h."""
from __future__ import annotations

from typing import Optional


class Error(Exception):
    """Whatever Billow refuses. The message is the first mistake, with its place."""

    def __init__(self, sentence: str = "", *, file: Optional[str] = None, line: int = 0, column: int = 0,
                 count: int = 1, text: str = "") -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.file = file        #: where the first mistake is, or None
        self.line = line        #: from 1, or 0
        self.column = column
        self.count = count      #: mistakes in `text`
        self.text = text or sentence  #: all mistakes, with the source lines and a caret where there is one


class UsageError(Error, ValueError):
    """The caller asked for something that makes no sense, in this order or at all."""


class PresetError(Error, ValueError):
    """The preset is wrong: file, line and column tell where."""


class PluginError(Error):
    """A plugin is missing, broken, or broke its contract."""


class DivergedError(Error, ArithmeticError):
    """NaN, or a solver that did not converge."""


class FileError(Error, OSError):
    """Disk full, unreadable file, no such cache."""


class LimitError(Error):
    """A limit of memory or time was reached; whole frames are kept."""


class OutOfMemoryError(Error, MemoryError):
    """An allocation failed."""


class Cancelled(Error):
    """The bake was asked to stop. Raise it in a callback to stop the bake from there."""


class UnknownNameError(Error, KeyError):
    """No field, particles or attribute of that name."""

    def __str__(self) -> str:  # KeyError would quote it
        return self.sentence


BY_STATUS = {-2: UsageError, -3: PresetError, -4: PluginError, -5: DivergedError, -6: FileError, -7: LimitError,
             -8: OutOfMemoryError, -9: Cancelled}
