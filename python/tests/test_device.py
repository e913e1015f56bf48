# SPDX-License-Identifier: BSD-2-Clause
"""Arrays on a GPU, with stand-ins for CuPy, PyTorch and JAX and for the plan: what reaches the library.

gpu/test_gpu.py has the tests with real arrays."""

import contextlib
import sys
import types

import numpy as np
import pytest

import exactncc
from exactncc import _core, _device, _frameworks
from exactncc._matches import POSE


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

    numpy = get

    def __array__(self, dtype=None, copy=None):
        raise TypeError("an array on a GPU becomes one of NumPy by its framework's own call")

    def cpu(self):
        return self

    def detach(self):
        return self

    def contiguous(self):
        return type(self)(np.ascontiguousarray(self.array))


class Cupy(Array):
    pass


class Torch(Array):
    pass


class Jax(Array):
    """Only DLPack, as of a framework that orders its streams by the protocol."""

    asked = []  # the streams for which an array was made ready

    @property
    def __cuda_array_interface__(self):
        raise AssertionError("JAX may wait where it is asked for this")

    dtype = property(lambda self: self.array.dtype)
    device = "gpu:0"

    def __array__(self, dtype=None, copy=None):
        return self.array.copy()

    def __dlpack__(self, *, stream):
        Jax.asked.append((self, stream))
        return self.array.__dlpack__()

    def block_until_ready(self):
        Stream.waited += 1

    def is_ready(self):
        return Stream.done


Cupy.__module__, Torch.__module__, Jax.__module__ = "cupy", "torch", "jaxlib._jax"


class Stream:
    ptr = cuda_stream = 4711
    waited = 0
    done = False  # whether the work of the stream is done

    def synchronize(self):
        type(self).waited += 1


class Event:
    """An event of CuPy or of PyTorch."""

    def __init__(self, disable_timing=True):
        pass

    def record(self, stream=None):
        pass

    def query(self):
        return Stream.done

    done = property(query)


JAX_TAKES = 815  # the stream on which JAX takes arrays


class Plan:
    """Records what the library would be called with."""

    made = []

    def __init__(self, *arguments):
        self.arguments = arguments
        self.calls = []
        self.asked = []  # what JAX had made ready before each call
        Plan.made.append(self)

    def correlate(self, view, templ, target, stream, progress):
        self.calls.append((view, stream))
        self.asked.append(list(Jax.asked))

    convolve = correlate

    def find(self, view, templ, peaks, stream, progress):
        self.correlate(view, templ, None, stream, progress)
        return bytearray(48)


class Batch(Plan):
    def find(self, view, stream, progress):
        self.correlate(view, None, None, stream, progress)
        return bytearray(24)


@pytest.fixture(autouse=True)
def frameworks(monkeypatch):
    Stream.waited, Stream.done = 0, False
    Plan.made.clear()
    Jax.asked.clear()
    cupy = types.ModuleType("cupy")
    cupy.cuda = types.SimpleNamespace(get_current_stream=Stream, Event=Event)
    cupy.empty = lambda shape, dtype: Cupy(np.empty(shape, dtype))
    cupy.asarray = lambda a: Cupy(np.asarray(a))
    cupy.ascontiguousarray = lambda a: Cupy(np.ascontiguousarray(a.array))
    cupy.moveaxis = lambda a, axis, to: Cupy(np.moveaxis(a.array, axis, to))
    torch = types.ModuleType("torch")
    torch.float32 = np.float32
    torch.cuda = types.SimpleNamespace(current_stream=lambda device: Stream(), Event=Event)
    torch.empty = lambda shape, dtype, device: Torch(np.empty(shape, dtype))
    torch.as_tensor = lambda a, device: Torch(np.asarray(a))
    torch.movedim = lambda a, axis, to: Torch(np.moveaxis(a.array, axis, to))
    jax, dlpack, jnp = (types.ModuleType(name) for name in ("jax", "jax.dlpack", "jax.numpy"))
    dlpack.from_dlpack = lambda a: Jax(np.from_dlpack(Taken(a.__dlpack__(stream=JAX_TAKES, max_version=(1, 0)))))
    jnp.empty = lambda shape, dtype: Jax(np.empty(shape, dtype))
    jax.sharding = types.SimpleNamespace(SingleDeviceSharding=str)
    jax.jit = lambda function, static_argnums, out_shardings: function
    jnp.moveaxis = lambda a, axis, to: Jax(np.ascontiguousarray(np.moveaxis(a.array, axis, to)))
    jax.device_put = lambda a, device: Jax(np.asarray(a))
    for module in (cupy, torch, jax, dlpack, jnp):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(_frameworks, "_loaded", {})
    monkeypatch.setattr(_frameworks, "_busy", [])
    monkeypatch.setattr(_device, "_plans", _device.Recent(8))
    monkeypatch.setattr(_device, "_patterns", _device.Recent(32))
    for name, kind in (("match_plan", Plan), ("convolve_plan", Plan), ("Batch", Batch)):
        monkeypatch.setattr(_core, name, kind)


