# SPDX-License-Identifier: BSD-2-Clause
"""Writes the man pages of a program from what its --help-json says, and that of the library from its headers.

    python3 manual.py HELP.json DATE FOLDER     PROGRAM.1 and, of a program with commands, PROGRAM-COMMAND.1 of each
    python3 manual.py INCLUDE DATE FOLDER       exactncc.3; INCLUDE is the folder of the headers

HELP.json is the output of the program, DATE is that of the pages (2026-11-22). The pages are mdoc, which man-db and mandoc read.
"""
import datetime
import json
import pathlib
import re
import sys
import textwrap

# What each page of a program refers to beside the pages of its commands. mpirun is a program of MPI.
BESIDE = {
    "exactncc": {("exactncc", 1), ("exactncc-bench", 1), ("exactncc-mpi", 1), ("exactncc", 3)},
    "exactncc-bench": {("exactncc", 1), ("exactncc", 3)},
    "exactncc-mpi": {("exactncc-mpi", 1), ("exactncc", 1), ("exactncc", 3), ("mpirun", 1)},
}
MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December")


def words(text):
    """Text that mdoc takes as it is, also as arguments of a macro."""
    text = text.replace("\\", "\\e").replace('"', "\\(dq")
    return re.sub(r"(?<![\w-])(-+)(?=\w)", lambda dashes: "\\-" * len(dashes.group(1)), text)


def argument(text):
    """One argument of a macro."""
    text = words(text)
    return f'"{text}"' if " " in text else text


def sentences(text):
    """Lines of text. Each sentence begins a line."""
    lines = []
    for sentence in re.split(r"(?<=[^.][.?!]) (?=[A-Z(])|(?<=[.?!][)]) (?=[A-Z(])", text):
        lines += textwrap.wrap(words(sentence), 79, break_long_words=False, break_on_hyphens=False)
    # A line that begins with a dot or an apostrophe would be a macro.
    return [re.sub(r"^([.'])", r"\\&\1", line) for line in lines]


def capital(text):
    return text[:1].upper() + text[1:]


def phrase(purpose):
    """A purpose as the page's first line has it."""
    return (purpose[:1].lower() + purpose[1:]).rstrip(".")


def paragraphs(text):
    lines = []
    for part in filter(None, text.split("\n")):
        lines += [".Pp"] + sentences(part)
    return lines


def head(title, section, date, name, purpose):
    return ['.\\" Made by packaging/manual.py.', '.\\" SPDX-License-Identifier: BSD-2-Clause', f".Dd {date}",
            f".Dt {title.upper()} {section}", ".Os", ".Sh NAME", f".Nm {name}", f".Nd {words(phrase(purpose))}"]


def option(entry):
    """The entry of one option in the list of a group."""
    value = f" Ar {argument(entry['argument'])}" if entry["argument"] else ""
    forms = [f"Fl {entry['letter']}{value}"] if entry["letter"] else []
    forms.append(f"Fl \\-{entry['name']}{value}")
    lines = [".It " + " , ".join(forms)] + sentences(capital(entry["help"]).rstrip(".") + ".")
    expected = entry["expected"] if entry["argument"] != entry["expected"] else None
    if expected and expected != "a file name":
        lines += sentences(f"Value: {expected}.")
    if entry["default"] is not None:
        lines += sentences(f"Default: {entry['default']}.")
    return lines


def options(entries):
    lines, group = [".Sh OPTIONS"], None
    for entry in entries:
        if entry["group"] != group:
            lines += ([".El"] if group is not None else []) + [f".Ss {words(entry['group'])}", ".Bl -tag -width Ds"]
            group = entry["group"]
        lines += option(entry)
    return lines + [".El"]


def exits(entries):
    lines = [".Sh EXIT STATUS", ".Bl -tag -width Ds"]
    for entry in entries:
        lines += [f".It {entry['status']}"] + sentences(capital(entry["meaning"]).rstrip(".") + ".")
    return lines + [".El"]


def examples(lines):
    if not lines:
        return []
    return [".Sh EXAMPLES", ".Bd -literal"] + [words(line) for line in lines] + [".Ed"]


def see_also(pages):
    """The pages are (name, section)."""
    lines = [f".Xr {name} {section} ," for section, name in sorted((section, name) for name, section in pages)]
    return [".Sh SEE ALSO"] + lines[:-1] + [lines[-1].removesuffix(" ,")]


def related(program, page):
    """What the page of a program or of its command refers to."""
    commands = {(f"{program['program']}-{command['name']}", 1) for command in program["commands"] if command["name"]}
    return (BESIDE[program["program"]] | commands) - {(page, 1)}


def command_page(program, command, date):
    """The page of a command, or of a program without commands."""
    name = "-".join(filter(None, [program["program"], command["name"]]))
    lines = head(name, 1, date, name, command["purpose"]) + [".Sh SYNOPSIS"]
    nm = f".Nm {program['program']}" + (f" Cm {command['name']}" if command["name"] else "")
    lines += [nm, ".Op Ar options"] + ([f".Ar {words(command['arguments'])}"] if command["arguments"] else [])
    lines += [".Sh DESCRIPTION"] + sentences(command["purpose"]) + paragraphs(command["notes"])
    lines += options(command["options"]) + exits(program["exits"]) + examples(command["examples"])
    return name, lines + see_also(related(program, name))


