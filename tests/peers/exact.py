# SPDX-License-Identifier: BSD-2-Clause
"""Scores in Python's own integers: no numpy, and no rounding before the last step. Independent of the
library's code."""
import math
import struct
from fractions import Fraction


def to_float(value):
    """Converts a number to the float that a map holds (the value must be a float)."""
    return struct.unpack("f", struct.pack("f", value))[0]


def neighbours(f):
    """Returns the floats next below and next above f."""
    if f == 0.0:
        tiny = to_float(2.0 ** -149)
        return -tiny, tiny
    bits = struct.unpack("i", struct.pack("f", abs(f)))[0]
    low, high = (struct.unpack("f", struct.pack("i", bits + step))[0] for step in (-1, 1))
    return (low, high) if f > 0 else (-high, -low)


def below_root(value, num, square):
    """Is the fraction `value` below num / sqrt(square)? Decided in integers."""
    sign = lambda n: (n > 0) - (n < 0)
    if sign(value) != sign(num):
        return sign(value) < sign(num)
    left, right = value * value * square, Fraction(num * num)
    return left < right if value >= 0 else left > right


def is_even(f):
    """Is the last bit of the float f 0?"""
    return struct.unpack("I", struct.pack("f", f))[0] % 2 == 0


def quotient(num, square):
    """Returns num / sqrt(square), rounded once to the nearest float, of two as near to the even one. Both
    are integers or fractions; square > 0."""
    num, square = Fraction(num), Fraction(square)
    # a guess far more precise than a float, then a comparison with its two neighbours
    scale = 1 << 200
    root = Fraction(math.isqrt(int(square * scale * scale)), scale)
    guess = to_float(float(num / root)) if root else 0.0
    low, high = neighbours(guess)
    for other, side in ((high, 1), (low, -1)):
        middle = side * (Fraction(guess) + Fraction(other)) / 2
        if below_root(middle, side * num, square):
            return other
        if not below_root(-middle, -side * num, square):  # exactly in the middle
            return guess if is_even(guess) else other
    return guess


def rounded(value):
    """Rounds a fraction once to the nearest float."""
    return quotient(value, 1)


def sums(window, templ, counts=None):
    """Returns n, S, Q, X, T, T2 of two lists of integers of equal length, over the places where counts is
    true."""
    pairs = [(i, t) for k, (i, t) in enumerate(zip(window, templ)) if counts is None or counts[k]]
    return (len(pairs), sum(i for i, t in pairs), sum(i * i for i, t in pairs), sum(i * t for i, t in pairs),
            sum(t for i, t in pairs), sum(t * t for i, t in pairs))


def score(method, channels, counts=None):
    """Returns the score of a window. channels: a list of (window, template), each a list of integers. Flat
    windows score 0."""
    per_channel = [sums(window, templ, counts) for window, templ in channels]
    n = per_channel[0][0]
    num = sum(n * X - S * T for _, S, Q, X, T, T2 in per_channel)
    var = sum(n * Q - S * S for _, S, Q, X, T, T2 in per_channel)
    templ_var = sum(n * T2 - T * T for _, S, Q, X, T, T2 in per_channel)
    X, Q, T2 = (sum(p[k] for p in per_channel) for k in (3, 2, 5))
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


def window_score(method, image, templ, x, y, image_mask=None, templ_mask=None):
    """Returns score() of the window at (x, y), which is inside the image. Arguments are arrays or lists of
    rows, of numbers or of tuples of numbers."""
    def rows_of(array):
        return array.tolist() if hasattr(array, "tolist") else array

    height, width = len(templ), len(templ[0])
    window = [v for row in rows_of(image)[y:y + height] for v in row[x:x + width]]
    flat = [v for row in rows_of(templ) for v in row]
    counts = [True] * len(flat)
    for mask, at_x, at_y in ((image_mask, x, y), (templ_mask, 0, 0)):
        if mask is not None:
            bits = [v for row in rows_of(mask)[at_y:at_y + height] for v in row[at_x:at_x + width]]
            counts = [a and bool(b) for a, b in zip(counts, bits)]
    if not isinstance(flat[0], (list, tuple)):
        return score(method, [(window, flat)], counts)
    return score(method, [([p[c] for p in window], [p[c] for p in flat]) for c in range(len(flat[0]))], counts)
