# SPDX-License-Identifier: BSD-2-Clause
"""ranks.py RANKS KILLS: exactncc-mpi gives the bytes of exactncc, with 1 to RANKS ranks, also after faults.

KILLS jobs lose a rank at a random moment; what is started again completes, and repeats no finished item. Then a full disk on one rank, an
item that cannot be read, a picture that is cut short, and a slow rank.

Environment: EXACTNCC, EXACTNCC_MPI, MPIEXEC, HELPERS (the folder of make_huge), SHIM (disk_shim.c), SANITIZE
(sanitizers of this build; empty: none).
"""
import glob
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

RANKS, KILLS = int(sys.argv[1]), int(sys.argv[2])
TOOL, MPI, MPIEXEC = os.environ["EXACTNCC"], os.environ["EXACTNCC_MPI"], os.environ["MPIEXEC"]
HELPERS, SHIM, SANITIZE = os.environ["HELPERS"], os.environ["SHIM"], os.environ.get("SANITIZE", "")
SEED = int(os.environ.get("SEED", time.time_ns() % 100000))
SHORTEST = SANITIZE and os.environ.get("EXACTNCC_TEST_SHORT")  # as in tests/cli/lib.sh
SIDE = 4000 if KILLS > 5 else 1000 if SHORTEST else 1300
ITEMS = 20 if SHORTEST else 40
PATIENCE = 300  # seconds
random.seed(SEED)
os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
                  OMPI_MCA_btl_vader_single_copy_mechanism="none", OMPI_MCA_mpi_yield_when_idle="1", PRTE_MCA_rmaps_default_mapping_policy=":oversubscribe")
checks = failures = 0


def expect(holds, *what):
    global checks, failures
    checks += 1
    if not holds:
        failures += 1
        print("FAIL", f"(SEED={SEED})", *what)


def content(name):
    with open(name, "rb") as file:
        return file.read()


def single(*arguments):
    """Runs exactncc; returns what it has written."""
    output = arguments[arguments.index("-o") + 1]
    subprocess.run([TOOL, *arguments], check=False, capture_output=True, timeout=PATIENCE)
    written = content(output)
    os.remove(output)
    return written


def job(ranks, arguments, first=()):
    """The command line of a job; rank 0's program is started by the words of `first`."""
    one = [MPI, *arguments]
    line = [MPIEXEC, "-n", "1", *first, *one]
    return line + ([":", "-n", str(ranks - 1), *one] if ranks > 1 else [])


def run(ranks, arguments, first=()):
    return subprocess.run(job(ranks, arguments, first), check=False, capture_output=True, text=True, timeout=PATIENCE)


def records(output):
    """The items that the parts of an output have, one entry per record that is complete."""
    found = []
    for name in glob.glob(output + ".rank-*"):
        text = content(name)
        at = text.find(b"\n") + 1
        while at > 0 and at < len(text):
            end = text.find(b"\n", at)
            words = text[at:end].split()
            if end < 0 or len(words) != 5:
                break
            after = end + 1 + int(words[4]) + 1
            if after > len(text):
                break
            if words[3] == b"0":
                found.append((int(words[1]), int(words[2])))
            at = after
    return found


def check_same(what, arguments, want, ranks, first=()):
    done = run(ranks, arguments, first)
    output = arguments[arguments.index("-o") + 1]
    expect(done.returncode == 0, what, ranks, "ranks: exit status", done.returncode, done.stderr)
    expect(os.path.exists(output) and content(output) == want, what, ranks, "ranks: other bytes")
    left = [name for name in glob.glob(output + ".*") if not name.endswith(".tmp")]  # a kill leaves that of rank 0
    expect(not left, what, ranks, "ranks: left", left)
    if os.path.exists(output):
        os.remove(output)
    return done


