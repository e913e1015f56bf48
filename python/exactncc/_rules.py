# SPDX-License-Identifier: BSD-2-Clause
"""Rules of matching and searching, made once per combination of values."""

from __future__ import annotations

from functools import lru_cache

from . import _core


@lru_cache(256)
def rule(method: str, mode: str, border: str, flat: str, min_valid: float) -> _core.Rule:
    return _core.Rule(method, mode, border, flat, min_valid)


@lru_cache(256)
def peaks(top: int | None, min_score: float, max_score: float, min_distance: int | None) -> _core.Peaks:
    return _core.Peaks(top, min_score, max_score, min_distance)


@lru_cache(256)
def suppress_rule(distance: float | None, overlap: float | None, top: int | None) -> _core.Suppress | None:
    if distance is not None and overlap is not None:
        raise ValueError("give either distance or overlap, not both")
    if distance is not None:
        return _core.Suppress(False, distance, top)
    if overlap is not None:
        return _core.Suppress(True, overlap, top)
    return None
