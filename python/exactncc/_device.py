# SPDX-License-Identifier: BSD-2-Clause
"""Arrays on a GPU: CuPy, PyTorch, and others through one of them.

Work is put on the caller's current stream. Nothing is copied through the host, and calls with a
prepared `Template` whose result is an array do not wait.
"""

from __future__ import annotations

import contextlib
import importlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import _arrays, _core
from ._context import Context

_CUDA, _MANAGED = 2, 13  # DLPack's numbers of devices
_HOST_TYPES = (np.ndarray, np.generic, list, tuple, int, float)


def is_device(array: Any) -> bool:
    """Return whether an array is in the memory of a GPU."""
    if array is None or isinstance(array, _HOST_TYPES):
        return False
    if hasattr(array, "__cuda_array_interface__"):
        return True
    where = getattr(array, "__dlpack_device__", None)
    return where is not None and where()[0] in (_CUDA, _MANAGED)


def index_of(array: Any) -> int:
    """Return the number of the CUDA device that an array is on."""
    where = getattr(array, "__dlpack_device__", None)
    return 0 if where is None else int(where()[1])


class _Cupy:
    """What the binding needs of CuPy."""

    def __init__(self) -> None:
        self._cupy = importlib.import_module("cupy")

    def stream(self, array: Any) -> int:
        with array.device:
            return int(self._cupy.cuda.get_current_stream().ptr)

    def synchronize(self, array: Any) -> None:
        with array.device:
            self._cupy.cuda.get_current_stream().synchronize()

    def empty(self, array: Any, shape: tuple[int, int]) -> Any:
        with array.device:
            return self._cupy.empty(shape, np.float32)

    def packed(self, array: Any) -> Any:
        return self._cupy.ascontiguousarray(array)

    def upload(self, array: Any, host: Any) -> Any:
        with array.device:
            return self._cupy.asarray(host)

    def move_axis_last(self, array: Any, axis: int) -> Any:
        return self._cupy.moveaxis(array, axis, -1)

    def to_host(self, array: Any) -> Any:
        return array.get()

    def take(self, array: Any) -> Any:
        """Take an array of another framework, ordered by DLPack's protocol."""
        return self._cupy.from_dlpack(array)


class _Torch:
    """What the binding needs of PyTorch."""

    def __init__(self) -> None:
        self._torch = importlib.import_module("torch")

    def stream(self, array: Any) -> int:
        return int(self._torch.cuda.current_stream(array.device).cuda_stream)

    def synchronize(self, array: Any) -> None:
        self._torch.cuda.current_stream(array.device).synchronize()

    def empty(self, array: Any, shape: tuple[int, int]) -> Any:
        return self._torch.empty(shape, dtype=self._torch.float32, device=array.device)

    def packed(self, array: Any) -> Any:
        return array.contiguous()

    def upload(self, array: Any, host: Any) -> Any:
        return self._torch.as_tensor(host, device=array.device)

    def move_axis_last(self, array: Any, axis: int) -> Any:
        return self._torch.movedim(array, axis, -1)

    def to_host(self, array: Any) -> Any:
        return array.detach().cpu().numpy()

    def take(self, array: Any) -> Any:
        return self._torch.from_dlpack(array)


_FRAMEWORKS: dict[str, Callable[[], Any]] = {"cupy": _Cupy, "torch": _Torch}
_loaded: dict[str, Any] = {}


def _framework(name: str) -> Any:
    if name not in _loaded:
        _loaded[name] = _FRAMEWORKS[name]()
    return _loaded[name]


def _owner(array: Any) -> str:
    return type(array).__module__.split(".")[0]


