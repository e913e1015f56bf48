#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""What hostile files cost: the limits that docs/threats.md states, each with a file that tries to break it.

    cost.py TOOL FOLDER [--planted]

Makes files in FOLDER, runs the tool with each in a process of its own, and compares exit status, most memory and processor time with the
limits. --planted: instead, checks that a limit that is too low is seen.
"""
import os
import resource
import struct
import sys
import zlib

TOOL, FOLDER = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
MIB = 1 << 20
MOST = 1 << 30  # the longest side that is accepted
BOMB = 9000  # the side of pictures that are small as files


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


def zeros(count):
    """A zlib stream of zeros."""
    packer, parts, block = zlib.compressobj(9), [], bytes(MIB)
    while count > 0:
        parts.append(packer.compress(block[:count]))
        count -= len(block)
    return b"".join(parts) + packer.flush()


def tiff(width, height, bits, compression, data):
    tags = [(256, 4, width), (257, 4, height), (258, 3, bits), (259, 3, compression), (262, 3, 1), (273, 4, 200), (277, 3, 1),
            (278, 4, height), (279, 4, len(data))]
    head = struct.pack("<2sHIH", b"II", 42, 8, len(tags)) + b"".join(struct.pack("<HHII", t, kind, 1, value) for t, kind, value in tags)
    return head.ljust(200, b"\0") + data


def tiff_pages(count):
    size = 2 + 9 * 12 + 4
    pixels = 8 + count * size
    out = [struct.pack("<2sHI", b"II", 42, 8)]
    for page in range(count):
        tags = [(256, 4, 8), (257, 4, 8), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, pixels), (277, 3, 1), (278, 4, 8), (279, 4, 64)]
        out.append(struct.pack("<H", len(tags)) + b"".join(struct.pack("<HHII", t, kind, 1, value) for t, kind, value in tags))
        out.append(struct.pack("<I", 8 + (page + 1) * size if page + 1 < count else 0))
    return b"".join(out) + bytes(range(64))


def png(width, height, data, interlace=0):
    def chunk(kind, body):
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, interlace)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def jpeg(width, height):
    """A progressive JPEG whose picture is missing."""
    return (b"\xff\xd8\xff\xdb\x00\x43\x00" + b"\1" * 64 + b"\xff\xc2\x00\x0b\x08" + struct.pack(">HH", height, width) + b"\1\1\x11\0"
            b"\xff\xc4\x00\x14\x00\1" + bytes(16) + b"\xff\xda\x00\x08\1\1\0\0\0\0" + bytes(900))


def bmp(width, height):
    return b"BM" + struct.pack("<IHHIIiiHHIIiiII", 1054, 0, 0, 54, 40, width, height, 1, 24, 0, 0, 1, 1, 0, 0) + bytes(1000)


def npy(height, width, kind="|u1", data=bytes(900)):
    head = "{'descr': '%s', 'fortran_order': False, 'shape': (%d, %d), }" % (kind, height, width)
    return b"\x93NUMPY\1\0" + struct.pack("<H", 118) + head.ljust(117).encode() + b"\n" + data


def wide_reals(side):
    """Doubles whose exponents are all over the range, so that no window's sum is exact in double."""
    state, out = 1, []
    for _ in range(side * side):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        out.append(state >> 63 << 63 | (100 + (state >> 48) % 1800) << 52 | state >> 12)
    return struct.pack("<%dQ" % len(out), *out)


def make_files():
    for side, name in ((MOST, "claim"), ((1 << 31) - 1, "claim_more")):
        write(name + ".tif", tiff(side, side, 8, 1, bytes(900)))
        write(name + ".png", png(side, side, zeros(1000)))
        write(name + ".pgm", b"P5 %d %d 255\n" % (side, side) + bytes(900))
        write(name + ".bmp", bmp(side, side))
        write(name + ".npy", npy(side, side))
    write("claim_f64.tif", tiff(MOST, MOST, 64, 1, bytes(900)))
    write("claim_text.pgm", b"P2 %d %d 255\n" % (MOST, MOST) + b"0 " * 450)
    write("claim_big.png", png(1000000, 1000000, zeros(1000)))
    write("claim_interlaced.png", png(1000000, 1000000, zeros(1000), 1))
    write("claim.jpg", jpeg(65500, 65500))
    write("below.tif", tiff(4000, 4000, 8, 1, bytes(900)))
    packed = zeros(BOMB * (BOMB + 1))
    write("bomb.png", png(BOMB, BOMB, packed))
    write("bomb.tif", tiff(BOMB, BOMB, 8, 8, zeros(BOMB * BOMB)))
    write("bomb_interlaced.png", png(BOMB, BOMB, packed, 1))
    write("pages.tif", tiff_pages(20000))
    write("small.pgm", b"P5 8 8 255\n" + bytes(range(64)))
    write("filter.txt", b"1 " * MIB)
    write("points.txt", b"1 1\n" * 200000)
    write("manifest.csv", b"image,options\n" + b"small.pgm,--top 1\n" * 300000)
    write("manifest_quote.csv", b'image,templates\nsmall.pgm,"' + b"x;\n" * 1500000)
    write("manifest_words.csv", b"image,templates,options\nsmall.pgm,small.pgm," + b"-q " * 1000000 + b"\n")
    write("two.csv", b"image,templates\n" + b"small.pgm,small.pgm\n" * 2)
    run(["find", "--manifest", "two.csv", "--shard", "1/1", "-o", "whole.csv"], 5)
    with open("whole.csv.1-of-1", "rb") as part:
        head = part.readline()
    write("part_records.csv", head + b"item 0 1 0 0\n\n" * 400000)
    write("part_claim.csv", head + b"item 0 1 0 %d\nx\n" % ((1 << 63) - 1))
    write("part_line.csv", head + b"x" * (6 * MIB))
    values = wide_reals(120)
    write("reals.npy", npy(120, 120, "<f8", values))
    write("reals_part.npy", npy(16, 16, "<f8", values[: 16 * 16 * 8]))