class Taken:
    """A capsule as np.from_dlpack takes it."""

    def __init__(self, capsule):
        self.capsule = capsule

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, **_):
        return self.capsule


KINDS = [Cupy, Torch, Jax]
STREAM = {Cupy: 4711, Torch: 4711, Jax: JAX_TAKES}


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
    assert stream == STREAM[kind]
    assert view.on_device
    assert view.data == image.ctypes.data + 3  # no copy
    assert view.pitch == 40
    assert view.shape == (30, 30, 1)
    exactncc.correlate(kind(image[:, 3:33]), template)
    assert len(Plan.made) == 1  # plans are kept
    exactncc.correlate(kind(image[:, 3:33]), draw((5, 6)))
    assert Stream.waited == 0


def test_what_a_call_uses_is_kept_until_its_work_is_done(draw):
    image, template = Cupy(draw((30, 40))), exactncc.Template(draw((5, 6)))
    exactncc.correlate(image, template)
    assert not _frameworks._busy  # the caller keeps the template
    for count in (1, 2):
        exactncc.correlate(image, draw((5, 6)))
        assert len(_frameworks._busy) == count
    exactncc.convolve(image, np.ones((3, 3)))
    kinds = [type(thing) for _, (thing,) in _frameworks._busy]
    assert kinds == [_core.Template, _core.Template, _core.Filter]
    Stream.done = True
    exactncc.convolve(image, np.ones((3, 3)))
    assert not _frameworks._busy


def test_jax_is_ordered_by_dlpack(draw):
    image, mask = Jax(draw((30, 40))), Jax(draw((30, 40), "bool"))
    result = exactncc.correlate(image, exactncc.Template(draw((5, 6))), mask=mask)
    (asked,) = Plan.made[0].asked
    # First for their addresses; then, with the map, for the stream of the work.
    assert asked[:2] == [(image, 1), (mask, 1)]
    assert asked[2:4] == [(image, JAX_TAKES), (mask, JAX_TAKES)]
    assert [stream for _, stream in asked[4:]] == [JAX_TAKES]
    made = asked[4][0]
    assert Jax.asked[len(asked) :] == [(made, JAX_TAKES)]  # and what JAX takes then
    assert np.shares_memory(made.array, result.array)  # JAX's own memory, not a copy
    ((is_done, kept),) = _frameworks._busy
    assert kept[0] is result
    assert len(kept[1]) == 2
    assert not is_done()
    with pytest.raises(TypeError, match="does not change"):
        exactncc.correlate(image, exactncc.Template(draw((5, 6))), out=Jax(np.empty((26, 35), np.float32)))
    exactncc.find(image, exactncc.Template(draw((5, 6))))
    assert Plan.made[-1].calls[-1][1] == 0  # the default stream, which DLPack calls 1
    assert Stream.waited == 0


@pytest.mark.parametrize("kind", KINDS)
def test_find_and_convolve(draw, kind):
    image = draw((30, 40))
    found = exactncc.find(kind(image), exactncc.Template(draw((5, 6))), top=2)
    assert isinstance(found, exactncc.Matches)
    assert len(found) == 2
    assert Plan.made[0].calls[0][1] == (0 if kind is Jax else 4711)
    for _ in range(2):
        smooth = exactncc.convolve(kind(image), np.ones((3, 3)))
    assert type(smooth) is kind
    assert smooth.array.shape == image.shape
    assert len(Plan.made) == 2
    assert Plan.made[1].calls[0][1] == STREAM[kind]
    assert Stream.waited == 0


@pytest.mark.parametrize("kind", KINDS)
def test_batches_and_refinement_on_the_callers_stream(draw, kind, monkeypatch):
    image = kind(draw((30, 40)))
    parts = [exactncc.Template(draw((5, 6))), exactncc.Template(draw((4, 4)))]
    for _ in range(2):
        assert len(exactncc.find_batch(image, parts, overlap=0.5)) == 1
    (batch,) = Plan.made  # kept for templates that the caller keeps
    assert batch.calls[1][1] == (0 if kind is Jax else 4711)
    for _ in range(2):
        exactncc.find_batch(image, [draw((5, 6))])
    assert len(Plan.made) == 3
    asked = []

    def refine(context, view, templ, rule, candidates, stream, progress):
        asked.append((view.data, stream))
        return bytes(24)

    monkeypatch.setattr(_core, "refine", refine)
    exactncc.refine(image, parts[0], exactncc.find(np.eye(9, dtype=np.uint8), np.eye(3, dtype=np.uint8), top=1))
    assert asked == [(image.array.ctypes.data, 0 if kind is Jax else 4711)]
    assert Stream.waited == 0


