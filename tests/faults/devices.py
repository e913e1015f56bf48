# SPDX-License-Identifier: BSD-2-Clause
"""devices.py TOOL: the tool with several pretended CUDA devices, of which one breaks.

Kernels do not run there, so what is compared is which devices share the work, the exit status, and what is said.
"""
import os
import random
import subprocess
import sys
import tempfile

tool = sys.argv[1]
SIDE, TEMPL = 2500, 16
checks = problems = 0


def expect(holds, what):
    global checks, problems
    checks += 1
    if not holds:
        problems += 1
        print("devices:", what)


def run(*words, devices=3, broken=None):
    world = dict(os.environ, EXACTNCC_DEVICES=str(devices))
    if broken is not None:
        world["EXACTNCC_BROKEN"] = str(broken)
    return subprocess.run([tool, *words], env=world, capture_output=True, text=True, check=False)


def write(path, width, height, pixels):
    with open(path, "wb") as file:
        file.write(b"P5\n%d %d\n255\n" % (width, height) + pixels)


def check_info():
    size = ["--size", "16384x16384", "--template", "64x64"]
    for device, says in {
        "cuda:all": "devices: 3 of 3, bands of 5441 map rows: about ",
        "cuda:2,0": "devices: 2 of 2, bands of 8161 map rows: about ",
        "cuda:1": None,
        "cuda": None,
    }.items():
        done = run("info", "--device", device, *size)
        expect(done.returncode == 0, f"info --device {device}: {done.stderr}")
        expect(says in done.stdout if says else "devices: " not in done.stdout, f"info --device {device}: {done.stdout}")
    done = run("info", "--device", "cuda:all", "--size", "64x64", "--template", "8x8")
    expect("devices: 1 of 3: about " in done.stdout, f"a small problem: {done.stdout}")
    done = run("info", "--device", "cuda:0,3", *size)
    expect(
        done.returncode == 1 and "--device cuda:0,3: there is no CUDA device 3: this machine has 3" in done.stderr,
        f"a device that is not there: {done.returncode} {done.stderr}",
    )
    done = run("info", "--device", "cuda:all", *size, devices=1)
    expect(done.returncode == 0 and "devices: " not in done.stdout, f"one device: {done.stdout}")


def check_broken():
    words = ["correlate", "--device", "cuda:all", "image.pgm", "templ.pgm", "-o", "map.npy"]
    done = run(*words)
    expect(done.returncode == 0 and done.stderr == "", f"three devices: {done.returncode} {done.stderr}")
    done = run(*words, "--format", "json")
    expect('"device": "cuda:0,1,2 pretended"' in done.stdout, f"the name of three devices: {done.stdout}")
    for broken in range(3):
        done = run(*words, broken=broken)
        expect(
            done.returncode == 0
            and done.stderr.startswith(
                f"exactncc: warning: CUDA device {broken} has failed, and the other devices do its work: CUDA: "
            )
            and done.stderr.count("\n") == 1,
            f"device {broken} breaks: {done.returncode} {done.stderr}",
        )
        done = run(*words, "--strict", broken=broken)
        expect(
            done.returncode == 1 and f"CUDA device {broken}: CUDA: " in done.stderr and "warning" not in done.stderr,
            f"device {broken} breaks, --strict: {done.returncode} {done.stderr}",
        )


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    random.seed(1)
    noise = random.randbytes(SIDE * SIDE)
    write("image.pgm", SIDE, SIDE, noise)
    write("templ.pgm", TEMPL, TEMPL, noise[: TEMPL * TEMPL])
    check_info()
    check_broken()
print(f"devices: {checks} checks, {problems} failed")
sys.exit(1 if problems or not checks else 0)
