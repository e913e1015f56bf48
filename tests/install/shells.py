# SPDX-License-Identifier: BSD-2-Clause
"""The completions of the programs, in the shells themselves.

    python3 shells.py COMPLETION

COMPLETION is the folder that packaging/completion.py has written. Each shell runs on a terminal of its own; a line is typed, then a tab, and
what has become of the line is compared. Nothing depends on how fast a shell is: each answers by a file. Shells that are not here are named. The exit status is 0, 1 (a line is wrong) or 77 (no shell)."""
import os
import pathlib
import pty
import select
import shutil
import subprocess
import sys
import tempfile
import time

# (typed, completed). The folder has the files picture one.tif and mask.tif.
LINES = [
    ("exactncc fi", "exactncc find "),
    ("exactncc corr", "exactncc correlate "),
    ("exactncc --vers", "exactncc --version "),
    ("exactncc find --subp", "exactncc find --subpixel "),
    ("exactncc find --method cov", "exactncc find --method coverage "),
    ("exactncc find --method=cov", "exactncc find --method=coverage "),
    ("exactncc find --mask ma", "exactncc find --mask mask.tif "),
    ("exactncc find pic", "exactncc find picture\\ one.tif "),
    ("exactncc correlate mask.tif -o ma", "exactncc correlate mask.tif -o mask.tif "),
    ("exactncc convolve --border ze", "exactncc convolve --border zero "),
    ("exactncc find --top ma", "exactncc find --top ma"),
    ("exactncc info --pixel f3", "exactncc info --pixel f32 "),
    ("exactncc find nothing", "exactncc find nothing"),
    ("exactncc-bench --task conv", "exactncc-bench --task convolve "),
    ("exactncc-bench --rep", "exactncc-bench --repeat "),
    ("exactncc-mpi con", "exactncc-mpi convolve "),
    ("exactncc-mpi --vers", "exactncc-mpi --version "),
    ("exactncc-mpi find --manif", "exactncc-mpi find --manifest "),
    ("exactncc-mpi find --shar", "exactncc-mpi find --shar"),
    ("exactncc-mpi correlate --mode sa", "exactncc-mpi correlate --mode same "),
    ("exactncc-mpi find pic", "exactncc-mpi find picture\\ one.tif "),
]
# How each shell starts, and what makes it write the line to the file $LINE when control-O is typed: to another file first, so that $LINE is whole.
SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], ["for file in {0}/bash/*; do source \"$file\"; done",
                                               "bind -x '\"\\C-o\":printf %s \"$READLINE_LINE\" >\"$LINE.new\"; mv \"$LINE.new\" \"$LINE\"'"]),
    "zsh": (["-f", "-i"], ["fpath=({0}/zsh $fpath)", "autoload -U compinit", "compinit -u -D",
                           "show() {{ print -rn -- \"$BUFFER\" >$LINE.new; mv $LINE.new $LINE }}", "zle -N show", "bindkey '^O' show"]),
}
PATIENCE = 120  # seconds until a shell that does not answer is given up


class Terminal:
    """A shell on a terminal."""

    def __init__(self, shell, arguments, folder):
        environment = dict(os.environ, TERM="dumb", PS1="$ ", LINE=str(pathlib.Path(folder, ".line")), HOME=folder, LC_ALL="C")
        self.line = pathlib.Path(folder, ".line")
        self.child, self.file = pty.fork()
        if self.child == 0:
            os.chdir(folder)
            os.execve(shell, [shell, *arguments], environment)

    def read(self, seconds):
        """Reads what the shell shows, for so long at most; 0 at the end."""
        if not select.select([self.file], [], [], seconds)[0]:
            return 1
        try:
            return len(os.read(self.file, 65536))
        except OSError:
            return 0

    def answer(self):
        """What the shell has written into the file. It is read meanwhile, so that it does not wait for its terminal."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            if self.line.exists():
                return self.line.read_text(encoding="utf-8")
            self.read(0.01)
        return "(the shell does not answer)"

    def command(self, text):
        """Runs a command to its end."""
        self.line.unlink(missing_ok=True)
        self.type(text + "\n: >\"$LINE\"\n")
        return self.answer()

    def type(self, text):
        os.write(self.file, text.encode())

    def complete(self, text):
        """Types a line and a tab, and returns what the line has become."""
        self.line.unlink(missing_ok=True)
        self.type("\x15" + text + "\t\x0f")
        return self.answer()

    def close(self):
        self.type("\x15exit\n")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end and self.read(1):
            pass
        os.close(self.file)
        os.waitpid(self.child, 0)


def lines_of(completion):
    """The lines of the programs that are built here: exactncc-mpi needs MPI, the tool libtiff."""
    programs = {file.name for file in pathlib.Path(completion, "bash").iterdir()}
    return [(typed, expected) for typed, expected in LINES if typed.split()[0] in programs]


def on_terminal(name, program, completion, folder, lines):
    arguments, setup = SHELLS[name]
    terminal = Terminal(program, arguments, folder)
    for command in setup:
        terminal.command(command.format(completion))
    answers = [terminal.complete(typed) for typed, _ in lines]
    terminal.close()
    return answers


def in_fish(program, completion, folder, lines):
    """fish says what it would insert; the last word of the line is replaced by its only answer."""
    answers = []
    sources = "; ".join(f"source {file}" for file in sorted(pathlib.Path(completion, "fish").iterdir()))
    for typed, _ in lines:
        quoted = typed.replace("\\", "\\\\").replace("'", "\\'")
        script = f"{sources}; complete --escape -C '{quoted}'"
        done = subprocess.run([program, "--no-config", "-c", script], cwd=folder, capture_output=True, text=True, check=True,
                              env=dict(os.environ, HOME=folder))
        found = [line.split("\t")[0] for line in done.stdout.splitlines()]
        answers.append(typed.rsplit(" ", 1)[0] + " " + found[0] + " " if len(found) == 1 else typed)
    return answers


def main():
    completion = pathlib.Path(sys.argv[1]).resolve()
    wrong, ran, lines = 0, 0, lines_of(completion)
    for name in ("bash", "zsh", "fish"):
        program = shutil.which(name)
        if not program:
            print(f"not here: {name}")
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            for file in ("picture one.tif", "mask.tif"):
                pathlib.Path(folder, file).touch()
            answers = in_fish(program, completion, folder, lines) if name == "fish" else on_terminal(name, program, completion, folder, lines)
        for (typed, expected), answer in zip(lines, answers):
            # zsh and fish write --option= where a value follows, bash a blank.
            if answer.rstrip(" =") != expected.rstrip(" ="):
                wrong += 1
                print(f"{name}: '{typed}' becomes '{answer}', not '{expected}'")
    print(f"{ran} shells, {len(lines)} lines each, {wrong} wrong")
    return 77 if not ran else 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
