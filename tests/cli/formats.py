# SPDX-License-Identifier: BSD-2-Clause
"""Compares what the tool reads of each format with what Pillow and NumPy read.

formats.py DUMP_PICTURE FOLDER. Exit status 77 if Pillow or NumPy is not there.
"""

import itertools
import pathlib
import struct
import subprocess
import sys
import zlib

try:
    import numpy as np
    import PIL
    from PIL import Image
except ImportError as missing:
    print("skipped:", missing)
    sys.exit(77)

dump, work = sys.argv[1], pathlib.Path(sys.argv[2])
work.mkdir(parents=True, exist_ok=True)
random = np.random.default_rng(20261122)
checks = failures = 0


def read(path, page=0, channels="sum"):
    """The pixels and the mask that the tool reads."""
    out, mask = work / "pixels.npy", work / "mask.npy"
    subprocess.run([dump, path, str(page), channels, out, mask], check=True)
    return np.load(out), np.load(mask)


def compare(what, got, want):
    global checks, failures
    checks += 1
    want = np.asarray(want)
    if got.shape != want.shape or got.dtype != want.dtype or not np.array_equal(got, want, equal_nan=want.dtype.kind == "f"):
        failures += 1
        print("FAIL", what, got.dtype, got.shape, "not", want.dtype, want.shape)


