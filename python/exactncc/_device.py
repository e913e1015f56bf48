# SPDX-License-Identifier: BSD-2-Clause
"""Calls with arrays on a GPU.

Work is put on the caller's current stream. Images and maps are not copied through the host, and calls whose
result is an array do not wait for their work.
"""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar, cast

import numpy as np

from . import _arrays, _core
from ._context import Context
from ._frameworks import framework_of, has_rows, hold

_CUDA, _MANAGED = 2, 13  # DLPack's numbers of devices
_HOST_TYPES = (np.ndarray, np.generic, list, tuple, int, float)


def is_device(array: Any) -> bool:
    """Return whether an array is in the memory of a GPU."""
    if array is None or isinstance(array, _HOST_TYPES):
        return False
    # JAX may wait where it is asked for __cuda_array_interface__.
    where = getattr(array, "__dlpack_device__", None)
    if where is not None:
        return where()[0] in (_CUDA, _MANAGED)
    return hasattr(array, "__cuda_array_interface__")


def index_of(array: Any) -> int:
    """Return the number of the CUDA device that an array is on."""
    where = getattr(array, "__dlpack_device__", None)
    return 0 if where is None else int(where()[1])


def to_host(array: Any) -> Any:
    """Return a copy of an array in host memory."""
    return framework_of(array).to_host(array)


class Source:
    """What a view of an image on a GPU keeps: the arrays of the image and of its mask."""

    __slots__ = ("arrays", "framework", "owners")

    def __init__(self, framework: Any, arrays: list[Any], owners: list[object]) -> None:
        self.framework, self.arrays, self.owners = framework, arrays, owners

    def stream(self) -> int:
        return int(self.framework.stream(self.arrays[0]))


def source_of(view: _core.Image) -> Source:
    return cast(Source, view.owner)


def image_view(
    array: Any, mask: Any, no_data: float | None, channel_axis: int | None, dtype: np.dtype[Any] | None
) -> _core.Image:
    """Return a view of an array on a GPU. Its type must be that of the template, or bool for uint8."""
    framework = framework_of(array)
    mine = framework.own(array)
    axes = 2 if channel_axis is None else 3
    if len(mine.shape) != axes:
        raise ValueError(f"the image has {len(mine.shape)} dimensions; with channel_axis={channel_axis} it needs {axes}")
    if channel_axis is not None:
        mine = framework.move_axis_last(mine, channel_axis)
    layout = framework.layout(mine)
    if not has_rows(layout):
        mine = framework.packed(mine)
        layout = framework.layout(mine)
    shape = layout.shape
    found = np.dtype(np.uint8) if layout.dtype == np.bool_ else layout.dtype
    if found not in _arrays.PIXELS or (dtype is not None and found != dtype):
        wanted = "of a type that the library has" if dtype is None else f"{dtype}, like its template"
        raise TypeError(f"the image on the GPU has dtype {found} and must be {wanted}; convert it there first")
    source = Source(framework, [mine], [layout.owner])
    mask_address, mask_pitch = 0, 0
    if mask is not None:
        mask_address, mask_pitch = _add_mask(source, mask, shape)
    view = _core.Image()
    sides = (shape[0], shape[1], shape[2] if axes == 3 else 1)
    pixel = _arrays.PIXELS.index(found)
    view.set_device(layout.address, pixel, sides, layout.strides[0], mask_address, mask_pitch, no_data, source)
    return view


