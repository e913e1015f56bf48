#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Counts kernel instances and those that tests launched. Called by instances.sh.

instances.py FOLDER UNREACHED [--list]

FOLDER has a file per test, with the lines of tests/pretend/launches.cpp. UNREACHED lists instances that no test launches, with the
reason. The status is 1 if another one is launched by no test, or if one of the list is launched or does not exist.
"""

import collections
import os
import re
import subprocess
import sys


def without_parameters(plain):
    """A demangled name without the parameters of its function; what is in <> is kept."""
    depth = 0
    for at, letter in enumerate(plain):
        depth += {"<": 1, ">": -1}.get(letter, 0)
        if letter == "(" and depth == 0:
            return plain[:at]
    return plain


def readable(mangled):
    """{mangled name: file and name of the instance}"""
    names = sorted(mangled)
    text = subprocess.run(["c++filt"], input="\n".join(names), capture_output=True, text=True, check=True).stdout
    result = {}
    for name, plain in zip(names, text.splitlines()):
        file = re.search(r"_GLOBAL__N__[0-9a-f]+_\d+_(\w+?)_cu_", name)
        plain = re.sub(r"xncc::\(anonymous namespace\)::|xncc::_GLOBAL__N__\w+::|xncc::", "", plain)
        plain = re.sub(r"\(\w+\)(?=-?\d)", "", plain.replace("void ", "", 1))  # the type of an enumerator
        plain = without_parameters(plain)
        result[name] = f"{file.group(1)}: {plain}" if file else plain
    return result


def main():
    folder, unreached = sys.argv[1:3]
    tests = sorted(name for name in os.listdir(folder) if not name.startswith("."))
    known, launched = set(), {}
    for test in tests:
        with open(os.path.join(folder, test)) as lines:
            for line in lines:
                kind, name = line.split()
                known.add(name)
                if kind == "L":
                    launched.setdefault(name, set()).add(test)
    names = readable(known)
    with open(unreached) as lines:
        listed = [line.split("  #")[0].strip() for line in lines if line.strip() and not line.startswith("#")]
    status = 0
    for name, count in collections.Counter(names.values()).items():
        if count > 1:
            print(f"instances: {count} instances have the name {name}")
            status = 1
    for name in sorted(known, key=names.get):
        if "--list" in sys.argv:
            print(f"{names[name]}: {', '.join(sorted(launched.get(name, []))) or 'no test'}")
        if (name in launched) == (names[name] in listed):
            print(f"instances: {names[name]} is {'launched, but listed as not' if name in launched else 'launched by no test'}")
            status = 1
    for name in set(listed) - set(names.values()):
        print(f"instances: {name} is listed in {unreached}, but does not exist")
        status = 1
    print(f"instances: {len(launched)} of {len(known)} kernel instances are launched by {len(tests)} tests; {len(listed)} are listed as not")
    return status if known else 1


sys.exit(main())
