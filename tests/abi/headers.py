# SPDX-License-Identifier: BSD-2-Clause
"""Reads the declarations of C headers: constants, enums, structs, types and functions. What it does not understand is an error, so
that nothing is left out of the interface by accident."""
import pathlib
import re
import subprocess

TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"|\.\.\.|->|<<|>>|[^\s\w]')
OPEN, CLOSE = "([{", ")]}"


class Unknown(Exception):
    """A declaration that this reader does not understand."""


def text_of(tokens):
    """Joins tokens in one fixed spacing, so that the layout of a header does not matter."""
    text = " ".join(tokens)
    text = re.sub(r" ?([,;)\]])", r"\1", text)
    text = re.sub(r"([(\[]) ", r"\1", text)
    text = re.sub(r"(\w) (\[|\((?!\*))", r"\1\2", text)
    text = re.sub(r"\* (?=[\w*)])", "*", text)
    return text


def split(tokens, separator):
    """Splits tokens at a separator that is outside of all brackets."""
    parts, depth = [[]], 0
    for token in tokens:
        depth += (token in OPEN) - (token in CLOSE)
        if depth == 0 and token == separator:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def closing(tokens, begin):
    """Returns the index of the bracket that closes the one at begin."""
    depth = 0
    for i in range(begin, len(tokens)):
        depth += (tokens[i] in OPEN) - (tokens[i] in CLOSE)
        if depth == 0:
            return i
    raise Unknown(text_of(tokens))


def is_name(token):
    return re.fullmatch(r"[A-Za-z_]\w*", token) is not None


def name_index(tokens):
    """Returns the index of the name that a member, parameter or type declares."""
    for i in range(len(tokens) - 2):
        if tokens[i] == "(" and tokens[i + 1] == "*" and is_name(tokens[i + 2]):
            return i + 2  # a pointer to a function
    end = tokens.index("[") if "[" in tokens else len(tokens)
    if "(" in tokens or end < 2 or not is_name(tokens[end - 1]):
        raise Unknown(text_of(tokens))
    return end - 1


def without_names(declaration):
    """The text of a function without the names of its parameters, which callers do not depend on."""
    tokens = TOKEN.findall(declaration)
    begin = tokens.index("(")
    kept = []
    for parameter in split(tokens[begin + 1:closing(tokens, begin)], ","):
        if len(parameter) > 1:
            del parameter[name_index(parameter)]
        kept.append(text_of(parameter))
    return text_of(tokens[:begin]) + "(" + ", ".join(kept) + ")"


class Interface:
    """The declarations of all headers under a folder."""

    def __init__(self, include, compiler):
        self.include = pathlib.Path(include).resolve()
        self.names = sorted(str(path.relative_to(self.include)) for path in self.include.rglob("*.h"))
        if not self.names:
            raise Unknown(f"there is no header under {include}")
        self.constants = {}  # name: text
        self.enums = {}      # name: [enumerator]
        self.structs = {}    # name: [(path of the member, its declaration)]
        self.opaque = []
        self.types = {}      # name: text
        self.functions = {}  # name: declaration
        self.inline = {}     # name: declaration
        self.read(self.preprocess(compiler))

    def preprocess(self, compiler):
        """Returns the preprocessed text of the headers, without what they include from elsewhere."""
        source = "".join(f'#include "{name}"\n' for name in self.names)
        command = [compiler, "-std=c11", "-E", "-dD", "-x", "c", "-I", str(self.include), "-"]
        done = subprocess.run(command, input=source, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Unknown(f"{' '.join(command)} fails:\n{done.stderr}")
        kept, ours = [], False
        for line in done.stdout.splitlines():
            marker = re.match(r'# \d+ "(.*?)"', line)
            if marker:
                path = pathlib.Path(marker.group(1))
                ours = path.suffix == ".h" and self.include in path.resolve().parents
            elif ours:
                kept.append(line)
        return kept

    def read(self, lines):
        code = []
        for line in lines:
            define = re.match(r"#define (\w+)(\([^)]*\))? ?(.*)$", line)
            if not define:
                code += [] if line.startswith("#") else TOKEN.findall(line)
            # A version changes with each release, and a macro without text is a guard.
            elif define.group(3) and not re.match(r"XNCC_(VERSION_|API$)", define.group(1)):
                self.constants[define.group(1)] = (define.group(2) or "") + text_of(TOKEN.findall(define.group(3)))
        while code:
            end = 0
            while code[end] != ";":
                body = code[end] == "{" and code[end - 1] == ")"
                end = closing(code, end) if code[end] in OPEN else end
                if body:
                    break
                end += 1
            self.declaration([token for token in code[:end if code[end] == ";" else end + 1]
                              if token not in ("extern", "__extension__")])
            code = code[end + 1:]
        self.opaque = [name for name in self.opaque if name not in self.structs]

    def declaration(self, tokens):
        while "__attribute__" in tokens:
            begin = tokens.index("__attribute__")
            del tokens[begin:closing(tokens, begin + 1) + 1]
        if not tokens or tokens[0] == "_Static_assert" or (tokens[0] == "struct" and len(tokens) == 2):
            return
        typedef = tokens[0] == "typedef"
        rest = tokens[1:] if typedef else tokens
        tagged = rest[0] in ("enum", "struct", "union")
        if tagged and "{" in rest[:3]:
            begin = rest.index("{")
            end = closing(rest, begin)
            if (begin == 2 and rest[1:2] != rest[end + 1:]) or (begin == 1 and len(rest) != end + 2):
                raise Unknown(text_of(tokens[:8]) + " ...: give the tag and the typedef one name")
            inside = rest[begin + 1:end]
            if rest[0] == "enum":
                self.enums[rest[end + 1]] = [part[0] for part in split(inside, ",") if part]
            else:
                self.structs[rest[end + 1]] = self.members(inside, "")
        elif typedef and tagged and len(rest) == 3 and rest[1] == rest[2]:
            self.opaque.append(rest[2])
        elif typedef:
            self.types[rest[name_index(rest)]] = text_of(rest)
        elif "(" in tokens and is_name(tokens[tokens.index("(") - 1]):
            name = tokens[tokens.index("(") - 1]
            if "static" in tokens:
                self.inline[name] = text_of(tokens[:tokens.index("{")])
            elif tokens[-1] == ")":
                self.functions[name] = text_of(tokens)
            else:
                raise Unknown(text_of(tokens))
        else:
            raise Unknown(text_of(tokens))

    def members(self, tokens, prefix):
        result = []
        for member in split(tokens, ";"):
            if not member:
                continue
            if ":" in member:
                raise Unknown(text_of(member) + ": a bit-field has no offset")
            if member[0] in ("struct", "union") and "{" in member[:3]:
                begin = member.index("{")
                end = closing(member, begin)
                name = member[end + 1:]
                if len(name) > 1:
                    raise Unknown(text_of(member))
                result += self.members(member[begin + 1:end], prefix + (name[0] + "." if name else ""))
                continue
            first, *others = split(member, ",")
            at = name_index(first)
            result.append((prefix + first[at], text_of(first)))
            if others and (at != len(first) - 1 or first[at - 1] == "*"):
                raise Unknown(text_of(member) + ": write one declaration per member")
            for other in others:
                result.append((prefix + other[0], text_of(first[:at] + other)))
        return result
