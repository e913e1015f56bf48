# SPDX-License-Identifier: BSD-2-Clause
"""Writing that is interrupted, or that fails: nothing is left behind, an old file stays as it is, and one line says why. With a
pseudo-terminal: progress, and Ctrl-C.

Environment: EXACTNCC, DATA, SHIM (disk_shim.c), SANITIZE (sanitizers of this build; empty: none).
"""
import os
import pty
import re
import select
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

TOOL = os.environ["EXACTNCC"]
DATA = os.environ["DATA"]
SHIM = os.environ.get("SHIM", "")
SANITIZE = os.environ.get("SANITIZE", "")
SHORTEST = SANITIZE and os.environ.get("EXACTNCC_TEST_SHORT")  # as in lib.sh
PATIENCE = 60  # seconds until a test gives up
checks = failures = 0
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):  # a job in the background ignores some of them, and its children would
    signal.signal(number, signal.SIG_DFL)


def expect(condition, *what):
    global checks, failures
    checks += 1
    if not condition:
        failures += 1
        print("FAIL", *what)


def data(name):
    return os.path.join(DATA, name)


# Each writes OUT, with more bytes than the small disks below have.
WRITERS = [
    ["convolve", data("cells.tif"), "--gaussian", "1", "-o"],
    ["correlate", data("cells.tif"), data("cells-template.tif"), "-o"],
    ["find", data("cells.tif"), data("cells-template.tif"), "--overlay"],
    ["find", data("cells.tif"), data("cells-template.tif"), "--heatmap"],
]
CPU = ["--device", "cpu", "-q"]


def has_png():
    info = subprocess.run([TOOL, "info", "--device", "cpu", "--format", "json"], capture_output=True, text=True, check=True)
    return '"png": true' in info.stdout


def outputs():
    """Every writer with a name for its output."""
    for writer in WRITERS:
        yield writer, "out.tif"
        if writer[0] == "find" and has_png():
            yield writer, "out.png"


