# SPDX-License-Identifier: BSD-2-Clause
"""Writes what bash, zsh and fish need to complete the command lines of a program, from what its --help-json says.

    python3 completion.py HELP.json FOLDER

FOLDER receives bash/PROGRAM, zsh/_PROGRAM and fish/PROGRAM.fish. They complete commands, options, the words that an option takes, and file
names where a file is meant."""
import json
import pathlib
import re
import sys

HEAD = "# Made from the options of the program by packaging/completion.py. SPDX-License-Identifier: BSD-2-Clause\n"


def takes_file(option):
    return bool(option["argument"]) and (option["argument"] == "FILE" or "file" in (option["expected"] or ""))


def forms(option):
    return [f"--{option['name']}"] + ([f"-{option['letter']}"] if option["letter"] else [])


def quoted(text):
    return "'" + text.replace("'", "'\\''") + "'"


def first_words(program):
    """What can come first: the commands, and the options that need none."""
    return [command["name"] for command in program["commands"] if command["name"]] + ["--help", "--version"]


def bash_values(command):
    """Branches of a case for the values of the options. Its word is the option."""
    lines = []
    for option in command["options"]:
        if not option["argument"]:
            continue
        if takes_file(option):
            action = "_PROGRAM_files"
        elif option["words"]:
            action = f"COMPREPLY=($(compgen -W {quoted(' '.join(option['words']))} -- \"$current\"))"
        else:
            action = ":"
        lines.append(f"            {' | '.join(forms(option))}) {action}; return ;;")
    return lines


def bash(program):
    name = program["program"]
    lines = [HEAD + "_PROGRAM_files() {", "    compopt -o filenames 2>/dev/null", '    mapfile -t COMPREPLY < <(compgen -f -- "$current")', "}", "",
             "_PROGRAM() {", '    local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}', "    COMPREPLY=()",
             "    # bash makes = a word of its own", '    if [[ $current == = ]]; then', "        current=", '    elif [[ $previous == = ]]; then',
             '        previous=${COMP_WORDS[COMP_CWORD - 2]}', "    fi"]
    has_commands = any(command["name"] for command in program["commands"])
    if has_commands:
        lines += ["    if ((COMP_CWORD == 1)); then", f"        COMPREPLY=($(compgen -W {quoted(' '.join(first_words(program)))} -- \"$current\"))",
                  "        return", "    fi"]
    lines += ["    case ${COMP_WORDS[1]} in" if has_commands else "    case any in"]
    for command in program["commands"]:
        options = " ".join(form for option in command["options"] for form in forms(option))
        lines += [f"    {command['name'] or 'any'})", "        case $previous in"] + bash_values(command) + ["        esac",
                  f"        [[ $current != -* ]] || COMPREPLY=($(compgen -W {quoted(options)} -- \"$current\"))"]
        lines += ["        [[ $current == -* ]] || _PROGRAM_files"] if command["arguments"] else []
        lines += ["        ;;"]
    lines += ["    esac", "}", f"complete -F _PROGRAM {name}"]
    return "\n".join(lines).replace("_PROGRAM", "_" + name.replace("-", "_")) + "\n"


def zsh_text(text):
    """Text within a specification of _arguments."""
    return re.sub(r"([\[\]:\\])", r"\\\1", text)


def zsh_option(option):
    value = ""
    if option["argument"]:
        action = "_files" if takes_file(option) else "(" + " ".join(map(zsh_text, option["words"])) + ")" if option["words"] else ""
        value = f":{zsh_text(option['argument'])}:{action}"
    described = f"[{zsh_text(option['help'])}]{value}"
    long = f"--{option['name']}{'=' if value else ''}"
    if not option["letter"]:
        return quoted("*" + long + described)
    return f"'*'{{-{option['letter']},{long}}}{quoted(described)}"


def zsh(program):
    name = program["program"]
    lines = [f"#compdef {name}", HEAD.rstrip(), ""]
    commands = [command for command in program["commands"] if command["name"]]
    if commands:
        lines += ["local -a commands", "commands=("]
        lines += ["    " + quoted(f"{command['name']}:{command['purpose']}") for command in commands]
        lines += [")", "if ((CURRENT == 2)); then", "    _describe command commands", "    _arguments '--help[print the commands]' '--version[print the version]'",
                  "    return", "fi", "local command=$words[2]", "shift words", "((CURRENT--))", "case $command in"]
    for command in program["commands"]:
        lines += [f"{command['name']})"] if commands else []
        specifications = [zsh_option(option) for option in command["options"]] + (["'*:file:_files'"] if command["arguments"] else [])
        lines += ["    _arguments \\\n        " + " \\\n        ".join(specifications)]
        lines += ["    ;;"] if commands else []
    lines += ["esac"] if commands else []
    return "\n".join(lines) + "\n"


def fish(program):
    name = program["program"]
    commands = [command["name"] for command in program["commands"] if command["name"]]
    lines = [HEAD + f"complete -c {name} -f"]
    if commands:
        known = " ".join(commands)
        none = quoted(f"not __fish_seen_subcommand_from {known}")
        for command in program["commands"]:
            lines.append(f"complete -c {name} -n {none} -a {command['name']} -d {quoted(command['purpose'])}")
        lines += [f"complete -c {name} -n {none} -l help -d 'print the commands'", f"complete -c {name} -n {none} -l version -d 'print the version'"]
    for command in program["commands"]:
        when = f" -n {quoted('__fish_seen_subcommand_from ' + command['name'])}" if command["name"] else ""
        if command["arguments"]:
            lines.append(f"complete -c {name}{when} -F")
        for option in command["options"]:
            line = f"complete -c {name}{when} -l {option['name']}" + (f" -s {option['letter']}" if option["letter"] else "")
            if takes_file(option):
                line += " -r -F"
            elif option["argument"]:
                line += " -x" + (f" -a {quoted(' '.join(option['words']))}" if option["words"] else "")
            lines.append(line + f" -d {quoted(option['help'])}")
    return "\n".join(lines) + "\n"


def main():
    source, folder = sys.argv[1:]
    program = json.loads(pathlib.Path(source).read_text(encoding="utf-8"))
    name = program["program"]
    for shell, file, text in (("bash", name, bash(program)), ("zsh", "_" + name, zsh(program)), ("fish", name + ".fish", fish(program))):
        path = pathlib.Path(folder, shell, file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
