# SPDX-License-Identifier: BSD-2-Clause
"""Every program that is installed is described: a man page of its own and one per command, and completion for bash, zsh and fish. Each names
all commands and options that the program has.

    python3 described.py PREFIX [--planted]

PREFIX is where the installation is. --planted: checks that what is missing is seen, in a copy from which pages, completions, commands and options
are taken away."""
import functools
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def completions(name):
    """(shell, file of a program below the prefix)."""
    return (("bash", f"share/bash-completion/completions/{name}"), ("zsh", f"share/zsh/site-functions/_{name}"),
            ("fish", f"share/fish/vendor_completions.d/{name}.fish"))


def page(*words):
    return f"share/man/man1/{'-'.join(filter(None, words))}.1"


def between(text, begin, end):
    """What stands between two lines, given as regular expressions; "" if they are not there."""
    found = re.search(rf"^{begin}$(.*?)^{end}$", text, flags=re.M | re.S)
    return found.group(1) if found else ""


def part_of(shell, text, command):
    """What a completion says of one command."""
    if not command:
        return text
    if shell == "fish":
        return "\n".join(line for line in text.splitlines() if f"__fish_seen_subcommand_from {command}'" in line and " -l " in line)
    return between(text, rf"    {command}\)", "        ;;") if shell == "bash" else between(text, rf"{command}\)", "    ;;")


def first_words(shell, text):
    """The commands that a completion has."""
    if shell == "fish":
        return re.findall(r"^complete -c \S+ -n '[^']*' -a (\S+) ", text, flags=re.M)
    if shell == "bash":
        return re.search(r"COMP_CWORD == 1\)\); then\n\s*COMPREPLY=\(\$\(compgen -W '([^']*)'|$", text).group(1).split()
    return re.findall(r"^    '([\w-]+):", between(text, r"commands=\(", r"\)"), flags=re.M)


def check_text(file, text, has, words):
    for word in words:
        if not re.search(has.format(re.escape(word)), text):
            yield f"{file}: lacks {word}"


def check_command(prefix, name, command):
    names = [option["name"] for option in command["options"]]
    file = page(name, command["name"])
    if not (prefix / file).exists():
        yield f"{file}: is not there"
    else:
        yield from check_text(file, (prefix / file).read_text(encoding="utf-8"), r"Fl \\-{}(?![\w-])", names)
    for shell, file in completions(name):
        if (prefix / file).exists():
            text = (prefix / file).read_text(encoding="utf-8")
            if command["name"] and command["name"] not in first_words(shell, text):
                yield f"{file}: lacks the command {command['name']}"
            yield from check_text(f"{file}: {command['name']}", part_of(shell, text, command["name"]),
                                  r" -l {}(?![\w-])" if shell == "fish" else r"(?<![\w-])--{}(?![\w-])", names)


@functools.cache
def describe(program):
    """What --help-json says; None: nothing."""
    done = subprocess.run([program, "--help-json"], capture_output=True, text=True, check=False)
    try:
        return json.loads(done.stdout) if done.returncode == 0 else None
    except ValueError:
        return None


def check_program(prefix, path):
    """Yields problems."""
    table = describe(path)
    if not table or table["program"] != path.name:
        yield f"bin/{path.name}: --help-json does not describe it"
        return
    for _, file in completions(path.name):
        if not (prefix / file).exists():
            yield f"{file}: is not there"
    if not (prefix / page(path.name)).exists():
        yield f"{page(path.name)}: is not there"
    elif table["commands"][0]["name"]:
        text = (prefix / page(path.name)).read_text(encoding="utf-8")
        yield from check_text(page(path.name), text, r"\.It Cm {}\n", [command["name"] for command in table["commands"]])
    for command in table["commands"]:
        yield from check_command(prefix, path.name, command)


def check(prefix):
    programs = sorted((prefix / "bin").iterdir())
    return [problem for path in programs for problem in check_program(prefix, path)] if programs else ["bin: has no program"]


def damages(prefix, name, command):
    """(file, what takes something from its text; None: the file is taken away) for a program and one of its commands."""
    for file in [page(name), page(name, command)] + [file for _, file in completions(name)]:
        yield file, None
    for file in [page(name, command)] + [file for _, file in completions(name)]:
        yield file, lambda text: re.sub(r"(?<![\w])threads(?![\w-])", "planted", text)
    if command:
        for file in [page(name)] + [file for _, file in completions(name)]:
            yield file, lambda text: re.sub(rf"(?<![\w-]){command}(?![\w-])", "planted", text)


def plant(prefix):
    """Yields what is not seen."""
    count = 0
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder, "copy")
        shutil.copytree(prefix / "share", copy / "share", symlinks=True)
        (copy / "bin").symlink_to(prefix / "bin")
        for path in sorted((prefix / "bin").iterdir()):
            command = describe(path)["commands"][-1]["name"]
            for file, damage in damages(prefix, path.name, command):
                whole = (copy / file).read_bytes()
                if damage:
                    (copy / file).write_text(damage(whole.decode()), encoding="utf-8")
                else:
                    (copy / file).unlink()
                if not any(problem.startswith(file) for problem in check(copy)):
                    yield f"not seen: {file} {'is changed' if damage else 'is taken away'}"
                (copy / file).write_bytes(whole)
                count += 1
    print(f"{count} planted")


def main():
    prefix = pathlib.Path(sys.argv[1]).resolve()
    problems = check(prefix)
    if not problems and "--planted" in sys.argv:
        problems = list(plant(prefix))
    print("\n".join(problems + [f"{len(list((prefix / 'bin').iterdir()))} programs, {len(problems)} problems"]))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
