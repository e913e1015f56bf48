# SPDX-License-Identifier: BSD-2-Clause
"""What a call does around the library: threads, interruption, progress, processes, memory."""

import concurrent.futures
import contextlib
import gc
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import exactncc
from exactncc import _core, _rules

# A kernel that takes seconds for this pair on any machine, and a call with it.
SLOW = {"kernel": "reference"}


@pytest.fixture(scope="module")
def slow_pair():
    image = np.random.default_rng(3).integers(0, 256, (2000, 2000), dtype=np.uint8)
    return image, image[100:400, 100:400].copy()


def slow_kernel():
    return SLOW["kernel"]


def test_find_images_is_find_for_each():
    rng = np.random.default_rng(5)
    stack = rng.integers(0, 256, (7, 40, 50), dtype=np.uint8)
    stack[3, 20:30, 5:17] = stack[0, 8:18, 30:42]
    for images in (1, 7):
        plan = exactncc.Plan(stack[0], stack[0, 8:18, 30:42], images=images)
        assert plan.info["images"] == 1  # on the CPU
        for given in (stack, list(stack), [np.asfortranarray(i) for i in stack], (i for i in stack)):
            found = plan.find_images(given, top=3)
            assert len(found) == 7
            for matches, image in zip(found, stack):
                assert matches.tolist() == plan.find(image, top=3).tolist()
        assert found[3][0].item()[:3] == (5, 20, 1.0)
        assert plan.find_images([]) == []
        with pytest.raises(exactncc.ArgumentError, match="image 2: 50 x 39"):
            plan.find_images([stack[0], stack[1], stack[2, 1:]])


def test_the_slow_kernel_exists():
    names = [k["name"] for k in exactncc.kernels() if k["engine"] == "cpu" and k["matches"]]
    assert slow_kernel() in names


def test_threads_share_everything(draw):
    images = [draw((60, 70)) for _ in range(4)]
    template = exactncc.Template(images[0][5:15, 6:18])
    plan = exactncc.Plan(images[0], template)
    wanted = [exactncc.correlate(i, template) for i in images]
    found = [exactncc.find(i, template).tolist() for i in images]

    def work(n):
        i = n % 4
        np.testing.assert_array_equal(exactncc.correlate(images[i], template), wanted[i])
        np.testing.assert_array_equal(plan.correlate(images[i]), wanted[i])
        assert plan.find(images[i]).tolist() == found[i]
        assert exactncc.find(images[i], template).tolist() == found[i]

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(400)))


@contextlib.contextmanager
def cancelling(context, ticks=10):
    """Cancels the calls of a context again and again, after so many ticks: the first may come before the call has begun."""
    done = threading.Event()

    def tick():
        number = 0
        while not done.wait(0.01):
            number += 1
            if number >= ticks:
                context.cancel()

    ticker = threading.Thread(target=tick)
    ticker.start()
    try:
        yield
    finally:
        done.set()
        ticker.join()


def test_the_gil_is_released(slow_pair):
    """Python code of another thread goes on while a call runs: without it, nothing would cancel the call."""
    context = exactncc.Context("cpu", threads=1)
    assert context.warning == ""
    with cancelling(context, 50), pytest.raises(exactncc.CancelledError):
        exactncc.correlate(*slow_pair, context=context, **SLOW)


def test_cancel(slow_pair):
    context = exactncc.Context("cpu")
    for search in (exactncc.correlate, exactncc.find):
        begin = time.process_time()
        with cancelling(context), pytest.raises(exactncc.CancelledError, match="cancelled"):
            search(*slow_pair, context=context, **SLOW)
        assert time.process_time() - begin < 5
    image, templ = (a[:50, :50] for a in slow_pair)
    assert exactncc.correlate(image, templ[:9, :9], context=context).shape == (42, 42)  # goes on


INTERRUPTED = """
    import os, signal, threading, time
    import numpy as np
    import exactncc
    signal.signal(signal.SIGINT, signal.default_int_handler)  # it is ignored where the tests run in the background
    image = np.random.default_rng(3).integers(0, 256, (3000, 3000), dtype=np.uint8)
    other_done = []
    def other():  # shares the context, and is not stopped by Ctrl-C
        small = image[:400, :400]
        other_done.append(exactncc.correlate(small, small[:60, :60], kernel="reference").max())
    thread = threading.Thread(target=other)
    thread.start()
    begin = time.process_time()
    try:
        threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
        CALL
    except KeyboardInterrupt:
        took = time.process_time() - begin
        thread.join()
        small = image[:50, :50]
        assert exactncc.correlate(small, small[:9, :9]).max() == 1.0
        print("interrupted", took < 5, other_done == [1.0])
"""


@pytest.mark.parametrize(
    "call",
    [
        'exactncc.correlate(image, image[:400, :400], kernel="reference")',
        'exactncc.find(image, image[:400, :400], kernel="reference")',
        'exactncc.find_batch(image, [image[:400, :400]] * 2, kernel="reference")',
        'exactncc.Plan(image, image[:400, :400], kernel="reference").correlate(image)',
    ],
)
def test_keyboard_interrupt_stops_a_call(call):
    code = textwrap.dedent(INTERRUPTED).replace("CALL", call)
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert run.stdout.strip() == "interrupted True True", run.stderr


