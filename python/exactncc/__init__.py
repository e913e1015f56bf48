# SPDX-License-Identifier: BSD-2-Clause
"""Finds templates in images by exact normalized cross-correlation (NCC).

`find` returns the best matches of a template, `correlate` the score of every window. Scores are
exact, for integers and floats: exact sums, one formula, one rounding. Positions are top-left pixels
of windows, x to the right and y down, from 0.

Calls release the GIL. Several threads may call at once.
"""

from __future__ import annotations

from . import compat
from ._calls import convolve, correlate, find, find_batch, refine, suppress
from ._context import Context, default_context, devices, kernels
from ._core import version as _version
from ._device import forget_plans
from ._errors import (
    ArgumentError,
    CancelledError,
    DeviceError,
    Error,
    InternalError,
    OutOfMemoryError,
    UnsupportedError,
)
from ._matches import Matches
from ._plan import Plan
from ._poses import find_poses
from ._template import Template
from ._track import track
from .compat import match_template

__version__ = _version()

__all__ = [
    "ArgumentError",
    "CancelledError",
    "Context",
    "DeviceError",
    "Error",
    "InternalError",
    "Matches",
    "OutOfMemoryError",
    "Plan",
    "Template",
    "UnsupportedError",
    "compat",
    "convolve",
    "correlate",
    "default_context",
    "devices",
    "find",
    "find_batch",
    "find_poses",
    "forget_plans",
    "kernels",
    "match_template",
    "refine",
    "suppress",
    "track",
]

for _public in (Context, Matches, Plan, Template, convolve, correlate, default_context, devices, find, find_batch,
                find_poses, forget_plans, kernels, refine, suppress, track):  # fmt: skip
    _public.__module__ = "exactncc"