def _open(array: Any) -> tuple[Any, Any, Callable[[Any], Any]]:
    """Return a framework, the array in it, and what gives a result back to the caller's framework."""
    name = _owner(array)
    if name in _FRAMEWORKS:
        return _framework(name), array.detach() if name == "torch" else array, lambda result: result
    if name not in ("jax", "jaxlib"):
        raise TypeError(f"arrays of {type(array).__module__} on a GPU are not supported; CuPy, PyTorch and JAX are")
    for helper in _FRAMEWORKS:
        with contextlib.suppress(ImportError):
            framework = _framework(helper)
            back = importlib.import_module("jax.dlpack").from_dlpack
            return framework, framework.take(array), back
    raise TypeError("arrays of JAX on a GPU need CuPy or PyTorch, which exchange them without a copy (DLPack)")


def to_host(array: Any) -> Any:
    """Return a copy of an array in host memory."""
    framework, mine, _ = _open(array)
    return framework.to_host(mine)


def _layout(array: Any) -> tuple[int, np.dtype[Any], tuple[int, ...], tuple[int, ...]]:
    """Return the address, the type, the shape and the strides of an array."""
    interface = array.__cuda_array_interface__
    dtype = np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    strides = interface.get("strides")
    if strides is None:
        strides = tuple(int(np.prod(shape[i + 1 :], dtype=np.int64)) * dtype.itemsize for i in range(len(shape)))
    return int(interface["data"][0]), dtype, shape, tuple(strides)


def _has_rows(array: Any) -> bool:
    _, dtype, shape, strides = _layout(array)
    pixel = dtype.itemsize * (shape[2] if len(shape) == 3 else 1)
    packed = (len(shape) == 2 or strides[2] == dtype.itemsize) and strides[1] == pixel
    return packed and strides[0] >= shape[1] * pixel and strides[0] % dtype.itemsize == 0


def image_view(
    array: Any, mask: Any, no_data: float | None, channel_axis: int | None, dtype: np.dtype[Any] | None
) -> _core.Image:
    """Return a view of an array on a GPU. Its type must be that of the template, or bool for uint8."""
    framework, mine, _ = _open(array)
    axes = 2 if channel_axis is None else 3
    if len(mine.shape) != axes:
        raise ValueError(f"the image has {len(mine.shape)} dimensions; with channel_axis={channel_axis} it needs {axes}")
    if channel_axis is not None:
        mine = framework.move_axis_last(mine, channel_axis)
    if not _has_rows(mine):
        mine = framework.packed(mine)
    address, found, shape, strides = _layout(mine)
    found = np.dtype(np.uint8) if found == np.bool_ else found
    if found not in _arrays.PIXELS or (dtype is not None and found != dtype):
        wanted = "of a type that the library has" if dtype is None else f"{dtype}, like its template"
        raise TypeError(f"the image on the GPU has dtype {found} and must be {wanted}; convert it there first")
    mask_address, mask_pitch, owners = 0, 0, [mine]
    if mask is not None:
        on_gpu = mask if is_device(mask) else framework.upload(mine, _arrays.mask_of(mask, None, "image", shape))
        on_gpu = on_gpu if _has_rows(on_gpu) else framework.packed(on_gpu)
        mask_address, mask_type, mask_shape, mask_strides = _layout(on_gpu)
        if mask_type not in (np.bool_, np.uint8) or mask_shape != shape[:2]:
            raise ValueError(f"the mask must be bool or uint8 of shape {shape[:2]}, not {mask_type} of {mask_shape}")
        mask_pitch = mask_strides[0]
        owners.append(on_gpu)
    view = _core.Image()
    channels = shape[2] if axes == 3 else 1
    pixel = _arrays.PIXELS.index(found)
    sides = (shape[0], shape[1], channels)
    view.set_device(address, pixel, sides, strides[0], mask_address, mask_pitch, no_data, owners)
    return view


def _map_for(framework: Any, array: Any, out: Any, shape: tuple[int, int]) -> tuple[Any, _core.Map]:
    result = framework.empty(array, shape) if out is None else out
    if out is not None and not is_device(out):
        raise TypeError("out must be on the GPU, like the image")
    address, dtype, found, strides = _layout(result)
    if dtype != np.float32 or found != shape or not _has_rows(result):
        raise ValueError(f"out must be float32 of shape {shape} with contiguous rows, not {dtype} of shape {found}")
    view = _core.Map()
    view.set_device(address, shape[1], shape[0], strides[0], result)
    return result, view