def run(args, most_seconds):
    """Exit status, most memory in MiB, processor time in seconds, and the end of what was said."""
    child = os.fork()
    if child == 0:
        said = os.open("said.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(said, 1)
        os.dup2(said, 2)
        resource.setrlimit(resource.RLIMIT_CPU, (int(most_seconds) + 5, int(most_seconds) + 5))
        os.execv(TOOL, [TOOL] + args)
    _, status, usage = os.wait4(child, 0)
    with open("said.txt", errors="replace") as said:
        text = said.read()
    return os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime, text


def cases():
    """(arguments, exit status, most MiB, most seconds). 64 MiB are for the program itself and its tables."""
    alone, limited = 64, 64
    find = ["find", "--device", "cpu", "--threads", "2", "-q", "--top", "1"]
    refused = ["claim.tif", "claim.png", "claim.pgm", "claim.bmp", "claim.npy", "claim_f64.tif", "claim_text.pgm", "claim_big.png",
               "claim_interlaced.png", "claim.jpg", "below.tif"] + ["claim_more." + kind for kind in ("tif", "png", "pgm", "bmp", "npy")]
    for name in refused:
        yield find + [name, "small.pgm"], 1, alone, 0.5
        yield find + ["small.pgm", name], 1, alone, 0.5
        yield find + ["--mask", name, "small.pgm", "small.pgm"], 1, alone, 0.5
    whole = BOMB * BOMB / MIB
    for name in ("bomb.png", "bomb.tif"):
        yield find + [name, "small.pgm"], 0, whole + alone, 3
        yield find + ["--max-memory", "%dM" % limited, name, "small.pgm"], 0, limited + alone, 3
        yield ["convolve", "--device", "cpu", "-q", "--gaussian", "1", "--max-memory", "%dM" % limited, name, "-o", "out.tif"], 0, limited + alone, 6
    yield find + ["--max-memory", "%dM" % limited, "bomb_interlaced.png", "small.pgm"], 1, alone, 0.5
    yield find + ["--page", "all", "pages.tif", "small.pgm"], 0, alone, 3
    for name in ("filter.txt", "/dev/zero"):
        yield ["convolve", "--device", "cpu", "-q", "--filter", name, "small.pgm", "-o", "out.tif"], 1, alone, 0.5
    track = ["track", "-q", "--chip", "4", "--points", "points.txt", "small.pgm", "small.pgm", "-o", "out.csv"]
    yield track, 0, alone + 200000 * 200 / MIB, 5
    manifest = ["find", "--device", "cpu", "-o", "out.csv", "--manifest"]
    for name in ("manifest.csv", "manifest_quote.csv"):
        yield manifest + [name], 1, alone + 4 * os.path.getsize(name) / MIB, 3
    yield manifest + ["manifest_words.csv"], 0, alone + (4 * os.path.getsize("manifest_words.csv") + 1000000 * 60) / MIB, 6
    for name in ("part_records.csv", "part_claim.csv", "part_line.csv"):
        yield ["join", name, "-o", "out.csv"], 1, alone + 8 * os.path.getsize(name) / MIB, 2
    # The dearest values: every window of 256 products is settled by integers, at no more than 300 ns per product.
    yield ["correlate", "--device", "cpu", "-q", "reals.npy", "reals_part.npy", "-o", "out.tif"], 0, alone, 105 * 105 * 256 * 300e-9 + 0.5


def check(case, show):
    args, status, memory, seconds = case
    got, mib, used, said = run(args, seconds)
    problems = []
    if got != status:
        problems.append("exit status %d, not %d" % (got, status))
    if mib > memory:
        problems.append("%.0f MiB, more than %.0f" % (mib, memory))
    if used > seconds:
        problems.append("%.2f s, more than %.2f" % (used, seconds))
    if status and (said.count("\n") != 1 or not said.startswith("exactncc ")):
        problems.append("says %r, not one line" % said)
    if show:
        print("%-88s %4.0f of %4.0f MiB %5.2f of %5.2f s  %s" % (" ".join(args)[-88:], mib, memory, used, seconds, "; ".join(problems)))
    return problems


def main():
    os.makedirs(FOLDER, exist_ok=True)
    os.chdir(FOLDER)
    make_files()
    if "--planted" in sys.argv:
        find = ["find", "--device", "cpu", "-q", "--top", "1"]
        planted = [(find + ["bomb.png", "small.pgm"], 0, 64, 3), (find + ["bomb.png", "small.pgm"], 0, 400, 0.01),
                   (find + ["claim.tif", "small.pgm"], 0, 400, 3), (find + ["none.tif", "small.pgm"], 2, 400, 3)]
        unseen = [case for case in planted if len(check(case, False)) != 1]
        print("%d of %d planted limits are seen" % (len(planted) - len(unseen), len(planted)))
        return len(unseen) != 0
    failed = count = 0
    for case in cases():
        count += 1
        failed += bool(check(case, True))
    print("%d commands, %d beyond their limits" % (count, failed))
    return failed != 0


sys.exit(main())
