# SPDX-License-Identifier: BSD-2-Clause
"""The frameworks whose arrays can be on a GPU, and what the package needs of each: CuPy, PyTorch, JAX."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from . import _core

LEGACY = 1  # DLPack's number of CUDA's default stream, which the library calls 0


class Layout(NamedTuple):
    """Where the elements of an array are, and what keeps them there."""

    address: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    owner: object


Work = Callable[[_core.Map, int], None]  # fills a map on a stream


# What calls use that return before their work is done, and how to ask whether it is.
_busy: list[tuple[Callable[[], bool], Sequence[object]]] = []
_busy_lock = threading.Lock()


def hold(is_done: Callable[[], bool], things: Sequence[object]) -> None:
    """Keep things until the work that uses them is done, or a little longer."""
    with _busy_lock:
        _busy[:] = [entry for entry in [*_busy, (is_done, things)] if not entry[0]()]


def map_for(layout: Layout, shape: tuple[int, int]) -> _core.Map:
    """Return a view of an array that receives a result."""
    if layout.dtype != np.float32 or layout.shape != shape or not has_rows(layout):
        raise ValueError(
            f"out must be float32 of shape {shape} with contiguous rows, not {layout.dtype} of shape {layout.shape}"
        )
    view = _core.Map()
    view.set_device(layout.address, shape[1], shape[0], layout.strides[0], layout.owner)
    return view


def has_rows(layout: Layout) -> bool:
    """Return whether the samples of a row are adjacent, so that the library can read them as they are."""
    shape, strides, size = layout.shape, layout.strides, layout.dtype.itemsize
    pixel = size * (shape[2] if len(shape) == 3 else 1)
    packed = (len(shape) == 2 or strides[2] == size) and strides[1] == pixel
    return packed and strides[0] >= shape[1] * pixel and strides[0] % size == 0


def _packed_strides(shape: Sequence[int], size: int) -> tuple[int, ...]:
    return tuple(int(np.prod(shape[i + 1 :], dtype=np.int64)) * size for i in range(len(shape)))


class _Streamed:
    """A framework with a current stream, whose arrays have `__cuda_array_interface__`."""

    def layout(self, array: Any) -> Layout:
        interface = array.__cuda_array_interface__
        dtype, shape = np.dtype(interface["typestr"]), tuple(interface["shape"])
        strides = interface.get("strides") or _packed_strides(shape, dtype.itemsize)
        return Layout(int(interface["data"][0]), dtype, shape, tuple(strides), array)

    def run(self, arrays: Sequence[Any], shape: tuple[int, int], out: Any, work: Work, held: Sequence[object]) -> Any:
        """Fill a map on the caller's stream; arrays[0] is the image. held: what the work needs and nobody else keeps."""
        result = self.empty(arrays[0], shape) if out is None else out
        work(map_for(self.layout(result), shape), self.stream(arrays[0]))
        if held:
            hold(self.mark(arrays[0]), held)
        return result

    def stream(self, array: Any) -> int:
        raise NotImplementedError

    def mark(self, array: Any) -> Callable[[], bool]:
        """Return a function that tells whether the work that is now in the stream is done."""
        raise NotImplementedError

    def empty(self, array: Any, shape: tuple[int, int]) -> Any:
        raise NotImplementedError


class Cupy(_Streamed):
    def __init__(self) -> None:
        self._cupy = importlib.import_module("cupy")

    def own(self, array: Any) -> Any:
        return array

    def stream(self, array: Any) -> int:
        with array.device:
            return int(self._cupy.cuda.get_current_stream().ptr)

    def mark(self, array: Any) -> Callable[[], bool]:
        with array.device:
            event = self._cupy.cuda.Event(disable_timing=True)
            event.record()
        return lambda: bool(event.done)

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


class Torch(_Streamed):
    def __init__(self) -> None:
        self._torch = importlib.import_module("torch")

    def own(self, array: Any) -> Any:
        return array.detach()

    def stream(self, array: Any) -> int:
        return int(self._torch.cuda.current_stream(array.device).cuda_stream)

    def mark(self, array: Any) -> Callable[[], bool]:
        event = self._torch.cuda.Event()
        event.record(self._torch.cuda.current_stream(array.device))
        return lambda: bool(event.query())

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