def ranks_of(process):
    """The processes of a job's ranks."""
    found = subprocess.run(["ps", "-e", "-o", "pid=,ppid=,comm="], check=True, capture_output=True, text=True).stdout
    rows = [line.split(None, 2) for line in found.splitlines()]
    below, more = {process.pid}, True
    while more:
        more = {int(pid) for pid, parent, _ in rows if int(parent) in below} - below
        below |= more
    return [int(pid) for pid, _, name in rows if int(pid) in below and name.startswith("exactncc-mpi")]


def is_running(pid):
    try:
        return content(f"/proc/{pid}/stat").rsplit(b")", 1)[1].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def wait_for_end(process, ranks):
    """Waits for a job and for its ranks, which may outlive the starter. What is started while one still writes is refused."""
    process.wait(timeout=PATIENCE)
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and any(is_running(rank) for rank in ranks):
        time.sleep(0.05)


def kill_some(what, arguments, want, ranks):
    """KILLS jobs lose a rank, and more until a kill reached the work; the last job is left alone."""
    output = arguments[arguments.index("-o") + 1]
    start = time.monotonic()
    check_same(what, arguments, want, ranks)
    undisturbed = time.monotonic() - start
    kept, stale, jobs, killed = [], [], 0, 0
    while jobs < KILLS or killed == 0 and time.monotonic() < start + PATIENCE:
        jobs += 1
        process = subprocess.Popen(job(ranks, arguments), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(0.3, 0.9) * undisturbed)
        victims = ranks_of(process)
        if victims and process.poll() is None:
            try:
                os.kill(random.choice(victims), signal.SIGKILL)
                killed += 1
            except ProcessLookupError:
                pass
        wait_for_end(process, victims)
        if os.path.exists(output):
            expect(content(output) == want, what, "after a kill: other bytes")
            os.remove(output)  # the kill came after the work; what it left is worth nothing for a map
            kept, stale = [], records(output)
            continue
        now = records(output)
        for item in stale:
            if item in now:
                now.remove(item)
        expect(len(now) == len(set(now)), what, "an item is done twice")
        expect(set(kept) <= set(now), what, "a finished item is lost")
        kept = now
    check_same(what + " in the end", arguments, want, ranks)
    expect(killed > 0, what, "no kill reached the work")
    print(f"{what}: {killed} of {jobs} kills reached the work")