def test_a_signal_handler_that_returns_does_not_stop_a_call(slow_pair):
    seen = []
    old = signal.signal(signal.SIGUSR1, lambda *_: seen.append(time.perf_counter()))
    try:
        for rows in (300, 600, 1200, 2000):  # until the call is long enough for the signal
            image, templ = slow_pair[0][:rows, :700], slow_pair[1][:60, :60]
            seen.clear()
            timer = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
            timer.start()
            scores = exactncc.correlate(image, templ, context=exactncc.Context("cpu", threads=1), **SLOW)
            end = time.perf_counter()
            timer.join()
            while not seen:  # the handler runs between two steps of the interpreter
                time.sleep(0.001)
            np.testing.assert_array_equal(scores, exactncc.correlate(image, templ))
            if seen[0] < end:
                break
    finally:
        signal.signal(signal.SIGUSR1, old)
    assert len(seen) == 1
    assert seen[0] < end  # handled during the call


def test_progress(slow_pair):
    templ = slow_pair[1][:60, :60]
    seen, threads = [], set()

    def progress(fraction):
        seen.append(fraction)
        threads.add(threading.get_ident())

    context = exactncc.Context("cpu", threads=1)
    for rows in (400, 800, 1600, 2000):  # until a call is long enough to have a middle
        image = slow_pair[0][:rows, :800]
        seen.clear()
        exactncc.correlate(image, templ, context=context, progress=progress, **SLOW)
        assert threads == {threading.get_ident()}
        assert seen == sorted(seen)
        assert seen[-1] == 1.0
        if any(0 < f < 1 for f in seen):
            break
    assert any(0 < f < 1 for f in seen)
    for call in (exactncc.find, lambda *p, **k: exactncc.Plan(*p).find(p[0], progress=k["progress"])):
        seen.clear()
        call(image, templ, progress=progress)
        assert seen[-1] == 1.0


def test_an_exception_from_progress_stops_the_call(slow_pair):
    def progress(fraction):
        raise LookupError("enough")

    begin = time.process_time()
    with pytest.raises(LookupError, match="enough"):
        exactncc.correlate(*slow_pair, progress=progress, **SLOW)
    assert time.process_time() - begin < 5


def _in_child(image, template, queue):
    try:
        queue.put(exactncc.find(image, template, top=1).tolist())
    except Exception as error:
        queue.put(repr(error))


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes(draw, method):
    image = draw((40, 50))
    template = exactncc.Template(image[10:20, 20:35], mask=draw((10, 15), "bool"))
    wanted = exactncc.find(image, template, top=1).tolist()
    start = multiprocessing.get_context(method)
    queue = start.Queue()
    child = start.Process(target=_in_child, args=(image, template, queue))
    child.start()
    assert queue.get(timeout=60) == wanted
    child.join()
    assert child.exitcode == 0


def test_a_context_of_the_parent_is_refused_in_a_child(draw):
    image = draw((40, 50))
    template = exactncc.Template(image[10:20, 20:35], context=exactncc.Context("cpu"))
    start = multiprocessing.get_context("fork")
    queue = start.Queue()
    child = start.Process(target=_in_child, args=(image, template, queue))
    child.start()
    assert "before a fork" in queue.get(timeout=60)
    child.join()


@pytest.mark.parametrize("shape", [(6, 7), (6, 7, 3)])
def test_templates_pickle(draw, shape):
    image = draw((30, 40, *shape[2:]), "uint16")
    axis = -1 if len(shape) == 3 else None
    mask = draw(shape[:2], "bool")
    mask[0, 0] = True
    template = exactncc.Template(image[3:9, 4:11], mask=mask, no_data=7, channel_axis=axis)
    again = pickle.loads(pickle.dumps(template))
    np.testing.assert_array_equal(
        exactncc.correlate(image, again, channel_axis=axis), exactncc.correlate(image, template, channel_axis=axis)
    )
    assert repr(again) == repr(template)
    assert again.masked
    assert again.shape == shape
    with pytest.raises(TypeError, match="cannot be pickled"):
        pickle.dumps(exactncc.Context("cpu"))


def test_a_template_is_a_copy(draw):
    pixels = draw((6, 7))
    image = draw((30, 40))
    template = exactncc.Template(pixels)
    wanted = exactncc.correlate(image, template)
    pixels[...] = 0
    np.testing.assert_array_equal(exactncc.correlate(image, pickle.loads(pickle.dumps(template))), wanted)
    with pytest.raises(ValueError, match="read-only"):
        template.pixels[0, 0] = 1


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def host_view(image):
    view = _core.Image()
    assert view.set(image, None, None)
    return view


def batch(image, templates, kernel=None):
    what = _rules.rule("ccoeff_normed", "valid", "clamp", "zero", 0.5), _rules.peaks(3, 0.0, np.inf, None)
    context = exactncc.default_context()._core
    return _core.Batch(context, host_view(image), [t._core for t in templates], *what, None, kernel)


