# SPDX-License-Identifier: BSD-2-Clause
"""libabigail.py LIBRARY --map MAP [--compiler CC]: abidiff compares the shared library, by its debug information, with
the kept binary interface (exactncc.abi).

The kept interface becomes a library of empty functions with the same types, which abidiff reads as the older version. So the real library
is compared with what was promised by a tool that shares nothing with abi.py, which reads headers.

The exit status is 0 (the library has the kept interface), 1 (it has another one), 2 (an error) or 77 (abidiff is not installed, or the
library has no debug information)."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

import abi

# abidiff's exit status is a sum of these.
ERROR, CHANGED, INCOMPATIBLE = 1 | 2, 4, 8


def ordered(structs):
    """Returns the names of structs so that a struct comes after those that are its members."""
    done = []

    def visit(name):
        if name in done:
            return
        for declaration in structs[name]:
            kind = declaration.split()[0]
            if kind in structs and "(" not in declaration and "*" not in declaration:
                visit(kind)
        done.append(name)

    for name in structs:
        visit(name)
    return done


def stub(kept):
    """Returns the source of a library with the kept interface."""
    entries = abi.parse(kept)
    code = ["#include <stddef.h>", "#include <stdint.h>", "#define API __attribute__((visibility(\"default\")))"]
    structs = {name: [text.split(": ", 1)[1] for text in members.values()]
               for (kind, name), (_, members) in entries.items() if kind == "struct"}
    of = {wanted: {name: entry for (kind, name), entry in entries.items() if kind == wanted}
          for wanted in ("constant", "enum", "opaque", "type", "function")}
    code += [f"#define {name} {text}" for name, (text, _) in of["constant"].items()]
    code += [f"typedef enum {name} {{ {', '.join(f'{value} = {number}' for value, number in values.items())} }} {name};"
             for name, (_, values) in of["enum"].items()]
    code += [f"typedef struct {name} {name};" for name in [*of["opaque"], *structs]]
    code += [f"typedef {text};" for text, _ in of["type"].values()]
    code += [f"struct {name} {{ {'; '.join(structs[name])}; }};" for name in ordered(structs)]
    code += [f"API {text} {{ __builtin_trap(); }}" for text, _ in of["function"].values()]
    return "\n".join(code) + "\n"


def build(source, target, compiler, script):
    path = target.with_suffix(".c")
    path.write_text(source, encoding="utf-8")
    abi.run([compiler, "-std=c11", "-g", "-O0", "-shared", "-fPIC", "-fvisibility=hidden", "-Wno-return-type", f"-Wl,--version-script={script}",
             "-Wl,--soname,libexactncc.so.1", path, "-o", target])


def compare(old, new):
    """Returns the status of abidiff and what it prints. It takes for harmless that the library has more of an opaque type than its name."""
    done = subprocess.run(["abidiff", str(old), str(new)], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


# Changes of the kept file after which abidiff must say that the library breaks programs: what is replaced, and by what.
PLANTED = [
    ("    x offset 0 size 8: double x\n    y offset 8 size 8: double y\n    score", "    y offset 0 size 8: double y\n    score"),
    ("int32_t image_width\n", "int64_t image_width\n"),
    ("    XNCC_FULL 2", "    XNCC_FULL 3"),
    ("const xncc_match *match, size_t count, xncc_refined", "const xncc_match *match, int32_t count, xncc_refined"),
    ("function xncc_version:", "function xncc_gone: int xncc_gone(int value)\nfunction xncc_version:"),
]


def planted(kept, check):
    """Returns 0 if every planted change is seen."""
    unseen = 0
    for old, new in PLANTED:
        if old not in kept:
            raise abi.headers.Unknown(f"exactncc.abi has no '{old}'")
        status, text = check(kept.replace(old, new))
        if status & ERROR or not status & (CHANGED | INCOMPATIBLE):
            print(f"abidiff ends with {status} although '{old}' was '{new}':\n{text}")
            unseen += 1
    print(f"{len(PLANTED) - unseen} of {len(PLANTED)} planted changes are seen")
    return int(unseen > 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("built", metavar="LIBRARY", type=pathlib.Path)
    parser.add_argument("--map", type=pathlib.Path, required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--kept", type=pathlib.Path, default=abi.HERE / "exactncc.abi")
    parser.add_argument("--planted", action="store_true", help="plant changes in the kept file, which abidiff must see")
    options = parser.parse_args()
    if not shutil.which("abidiff"):
        print("skipped: abidiff is not installed (Debian: abigail-tools)")
        return 77
    if ".debug_info" not in abi.run(["readelf", "--sections", "--wide", options.built]):
        print(f"skipped: {options.built} has no debug information")
        return 77

    def check(kept):
        with tempfile.TemporaryDirectory() as folder:
            old = pathlib.Path(folder, "libexactncc.so.1")
            build(stub(kept), old, options.compiler, options.map)
            return compare(old, options.built)

    kept = options.kept.read_text(encoding="utf-8")
    if options.planted:
        return planted(kept, check)
    status, text = check(kept)
    print(text.strip())
    if status & ERROR:
        return 2
    if status:
        print(f"abidiff ends with {status}: {options.built.name} has not the interface of {options.kept.name}")
        return 1
    print(f"abidiff: {options.built.name} has the interface of {options.kept.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