def main():
    subprocess.run([os.path.join(HELPERS, "make_huge"), "scene.tif", str(SIDE), str(SIDE), "64", "0"], check=True)
    subprocess.run([os.path.join(HELPERS, "make_huge"), "small.tif", "700", "500", "64", "3"], check=True)
    templs = ["-t", "scene.tif@31,57,24,30", "-t", "scene.tif@900,700,17,40"]
    find = ["find", "--device", "cpu", "--threads", "1", "--quiet", "-o", "found.csv", *templs, "scene.tif"]
    correlate = ["correlate", "--device", "cpu", "--threads", "1", "--quiet", "--tile", "256", "-o", "map.tif", "scene.tif", "scene.tif@31,57,24,30"]
    convolve = ["convolve", "--device", "cpu", "--threads", "1", "--quiet", "--gaussian", "3", "-o", "smooth.npy", "scene.tif"]
    with open("items.csv", "w", encoding="ascii") as file:
        file.write("image,templates,options\n")
        for i in range(ITEMS):
            file.write(f"{'scene.tif' if i % 7 == 3 else 'small.tif'},small.tif@{11 * i},{7 * i},20,25,--top {1 + i % 4}\n".replace(
                f"small.tif@{11 * i},{7 * i},20,25", f'"small.tif@{11 * i},{7 * i},20,25"'))
    manifest = ["find", "--device", "cpu", "--threads", "1", "--quiet", "--manifest", "items.csv", "-o", "all.csv"]
    works = {"find": find, "correlate": correlate, "convolve": convolve, "manifest": manifest}
    want = {name: single(*arguments) for name, arguments in works.items()}
    ranks = 1 if RANKS > 2 else 2
    while ranks <= RANKS:  # 1, 2, 4, ...
        for name, arguments in works.items():
            check_same(name, arguments, want[name], ranks)
        ranks *= 2
    # What needs whole images is refused before a part is made; what only asks for text needs no job.
    for name, option in (("find", "--angles=0:10"), ("correlate", "--heatmap=heat.tif"), ("find", "--shard=1/2")):
        done = run(RANKS, [*works[name], option])
        expect(done.returncode == 2 and done.stderr.count(f"exactncc-mpi {name}: {option.split('=')[0]}") == 1 and not glob.glob("*.rank-*"), option,
               done.returncode, done.stderr)
    done = subprocess.run([MPI, "find", "--help"], check=False, capture_output=True, text=True, timeout=PATIENCE)
    expect(done.returncode == 0 and "--manifest FILE" in done.stdout and "--shard" not in done.stdout and not done.stderr, "help:", done)
    for name in ("find", "correlate", "manifest") if KILLS > 5 else ("correlate",):
        kill_some(name, works[name], want[name], RANKS)
    # Another number of ranks goes on where the first have ended.
    process = subprocess.Popen(job(RANKS, manifest), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.6)
    running = ranks_of(process)
    process.kill()
    wait_for_end(process, running)
    check_same("a killed manifest, with one rank", manifest, want["manifest"], 1)

    # A full disk on one rank: the job says so, and goes on when there is room. A sanitizer has to be loaded before the shim.
    if not SANITIZE:
        shim = ["env", f"LD_PRELOAD={SHIM}", "DISK_BYTES=200", "DISK_NAME=.rank-0"]
        done = run(RANKS, manifest, shim)
        expect(done.returncode != 0 and "rank 0" in done.stderr and "No space left" in done.stderr, "a full disk:", done.returncode, done.stderr)
        expect(not os.path.exists("all.csv"), "a full disk: there is a result")
        check_same("after a full disk", manifest, want["manifest"], RANKS)
    # A slow rank: nothing is lost, and the others do its items.
    check_same("a slow rank", manifest, want["manifest"], RANKS, ["nice", "-n", "19"])
    # An item that cannot be read, and a picture that is cut short.
    with open("items.csv", "a", encoding="ascii") as file:
        file.write('missing.tif,"small.tif@1,1,20,25",\nshort.tif,"small.tif@1,1,20,25",\n')
    with open("short.tif", "wb") as file:
        file.write(content("small.tif")[:8000])
    done = run(RANKS, manifest)
    expect(done.returncode == 1 and f"items.csv: line {ITEMS + 2}: missing.tif: cannot open" in done.stderr and f"line {ITEMS + 3}: short.tif" in done.stderr and
           f"2 of {ITEMS + 2} items failed; the rest is done" in done.stderr, "items that fail:", done.returncode, done.stderr)
    expect(os.path.exists("all.csv") and content("all.csv") == want["manifest"], "the items that do not fail")
    with open("cut.tif", "wb") as file:
        file.write(content("scene.tif")[:SIDE * SIDE // 2])
    done = run(RANKS, ["find", "--device", "cpu", "--max-memory", "8G", "-o", "cut.csv", "cut.tif", "small.tif@1,1,20,25"])
    expect(done.returncode == 1 and "cut.tif" in done.stderr and not os.path.exists("cut.csv"), "a cut picture:", done.returncode, done.stderr)
    # Wrong usage ends all ranks.
    done = run(RANKS, ["find", "--topp", "3"])
    expect(done.returncode == 2 and "did you mean --top?" in done.stderr, "wrong usage:", done.returncode, done.stderr)


with tempfile.TemporaryDirectory(prefix="exactncc-mpi.") as folder:
    os.chdir(folder)
    main()
print(f"{checks} checks, {failures} failures, seed {SEED}")
sys.exit(bool(failures))
