# SPDX-License-Identifier: BSD-2-Clause
"""CuPy, PyTorch and JAX arrays on a real GPU. Run by scripts/python-gpu-test.sh."""

import contextlib
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import exactncc

if not any(d["device"] == "cuda" and d["usable"] for d in exactncc.devices()):
    pytest.skip("no usable CUDA device", allow_module_level=True)

CPU = exactncc.Context("cpu")
rng = np.random.default_rng(5)
IMAGE = rng.integers(0, 256, (500, 700), dtype=np.uint8)
TEMPL = IMAGE[100:133, 200:247].copy()
COEFS = rng.random((5, 5))
HOLD = 1_000_000_000  # cycles: about half a second


class Cupy:
    name = "cupy"

    def __init__(self):
        self.cupy = pytest.importorskip("cupy")
        source = "extern \"C\" __global__ void hold(long long n) { long long t = clock64(); while (clock64() - t < n) ; }"
        self.kernel = self.cupy.RawKernel(source, "hold")

    def put(self, array):
        return self.cupy.asarray(array)

    def get(self, array):
        assert isinstance(array, self.cupy.ndarray)
        return array.get()

    def stream(self):
        """A stream of its own, which does not wait for the default stream, as the current one."""
        return self.cupy.cuda.Stream(non_blocking=True)

    def hold(self):
        """Keep the current stream busy for a while."""
        self.kernel((1,), (1,), (np.int64(HOLD),))

    def busy(self):
        return not self.cupy.cuda.get_current_stream().done

    def wait(self):
        self.cupy.cuda.get_current_stream().synchronize()

    def copy_later(self, target, source):
        target[...] = source

    def empty_map(self, shape):
        return self.cupy.empty(shape, self.cupy.float32)

    def used_bytes(self):
        return self.cupy.get_default_memory_pool().used_bytes()


class Torch:
    name = "torch"

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

    def hold(self):
        self.torch.cuda._sleep(HOLD)

    def busy(self):
        return not self.torch.cuda.current_stream().query()

    def wait(self):
        self.torch.cuda.current_stream().synchronize()

    def copy_later(self, target, source):
        target.copy_(source)

    def empty_map(self, shape):
        return self.torch.empty(shape, dtype=self.torch.float32, device="cuda")

    def used_bytes(self):
        return self.torch.cuda.memory_allocated()


class Jax:
    name = "jax"

    def __init__(self):
        self.jax = pytest.importorskip("jax")
        if self.jax.default_backend() != "gpu":
            pytest.skip("this JAX has no CUDA")
        self.made = None

    def put(self, array):
        return self.jax.device_put(array)

    def get(self, array):
        assert isinstance(array, self.jax.Array)
        return np.asarray(array)

    def stream(self):
        return contextlib.nullcontext()

    def later(self, array):
        """The array again, behind half a second of other work."""
        side = 4096
        if self.made is None:

            def make(array, ones):
                nothing = self.jax.lax.fori_loop(0, 600, lambda _, x: (x @ ones) / side, ones)[0, 0] - 1
                return (array + nothing.astype(array.dtype)).astype(array.dtype)

            self.ones = self.put(np.ones((side, side), np.float32))
            self.made = self.jax.jit(make).lower(array, self.ones).compile()
        return self.made(array, self.ones)


@pytest.fixture(params=[Cupy, Torch, Jax], ids=lambda kind: kind.name)
def framework(request):
    return request.param()


@pytest.fixture(params=[Cupy, Torch], ids=lambda kind: kind.name)
def streamed(request):
    """A framework with a current stream."""
    return request.param()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "float32"])
def test_round_trip(framework, dtype):
    image, templ = (a > 127 if dtype == "bool" else a.astype(dtype) for a in (IMAGE, TEMPL))
    wanted = exactncc.correlate(image, templ, context=CPU)
    for given in (templ, exactncc.Template(templ), framework.put(templ)):
        got = framework.get(exactncc.correlate(framework.put(image), given))
        np.testing.assert_array_equal(got, wanted)
    found = exactncc.find(framework.put(image), templ)
    assert found.tolist() == exactncc.find(image, templ, context=CPU).tolist()
    batch = exactncc.find_batch(framework.put(image), [templ, templ[3:]], overlap=0.3)
    assert batch.tolist() == exactncc.find_batch(image, [templ, templ[3:]], overlap=0.3, context=CPU).tolist()
    fine = exactncc.refine(framework.put(image), templ, found)
    assert fine.tolist() == exactncc.refine(image, templ, found, context=CPU).tolist()
    if dtype in ("uint8", "float32"):
        for _ in range(2):
            smooth = framework.get(exactncc.convolve(framework.put(image), COEFS))
            np.testing.assert_array_equal(smooth, exactncc.convolve(image, COEFS, context=CPU))


