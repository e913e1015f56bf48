# SPDX-License-Identifier: BSD-2-Clause
"""Exceptions. Their texts are those of the C library."""

from __future__ import annotations

__all__ = [
    "ArgumentError",
    "CancelledError",
    "DeviceError",
    "Error",
    "InternalError",
    "OutOfMemoryError",
    "UnsupportedError",
]


class Error(Exception):
    """A call of the library failed. The base of the other exceptions."""


class ArgumentError(Error, ValueError):
    """A value is out of range, or arguments do not fit together."""


class OutOfMemoryError(Error, MemoryError):
    """Host or device memory could not be allocated."""


class UnsupportedError(Error, NotImplementedError):
    """The request is legal, but this build, device or kernel cannot serve it."""


class DeviceError(Error, RuntimeError):
    """There is no usable device, or the device failed."""


class InternalError(Error, RuntimeError):
    """A defect of the library."""


class CancelledError(Error):
    """The call was cancelled with `Context.cancel`."""


BY_STATUS = {
    1: ArgumentError,
    2: OutOfMemoryError,
    3: UnsupportedError,
    4: DeviceError,
    5: InternalError,
    6: CancelledError,
}
for _class in (Error, *BY_STATUS.values()):
    _class.__module__ = "exactncc"
