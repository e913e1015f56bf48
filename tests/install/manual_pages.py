# SPDX-License-Identifier: BSD-2-Clause
"""The man pages: mandoc has no complaint, what they refer to is there, and that of the library has every function.

    python3 manual_pages.py MAN INCLUDE

MAN is the folder with the pages that packaging/manual.py has written. The exit status is 0, 1 (a problem) or 77 (mandoc is not here)."""
import pathlib
import re
import shutil
import subprocess
import sys

# Pages of other packages; that of exactncc-mpi is in one of its own, which needs MPI.
ELSEWHERE = {("pkg-config", "1"), ("mpirun", "1"), ("exactncc-mpi", "1")}


def lint(pages):
    """Yields what mandoc says of the pages, except that a page is not installed here."""
    done = subprocess.run(["mandoc", "-T", "lint", "-W", "all", *map(str, pages)], capture_output=True, text=True, check=False)
    for line in (done.stdout + done.stderr).splitlines():
        if "referenced manual not found" not in line and "outdated mandoc.db" not in line:
            yield line


def references(pages):
    present = {tuple(page.name.rsplit(".", 1)) for page in pages} | ELSEWHERE
    for page in pages:
        for name, section in re.findall(r"^\.Xr (\S+) (\d)", page.read_text(encoding="utf-8"), flags=re.M):
            if (name, section) not in present:
                yield f"{page.name} refers to {name}({section}), which is not there"


def functions(page, include):
    text = page.read_text(encoding="utf-8")
    for header in sorted(include.rglob("*.h")):
        for name in re.findall(r"^XNCC_API [^;(]*?\b(xncc_\w+)\(", header.read_text(encoding="utf-8"), flags=re.M):
            if f" Fn {name} " not in text:
                yield f"{page.name} lacks {name} of {header.name}"


def main():
    man, include = map(pathlib.Path, sys.argv[1:])
    if not shutil.which("mandoc"):
        print("skipped: mandoc is not here")
        return 77
    pages = sorted(man.rglob("*.[13]"))
    problems = [*lint(pages), *references(pages), *functions(man / "exactncc.3", include)]
    print("\n".join(problems + [f"{len(pages)} pages, {len(problems)} problems"]))
    return 1 if problems or len(pages) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