@pytest.mark.parametrize("dtype", ["uint16", "int8", "uint32", "float64"])
def test_other_types(framework, dtype):
    if framework.name == "jax" and dtype == "float64":
        pytest.skip("JAX has no float64 unless it is asked to")
    image, templ = IMAGE.astype(dtype), TEMPL.astype(dtype)
    got = framework.get(exactncc.correlate(framework.put(image), templ))
    np.testing.assert_array_equal(got, exactncc.correlate(image, templ, context=CPU))


def test_many_images(framework):
    stack = np.stack([np.roll(IMAGE, 7 * i, axis=1) for i in range(9)])
    plan = exactncc.Plan(framework.put(IMAGE), TEMPL, images=len(stack))
    assert plan.info["images"] > 1
    there = framework.put(stack)
    for given in (there, [framework.put(i) for i in stack], [there[8 - i] for i in range(9)][::-1]):
        for matches, image in zip(plan.find_images(given, top=4), stack):
            assert matches.tolist() == exactncc.find(image, TEMPL, top=4, context=CPU).tolist()


def test_masks_channels_and_plans(framework):
    image, mask = rng.integers(0, 256, (3, 200, 300), dtype=np.uint8), rng.random((200, 300)) > 0.2
    templ = image[:, 20:40, 30:60]
    wanted = exactncc.correlate(image, templ, channel_axis=0, mask=mask, context=CPU)
    for given in (framework.put(mask), mask):
        got = exactncc.correlate(framework.put(image), templ, channel_axis=0, mask=given)
        np.testing.assert_array_equal(framework.get(got), wanted)
    plan = exactncc.Plan(framework.put(IMAGE), TEMPL)
    np.testing.assert_array_equal(framework.get(plan.correlate(framework.put(IMAGE))), exactncc.correlate(IMAGE, TEMPL, context=CPU))  # fmt: skip
    assert plan.find(framework.put(IMAGE))[0].item()[:3] == (200, 100, 1.0)
    poses = exactncc.find_poses(framework.put(IMAGE), TEMPL, angles=(0, 0), top=1)
    assert (poses.x[0], poses.y[0], poses.score[0]) == (200, 100, 1.0)


TRACKS = {
    "": {},
    "back": {"back": True, "fit": "gaussian"},
    "no contrast": {"method": "ccorr_normed"},
    # On the CPU, with copies of the images.
    "mask": {"mask1": IMAGE > 20},
    "passes": {"coarse": [(48, 12)], "search": 4},
    "deform": {"deform": 1},
}


@pytest.mark.parametrize("name", TRACKS)
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "float32"])
def test_tracks(framework, dtype, name):
    options = {"chip": 24, "search": 10, "grid": 40, **TRACKS[name]}
    first = IMAGE.astype(dtype)
    second = np.ascontiguousarray(np.roll(first, (3, -4), axis=(0, 1))[:480])
    wanted = exactncc.track(first, second, context=CPU, **options)
    assert (wanted.whole_dx == -4).mean() > 0.8
    if "mask1" in options:
        options["mask1"] = framework.put(options["mask1"])
    for pair in ((framework.put(first), framework.put(second)), (first, framework.put(second))):
        found = exactncc.track(*pair, **options)
        for field in wanted.dtype.names:
            assert found[field].tobytes() == wanted[field].tobytes(), field


def test_strides(streamed):
    """Views are read where they are; others are packed on the device."""
    on_gpu = streamed.put(IMAGE)
    for cut in (np.s_[10:400, 33:600], np.s_[::2, :], np.s_[:, ::2], np.s_[5:6, :]):
        image = np.ascontiguousarray(IMAGE[cut])
        templ = image[: min(20, image.shape[0]), 50:80].copy()
        got = streamed.get(exactncc.correlate(on_gpu[cut], templ))
        np.testing.assert_array_equal(got, exactncc.correlate(image, templ, context=CPU))


def test_results_given_by_the_caller(streamed):
    wanted = exactncc.correlate(IMAGE, TEMPL, context=CPU)
    out = streamed.empty_map(wanted.shape)
    assert exactncc.correlate(streamed.put(IMAGE), exactncc.Template(TEMPL), out=out) is out
    np.testing.assert_array_equal(streamed.get(out), wanted)


