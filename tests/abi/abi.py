# SPDX-License-Identifier: BSD-2-Clause
"""The binary interface of the library: is it the kept one, and does the shared library export it?

    python3 tests/abi/abi.py                       compares the public headers with exactncc.abi
    python3 tests/abi/abi.py --update              writes exactncc.abi after a compatible change
    python3 tests/abi/abi.py --update --unreleased writes it after any change, before the release of a major version
    python3 tests/abi/abi.py --symbols LIBRARY     compares what a shared library exports with the public headers

The exit status is 0 (equal, or written), 1 (different), 2 (an error) or 77 (the kept file is for 64-bit Linux, and this is not)."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

import headers

HERE = pathlib.Path(__file__).resolve().parent
HEAD = """# The binary interface of exactncc on 64-bit Linux. tests/abi/abi.py writes this file; do not edit it.
# docs/upgrading.md says which changes are allowed. Sizes, alignments and offsets are in bytes.
"""


def run(command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise headers.Unknown(f"{' '.join(map(str, command))} fails:\n{done.stdout}{done.stderr}")
    return done.stdout


def describe(interface, compiler):
    """Returns the text of the kept file. A program that the compiler builds prints the numbers."""
    code = ["#include <stddef.h>", "#include <stdint.h>", "#include <stdio.h>"]
    code += [f'#include "{name}"' for name in interface.names]
    code += ["#define I(x) ((long long)(x))", "int main(void)", "{"]

    def line(text, *numbers):
        arguments = "".join(f", I({number})" for number in numbers)
        quoted = text.replace("\\", "\\\\").replace('"', '\\"')
        code.append(f'    printf("{quoted}\\n"{arguments});')

    code.append("    if (sizeof(void *) != 8 || sizeof(long) != 8)\n        return 77;")
    line("major %lld", "XNCC_VERSION_MAJOR")
    for name, text in sorted(interface.constants.items()):
        line(f"constant {name} {text}".replace("%", "%%"))
    for name, values in sorted(interface.enums.items()):
        line(f"enum {name} size %lld", f"sizeof({name})")
        for value in values:
            line(f"    {value} %lld", value)
    for name, members in sorted(interface.structs.items()):
        line(f"struct {name} size %lld align %lld", f"sizeof({name})", f"_Alignof({name})")
        for member, declaration in members:
            line(f"    {member} offset %lld size %lld: {declaration}", f"offsetof({name}, {member})",
                 f"sizeof((({name} *)0)->{member})")
    for name in sorted(interface.opaque):
        line(f"opaque {name}")
    for kind in ("types", "functions", "inline"):
        for name, declaration in sorted(getattr(interface, kind).items()):
            line(f"{kind.rstrip('s')} {name}: {declaration}")
    code += ["    return 0;", "}"]
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "print.c"), pathlib.Path(folder, "print")
        source.write_text("\n".join(code) + "\n", encoding="utf-8")
        run([compiler, "-std=c11", "-I", interface.include, source, "-o", program])
        done = subprocess.run([program], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        print("skipped: the kept file is for 64-bit Linux")
        sys.exit(77)
    return HEAD + done.stdout


def parse(text):
    """Returns {(kind, name): (rest of its line, {member: rest of its line})} of a kept file."""
    entries = {}
    for line in text.splitlines():
        words = line.split(None, 2) + ["", ""]
        if line.startswith("    "):
            entries[last][1][words[0]] = line.split(None, 1)[1]
        elif line and not line.startswith("#"):
            last = (words[0], words[1].rstrip(":")) if words[0] != "major" else ("major", "")
            entries[last] = (words[1] if words[0] == "major" else words[2], {})
    return entries


def grown(name, old, new):
    """Yields what is wrong with a changed struct. A struct that has its size may grow behind its old end, padding included, because a
    library that is newer than a program reads no further than that end."""
    size = {which: int(re.match(r"size (\d+)", text).group(1)) for which, text in (("old", old[0]), ("new", new[0]))}
    for member, where in old[1].items():
        if new[1].get(member) != where:
            yield f"struct {name}: {member} was '{where}', is '{new[1].get(member, 'gone')}'"
    added = {member: where for member, where in new[1].items() if member not in old[1]}
    first = next(iter(old[1].items()), ("", ""))
    if added and not (first[0] == "size" and first[1].endswith("uint32_t size")):
        yield f"struct {name}: {', '.join(added)} added, but it does not begin with 'uint32_t size', so it cannot grow"
    for member, where in added.items():
        if int(re.match(r"offset (\d+)", where).group(1)) < size["old"]:
            yield f"struct {name}: {member} is within the {size['old']} bytes that the struct had; add it at the end, behind the padding"
    if not added and old[0] != new[0]:
        yield f"struct {name}: was '{old[0]}', is '{new[0]}'"


def compare(old, new):
    """Returns the changes that break programs, and those that do not."""
    broken, allowed = [], []
    for key, (rest, members) in old.items():
        kind, name = key
        if key not in new:
            broken.append(f"{kind} {name} is gone")
        elif new[key] != (rest, members):
            is_now, members_now = new[key]
            wrong = []
            if kind == "struct":
                wrong = list(grown(name, (rest, members), new[key]))
            elif kind == "enum":
                wrong = [f"enum {name}: {value} was {number}, is {members_now.get(value, 'gone')}"
                         for value, number in members.items() if members_now.get(value) != number]
                wrong += [f"enum {name}: was '{rest}', is '{is_now}'"] if rest != is_now else []
            elif kind == "function":
                if headers.without_names(rest) != headers.without_names(is_now):
                    wrong = [f"function {name}:\n    was {rest}\n    is  {is_now}"]
            # An initializer may grow with its struct. An inline function is compiled into the program, which keeps its own.
            elif kind != "inline" and not (name.endswith("_INIT") and is_now.startswith(rest.rstrip(" }"))):
                wrong = [f"{kind} {name}: was '{rest}', is '{is_now}'"]
            broken += wrong
            allowed += [] if wrong else [f"{kind} {name} has changed"]
    allowed += [f"{kind} {name} is new" for kind, name in new if (kind, name) not in old]
    return broken, allowed


def check(options):
    interface = headers.Interface(options.include, options.compiler)
    text = describe(interface, options.compiler)
    kept = options.kept.read_text(encoding="utf-8") if options.kept.exists() else ""
    old, new = parse(kept), parse(text)
    new_major = old.get(("major", "")) != new[("major", "")]
    broken, allowed = ([], ["another major version"]) if new_major else compare(old, new)
    for change in broken:
        print(f"breaks programs: {change}")
    for change in allowed:
        print(f"allowed: {change}")
    if options.update and (options.unreleased or not broken):
        options.kept.write_text(text, encoding="utf-8")
        print(f"{options.kept} is written: {len(new)} entries")
        return 0
    if broken:
        print("A program that was built for this major version would break. Undo the change or, for a new major version, raise\n"
              "XNCC_VERSION_MAJOR in include/exactncc/status.h, rename the node in cmake/exactncc.map and run\n"
              "    python3 tests/abi/abi.py --update\n"
              "If no release has this major version yet, run\n"
              "    python3 tests/abi/abi.py --update --unreleased")
    elif allowed or kept != text:
        print("Programs keep working. Raise XNCC_VERSION_MINOR for the next release, and write the kept file:\n"
              "    python3 tests/abi/abi.py --update")
    else:
        print(f"{len(new)} entries, all as kept")
        return 0
    return 1


def symbols(options):
    """Compares the names that the library exports, their version and its soname with the headers."""
    interface = headers.Interface(options.include, options.compiler)
    major = re.search(r"#define XNCC_VERSION_MAJOR (\d+)", (interface.include / "exactncc/status.h").read_text(encoding="utf-8")).group(1)
    node = re.compile(rf"XNCC_{major}\.\d+")
    exported, problems = {}, []
    for line in run([options.nm, "-D", "--defined-only", options.symbols]).splitlines():
        kind, full = line.split()[-2:]
        name, _, version = full.partition("@@")
        if kind == "A" and node.fullmatch(name):
            continue  # the version itself
        exported[name] = version
        if name not in interface.functions:
            problems.append(f"{name} is exported, but no public header declares it; make it static, or remove what makes it visible")
        elif not node.fullmatch(version):
            problems.append(f"{name} has the version '{version}', not XNCC_{major}.*; is it linked with cmake/exactncc.map?")
    problems += [f"{name} is declared in a public header, but not exported; does it have XNCC_API, and a definition?"
                 for name in interface.functions if name not in exported]
    soname = re.search(r"SONAME\D*\[(.*?)\]", run([options.readelf, "-dW", options.symbols]))
    if not soname or soname.group(1) != f"libexactncc.so.{major}":
        problems.append(f"the soname is {soname and soname.group(1)}, not libexactncc.so.{major}")
    for problem in problems:
        print(problem)
    if not problems:
        print(f"{len(exported)} functions are exported, all those of the public headers")
    return 1 if problems else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--include", type=pathlib.Path, default=HERE.parent.parent / "include")
    parser.add_argument("--kept", type=pathlib.Path, default=HERE / "exactncc.abi")
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--readelf", default="readelf")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--unreleased", action="store_true")
    parser.add_argument("--symbols", metavar="LIBRARY")
    options = parser.parse_args()
    try:
        return symbols(options) if options.symbols else check(options)
    except headers.Unknown as problem:
        print(f"abi.py: {problem}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
