# SPDX-License-Identifier: BSD-2-Clause
"""grown.py SOURCE LIBRARY COMPILER CMAKE GENERATOR WORK: programs and libraries of different minor versions work together.

A version to come is made from this one: every public struct that begins with `uint32_t size` gets one more member at its end, in a copy
of the sources. The C example is then

- built with the headers of today and run with the library to come, which must not read behind the shorter structs;
- built with the headers to come and run with the library of today (LIBRARY), which finds the new members 0;
- the same with a new member that is not 0, which the library of today must refuse."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import headers

EXAMPLE = "examples/find_c11.c"
OPTIONS = re.compile(r"(xncc_find_options (\w+) = [^;]*;)")


def run(command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)
    return done.returncode, done.stdout + done.stderr


def must(command):
    status, text = run(command)
    if status:
        sys.exit(f"{' '.join(map(str, command))} fails:\n{text}")


def growing(interface):
    """Returns the structs that can grow. One that is a member of another cannot, because what follows it would move."""
    nested = {declaration.split()[0] for members in interface.structs.values() for _, declaration in members if "*" not in declaration}
    return [name for name, members in interface.structs.items() if members[0] == ("size", "uint32_t size") and name not in nested]


def grow(include, names):
    for path in include.rglob("*.h"):
        text = path.read_text(encoding="utf-8")
        for name in names:
            text = re.sub(rf"(typedef struct {name} \{{.*?)(\}} {name};)", r"\1    uint64_t grown;\n\2", text, flags=re.DOTALL)
        path.write_text(text, encoding="utf-8")


def main():
    source, library, compiler, cmake, generator, work = sys.argv[1:]
    source, library, work = pathlib.Path(source), pathlib.Path(library).parent, pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    names = growing(headers.Interface(source / "include", compiler))
    if not names:
        print("skipped: no public struct begins with 'uint32_t size'")
        return 77
    for part in ("include", "src", "cmake"):
        shutil.copytree(source / part, work / "source" / part)
    shutil.copy(source / "CMakeLists.txt", work / "source")
    grow(work / "source/include", names)
    structs = headers.Interface(work / "source/include", compiler).structs
    unchanged = [name for name in names if structs[name][-1] != ("grown", "uint64_t grown")]
    if unchanged:
        sys.exit(f"no member was added to {', '.join(unchanged)}; is it written as 'typedef struct NAME {{ ... }} NAME;'?")
    must([cmake, "-S", work / "source", "-B", work / "library", "-G", generator, f"-DCMAKE_C_COMPILER={compiler}",
          "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_C_FLAGS_RELEASE=-O1 -DNDEBUG", "-DBUILD_SHARED_LIBS=ON", "-DEXACTNCC_CUDA=OFF",
          "-DEXACTNCC_APPS=OFF", "-DEXACTNCC_INSTALL=OFF", "-DEXACTNCC_TESTS=OFF"])
    must([cmake, "--build", work / "library", "-j", "2"])

    def program(name, include, linked, text):
        (work / f"{name}.c").write_text(text, encoding="utf-8")
        must([compiler, "-std=c11", "-I", include, work / f"{name}.c", "-L", linked, "-lexactncc", "-o", work / name])
        return run([work / name], env={**os.environ, "LD_LIBRARY_PATH": str(linked)})

    example = (source / EXAMPLE).read_text(encoding="utf-8")
    today, to_come = source / "include", work / "source/include"
    expected = program("today", today, library, example)
    if expected[0] or not expected[1].endswith("30 20 1\n90 60 1\n"):
        sys.exit(f"the example fails with {expected[0]}:\n{expected[1]}")
    failed = 0
    for what, got in (("a program of today with a newer library", program("older", today, work / "library", example)),
                      ("a newer program with the library of today", program("newer", to_come, library, example))):
        print(f"{what}: {'works' if got == expected else f'exit status {got[0]}: {got[1]}'}")
        failed += got != expected
    if "xncc_find_options" in names:
        changed, count = OPTIONS.subn(r"\1 \2.grown = 1;", example)
        if count != 1:
            sys.exit(f"{EXAMPLE} has not one definition of xncc_find_options")
        status, text = program("refused", to_come, library, changed)
        refused = status == 1 and "newer version" in text
        print(f"a newer program that uses a new member: {'is refused' if refused else f'exit status {status}: {text}'}")
        failed += not refused
    print(f"{len(names)} structs have grown: {', '.join(names)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
