# SPDX-License-Identifier: BSD-2-Clause
"""Arrays on a GPU, with stand-ins for CuPy, PyTorch and JAX and for the plan: what reaches the library.

gpu/test_gpu.py has the tests with real arrays."""

import contextlib
import sys
import types

import numpy as np
import pytest

import exactncc
from exactncc import _core, _device


class Array:
    """A NumPy array that says that it is on a GPU."""

    def __init__(self, array):
        self.array = array
        self.shape = array.shape

    @property
    def __cuda_array_interface__(self):
        return {**self.array.__array_interface__, "version": 3}

    def __dlpack_device__(self):
        return (2, 0)

    @property
    def device(self):
        return contextlib.nullcontext()

    def get(self):
        return self.array.copy()

    def detach(self):
        return self

    def contiguous(self):
        return type(self)(np.ascontiguousarray(self.array))


class Cupy(Array):
    pass


class Torch(Array):
    pass


class Jax:
    """Only DLPack, as of a framework that orders its streams by the protocol."""

    def __init__(self, array):
        self.array = array

    def __dlpack_device__(self):
        return (2, 0)


Cupy.__module__, Torch.__module__, Jax.__module__ = "cupy", "torch", "jaxlib._jax"


class Stream:
    ptr = cuda_stream = 4711
    waited = 0

    def synchronize(self):
        type(self).waited += 1


class Plan:
    """Records what the library would be called with."""

    made = []

    def __init__(self, *arguments):
        self.arguments = arguments
        self.calls = []
        Plan.made.append(self)

    def correlate(self, view, templ, target, stream, progress):
        self.calls.append((view, stream))

    convolve = correlate

    def find(self, view, templ, peaks, stream, progress):
        self.calls.append((view, stream))
        return bytearray(48)


@pytest.fixture(autouse=True)
def frameworks(monkeypatch):
    Stream.waited = 0
    Plan.made.clear()
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(get_current_stream=Stream)
    cupy.empty = lambda shape, dtype: Cupy(np.empty(shape, dtype))
    cupy.asarray = lambda a: Cupy(np.asarray(a))
    cupy.ascontiguousarray = lambda a: Cupy(np.ascontiguousarray(a.array))
    cupy.moveaxis = lambda a, axis, to: Cupy(np.moveaxis(a.array, axis, to))
    cupy.from_dlpack = lambda a: Cupy(a.array)
    torch = types.ModuleType("torch")
    torch.float32 = np.float32
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: Stream())
    torch.from_dlpack = lambda a: Torch(a.array)
    torch.empty = lambda shape, dtype, device: Torch(np.empty(shape, dtype))
    torch.as_tensor = lambda a, device: Torch(np.asarray(a))
    torch.movedim = lambda a, axis, to: Torch(np.moveaxis(a.array, axis, to))
    jax, dlpack = types.ModuleType("jax"), types.ModuleType("jax.dlpack")
    dlpack.from_dlpack = lambda a: Jax(a.array)
    for name, module in (("cupy", cupy), ("torch", torch), ("jax", jax), ("jax.dlpack", dlpack)):
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(_device, "_loaded", {})
    monkeypatch.setattr(_device, "_plans", type(_device._plans)())
    monkeypatch.setattr(_core, "match_plan", Plan)
    monkeypatch.setattr(_core, "convolve_plan", Plan)


KINDS = [Cupy, Torch, Jax]


@pytest.mark.parametrize("kind", KINDS)
def test_correlate_on_the_callers_stream(draw, kind):
    image = draw((30, 40))
    template = exactncc.Template(draw((5, 6)))
    result = exactncc.correlate(kind(image[:, 3:33]), template)
    assert type(result) is kind
    assert result.array.shape == (26, 25)
    assert result.array.dtype == np.float32
    (plan,) = Plan.made
    ((view, stream),) = plan.calls
    assert stream == 4711
    assert view.on_device
    assert view.data == image.ctypes.data + 3  # no copy
    assert view.pitch == 40
    assert view.shape == (30, 30, 1)
    assert Stream.waited == 0  # the caller keeps the template
    exactncc.correlate(kind(image[:, 3:33]), template)
    assert len(Plan.made) == 1  # plans are kept
    exactncc.correlate(kind(image[:, 3:33]), draw((5, 6)))
    assert Stream.waited == 1  # the template is of the call


@pytest.mark.parametrize("kind", KINDS)
def test_find_and_convolve(draw, kind):
    image = draw((30, 40))
    found = exactncc.find(kind(image), exactncc.Template(draw((5, 6))), top=2)
    assert isinstance(found, exactncc.Matches)
    assert len(found) == 2
    assert Plan.made[0].calls[0][1] == 4711
    smooth = exactncc.convolve(kind(image), np.ones((3, 3)))
    assert type(smooth) is kind
    assert smooth.array.shape == image.shape
    assert Plan.made[1].calls[0][1] == 4711


