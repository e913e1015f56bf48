# SPDX-License-Identifier: BSD-2-Clause
"""table.py [--every N] EXACTNCC EXACTNCC_BENCH: the table of options, as --help-json prints it, is what the programs do.

Every word that an option lists is taken, another word is refused with the text of `expected`, a default that is one word is taken, and
--help has every option with its words and its default. --every N tries every Nth option only.
"""
import argparse
import json
import re
import subprocess
import sys

problems = 0


def call(*arguments):
    return subprocess.run(arguments, capture_output=True, text=True, check=False)


def expect(condition, *what):
    global problems
    if not condition:
        problems += 1
        print(*what)


def check_option(start, option, help_text):
    flag = "--" + option["name"]
    where = " ".join(start[1:] + [flag])
    # --help after the option ends the run before any work.
    values = list(option["words"])
    default = option["default"]
    if default and re.fullmatch(r"[\w.]+", default) and default != "0" or default in ("0", "1", "0.5", "10"):
        values.append(default)
    for value in values:
        expect(call(*start, flag, value, "--help").returncode == 0, where, value, "is refused")
        expect(call(*start, f"{flag}={value}", "--help").returncode == 0, where, value, "with = is refused")
    if option["argument"] and option["expected"] and not {"FILE", "NAME,..."} & {option["argument"]}:
        refused = call(*start, flag, "!", "--help")
        expect(refused.returncode == 2 and f"must be {option['expected']}" in refused.stderr, where, "! is not refused so:", refused.stderr)
    if not option["argument"]:
        expect(call(*start, flag, "--help").returncode == 0, where, "fails")
    if option["letter"]:
        expect(f"-{option['letter']}, {flag}" in help_text, where, "is not in --help with its letter")
    # The text of the option: from its name to the next option, without line ends.
    start_of = r"^  (?:-\w, |    )"
    text = re.search(start_of + flag + r"(?![\w-])(.*?)(?=" + start_of + r"--|^\w|\Z)", help_text, re.M | re.S)
    expect(text, where, "is not in --help")
    words = " ".join(text.group(1).split()) if text else ""
    expect(" ".join(option["help"].split()) in words, where, "does not say", option["help"])
    for word in option["words"] if option["argument"] != "NAME,..." else []:
        expect(re.search(rf"\b{word}\b", words), where, "does not list", word)
    expect(default is None or f"default {default}" in words, where, "does not say its default", default)


parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default=1)
parser.add_argument("programs", nargs="+")
wanted = parser.parse_args()
tried = 0
for path in wanted.programs:
    table = json.loads(call(path, "--help-json").stdout)
    expect(call(path, "--version").stdout == f"{table['program']} {table['version']}\n", "the version differs")
    for command in table["commands"]:
        start = [path] + [command["name"]] * bool(command["name"])
        help_text = call(*start, "--help").stdout
        for part in [command["purpose"], *command["notes"].split("\n"), *command["examples"]]:
            expect(" ".join(part.split()) in " ".join(help_text.split()), start, "--help does not say:", part)
        for status in table["exits"]:
            expect(f"  {status['status']}  {status['meaning']}\n" in help_text, start, "does not say", status)
        names = [option["name"] for option in command["options"]]
        expect(len(names) == len(set(names)), start, "has an option twice")
        computes = {"device"} if command["name"] != "join" else set()
        expect({"help", "version", "quiet"} | computes <= set(names), start, "lacks a common option")
        for option in command["options"][:: wanted.every]:
            check_option(start, option, help_text)
            tried += 1
sys.exit(problems > 0 or tried == 0)