def program_page(program, date):
    """The page of a program with commands."""
    name = program["program"]
    lines = head(name, 1, date, name, program["purpose"]) + [".Sh SYNOPSIS", f".Nm {name}", ".Ar command", ".Op Ar options", ".Ar", f".Nm {name}",
                                                         ".Fl \\-help | \\-version"]
    lines += [".Sh DESCRIPTION"] + sentences(program["purpose"]) + paragraphs(program["notes"]) + [".Pp", "Each command has a page of its own:", ".Bl -tag -width correlate"]
    for command in program["commands"]:
        lines += [f".It Cm {command['name']}"] + sentences(command["purpose"]) + ["See", f".Xr {name}-{command['name']} 1 ."]
    lines += [".El"] + exits(program["exits"]) + examples([line for command in program["commands"] for line in command["examples"][:1]])
    return name, lines + see_also(related(program, name))


def functions(header):
    """Yields (text of a comment, [declaration]) of the functions of a header."""
    code = header.read_text(encoding="utf-8")
    for found in re.finditer(r"/\*((?:[^*]|\*(?!/))*)\*/\n((?:XNCC_API [^;]+;\n)+)", code):
        comment = re.sub(r"\n \*(?: |$)", "\n", found.group(1), flags=re.M).strip()
        yield comment, [" ".join(text.split()) for text in re.findall(r"XNCC_API ([^;]+);", found.group(2))]


def function(declaration):
    """The entry of a function in a list."""
    returned, name, parameters = re.fullmatch(r"(.*?)\b(xncc_\w+)\((.*)\)", declaration).groups()
    return f'.It Ft {argument(returned.strip())} Fn {name} ' + " ".join(argument(part.strip()) for part in parameters.split(","))


def library_page(include, date):
    """The page of the library: what its headers say of themselves, and the first paragraph of each function."""
    overview = (include / "exactncc.h").read_text(encoding="utf-8")
    headers = re.findall(r"^ \*     (\w+\.h) +(.*)$", overview, flags=re.M)
    lines = head("exactncc", 3, date, "exactncc", "finds templates in images by exact normalized cross-correlation")
    lines += [".Sh SYNOPSIS", ".In exactncc/exactncc.h", ".Pp", ".Dl cc program.c $(pkg-config --cflags --libs exactncc)", ".Sh DESCRIPTION"]
    lines += sentences("The library searches images for templates, computes maps of scores, refines matches to fractions of a pixel, and "
                       "convolves, on the CPU and on NVIDIA GPUs. Scores are exact, for integers and floats, and every engine returns the same bits.")
    lines += [".Pp"] + sentences("The headers are the manual: each function, struct and value is described where it is declared. In C++, "
                                 "exactncc/exactncc.hpp has objects that free themselves, and exactncc/opencv.hpp has views of OpenCV's "
                                 "matrices. This page lists the functions.")
    for name, purpose in headers:
        lines += [f".Ss {name}: {words(purpose)}", ".Bl -tag -width Ds"]
        for comment, declarations in functions(include / name):
            lines += [function(declaration) for declaration in declarations] + sentences(" ".join(comment.split("\n\n")[0].split()))
        lines += [".El"]
    conventions = overview.split("Conventions:\n", 1)[1].split(" * An example:", 1)[0].replace("\n *", "\n")
    lines += [".Sh CONVENTIONS", ".Bl -bullet"]
    for convention in re.split(r"^ ?- ", conventions, flags=re.M)[1:]:
        lines += [".It"] + sentences(" ".join(convention.replace("\n *", "\n").split()))
    lines += [".El", ".Sh EXAMPLES", ".Bd -literal"]
    lines += [words(line) for line in textwrap.dedent(overview.split(" * An example:\n", 1)[1].split(" */", 1)[0].replace("\n *", "\n")
                                                      .removeprefix(" *")).strip().split("\n")] + [".Ed"]
    return "exactncc", [line for line in lines if line not in ("", ".Ss exactncc.h")] + see_also({("exactncc", 1), ("pkg-config", 1)})


def program_pages(program, date):
    named = [command for command in program["commands"] if command["name"]]
    pages = [program_page(program, date)] if named else []
    return pages + [command_page(program, command, date) for command in program["commands"]]


def main():
    source, date, folder = sys.argv[1:]
    day = datetime.date.fromisoformat(date)
    date = f"{MONTHS[day.month - 1]} {day.day}, {day.year}"
    if pathlib.Path(source).is_dir():
        section, pages = 3, [library_page(pathlib.Path(source, "exactncc"), date)]
    else:
        section, pages = 1, program_pages(json.loads(pathlib.Path(source).read_text(encoding="utf-8")), date)
    for name, lines in pages:
        pathlib.Path(folder, f"{name}.{section}").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