def _add_mask(source: Source, mask: Any, shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the address and the pitch of a mask on the GPU."""
    framework = source.framework
    if is_device(mask):
        mine = framework.own(mask)
    else:
        mine = framework.upload(source.arrays[0], _arrays.mask_of(mask, None, "image", shape))
    layout = framework.layout(mine)
    if layout.dtype not in (np.bool_, np.uint8) or layout.shape != shape[:2]:
        raise ValueError(f"the mask must be bool or uint8 of shape {shape[:2]}, not {layout.dtype} of {layout.shape}")
    if not has_rows(layout):
        mine = framework.packed(mine)
        layout = framework.layout(mine)
    source.arrays.append(mine)
    source.owners.append(layout.owner)
    return layout.address, layout.strides[0]


_T = TypeVar("_T")


class Recent:
    """What recent calls made and later ones may use again: making it allocates device memory, which can wait."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._made: OrderedDict[tuple[Any, ...], Any] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[Any, ...], make: Callable[[], _T]) -> _T:
        with self._lock:
            if key not in self._made:
                self._made[key] = make()
                while len(self._made) > self._most:
                    self._made.popitem(last=False)
            self._made.move_to_end(key)
            return cast(_T, self._made[key])

    def clear(self) -> None:
        with self._lock:
            self._made.clear()

    def __len__(self) -> int:
        return len(self._made)


_plans = Recent(8)
_patterns = Recent(32)  # templates and filters that were given as arrays


def forget_plans() -> None:
    """Free what calls with arrays on a GPU keep for later calls, and with it its device memory.

    Kept are the plans of 8 problems, 32 templates and filters that were given as arrays, and what work that is
    not done yet still needs. The latter stays until a later call.
    """
    _plans.clear()
    _patterns.clear()
    hold(lambda: True, ())


def pattern(array: Any, mask: Any, rest: tuple[Any, ...], make: Callable[[], _T]) -> _T:
    """Make a template or a filter, or return that of an earlier call with the same values."""
    if type(array) is not np.ndarray or (mask is not None and type(mask) is not np.ndarray):
        return make()
    values = tuple((a.dtype.str, a.shape, a.tobytes()) for a in (array, mask) if a is not None)
    return _patterns.get((values, rest), make)


def _match_plan(
    context: Context, view: _core.Image, templ: _core.Template, rule: _core.Rule, kernel: str | None
) -> _core.Plan:
    key = (context._core, view.shape, view.masked, templ.shape, templ.pixel, templ.masked, rule, kernel)
    return _plans.get(key, lambda: _core.match_plan(context._core, view, templ, rule, kernel, True, 1))


def correlate(
    view: _core.Image,
    keep: bool,
    templ: _core.Template,
    rule: _core.Rule,
    kernel: str | None,
    out: Any,
    context: Context,
    progress: Any,
) -> Any:
    """Correlate on the caller's stream. keep: the caller keeps the template until the work is done."""
    plan = _match_plan(context, view, templ, rule, kernel)
    return plan_correlate(plan, view, keep, templ, _core.measure(rule, view, templ), out, progress)


def plan_correlate(
    plan: _core.Plan,
    view: _core.Image,
    keep: bool,
    templ: _core.Template,
    shape: tuple[int, int],
    out: Any,
    progress: Any,
) -> Any:
    def work(target: _core.Map, stream: int) -> None:
        plan.correlate(view, templ, target, stream, progress)

    return _run(view, shape, out, work, [] if keep else [templ])


def _run(view: _core.Image, shape: tuple[int, int], out: Any, work: Any, held: Sequence[object]) -> Any:
    if out is not None and not is_device(out):
        raise TypeError("out must be on the GPU, like the image")
    source = source_of(view)
    return source.framework.run(source.arrays, shape, out, work, held)


def find(
    view: _core.Image,
    templ: _core.Template,
    rule: _core.Rule,
    peaks: _core.Peaks,
    kernel: str | None,
    context: Context,
    progress: Any,
) -> bytearray:
    """Find on the caller's stream, and wait, because the matches are in host memory."""
    plan = _match_plan(context, view, templ, rule, kernel)
    return plan.find(view, templ, peaks, source_of(view).stream(), progress)


def find_batch(
    view: _core.Image,
    keep: bool,
    templs: list[_core.Template],
    rule: _core.Rule,
    peaks: _core.Peaks,
    suppress: _core.Suppress | None,
    kernel: str | None,
    context: Context,
    progress: Any,
) -> bytearray:
    """Find several templates on the caller's stream. keep: the caller keeps the templates, so a later call may use
    the same plans."""

    def make() -> _core.Batch:
        return _core.Batch(context._core, view, templs, rule, peaks, suppress, kernel)

    key = (context._core, view.shape, view.masked, *templs, rule, peaks, suppress, kernel)
    batch = _plans.get(key, make) if keep else make()
    return batch.find(view, source_of(view).stream(), progress)


def convolve(
    view: _core.Image,
    coefs: _core.Filter,
    is_zero: bool,
    kernel: str | None,
    out: Any,
    context: Context,
    progress: Any,
) -> Any:
    """Convolve on the caller's stream."""
    key = (context._core, view.shape, view.pixel, coefs.shape, is_zero, kernel)
    plan = _plans.get(key, lambda: _core.convolve_plan(context._core, view, coefs, is_zero, kernel, True))

    def work(target: _core.Map, stream: int) -> None:
        plan.convolve(view, coefs, target, stream, progress)

    return _run(view, (view.shape[0], view.shape[1]), out, work, [coefs])


def stream_of(view: _core.Image) -> int:
    """Return the stream for work on an image; 0 for one in host memory."""
    return source_of(view).stream() if view.on_device else 0


@contextlib.contextmanager
def ordered(view: _core.Image) -> Iterator[None]:
    """Waits for the caller's stream before a call that takes no stream."""
    if view.on_device:
        source = source_of(view)
        source.framework.synchronize(source.arrays[0])
    yield