def test_a_batch_is_kept_for_many_images(draw):
    """What find_batch uses for images on a GPU, here with images in host memory."""
    images = [draw((30, 40)) for _ in range(3)]
    templates = [exactncc.Template(images[0][5:12, 6:14]), exactncc.Template(images[1][3:9, 20:29])]
    kept = batch(images[0], templates)
    wanted = [exactncc.find_batch(image, templates, top=3).tobytes() for image in images]
    del templates  # the batch has them, too
    gc.collect()
    assert [bytes(kept.find(host_view(image), 0, None)) for image in images] == wanted
    with pytest.raises(exactncc.ArgumentError):
        kept.find(host_view(images[0][:20].copy()), 0, None)


def fail(image):
    with pytest.raises(TypeError):
        exactncc.correlate(image, image, mask=np.ones(image.shape))


def test_the_default_stream_of_a_thread_is_used_in_that_thread(draw):
    """So the thread that could report progress is busy, and reports the end alone."""
    image = draw((350, 350))  # several ticks of 20 ms, also on a fast machine
    kept = batch(image, [exactncc.Template(image[100:160, 100:160])], **SLOW)
    for stream, least, most in ((0, 3, 10**6), (2, 1, 1)):
        seen = []
        kept.find(host_view(image), stream, seen.append)
        assert least <= len(seen) <= most
        assert seen[-1] == 1


CALLS = {
    "correlate": lambda a, t, m: exactncc.correlate(a, t),
    "find": lambda a, t, m: exactncc.find(a, t, mask=m),
    "find_batch": lambda a, t, m: exactncc.find_batch(a, [t, t], overlap=0.5),
    "refine": lambda a, t, m: exactncc.refine(a, t, exactncc.find(a, t)),
    "convolve": lambda a, t, m: exactncc.convolve(a, t[:3, :3]),
    "converted": lambda a, t, m: exactncc.correlate(a[::-1].astype(np.int64), t.tolist(), mask=m.tolist()),
    "Template": lambda a, t, m: pickle.loads(pickle.dumps(exactncc.Template(t, mask=m[:8, :8]))),
    "Plan": lambda a, t, m: exactncc.Plan(a, t).find(a),
    "find_poses": lambda a, t, m: exactncc.find_poses(a, t, angles=(0, 0), search="exhaustive"),
    "track": lambda a, t, m: exactncc.track(a, a, [(12, 10)], chip=8, search=2),
    "suppress": lambda a, t, m: exactncc.suppress(exactncc.find(a, t)),
    "compat": lambda a, t, m: exactncc.match_template(a, t, pad_input=True),
    "batch": lambda a, t, m: batch(a, [exactncc.Template(t)]).find(host_view(a), 0, None),
    "dlpack": lambda a, t, m: exactncc._core.Tensor(a.__dlpack__()).strides,
    "failure": lambda a, t, m: fail(a),
}


@pytest.mark.parametrize("name", CALLS)
def test_ten_thousand_calls_leave_nothing(draw, name):
    call, image, mask = CALLS[name], draw((20, 24)), draw((20, 24), "bool")
    mask[:8, :8] = True
    templ = image[4:12, 5:13].copy()
    counted = [image, templ, mask]
    for _ in range(500):
        call(image, templ, mask)
    gc.collect()
    references, memory = [sys.getrefcount(o) for o in counted], resident()
    for _ in range(10000):
        call(image, templ, mask)
    gc.collect()
    assert [sys.getrefcount(o) for o in counted] == references
    assert resident() - memory < 2**20  # the smallest object that a call makes would be more than this


def test_contexts_are_freed():
    before = threading.active_count(), len(os.listdir("/proc/self/task"))
    for _ in range(20):
        context = exactncc.Context("cpu", threads=4)
        image = np.arange(400, dtype=np.uint16).reshape(20, 20)
        exactncc.find(image, exactncc.Template(image[:3, :3], context=context))
    del context
    gc.collect()
    patience = time.monotonic() + 60  # a thread that was joined is listed for a moment more
    while (now := (threading.active_count(), len(os.listdir("/proc/self/task")))) != before and time.monotonic() < patience:
        time.sleep(0.01)
    assert now == before


def test_devices_and_kernels():
    cpu = exactncc.devices()[0]
    assert cpu["usable"]
    assert cpu["processors"] >= 1
    image = np.zeros((50, 60), np.uint8)
    image[::3, ::2] = 5
    wanted = exactncc.correlate(image, image[:6, :5])
    used = []
    for kernel in exactncc.kernels():
        if kernel["engine"] == "cpu" and kernel["matches"]:
            try:
                plan = exactncc.Plan(image, image[:6, :5], kernel=kernel["name"])
            except exactncc.UnsupportedError as error:
                assert kernel["name"] in str(error)
                continue
            used.append(plan.info["kernel"])
            assert kernel["name"] in plan.explain()
            assert kernel["name"] in repr(plan)
            np.testing.assert_array_equal(plan.correlate(image), wanted)
            np.testing.assert_array_equal(exactncc.correlate(image, image[:6, :5], kernel=kernel["name"]), wanted)
    assert len(used) >= 2
    assert plan.shape == wanted.shape
