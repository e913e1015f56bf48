#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Prints coverage per file and per folder, and compares it with limits. Called by coverage.sh and gpu-test.sh.

coverage.py LCOV JSON ROOT FOLDER=LINES,BRANCHES... [--left]

LCOV and JSON are what `llvm-cov export` writes in these formats, or both the file that `gcov --json-format --stdout` writes. A line, or a direction of a branch, counts once and is covered if
any copy of the code ran it: a header, or a file that is compiled for several instruction sets, has several copies. LINES and
BRANCHES are limits in percent; 0 is none. --left prints what is not covered. The status is 1 if a folder is below a limit.
"""

import json
import os
import sys
from collections import defaultdict


def read_lines(path):
    """{file: {line: count}} from an lcov file."""
    files, now = {}, None
    with open(path) as text:
        for row in text:
            kind, _, value = row.strip().partition(":")
            if kind == "SF":
                now = files.setdefault(value, {})
            elif kind == "DA":
                line, count = value.split(",")[:2]
                now[int(line)] = max(now.get(int(line), 0), int(count))
    return files


def read_gcov(path):
    """({file: {line: count}}, {file: {(line, 0): [times of each direction]}}) from gcov's reports, one per line."""
    lines, branches = defaultdict(lambda: defaultdict(int)), defaultdict(dict)
    with open(path) as text:
        for report in map(json.loads, text):
            for file in report["files"]:
                name = os.path.join(report["current_working_directory"], file["file"])
                for line in file["lines"]:
                    lines[name][line["line_number"]] += line["count"]
                    counts = [branch["count"] for branch in line["branches"]]
                    before = branches[name].get((line["line_number"], 0), [])
                    if len(before) == len(counts): # another copy of the code
                        counts = [a + b for a, b in zip(before, counts)]
                    if len(before) <= len(counts) and counts:
                        branches[name][line["line_number"], 0] = counts
    return lines, branches


def read_branches(path):
    """{file: {(line, column): [times true, times false]}} from a JSON file."""
    files = defaultdict(dict)
    with open(path) as text:
        for file in json.load(text)["data"][0]["files"]:
            for line, column, _, _, true, false, *_ in file.get("branches", []):
                sums = files[file["filename"]].setdefault((line, column), [0, 0])
                sums[0] += true
                sums[1] += false
    return files


def ratio(part, whole):
    return 100.0 * part / whole if whole else 100.0


def print_left(name, lines, branches):
    for line in sorted(set(k for k, count in lines.items() if not count) | set(k[0] for k, b in branches.items() if not all(b))):
        if not lines.get(line, 1):
            print(f"{name}:{line}: not run")
        else:
            for (_, column), counts in sorted(item for item in branches.items() if item[0][0] == line):
                never = [i for i, count in enumerate(counts) if not count]
                if never and column:
                    print(f"{name}:{line}:{column}: never {('true', 'false')[never[0]]}")
                elif never:
                    print(f"{name}:{line}: {len(never)} of {len(counts)} directions never")


def main():
    words = [word for word in sys.argv[1:] if word != "--left"]
    lcov, exported, root, limits = words[0], words[1], words[2], words[3:]
    lines, branches = read_gcov(lcov) if lcov == exported else (read_lines(lcov), read_branches(exported))
    status = 0
    print(f"{'lines':>14}        {'branches':>14}")
    for limit in limits:
        folder, _, numbers = limit.partition("=")
        least = [float(number) for number in numbers.split(",")]
        total = [0, 0, 0, 0]
        for file in sorted(lines):
            name = os.path.relpath(file, root)
            if not name.startswith(folder + "/"):
                continue
            of_file = branches.get(file, {})
            counts = [sum(1 for count in lines[file].values() if count), len(lines[file]),
                      sum(count > 0 for b in of_file.values() for count in b), sum(len(b) for b in of_file.values())]
            total = [a + b for a, b in zip(total, counts)]
            print_row(counts, name)
            if "--left" in sys.argv:
                print_left(name, lines[file], of_file)
        print_row(total, folder)
        if total[1] == 0:
            print(f"coverage: nothing of {folder} was compiled for coverage")
            status = 1
        for part, whole, limit_of, what in ((total[0], total[1], least[0], "lines"), (total[2], total[3], least[1], "branches")):
            if ratio(part, whole) < limit_of:
                print(f"coverage: {folder}: {ratio(part, whole):.2f} % of the {what} are covered, and {limit_of:g} % is the limit")
                status = 1
    return status


def print_row(counts, name):
    covered, lines, taken, branches = counts
    print(f"{covered:6} {lines:6} {ratio(covered, lines):6.2f} %  {taken:5} {branches:6} {ratio(taken, branches):6.2f} %  {name}")


sys.exit(main())