class _Result:
    """A map that JAX takes by DLPack: it is filled on the stream that JAX then names."""

    def __init__(self, device: tuple[int, int], fill: Callable[[int], object]) -> None:
        self._device, self._fill = device, fill

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._device

    def __dlpack__(self, *, stream: int | None = None, **_: Any) -> object:
        return self._fill(LEGACY if stream is None else stream)


class Jax:
    """JAX has no current stream. DLPack's protocol orders the work: JAX makes a stream wait until an array is
    ready, and takes an array on a stream as ready when the work that is now in the stream is done."""

    def __init__(self) -> None:
        self._jax = importlib.import_module("jax")
        self._numpy = importlib.import_module("jax.numpy")
        self._dlpack = importlib.import_module("jax.dlpack")
        self._empty: dict[Any, Callable[[tuple[int, int]], Any]] = {}

    def own(self, array: Any) -> Any:
        return array

    def layout(self, array: Any, stream: int = LEGACY) -> Layout:
        """Return the layout of an array that is ready for what follows in the stream."""
        tensor = _core.Tensor(array.__dlpack__(stream=stream))
        dtype = np.dtype(array.dtype)
        strides = tuple(n * dtype.itemsize for n in tensor.strides)
        return Layout(tensor.address, dtype, tuple(array.shape), strides, tensor)

    def run(self, arrays: Sequence[Any], shape: tuple[int, int], out: Any, work: Work, held: Sequence[object]) -> Any:
        """Fill a map on the stream on which JAX takes it. arrays: the image, and its mask if it has one."""
        if out is not None:
            raise TypeError("out cannot be an array of JAX, which does not change; use the result")
        result = self._empty_on(arrays[0].device)(shape)
        inputs: list[object] = []

        def fill(stream: int) -> object:
            inputs.extend(self.layout(array, stream) for array in arrays)
            work(map_for(self.layout(result, stream), shape), _library_stream(stream))
            return result.__dlpack__(stream=stream)

        filled = self._dlpack.from_dlpack(_Result(arrays[0].__dlpack_device__(), fill))
        hold(filled.is_ready, [filled, inputs, *held])
        return filled

    def _empty_on(self, device: Any) -> Callable[[tuple[int, int]], Any]:
        """Return a compiled function, which needs no copy from the host, unlike jax.numpy.empty."""
        if device not in self._empty:
            place = self._jax.sharding.SingleDeviceSharding(device)
            make = lambda shape: self._numpy.empty(shape, np.float32)  # noqa: E731
            self._empty[device] = self._jax.jit(make, static_argnums=0, out_shardings=place)
        return self._empty[device]

    def stream(self, array: Any) -> int:
        """Return the stream for which `layout` has made the array ready."""
        return _library_stream(LEGACY)

    def synchronize(self, array: Any) -> None:
        array.block_until_ready()

    def packed(self, array: Any) -> Any:
        return self._numpy.array(array, copy=True)

    def upload(self, array: Any, host: Any) -> Any:
        return self._jax.device_put(host, array.device)

    def move_axis_last(self, array: Any, axis: int) -> Any:
        return self._numpy.moveaxis(array, axis, -1)

    def to_host(self, array: Any) -> Any:
        return np.asarray(array)


def _library_stream(stream: int) -> int:
    return 0 if stream == LEGACY else stream


_KINDS: dict[str, Callable[[], Any]] = {"cupy": Cupy, "torch": Torch, "jax": Jax, "jaxlib": Jax}
_loaded: dict[str, Any] = {}


def framework_of(array: Any) -> Any:
    """Return the framework of an array on a GPU."""
    name = type(array).__module__.split(".")[0]
    if name not in _KINDS:
        raise TypeError(f"arrays of {type(array).__module__} on a GPU are not supported; CuPy, PyTorch and JAX are")
    if name not in _loaded:
        _loaded[name] = _KINDS[name]()
    return _loaded[name]