def call(arguments, **more):
    return subprocess.run([TOOL, *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          timeout=PATIENCE, check=False, **more)


def one_line(run, text):
    expect(run.returncode == 1, run.args, "status", run.returncode, run.stderr)
    expect(run.stderr.count("\n") == 1 and text in run.stderr, run.args, "does not say", text, "but:", run.stderr)


def disk(folder, size, marker=None):
    """The environment in which the files being written live on a small disk."""
    environment = dict(os.environ, LD_PRELOAD=SHIM, DISK_BYTES=str(size))
    if marker:
        environment["DISK_MARKER"] = os.path.join(folder, marker)
    return environment


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return condition()


def interrupt(writer, name, number, old):
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as aside:
        out = os.path.join(folder, name)
        if old:
            with open(out, "w", encoding="ascii") as file:
                file.write("old")
        environment = disk(aside, 5000, "stalled")
        with subprocess.Popen([TOOL, *writer, out, *CPU], env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE) as process:
            what = (writer[0], writer[-1], name, number)
            expect(wait_for(lambda: os.path.exists(environment["DISK_MARKER"])), *what, "writes nothing")
            expect(any(n.endswith(".tmp") for n in os.listdir(folder)), *what, "there is no unfinished file")
            process.send_signal(number)
            process.wait(PATIENCE)
            expect(process.returncode == -number, *what, "ended with", process.returncode)
            expect(process.stderr.read() == b"", *what, "prints something")
        expect(os.listdir(folder) == ([name] if old else []), *what, "leaves", os.listdir(folder))
        if old:
            with open(out, encoding="ascii") as file:
                expect(file.read() == "old", *what, "the old file is gone")


def test_interrupts():
    for writer, name in outputs():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            interrupt(writer, name, number, old=number != signal.SIGTERM)


def test_ignored_signal_stays_ignored():
    """As with nohup, and for the background jobs of a shell script."""
    with tempfile.TemporaryDirectory() as folder:
        environment = disk(folder, 5000, "stalled")
        with subprocess.Popen([TOOL, *WRITERS[0], os.path.join(folder, "out.tif"), *CPU], env=environment, stdout=subprocess.DEVNULL,
                              preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
            expect(wait_for(lambda: os.path.exists(environment["DISK_MARKER"])), "nohup: writes nothing")
            process.send_signal(signal.SIGHUP)
            time.sleep(0.2)
            expect(process.poll() is None, "an ignored signal ends the process")
            process.send_signal(signal.SIGTERM)
            expect(process.wait(PATIENCE) == -signal.SIGTERM, "SIGTERM after an ignored SIGHUP")
        expect(os.listdir(folder) == ["stalled"], "nohup: leaves", os.listdir(folder))


def test_full_disk():
    for writer, name in outputs():
        for size in (0, 5000):
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, name)
                run = call([*writer, out, *CPU], env=disk(folder, size))
                one_line(run, f"{out}: cannot write: No space left on device; free some space or write elsewhere")
                expect(os.listdir(folder) == [], "a full disk leaves", os.listdir(folder))


def test_real_full_disk():
    """The same on a file system of 32 KB, where one may be mounted."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=32k none "$0" && cd "$0" && "$@"; status=$?; ls -A "$0"; exit $status', folder]
        try:
            possible = subprocess.run([*mount, "true"], capture_output=True, check=False).returncode == 0
        except FileNotFoundError:
            possible = False
        if not possible:
            print("no file system can be mounted here: the real full disk is left out")
            return
        for writer, name in outputs():
            run = subprocess.run([*mount, TOOL, *writer, name, *CPU], capture_output=True, text=True, timeout=PATIENCE, check=False)
            one_line(run, f"{name}: cannot write: No space left on device; free some space or write elsewhere")
            expect(run.stdout == "", "a full file system keeps", run.stdout)


def test_mode():
    os.umask(0o022)
    for writer, name in outputs():
        for mode in (None, 0o600, 0o640, 0o666, 0o755):
            with tempfile.TemporaryDirectory() as folder:
                out = os.path.join(folder, name)
                if mode is not None:
                    with open(out, "w", encoding="ascii"):
                        os.chmod(out, mode)
                expect(call([*writer, out, *CPU]).returncode == 0, writer, "fails")
                got = stat.S_IMODE(os.stat(out).st_mode)
                expect(got == (0o644 if mode is None else mode), name, "has the mode", oct(got), "and not", mode)


def nobody():
    """What makes a process one without privileges."""
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


def test_permissions():
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o555)
        if subprocess.run([TOOL, "-V"], capture_output=True, check=False, **nobody()).returncode:
            print("another user cannot run the tool here: permissions are left out")
            return
        for writer, name in outputs():
            out = os.path.join(folder, name)
            one_line(call([*writer, out, *CPU], **nobody()),
                     f"{out}: cannot write in its folder: Permission denied; check the permissions of the file and its folder")
        os.chmod(folder, 0o777)
        out = os.path.join(folder, "out.tif")
        with open(out, "w", encoding="ascii"):
            os.chmod(out, 0o444)
        one_line(call([*WRITERS[0], out, *CPU], **nobody()), f"{out}: cannot write: Permission denied; check the permissions")
        os.chmod(out, 0)
        one_line(call(["find", out, data("cells-template.tif"), *CPU], **nobody()),
                 f"{out}: cannot open: Permission denied; check the permissions of the file and its folder")


def test_closed_pipe():
    for arguments in (["find", "-q", data("cells.tif"), data("cells-template.tif")], ["info", "--device", "cpu"], ["find", "--help"], ["--help-json"],
                      ["correlate", data("cells.tif"), data("cells-template.tif"), "-o", "/tmp/exactncc-closed-pipe.tif"]):
        reader, writer = os.pipe()
        os.close(reader)
        run = subprocess.run([TOOL, *arguments], stdout=writer, stderr=subprocess.PIPE, text=True, timeout=PATIENCE, check=False)
        os.close(writer)
        one_line(run, "standard output: cannot write: Broken pipe; the program that reads the output has ended")
    if os.path.exists("/tmp/exactncc-closed-pipe.tif"):
        os.remove("/tmp/exactncc-closed-pipe.tif")


def write_tiff(path, width, height):
    """Pseudo-random pixels, 8 bits."""
    pixels = bytes((x * x * 7 + 13 * x) >> 3 & 255 for x in range(width * height))
    tags = [(256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1), (278, 4, height),
            (279, 4, width * height)]
    with open(path, "wb") as file:
        file.write(struct.pack("<2sHI", b"II", 42, 8 + len(pixels) + len(pixels) % 2) + pixels + bytes(len(pixels) % 2))
        file.write(struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", t, k, 1, v) for t, k, v in tags) + bytes(4))


class Terminal:
    """A process whose terminal this test is."""

    def __init__(self, arguments):
        self.text = b""
        self.process, self.fd = pty.fork()
        if self.process == 0:
            os.execv(TOOL, [TOOL, *arguments])

    def read(self, seconds):
        """Reads what arrives within this time; 0 at the end."""
        if not select.select([self.fd], [], [], seconds)[0]:
            return 1
        try:
            part = os.read(self.fd, 4096)
        except OSError:  # the other side is closed
            part = b""
        self.text += part
        return len(part)

    def read_until(self, text):
        end = time.monotonic() + PATIENCE
        while text not in self.text and time.monotonic() < end and self.read(1):
            pass
        return text in self.text

    def finish(self):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read(1):
            pass
        status = os.waitstatus_to_exitcode(os.waitpid(self.process, 0)[1])
        os.close(self.fd)
        return status


def test_terminal():
    with tempfile.TemporaryDirectory() as folder:
        scene, templ, out = (os.path.join(folder, name) for name in ("scene.tif", "templ.tif", "out.tif"))
        write_tiff(scene, 1200, 1000)
        write_tiff(templ, 40, 40)
        slow = ["--device", "cpu", "--threads", "1", "--kernel", "reference"]
        # Ctrl-C ends the line of progress, and the process, which leaves nothing.
        for arguments in (["correlate", scene, templ, "-o", out], ["find", scene, templ, "--overlay", out]):
            terminal = Terminal([*arguments, *slow])
            expect(terminal.read_until(b" %"), arguments[0], "shows no progress:", terminal.text)
            os.write(terminal.fd, b"\x03")
            expect(terminal.finish() == -signal.SIGINT, arguments[0], "is not ended by Ctrl-C")
            expect(terminal.text.endswith(b"\r\n"), arguments[0], "does not end its line:", terminal.text[-40:])
            expect(sorted(os.listdir(folder)) == ["scene.tif", "templ.tif"], "Ctrl-C leaves", os.listdir(folder))
        # Progress rises, and its line is cleared before the result. It begins after half a second, so the scene grows until it is seen.
        height, shown = 30 if SHORTEST else 100, []
        while len(shown) < 2 and height < 20000:
            height *= 2
            write_tiff(scene, 700, height)
            terminal = Terminal(["find", scene, templ, "--top", "1", "--min-score", "-inf", *slow])
            expect(terminal.finish() == 0, "find on a terminal fails:", terminal.text)
            shown = [float(part.split(b"%")[0].rsplit(b":", 1)[-1]) for part in terminal.text.split(b"\r") if b"%" in part]
        expect(len(shown) >= 2 and shown == sorted(shown) and 0 <= shown[0] < shown[-1] <= 100, "progress is", shown)
        lines = terminal.text.split(b"\r\n")
        expect(b"%" in lines[0] and lines[0].split(b"\r")[-1].startswith(scene.encode()), "the line of progress is not cleared:", lines[0])
        # Of several images it is how many are done. A failure has a line of its own.
        write_tiff(scene, 700, (height + 40) // 2)
        images = [scene, os.path.join(folder, "missing.tif"), scene, scene]
        terminal = Terminal(["find", "-t", templ, *images, "--top", "1", "--min-score", "-inf", *slow])
        expect(terminal.finish() == 1, "find of a missing image on a terminal:", terminal.text)
        shown = [int(number) for number in re.findall(rb"\r(\d+) of 4 images(?! and)", terminal.text)]
        expect(len(set(shown)) >= 2 and shown == sorted(shown) and 0 <= shown[0] < shown[-1] < 4, "progress is", shown)
        expect(b"%" not in terminal.text, "the images have a progress of their own:", terminal.text)
        failures = [text for text in terminal.text.split(b"\r\n") if b"missing.tif: cannot open" in text]
        expect(len(failures) == 1 and failures[0].startswith(b"exactncc find: "), "the failure stands behind the progress:", terminal.text)
        # No progress on request.
        write_tiff(scene, 700, height)
        terminal = Terminal(["find", scene, templ, "--top", "1", "--quiet", *slow])
        expect(terminal.finish() == 0 and b"%" not in terminal.text, "progress although --quiet", terminal.text)
        # None on a quick run: not in the best of five, since a busy machine may let one of them wait for half a second.
        write_tiff(scene, 60, 60)
        silent = 0
        for _ in range(5):
            terminal = Terminal(["find", scene, templ, "--top", "1", "--device", "cpu"])
            expect(terminal.finish() == 0, "a quick find on a terminal fails:", terminal.text)
            silent += b"%" not in terminal.text
        expect(silent > 0, "progress although it is quick:", terminal.text)


def processor_seconds(process):
    """What a running process has used so far."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_bench_speaks():
    """Within a second, and without a terminal. It is counted in processor time, since the machine may be busy."""
    bench = [os.environ["EXACTNCC_BENCH"], "--device", "cpu", "--threads", "1", "--size", "2000x2000", "--template", "64x64", "--kernel",
             "reference", "--task", "match", "--repeat", "1"]
    waits = []
    for _ in range(3):
        with subprocess.Popen(bench, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
            line = process.stderr.readline()
            waits.append(processor_seconds(process))
            process.kill()
        expect(line.startswith("exactncc-bench: "), "exactncc-bench says", line)
    expect(min(waits) < 1.0, "exactncc-bench says what it does after seconds of work:", waits)


if SHIM and not SANITIZE:
    test_interrupts()
    test_ignored_signal_stays_ignored()
    test_full_disk()
test_real_full_disk()
test_mode()
test_permissions()
test_closed_pipe()
test_terminal()
test_bench_speaks()
print(f"{checks} checks, {failures} failures")
sys.exit(failures > 0)
