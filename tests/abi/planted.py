# SPDX-License-Identifier: BSD-2-Clause
"""planted.py COMPILER NM READELF WORK MAP: changes of a small interface that abi.py must call allowed or breaking, and shared libraries
whose exports are not those of the header. MAP is the version script of the library."""
import pathlib
import shutil
import subprocess
import sys

HEADER = """#include <stdint.h>
#define XNCC_VERSION_MAJOR 1
#define XNCC_LIMIT 16
typedef enum xncc_kind { XNCC_ONE = 1, XNCC_TWO = 2 } xncc_kind;
typedef struct xncc_options { uint32_t size; int32_t top; double limit; char end; } xncc_options;
typedef struct xncc_point { int32_t x, y; } xncc_point;
typedef struct xncc_plan xncc_plan;
typedef int (*xncc_progress)(void *user, double done);
#define XNCC_OPTIONS_INIT { sizeof(xncc_options), 0, 0.5, 0 }
int xncc_find(xncc_plan *plan, const xncc_options *options, xncc_point *found);
void xncc_stop(xncc_plan *plan, xncc_progress progress);
"""
# (what is replaced, by what, the status, what the answer names)
CHANGES = [
    ("char end;", "char end; int64_t added;", 1, "allowed: struct xncc_options has changed"),
    ("void xncc_stop", "int xncc_more(void);\nvoid xncc_stop", 1, "allowed: function xncc_more is new"),
    ("XNCC_TWO = 2", "XNCC_TWO = 2, XNCC_THREE = 3", 1, "allowed: enum xncc_kind has changed"),
    ("0.5, 0 }", "0.5, 0, 7 }", 1, "allowed: constant XNCC_OPTIONS_INIT has changed"),
    ("xncc_point *found", "xncc_point *match", 1, "allowed: function xncc_find has changed"),
    ("typedef struct xncc_plan xncc_plan;", "/* a comment */\ntypedef  struct xncc_plan\n  xncc_plan;", 0, "entries, all as kept"),
    # It begins in the padding of the old struct, where an older program has left what was there.
    ("char end;", "char end; char added;", 1, "breaks programs: struct xncc_options: added is within"),
    ("int32_t top; double limit;", "int32_t top; int32_t added; double limit;", 1, "breaks programs: struct xncc_options: limit was"),
    ("int32_t top; double limit;", "double limit; int32_t top;", 1, "breaks programs: struct xncc_options: top was"),
    ("int32_t top;", "uint32_t top;", 1, "breaks programs: struct xncc_options: top was"),
    ("char end;", "", 1, "breaks programs: struct xncc_options: end was"),
    ("int32_t x, y;", "int32_t x, y, z;", 1, "breaks programs: struct xncc_point: z added"),
    ("XNCC_TWO = 2", "XNCC_TWO = 3", 1, "breaks programs: enum xncc_kind: XNCC_TWO was 2, is 3"),
    (", XNCC_TWO = 2", "", 1, "breaks programs: enum xncc_kind: XNCC_TWO was 2, is gone"),
    ("0.5, 0 }", "0.25, 0 }", 1, "breaks programs: constant XNCC_OPTIONS_INIT"),
    ("XNCC_LIMIT 16", "XNCC_LIMIT 32", 1, "breaks programs: constant XNCC_LIMIT"),
    ("const xncc_options *options", "xncc_options *options", 1, "breaks programs: function xncc_find"),
    ("void xncc_stop", "int xncc_stop", 1, "breaks programs: function xncc_stop"),
    ("void xncc_stop(xncc_plan *plan, xncc_progress progress);", "", 1, "breaks programs: function xncc_stop is gone"),
    ("void *user, double done", "void *user", 1, "breaks programs: type xncc_progress"),
    ("typedef struct xncc_plan xncc_plan;", "typedef struct xncc_plan { int x; } xncc_plan;", 1, "breaks programs: opaque xncc_plan is gone"),
    ("int32_t x, y;", "int32_t x : 4, y : 4;", 2, "a bit-field has no offset"),
    ("void xncc_stop", "extern int xncc_global;\nvoid xncc_stop", 2, "int xncc_global"),
]
SOURCE = "int xncc_find(void) { return 0; }\nvoid xncc_stop(void) {}\n"


