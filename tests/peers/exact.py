"""What a score is, in Python's own integers: no numpy, no rounding before the last step. Independent of the library's code."""
import math
import struct
from fractions import Fraction


def to_float(value):
    """A number as the float that a map would hold (the value must be one)."""
    return struct.unpack("f", struct.pack("f", value))[0]


def neighbours(f):
    """The floats below and above one."""
    if f == 0.0:
        tiny = to_float(2.0 ** -149)
        return -tiny, tiny
    bits = struct.unpack("i", struct.pack("f", abs(f)))[0]
    low, high = (struct.unpack("f", struct.pack("i", bits + step))[0] for step in (-1, 1))
    return (low, high) if f > 0 else (-high, -low)


def below_root(value, num, square):
    """Whether the fraction `value` is below num / sqrt(square), decided in whole numbers."""
    sign = lambda n: (n > 0) - (n < 0)
    if sign(value) != sign(num):
        return sign(value) < sign(num)
    left, right = value * value * square, Fraction(num * num)
    return left < right if value >= 0 else left > right


def quotient(num, square):
    """num / sqrt(square), rounded once, to the nearest float. Both are whole numbers (or fractions), square > 0."""
    num, square = Fraction(num), Fraction(square)
    # a guess good to far more than a float, then the two neighbours
    scale = 1 << 200
    root = Fraction(math.isqrt(int(square * scale * scale)), scale)
    guess = to_float(float(num / root)) if root else 0.0
    low, high = neighbours(guess)
    if below_root((Fraction(guess) + Fraction(high)) / 2, num, square):
        return high
    if not below_root((Fraction(guess) + Fraction(low)) / 2, num, square):
        return low
    return guess


def rounded(value):
    """A fraction, rounded once, to the nearest float."""
    return quotient(value, 1)


def sums(window, part, counts=None):
    """n, S, Q, X, T, T2 of two equally long lists of whole numbers, over the places where counts is true."""
    pairs = [(i, t) for k, (i, t) in enumerate(zip(window, part)) if counts is None or counts[k]]
    return (len(pairs), sum(i for i, t in pairs), sum(i * i for i, t in pairs), sum(i * t for i, t in pairs),
            sum(t for i, t in pairs), sum(t * t for i, t in pairs))


def score(method, channels, counts=None):
    """The score of a window: channels is a list of (window, part), each a list of whole numbers; flat windows score 0."""
    parts = [sums(window, part, counts) for window, part in channels]
    n = parts[0][0]
    num = sum(n * X - S * T for _, S, Q, X, T, T2 in parts)
    var = sum(n * Q - S * S for _, S, Q, X, T, T2 in parts)
    templ_var = sum(n * T2 - T * T for _, S, Q, X, T, T2 in parts)
    X, Q, T2 = (sum(p[k] for p in parts) for k in (3, 2, 5))
    difference = Q - 2 * X + T2
    if method == "ccoeff_normed":
        return quotient(num, var * templ_var) if var and templ_var else 0.0
    if method == "ccoeff":
        return rounded(Fraction(num, n))
    if method == "ccorr":
        return rounded(X)
    if method == "ccorr_normed":
        return quotient(X, Q * T2) if Q and T2 else 0.0
    if method == "sqdiff":
        return rounded(difference)
    if Q and T2:
        return quotient(difference, Q * T2)
    return 0.0 if difference == 0 else 1.0


def window_score(method, image, part, x, y, image_mask=None, templ_mask=None):
    """score() of the window at (x, y), inside the image; arrays or lists of rows, of numbers or of tuples of numbers."""
    def rows_of(array):
        return array.tolist() if hasattr(array, "tolist") else array

    height, width = len(part), len(part[0])
    window = [v for row in rows_of(image)[y:y + height] for v in row[x:x + width]]
    flat = [v for row in rows_of(part) for v in row]
    counts = [True] * len(flat)
    for mask, at_x, at_y in ((image_mask, x, y), (templ_mask, 0, 0)):
        if mask is not None:
            bits = [v for row in rows_of(mask)[at_y:at_y + height] for v in row[at_x:at_x + width]]
            counts = [a and bool(b) for a, b in zip(counts, bits)]
    if not isinstance(flat[0], (list, tuple)):
        return score(method, [(window, flat)], counts)
    return score(method, [([p[c] for p in window], [p[c] for p in flat]) for c in range(len(flat[0]))], counts)