@pytest.mark.parametrize("kind", KINDS)
def test_poses_wait_for_the_image(draw, kind, monkeypatch):
    monkeypatch.setattr(_core, "find_poses", lambda *_: bytes([Stream.waited]) * POSE.itemsize)
    found = exactncc.find_poses(kind(draw((30, 40))), draw((5, 6)))
    assert found.tobytes() == bytes([1]) * POSE.itemsize


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("on_gpu", [(True, True), (True, False), (False, True)])
def test_tracks_wait_for_both_images(draw, kind, on_gpu, monkeypatch):
    called = []

    def call(context, view1, view2, *_):
        called.append((view1, view2, Stream.waited))
        return b""

    monkeypatch.setattr(_core, "track", call)
    first, second = draw((20, 30)), draw((24, 36))
    given = [kind(a) if there else a for a, there in zip((first, second), on_gpu, strict=True)]
    masks = {"mask1": draw((20, 30), "bool"), "mask2": kind(draw((24, 36), "bool"))}
    assert len(exactncc.track(*given, chip=8, search=3, **masks)) == 0
    view1, view2, waited = called[0]
    assert (view1.on_device, view2.on_device) == on_gpu
    assert (view1.shape, view2.shape) == ((20, 30, 1), (24, 36, 1))
    assert view1.masked
    assert view2.masked
    assert waited == sum(on_gpu)


def test_tracked_images_have_one_type(draw):
    small = draw((20, 30))
    with pytest.raises(TypeError, match="has dtype uint16 and must be uint8"):
        exactncc.track(Cupy(small), Cupy(small.astype("uint16")))
    large = small.astype("uint16") + 300
    for first, second in ((Cupy(small), large), (large, Cupy(small))):
        with pytest.raises(ValueError, match="dtype uint8 does not hold"):
            exactncc.track(first, second)


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


def test_jax_needs_no_other_framework(draw, monkeypatch):
    for name in ("cupy", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    image, mask = Jax(draw((3, 20, 30))), draw((20, 30), "bool")
    template = exactncc.Template(draw((3, 4, 5)), channel_axis=0)
    assert type(exactncc.correlate(image, template, channel_axis=0, mask=mask)) is Jax
    view = Plan.made[0].calls[0][0]
    assert view.shape == (20, 30, 3)
    assert view.masked


def test_capsules_are_taken_once():
    capsule = np.arange(6.0).reshape(2, 3).__dlpack__()
    tensor = _core.Tensor(capsule)
    assert tensor.strides == (3, 1)
    for bad in (capsule, "no capsule"):
        with pytest.raises(exactncc.ArgumentError, match="DLPack capsule"):
            _core.Tensor(bad)


def test_a_template_from_a_gpu(draw):
    pixels = draw((5, 6))
    np.testing.assert_array_equal(exactncc.Template(Cupy(pixels)).pixels, pixels)


def test_templates_given_as_arrays_are_prepared_once(draw):
    image, pixels = Cupy(draw((20, 30))), draw((5, 6))
    counts = np.ones((5, 6), bool)
    for given in ({}, {"template_mask": counts}, {"no_data": 3}):
        for _ in range(2):
            exactncc.correlate(image, pixels, **given)
            exactncc.correlate(image, pixels.copy(), **given)
    assert len(_device._patterns) == 3
    used = {id(held[0]) for _, held in _frameworks._busy}
    assert len(used) == 3
    pixels[0, 0] ^= 1
    exactncc.correlate(image, pixels)
    assert len(_device._patterns) == 4
    exactncc.correlate(image, pixels.tolist())  # no array: prepared for this call alone
    assert len(_device._patterns) == 4


def test_few_plans_are_kept(draw):
    template = exactncc.Template(draw((5, 6)))
    for width in range(20, 32):
        exactncc.correlate(Cupy(draw((20, width))), template)
    assert len(Plan.made) == 12
    assert len(_device._plans) == 8
    exactncc.correlate(image := Cupy(draw((20, 30))), draw((5, 6)))
    exactncc.forget_plans()
    assert len(_device._plans) == len(_device._patterns) == 0
    assert len(_frameworks._busy) == 1
    Stream.done = True
    exactncc.forget_plans()
    assert not _frameworks._busy
    Stream.done = False
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
        _core.match_plan(template.context._core, view, template._core, rule, None, True, 1)