def calls(image):
    """Calls whose result is an array on the GPU, and what the CPU gives."""
    template, plan = exactncc.Template(TEMPL), exactncc.Plan(image, TEMPL)
    scores = exactncc.correlate(IMAGE, TEMPL, context=CPU)
    smooth = exactncc.convolve(IMAGE, COEFS, context=CPU)
    return {
        "Template": (lambda image: exactncc.correlate(image, template), scores),
        "array": (lambda image: exactncc.correlate(image, TEMPL), scores),
        "Plan": (lambda image: plan.correlate(image), scores),
        "convolve": (lambda image: exactncc.convolve(image, COEFS), smooth),
    }


@pytest.mark.parametrize("kind", ["Template", "array", "Plan", "convolve"])
def test_calls_do_not_wait(streamed, kind):
    """The stream is held by a kernel that takes half a second, and the image is written after it."""
    with streamed.stream():
        source, image = streamed.put(IMAGE), streamed.put(np.zeros_like(IMAGE))
        call, wanted = calls(image)[kind]
        call(image) * 2  # makes the plan and loads the kernels, which may wait
        streamed.wait()
        streamed.hold()
        streamed.copy_later(image, source)
        result = call(image)
        assert streamed.busy(), "the call waited"
        doubled = result * 2
        assert streamed.busy()
        np.testing.assert_array_equal(streamed.get(doubled), wanted * 2)


@pytest.mark.parametrize("kind", ["Template", "array", "Plan", "convolve"])
def test_calls_with_jax_do_not_wait(kind):
    framework = Jax()
    source = framework.put(IMAGE)
    call, wanted = calls(source)[kind]
    framework.get(call(framework.later(source)))
    image = framework.later(source)
    assert not image.is_ready(), "the image is made too fast for this test"
    result = call(image)
    assert not image.is_ready(), "the call waited"
    assert not result.is_ready()
    doubled = result * 2
    del image, result  # the library keeps what its work still needs
    np.testing.assert_array_equal(framework.get(doubled), wanted * 2)


def test_searches_are_ordered_on_the_callers_stream(streamed):
    """Their results are in host memory, so they wait; the image is written late by their own stream."""
    templates = [exactncc.Template(TEMPL), exactncc.Template(TEMPL[3:])]
    found = exactncc.find(IMAGE, TEMPL, top=3, context=CPU)
    searches = {
        "find": lambda image: exactncc.find(image, templates[0], top=3),
        "find_batch": lambda image: exactncc.find_batch(image, templates, top=2),
        "refine": lambda image: exactncc.refine(image, templates[0], found),
        "find_poses": lambda image: exactncc.find_poses(image, templates[0], angles=(0, 0), top=1),
        "track": lambda image: exactncc.track(IMAGE, image, chip=33, search=5)[["whole_dx", "whole_dy", "score"]],
    }
    for search in searches.values():
        with streamed.stream():
            source, image = streamed.put(IMAGE), streamed.put(np.zeros_like(IMAGE))
            wanted = search(source).tolist()
            assert search(image).tolist() != wanted
            streamed.hold()
            streamed.copy_later(image, source)
            assert search(image).tolist() == wanted


def test_searches_leave_other_streams_alone(streamed):
    """A search waits for its own stream, not for others: one of them is held throughout."""
    template = exactncc.Template(TEMPL)
    image = streamed.put(IMAGE)
    found = exactncc.find(image, template, top=3)
    exactncc.find_batch(image, [template])
    other = streamed.stream()
    with streamed.stream():
        with other:
            streamed.hold()
        exactncc.find(image, template, top=3)
        exactncc.find_batch(image, [template])
        exactncc.refine(image, template, found)
    with other:
        assert streamed.busy(), "a search waited for another stream"
        streamed.wait()


def test_work_is_ordered_on_the_callers_stream(streamed):
    """The image is still being made when the call is queued, and the map is read by what follows."""
    template = exactncc.Template(TEMPL)
    exactncc.correlate(streamed.put(IMAGE), template)  # the plan
    wanted = exactncc.correlate(IMAGE, TEMPL, context=CPU)
    for _ in range(20):
        with streamed.stream():
            image = streamed.put(np.zeros((4000, 4000), np.float32))
            for _ in range(20):
                image = image + 1  # keeps the stream busy
            scene = streamed.put(IMAGE)
            result = exactncc.correlate(scene, template) * 2
            np.testing.assert_array_equal(streamed.get(result), wanted * 2)