# Plans of recent calls: making one allocates device memory, which waits.
_plans: OrderedDict[tuple[Any, ...], _core.Plan] = OrderedDict()
_plans_lock = threading.Lock()
_MOST_PLANS = 8


def _plan(key: tuple[Any, ...], make: Callable[[], _core.Plan]) -> _core.Plan:
    with _plans_lock:
        plan = _plans.get(key)
        if plan is None:
            plan = _plans[key] = make()
            while len(_plans) > _MOST_PLANS:
                _plans.popitem(last=False)
        _plans.move_to_end(key)
        return plan


def forget_plans() -> None:
    """Free the plans that are kept for later calls, and with them their device memory."""
    with _plans_lock:
        _plans.clear()


def _match_plan(
    context: Context, view: _core.Image, templ: _core.Template, rule: _core.Rule, kernel: str | None, on_device: bool
) -> _core.Plan:
    key = (context._core, view.shape, view.masked, templ.shape, templ.pixel, templ.masked, rule, kernel, on_device)
    return _plan(key, lambda: _core.match_plan(context._core, view, templ, rule, kernel, on_device))


def correlate(
    image: Any,
    view: _core.Image,
    keep: bool,
    templ: _core.Template,
    rule: _core.Rule,
    kernel: str | None,
    out: Any,
    context: Context,
    progress: Any,
) -> Any:
    """Correlate on the caller's stream. keep: the caller keeps the template, so there is no need to wait."""
    plan = _match_plan(context, view, templ, rule, kernel, True)
    return plan_correlate(plan, image, view, keep, templ, _core.measure(rule, view, templ), out, progress)


def plan_correlate(
    plan: _core.Plan,
    image: Any,
    view: _core.Image,
    keep: bool,
    templ: _core.Template,
    shape: tuple[int, int],
    out: Any,
    progress: Any,
) -> Any:
    framework, mine, back = _open(image)
    result, target = _map_for(framework, mine, out, shape)
    plan.correlate(view, templ, target, framework.stream(mine), progress)
    if not keep:
        framework.synchronize(mine)
    return result if out is not None else back(result)


def find(
    image: Any,
    view: _core.Image,
    templ: _core.Template,
    rule: _core.Rule,
    peaks: _core.Peaks,
    kernel: str | None,
    context: Context,
    progress: Any,
) -> bytearray:
    """Find on the caller's stream. The matches are in host memory."""
    framework, mine, _ = _open(image)
    plan = _match_plan(context, view, templ, rule, kernel, True)
    return plan.find(view, templ, peaks, framework.stream(mine), progress)


def convolve(
    image: Any,
    view: _core.Image,
    coefs: _core.Filter,
    is_zero: bool,
    kernel: str | None,
    out: Any,
    context: Context,
    progress: Any,
) -> Any:
    """Convolve on the caller's stream, and wait, because the filter is of this call."""
    framework, mine, back = _open(image)
    key = (context._core, view.shape, view.pixel, coefs.shape, is_zero, kernel)
    plan = _plan(key, lambda: _core.convolve_plan(context._core, view, coefs, is_zero, kernel, True))
    result, target = _map_for(framework, mine, out, view.shape[:2])
    plan.convolve(view, coefs, target, framework.stream(mine), progress)
    framework.synchronize(mine)
    return result if out is not None else back(result)


def stream_of(image: Any) -> int:
    """Return the current stream of an array's framework."""
    framework, mine, _ = _open(image)
    return int(framework.stream(mine))


@contextlib.contextmanager
def ordered(image: Any, view: _core.Image) -> Iterator[None]:
    """Waits for the caller's stream before a call that takes no stream."""
    if view.on_device:
        framework, mine, _ = _open(image)
        framework.synchronize(mine)
    yield