def main():
    compiler, nm, readelf, work, script = sys.argv[1:]
    here, work = pathlib.Path(__file__).resolve().parent, pathlib.Path(work)
    shutil.rmtree(work, ignore_errors=True)
    header = work / "include/exactncc/status.h"
    header.parent.mkdir(parents=True)
    header.write_text(HEADER, encoding="utf-8")
    failed, count = [], 0

    def expect(what, status, answer, *arguments):
        nonlocal count
        count += 1
        command = [sys.executable, here / "abi.py", "--compiler", compiler, "--nm", nm, "--readelf", readelf,
                   "--include", work / "include", "--kept", work / "kept.abi", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 77:
            print(done.stdout, end="")
            sys.exit(77)
        text = done.stdout + done.stderr
        if done.returncode != status or answer not in text:
            failed.append(what)
            print(f"{what}: expected status {status} and '{answer}', got {done.returncode}:\n{text}")

    expect("the first file", 0, "is written", "--update")
    expect("no change", 0, "entries, all as kept")
    kept = (work / "kept.abi").read_text(encoding="utf-8")
    for old, new, status, answer in CHANGES:
        assert HEADER.count(old) == 1, old
        header.write_text(HEADER.replace(old, new), encoding="utf-8")
        what = f"'{old}' becomes '{new}'"
        expect(what, status, answer)
        if answer.startswith("breaks"):
            expect(what + ", --update", 1, answer, "--update")
            if (work / "kept.abi").read_text(encoding="utf-8") != kept:
                failed.append(what + ": --update has written a breaking change")
        elif answer.startswith("allowed"):
            expect(what + ", --update", 0, "is written", "--update")
        (work / "kept.abi").write_text(kept, encoding="utf-8")
    header.write_text(HEADER.replace("MAJOR 1", "MAJOR 2").replace("XNCC_TWO = 2", "XNCC_TWO = 3"), encoding="utf-8")
    expect("a new major version", 1, "another major version")
    expect("a new major version, --update", 0, "is written", "--update")
    header.write_text(HEADER.replace("MAJOR 1", "MAJOR 2"), encoding="utf-8")
    expect("a breaking change before the release", 1, "breaks programs", "--update")
    expect("a breaking change before the release, --unreleased", 0, "is written", "--update", "--unreleased")
    expect("a breaking change before the release, written", 0, "entries, all as kept")
    header.write_text(HEADER, encoding="utf-8")

    def library(what, status, answer, source, soname="libexactncc.so.1", flags=()):
        (work / "library.c").write_text(source, encoding="utf-8")
        subprocess.run([compiler, "-shared", "-fPIC", f"-Wl,-soname,{soname}", *flags, work / "library.c", "-o", work / "library.so"], check=True)
        expect(what, status, answer, "--symbols", work / "library.so")

    versions = [f"-Wl,--version-script={script}"]
    library("the functions of the header", 0, "2 functions are exported", SOURCE, flags=versions)
    library("one more", 1, "xncc_extra is exported, but no", SOURCE + "int xncc_extra(void) { return 0; }\n", flags=versions)
    library("a variable", 1, "xncc_extra is exported, but no", SOURCE + "int xncc_extra = 1;\n", flags=versions)
    library("a name that the script hides", 0, "2 functions are exported", SOURCE + "int other(void) { return 0; }\n", flags=versions)
    library("one hidden", 1, "xncc_stop is declared in a public header, but not exported",
            SOURCE.replace("void xncc_stop", '__attribute__((visibility("hidden"))) void xncc_stop'), flags=versions)
    library("no version", 1, "xncc_find has the version ''", SOURCE)
    library("another soname", 1, "the soname is libexactncc.so.0", SOURCE, "libexactncc.so.0", versions)
    if failed:
        print(f"{len(failed)} of {count} checks fail")
        return 1
    print(f"{count} checks hold")
    return 0


if __name__ == "__main__":
    sys.exit(main())