def luma(rgb):
    r, g, b = (rgb[..., i].astype(np.uint64) for i in range(3))
    return ((299 * r + 587 * g + 114 * b + 500) // 1000).astype(rgb.dtype)


def pixels(*shape, dtype=np.uint8, most=None):
    info = np.iinfo(dtype)
    return random.integers(info.min, (most if most is not None else info.max) + 1, shape).astype(dtype)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def png(path, samples, bits, colour, interlace, extra=()):
    """Writes a PNG: samples[y, x, channel] of `bits` bits."""
    def rows(part):
        out = b""
        for line in part:
            flat = line.reshape(-1)
            if bits == 16:
                out += b"\0" + flat.astype(">u2").tobytes()
            elif bits == 8:
                out += b"\0" + flat.astype(np.uint8).tobytes()
            else:
                each = (flat[:, None] >> np.arange(bits - 1, -1, -1)) & 1
                out += b"\0" + np.packbits(each.reshape(-1).astype(np.uint8)).tobytes()
        return out
    height, width = samples.shape[:2]
    if interlace:
        parts = [samples[y::dy, x::dx] for x, y, dx, dy in ADAM7]
        raw = b"".join(rows(p) for p in parts if p.size)
    else:
        raw = rows(samples)
    data = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, bits, colour, 0, 0, interlace))
    for kind, text in extra:
        data += chunk(kind, text)
    path.write_bytes(data + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def check_png():
    path = work / "a.png"
    kinds = [(0, 1, (1, 2, 4, 8, 16)), (2, 3, (8, 16)), (3, 1, (1, 2, 4, 8)), (4, 2, (8, 16)), (6, 4, (8, 16))]
    for colour, channels, depths in kinds:
        for bits, interlace, size, keyed in itertools.product(depths, (0, 1), ((1, 1), (13, 9), (37, 22)), (0, 1)):
            if keyed and colour > 3:
                continue
            most = (1 << bits) - 1
            dtype = np.uint16 if bits == 16 else np.uint8
            s = pixels(size[1], size[0], channels, dtype=dtype, most=most)
            alpha = np.ones(s.shape[:2], bool)
            extra = []
            if colour == 3:
                palette, clear = pixels(most + 1, 3), pixels(most + 1, most=1) * 200
                extra = [(b"PLTE", palette.tobytes())] + ([(b"tRNS", clear.tobytes())] if keyed else [])
                want = palette[s[..., 0]]
                alpha = clear[s[..., 0]] != 0 if keyed else alpha
            else:
                if keyed:
                    key = s[0, 0]
                    extra = [(b"tRNS", key.astype(">u2").tobytes())]
                    alpha = (s != key).any(axis=2)
                want = (s * (255 // most)).astype(np.uint8) if bits < 8 else s
                if colour in (4, 6):
                    s[::3, ::2, -1] = 0
                    alpha = s[..., -1] != 0
                    want = s[..., :-1]
            png(path, s, bits, colour, interlace, extra)
            what = f"PNG colour {colour}, {bits} bits, interlace {interlace}, {size}, tRNS {keyed}"
            if colour in (0, 3) and bits <= 8 or colour == 2 and bits == 8:  # the writer above, by Pillow
                with Image.open(path) as image:
                    mode = "RGB" if colour >= 2 else "L"
                    compare(what + ", Pillow", np.asarray(image.convert(mode)).reshape(want.shape), want)
            got, mask = read(path)
            compare(what, got, want if want.shape[2] > 1 else want[..., 0])
            compare(what + ", mask", mask, alpha.astype(np.uint8))
            got, mask = read(path, channels="luma")
            compare(what + ", luma", got, luma(want) if want.shape[2] == 3 else want[..., 0])
            compare(what + ", luma, mask", mask, alpha.astype(np.uint8))


def smooth(height, width, channels=3):
    y, x = np.mgrid[0:height, 0:width]
    planes = [128 + 90 * np.sin(x / (5 + 3 * c) + c) * np.cos(y / (7 + c)) for c in range(channels)]
    return np.clip(np.stack(planes, -1) + random.normal(0, 6, (height, width, channels)), 0, 255).astype(np.uint8)


def check_jpeg():
    path = work / "a.jpg"
    for (width, height), sampling, progressive, quality in itertools.product(
            ((1, 1), (16, 16), (37, 51), (130, 70)), (0, 1, 2), (False, True), (30, 90)):
        Image.fromarray(smooth(height, width)).save(path, quality=quality, subsampling=sampling, progressive=progressive)
        what = f"JPEG {width}x{height}, sampling {sampling}, progressive {progressive}, quality {quality}"
        want = np.asarray(Image.open(path))
        compare(what, read(path)[0], want)
        compare(what + ", luma", read(path, channels="luma")[0], luma(want))
    for progressive in (False, True):
        Image.fromarray(smooth(40, 61)[..., 0]).save(path, progressive=progressive)
        compare(f"grey JPEG, progressive {progressive}", read(path)[0], np.asarray(Image.open(path)))
    exif = Image.Exif()
    exif[0x112] = 6  # turned by 90 degrees; pixels stay as they are stored
    Image.fromarray(smooth(20, 31)).save(path, exif=exif)
    compare("JPEG with an orientation", read(path)[0], np.asarray(Image.open(path)))


def check_bmp():
    path = work / "a.bmp"
    for width, height in ((1, 1), (7, 5), (33, 20)):
        rgb = pixels(height, width, 3)
        Image.fromarray(rgb).save(path)
        compare("BMP, 24 bits", read(path)[0], rgb)
        compare("BMP, 24 bits, luma", read(path, channels="luma")[0], luma(rgb))
        grey = pixels(height, width)
        Image.fromarray(grey).save(path)
        compare("BMP, 8 bits", read(path, channels="luma")[0], grey)
        Image.fromarray(grey > 100).save(path)
        compare("BMP, 1 bit", read(path, channels="luma")[0], (grey > 100).astype(np.uint8) * 255)
        rgba = np.dstack([rgb, pixels(height, width, most=1) * 255])
        Image.fromarray(rgba, "RGBA").save(path)
        got, mask = read(path)
        with Image.open(path) as image:
            compare("BMP, 32 bits", got, np.asarray(image.convert("RGB")))
        flipped = bytearray(path.read_bytes())
        struct.pack_into("<i", flipped, 22, -height)
        path.write_bytes(flipped)
        with Image.open(path) as image:
            compare("BMP from the top", read(path)[0], np.asarray(image.convert("RGB")))


def check_pnm():
    path = work / "a.pnm"
    for width, height in ((1, 1), (7, 5), (33, 20)):
        grey, rgb, bits = pixels(height, width), pixels(height, width, 3), pixels(height, width, most=1)
        deep = pixels(height, width, 3, dtype=np.uint16)
        Image.fromarray(grey).save(path)
        compare("PGM", read(path)[0], grey)
        Image.fromarray(rgb).save(path)
        compare("PPM", read(path)[0], rgb)
        Image.fromarray(bits.astype(bool)).save(path)
        compare("PBM", read(path)[0], bits * 255)
        path.write_bytes(b"P6 # a comment\n%d\n# another\n %d 65535\n" % (width, height) + deep.astype(">u2").tobytes())
        compare("PPM, 16 bits", read(path)[0], deep)
        words = " ".join(map(str, deep.reshape(-1)))
        path.write_text(f"P3 {width} {height} 65535\n{words}\n")
        compare("PPM, 16 bits, text", read(path)[0], deep)
        path.write_text(f"P1 {width} {height}\n" + "\n".join("".join(map(str, row)) for row in bits))
        compare("PBM, text", read(path)[0], (1 - bits) * 255)
        with Image.open(path) as image:
            compare("PBM, text, Pillow", np.asarray(image.convert("L")), (1 - bits) * 255)
        four = np.dstack([rgb, bits * 7])
        path.write_bytes(b"P7\nWIDTH %d\nHEIGHT %d\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n" % (width, height) + four.tobytes())
        got, mask = read(path)
        compare("PAM", got, rgb)
        compare("PAM, mask", mask, bits)
        path.write_bytes(b"".join(b"P5 %d %d 255\n" % (width, height) + pixels(height, width).tobytes() for _ in range(3))
                         + b"P5 %d %d 4095\n" % (width, height) + (deep[..., 0] >> 4).astype(">u2").tobytes())
        compare("PGM, page 3 of 4", read(path, 3)[0], deep[..., 0] >> 4)


def check_npy():
    path = work / "a.npy"
    types = ["u1", "i1", "<u2", ">u2", "<i2", ">i2", "<u4", ">u4", "<i4", ">i4", "<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "?"]
    becomes = {"i4": np.float64, "f2": np.float32, "b1": np.uint8}
    for name, shape, order in itertools.product(types, ((1, 1), (5, 7), (20, 33, 3), (6, 5, 64)), "CF"):
        dtype = np.dtype(name)
        array = random.integers(0, 256, int(np.prod(shape)) * dtype.itemsize, dtype=np.uint8)
        array = (array > 99 if name == "?" else np.frombuffer(array.tobytes(), dtype)).reshape(shape)
        np.save(path, np.asarray(array, order=order))
        plain = becomes.get(dtype.str[1:], dtype.newbyteorder("="))
        want = array.astype(plain) * (255 if name == "?" else 1)
        compare(f"npy {name} {shape} {order}", read(path)[0], want.astype(plain))
    rgb = pixels(9, 11, 4)
    np.save(path, rgb)
    compare("npy, luma", read(path, channels="luma")[0], luma(rgb))
    stack = pixels(4, 6, 5, 2, dtype=np.int16)
    np.save(path, stack)
    for page in range(4):
        compare("npy pages", read(path, page)[0], stack[page])


np.seterr(all="ignore")
print("NumPy", np.__version__, "Pillow", PIL.__version__)
formats = {"png": check_png, "jpeg": check_jpeg, "bmp": check_bmp, "pnm": check_pnm, "npy": check_npy}
for name in sys.argv[3:] or formats:
    formats[name]()
print(checks, "checks,", failures, "failures")
sys.exit(failures > 0 or checks == 0)
