# SPDX-License-Identifier: BSD-2-Clause
"""covered.py PROGRAM...: every option of every command is used by a test that must succeed.

Looks at the lines of the shell tests of this folder for a run that must succeed, with the name of the command (or $command, in a loop over
the commands) and the option.
"""
import glob
import json
import os
import re
import subprocess
import sys

lines = []
for path in sorted(glob.glob(os.path.join(os.path.dirname(os.path.abspath(__file__)), "*.sh"))):
    with open(path, encoding="utf-8") as file:
        lines += [(os.path.basename(path), line) for line in file.read().replace("\\\n", " ").split("\n")]
missing = []
for program in sys.argv[1:]:
    table = json.loads(subprocess.run([program, "--help-json"], capture_output=True, check=True).stdout)
    for command in table["commands"]:
        name = command["name"]
        run = rf"\brun 0 .*\b{name}\b|\brun 0 .*\$command\b" if name else r"\b(run|bench) 0 "
        for option in command["options"]:
            flag = rf"(?<![\w-])--{option['name']}(?![\w-])"
            if option["letter"]:
                flag += rf"|\s-\w*{option['letter']}"
            if not any(re.search(run, line) and re.search(flag, line) and (name or file == "bench.sh") for file, line in lines):
                missing.append(f"{table['program']} {name} --{option['name']}: no test of a run that succeeds uses it")
print("\n".join(missing) or "every option is used")
sys.exit(bool(missing))