@pytest.mark.parametrize("kind", [Cupy, Torch])
def test_channels_masks_and_strides(draw, kind):
    image, mask = draw((3, 20, 30)), draw((20, 30), "bool")
    template = exactncc.Template(draw((3, 4, 5)), channel_axis=0)
    exactncc.correlate(kind(image), template, channel_axis=0, mask=mask)
    view = Plan.made[0].calls[0][0]
    assert view.shape == (20, 30, 3)
    assert view.masked
    last = np.ascontiguousarray(np.moveaxis(image, 0, -1))
    exactncc.correlate(kind(last), exactncc.Template(draw((4, 5, 3)), channel_axis=-1), channel_axis=-1, mask=kind(mask))
    assert Plan.made[0].calls[1][0].data == last.ctypes.data
    every_second = draw((20, 60))[:, ::2]
    exactncc.correlate(kind(every_second), exactncc.Template(draw((4, 5))))
    assert Plan.made[1].calls[0][0].data != every_second.ctypes.data
    assert Plan.made[1].calls[0][0].pitch == 30


@pytest.mark.parametrize("kind", [Cupy, Torch])
def test_out(draw, kind):
    image, template = kind(draw((20, 30))), exactncc.Template(draw((5, 6)))
    out = kind(np.empty((16, 25), np.float32))
    assert exactncc.correlate(image, template, out=out) is out
    for bad, error in (
        (np.empty((16, 25), np.float32), TypeError),
        (kind(np.empty((16, 24), np.float32)), ValueError),
        (kind(np.empty((16, 25))), ValueError),
        (kind(np.empty((25, 16), np.float32).T), ValueError),
    ):
        with pytest.raises(error, match="out must be"):
            exactncc.correlate(image, template, out=bad)


def test_refused(draw):
    template = exactncc.Template(draw((5, 6)))
    with pytest.raises(TypeError, match="has dtype int64 and must be uint8"):
        exactncc.correlate(Cupy(draw((20, 30)).astype(np.int64)), template)
    with pytest.raises(ValueError, match="dimensions"):
        exactncc.correlate(Cupy(draw((20, 30, 3))), template)
    with pytest.raises(ValueError, match="mask must be"):
        exactncc.correlate(Cupy(draw((20, 30))), template, mask=Cupy(np.ones((20, 30))))
    other = type("Other", (Array,), {"__module__": "numba.cuda"})
    with pytest.raises(TypeError, match=r"numba\.cuda on a GPU are not supported"):
        exactncc.correlate(other(draw((20, 30))), template)


def test_jax_needs_a_helper(draw, monkeypatch):
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert type(exactncc.correlate(Jax(draw((20, 30))), exactncc.Template(draw((5, 6))))) is Jax
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.setattr(_device, "_loaded", {})
    with pytest.raises(TypeError, match="need CuPy or PyTorch"):
        exactncc.correlate(Jax(draw((20, 30))), exactncc.Template(draw((5, 6))))


def test_a_template_from_a_gpu(draw):
    pixels = draw((5, 6))
    np.testing.assert_array_equal(exactncc.Template(Cupy(pixels)).pixels, pixels)


def test_few_plans_are_kept(draw):
    template = exactncc.Template(draw((5, 6)))
    for width in range(20, 32):
        exactncc.correlate(Cupy(draw((20, width))), template)
    assert len(Plan.made) == 12
    assert len(_device._plans) == 8
    _device.forget_plans()
    assert not _device._plans
    image = Cupy(draw((20, 30)))
    exactncc.correlate(image, template)
    exactncc.correlate(image, template, mask=draw((20, 30), "bool"))
    exactncc.correlate(image, template, method="ccorr")
    exactncc.correlate(image, exactncc.Template(draw((5, 7))))
    assert len(_device._plans) == 4  # a plan for each problem


def test_without_a_gpu_the_library_says_so(draw, monkeypatch):
    monkeypatch.undo()
    monkeypatch.setattr(exactncc._context, "_defaults", {0: exactncc.Context("cpu")})
    view = _core.Image()
    image = draw((20, 30))
    view.set_device(image.ctypes.data, 0, (20, 30, 1), 30, 0, 0, None, image)
    template = exactncc.Template(draw((5, 6)))
    rule = _core.Rule("ccoeff_normed", "valid", "clamp", "zero", 0.5)
    with pytest.raises(exactncc.Error, match="CUDA engine"):
        _core.match_plan(template.context._core, view, template._core, rule, None, True)