def test_threads_with_streams_of_their_own(streamed):
    template, failed = exactncc.Template(TEMPL), []
    wanted = exactncc.correlate(IMAGE, TEMPL, context=CPU)

    def work():
        with streamed.stream():
            image = streamed.put(IMAGE)
            for _ in range(50):
                if not np.array_equal(streamed.get(exactncc.correlate(image, template)), wanted):
                    failed.append(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed


def test_the_default_stream_of_a_thread():
    framework = Cupy()
    template = exactncc.Template(TEMPL)
    with framework.cupy.cuda.Stream.ptds:
        image = framework.put(IMAGE)
        scores = exactncc.correlate(image, template)
        np.testing.assert_array_equal(framework.get(scores), exactncc.correlate(IMAGE, TEMPL, context=CPU))
        assert exactncc.find(image, template)[0].item()[:3] == (200, 100, 1.0)


def test_a_graph_of_pytorch():
    """A call is recorded into a CUDA graph and replayed with other pixels."""
    torch = Torch().torch
    image = torch.as_tensor(IMAGE, device="cuda")
    plan = exactncc.Plan(image, TEMPL)
    if not plan.info["capturable"]:
        pytest.skip("this kernel cannot be captured")
    out = torch.empty(plan.shape, dtype=torch.float32, device="cuda")
    plan.correlate(image, out=out)
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        plan.correlate(image, out=out)
    other = np.ascontiguousarray(IMAGE[::-1])
    image.copy_(torch.as_tensor(other, device="cuda"))
    graph.replay()
    np.testing.assert_array_equal(out.cpu().numpy(), exactncc.correlate(other, TEMPL, context=CPU))


def test_memory_is_only_that_of_the_map(streamed):
    image, template = streamed.put(IMAGE), exactncc.Template(TEMPL)
    exactncc.correlate(image, template)
    before = streamed.used_bytes()
    scores = exactncc.correlate(image, template)
    grown = streamed.used_bytes() - before
    assert scores.shape[0] * scores.shape[1] * 4 <= grown < scores.shape[0] * scores.shape[1] * 4 + 1024
    for _ in range(1000):
        scores = exactncc.correlate(image, template)
    assert streamed.used_bytes() - before == grown


def test_no_copies_through_the_host(framework):
    """The profiler of PyTorch sees no copy between host and device, whichever framework the arrays are of."""
    torch = Torch().torch
    image = framework.put(IMAGE)
    for call, _ in calls(image).values():
        call(image)
        torch.cuda.synchronize()
        with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CUDA]) as profile:
            result = call(image)
            torch.cuda.synchronize()
        names = [event.name for event in profile.events()]
        assert any("exactncc" in n or "xncc" in n for n in names), names
        assert not [n for n in names if "HtoD" in n or "DtoH" in n], names
        del result


def test_jax_alone():
    """JAX needs neither CuPy nor PyTorch."""
    script = """
        import sys
        sys.modules["cupy"] = sys.modules["torch"] = None
        import jax, numpy as np, exactncc
        image = np.random.default_rng(1).integers(0, 256, (300, 400), dtype=np.uint8)
        template, cpu = image[20:50, 30:70].copy(), exactncc.Context("cpu")
        on_gpu = jax.device_put(image)
        scores = exactncc.correlate(on_gpu, template)
        assert isinstance(scores, jax.Array) and scores.devices() == on_gpu.devices()
        np.testing.assert_array_equal(np.asarray(scores), exactncc.correlate(image, template, context=cpu))
        np.testing.assert_array_equal(np.asarray(jax.jit(lambda x: x + 1)(scores)), np.asarray(scores) + 1)
        smooth = exactncc.convolve(on_gpu, np.ones((3, 3)))
        np.testing.assert_array_equal(np.asarray(smooth), exactncc.convolve(image, np.ones((3, 3)), context=cpu))
        found = exactncc.find(on_gpu, template, top=1)
        assert found[0].item()[:3] == (30, 20, 1.0)
        assert exactncc.find_batch(on_gpu, [template], top=1)[0].item()[:3] == (30, 20, 1.0)
        assert len(exactncc.refine(on_gpu, template, found)) == 1
        before = jax.devices()[0].memory_stats()["bytes_in_use"]
        for _ in range(300):
            scores = exactncc.correlate(on_gpu, template)
        scores.block_until_ready()
        exactncc.correlate(on_gpu, template).block_until_ready()
        grown = jax.devices()[0].memory_stats()["bytes_in_use"] - before
        assert grown <= 3 * scores.nbytes, grown
        print("alone")
    """
    pytest.importorskip("jax")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script)], capture_output=True, text=True, check=False)
    if "no CUDA" in done.stderr:
        pytest.skip("this JAX has no CUDA")
    assert done.stdout.strip() == "alone", done.stdout + done.stderr


@pytest.mark.parametrize("device", ["cuda", "cuda:0", "cuda:all", [0]])
def test_numpy_on_the_gpu(device):
    context = exactncc.Context(device)
    assert context.warning == ""
    np.testing.assert_array_equal(
        exactncc.correlate(IMAGE, TEMPL, context=context), exactncc.correlate(IMAGE, TEMPL, context=CPU)
    )
