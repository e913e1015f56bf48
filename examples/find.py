#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Finds a template in an image, in Python. It prints the version of the library, then x, y and score of each match,
best first, and the first match to fractions of a pixel:

    exactncc 1.0.0
    30 20 1
    90 60 1
    fine: 30.0 20.0
"""

import numpy as np

import exactncc

# A scene of two equal patterns on a dark ground; yours comes from a camera or a file.
y, x = np.mgrid[:16, :16]
scene = np.zeros((120, 160), np.uint8)
for left, top in ((30, 20), (90, 60)):
    scene[top : top + 16, left : left + 16] = 37 * (x * x + 3 * y) % 251
pattern = scene[20:36, 30:46]  # a view: nothing is copied

matches = exactncc.find(scene, pattern, min_score=0.9)
print("exactncc", exactncc.__version__)
for match in matches:
    print(match.x, match.y, f"{match.score:.9g}")

fine = exactncc.refine(scene, pattern, matches)
print(f"fine: {fine.x[0]:.1f} {fine.y[0]:.1f}")
