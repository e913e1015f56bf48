# SPDX-License-Identifier: BSD-2-Clause
"""CuPy, PyTorch and JAX arrays on a real GPU. Run by scripts/python-gpu-test.sh."""

import numpy as np
import pytest

import exactncc

if not any(d["device"] == "cuda" and d["usable"] for d in exactncc.devices()):
    pytest.skip("no usable CUDA device", allow_module_level=True)

CPU = exactncc.Context("cpu")
rng = np.random.default_rng(5)
IMAGE = rng.integers(0, 256, (500, 700), dtype=np.uint8)
TEMPL = IMAGE[100:133, 200:247].copy()


class Cupy:
    def __init__(self):
        self.cupy = pytest.importorskip("cupy")

    def put(self, array):
        return self.cupy.asarray(array)

    def get(self, array):
        assert isinstance(array, self.cupy.ndarray)
        return array.get()

    def stream(self):
        return self.cupy.cuda.Stream(non_blocking=True)

    def used_bytes(self):
        return self.cupy.get_default_memory_pool().used_bytes()


class Torch:
    def __init__(self):
        self.torch = pytest.importorskip("torch")
        if not self.torch.cuda.is_available():
            pytest.skip("this PyTorch has no CUDA")

    def put(self, array):
        return self.torch.as_tensor(array, device="cuda")

    def get(self, array):
        assert isinstance(array, self.torch.Tensor)
        assert array.is_cuda
        return array.cpu().numpy()

    def stream(self):
        return self.torch.cuda.stream(self.torch.cuda.Stream())

    def used_bytes(self):
        return self.torch.cuda.memory_allocated()


class Jax:
    def __init__(self):
        self.jax = pytest.importorskip("jax")
        if self.jax.default_backend() != "gpu":
            pytest.skip("this JAX has no CUDA")
        try:
            import cupy  # noqa: F401
        except ImportError:
            pytest.importorskip("torch")

    def put(self, array):
        return self.jax.device_put(array)

    def get(self, array):
        assert isinstance(array, self.jax.Array)
        return np.asarray(array)


@pytest.fixture(params=[Cupy, Torch, Jax])
def framework(request):
    return request.param()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_round_trip(framework, dtype):
    image, templ = IMAGE.astype(dtype), TEMPL.astype(dtype)
    wanted = exactncc.correlate(image, templ, context=CPU)
    for given in (templ, exactncc.Template(templ), framework.put(templ)):
        got = framework.get(exactncc.correlate(framework.put(image), given))
        np.testing.assert_array_equal(got, wanted)
    found = exactncc.find(framework.put(image), templ)
    assert found.tolist() == exactncc.find(image, templ, context=CPU).tolist()
    batch = exactncc.find_batch(framework.put(image), [templ, templ[3:]], overlap=0.3)
    assert batch.tolist() == exactncc.find_batch(image, [templ, templ[3:]], overlap=0.3, context=CPU).tolist()
    if dtype != "int16":
        coefs = rng.random((5, 5))
        smooth = framework.get(exactncc.convolve(framework.put(image), coefs))
        np.testing.assert_array_equal(smooth, exactncc.convolve(image, coefs, context=CPU))


def test_masks_channels_and_plans(framework):
    image, mask = rng.integers(0, 256, (3, 200, 300), dtype=np.uint8), rng.random((200, 300)) > 0.2
    templ = image[:, 20:40, 30:60]
    wanted = exactncc.correlate(image, templ, channel_axis=0, mask=mask, context=CPU)
    got = exactncc.correlate(framework.put(image), templ, channel_axis=0, mask=framework.put(mask))
    np.testing.assert_array_equal(framework.get(got), wanted)
    plan = exactncc.Plan(framework.put(IMAGE), TEMPL)
    np.testing.assert_array_equal(framework.get(plan.correlate(framework.put(IMAGE))), exactncc.correlate(IMAGE, TEMPL, context=CPU))  # fmt: skip
    assert plan.find(framework.put(IMAGE))[0].item()[:3] == (200, 100, 1.0)


@pytest.mark.parametrize("kind", [Cupy, Torch])
def test_work_is_ordered_on_the_callers_stream(kind):
    """The image is still being made when the call is queued, and the map is read by what follows."""
    framework = kind()
    template = exactncc.Template(TEMPL)
    exactncc.correlate(framework.put(IMAGE), template)  # the plan
    wanted = exactncc.correlate(IMAGE, TEMPL, context=CPU)
    for _ in range(20):
        with framework.stream():
            image = framework.put(np.zeros((4000, 4000), np.float32))
            for _ in range(20):
                image = image + 1  # keeps the stream busy
            scene = framework.put(IMAGE)
            result = exactncc.correlate(scene, template) * 2
            np.testing.assert_array_equal(framework.get(result), wanted * 2)


@pytest.mark.parametrize("kind", [Cupy, Torch])
def test_memory_is_only_that_of_the_map(kind):
    framework = kind()
    image, template = framework.put(IMAGE), exactncc.Template(TEMPL)
    exactncc.correlate(image, template)
    before = framework.used_bytes()
    scores = exactncc.correlate(image, template)
    grown = framework.used_bytes() - before
    assert scores.shape[0] * scores.shape[1] * 4 <= grown < scores.shape[0] * scores.shape[1] * 4 + 1024
    for _ in range(1000):
        scores = exactncc.correlate(image, template)
    assert framework.used_bytes() - before == grown


def test_no_copies_through_the_host():
    """The profiler of PyTorch sees no copy between host and device."""
    torch = Torch().torch
    image, template = torch.as_tensor(IMAGE, device="cuda"), exactncc.Template(TEMPL)
    exactncc.correlate(image, template)
    torch.cuda.synchronize()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
        exactncc.correlate(image, template)
        torch.cuda.synchronize()
    names = [event.name for event in profile.events()]
    assert names
    assert not [n for n in names if "HtoD" in n or "DtoH" in n]


def test_numpy_on_the_gpu():
    context = exactncc.Context("cuda")
    np.testing.assert_array_equal(
        exactncc.correlate(IMAGE, TEMPL, context=context), exactncc.correlate(IMAGE, TEMPL, context=CPU)
    )
