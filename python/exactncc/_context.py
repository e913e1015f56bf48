# SPDX-License-Identifier: BSD-2-Clause
"""Contexts and devices."""

from __future__ import annotations

import operator
import os
import re
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

from . import _core

_DEVICES = {"auto": 0, "cpu": 1, "cuda": 2}
_INDEX = re.compile("[0-9]{1,4}")


def _numbers_of(device: str | Sequence[int]) -> list[int] | None:
    """Return the numbers of the CUDA devices that a list or 'cuda:0,2' names; None: it names none."""
    if not isinstance(device, str):
        return [operator.index(number) for number in device]
    if not device.startswith("cuda:"):
        return None
    words = device[len("cuda:") :].split(",")
    return [int(word) for word in words] if all(map(_INDEX.fullmatch, words)) else None


class Context:
    """The engines of a device and their threads.

    Functions that are not given a context use one that they share, made by ``Context()`` on first
    use. Several threads may use a context at once.

    Parameters
    ----------
    device : str or sequence of int
        The engines to use. 'auto': the CPU, and the CUDA device if it is usable. 'cpu', 'cuda': only
        that. 'cuda:1': the CUDA device with this number. 'cuda:0,2' or ``[0, 2]``: several CUDA
        devices that share calls. 'cuda:all': every usable CUDA device.
    cuda_index : int
        The number of the CUDA device, from 0, if `device` has none.
    threads : int
        CPU threads, up to 1024. 0: one per processor that the process may use.
    device_memory : int
        The most device memory of one plan, in bytes, on each device. 0: a quarter of what is free.
    strict : bool
        Whether a call fails if one of several devices does. Otherwise the others do its work, the
        context does not use it again, and `warning` says so.

    Raises
    ------
    DeviceError
        `device` asks for CUDA and there is no usable device, or not every one that is named.
    ArgumentError
        A value is out of range.

    Notes
    -----
    Several devices share a call with arrays in host memory if that is expected to be faster: they
    divide the rows of a map, the templates of `find_batch`, or the images of `Plan.find_images`. The
    results have the same bits for any number of devices. An array on a GPU stays there, and that
    device does the whole call; of several images each device searches those that it holds.

    A child of ``os.fork()`` cannot use the contexts of its parent. The shared context is made anew
    in the child, and so are templates that were made with it.

    Examples
    --------
    >>> exactncc.Context("cpu", threads=1)
    Context(device='cpu', threads=1)
    """

    __slots__ = ("__weakref__", "_core", "_text")

    def __init__(
        self,
        device: str | Sequence[int] = "auto",
        *,
        cuda_index: int = 0,
        threads: int = 0,
        device_memory: int = 0,
        strict: bool = False,
    ) -> None:
        every = device == "cuda:all"
        numbers = _numbers_of(device)
        if not (every or numbers or (isinstance(device, str) and device in _DEVICES)):
            raise ValueError(
                f"device {device!r} is not known; the names are {', '.join(_DEVICES)}, cuda:N, "
                "cuda:N,N,... and cuda:all, or give the numbers of CUDA devices"
            )
        kind = "cuda" if every or numbers else str(device)
        self._core = _core.Context(
            _DEVICES[kind], cuda_index, threads, device_memory, numbers or [], every, strict
        )
        values = {"cuda_index": cuda_index, "threads": threads, "device_memory": device_memory, "strict": strict}
        given = "".join(f", {name}={value}" for name, value in values.items() if value)
        self._text = f"Context(device={device!r}{given})"

    def cancel(self) -> None:
        """Cancel the calls that are running with this context in other threads.

        Each of them soon raises `CancelledError`, unless it is done before it notices. Calls that
        begin later are not affected.
        """
        self._core.cancel()

    @property
    def progress(self) -> float:
        """How much of the running calls is done, 0 to 1; 1 if none is running."""
        return self._core.progress

    @property
    def warning(self) -> str:
        """Which of several devices the context has stopped using, and why; '' if none."""
        return self._core.warning

    def __repr__(self) -> str:
        return self._text

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Context belongs to its process and cannot be pickled")


_defaults: dict[int, Context] = {}
_lock = threading.Lock()


def default_context(cuda_index: int = 0) -> Context:
    """Return the context of functions that are not given one.

    Parameters
    ----------
    cuda_index : int
        The CUDA device. Arrays on another device than 0 have a context of their own.

    Returns
    -------
    Context
        Made on first use by ``Context(cuda_index=cuda_index)``.
    """
    context = _defaults.get(cuda_index)
    if context is None:
        with _lock:
            context = _defaults.get(cuda_index)
            if context is None:
                context = _defaults[cuda_index] = Context(cuda_index=cuda_index)
    return context


def _after_fork() -> None:
    global _lock
    _core.forked()
    _defaults.clear()
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def devices() -> list[dict[str, Any]]:
    """Describe the devices: the CPU, and every CUDA device.

    Returns
    -------
    list of dict
        One entry per device with the keys ``device`` ('cpu' or 'cuda'), ``index``, ``usable``,
        ``name``, ``text`` (the CPU's instruction sets, or why a device is not usable),
        ``processors``, ``memory`` (bytes) and ``compute_capability``. Without a CUDA device, an
        entry that is not usable says why.

    Examples
    --------
    >>> exactncc.devices()[0]["device"]
    'cpu'
    """
    return _core.devices()


def kernels() -> list[dict[str, Any]]:
    """List the kernels that can be forced by name with the argument `kernel`.

    Returns
    -------
    list of dict
        One entry per kernel with the keys ``name``, ``engine`` ('cpu' or 'cuda'), ``matches`` and
        ``convolves`` (what it can do). Not every build and machine can run all of them.
    """
    return _core.kernels()
