# SPDX-License-Identifier: BSD-2-Clause
"""The docstrings: every example runs, and every parameter is described. The types: mypy agrees."""

import ast
import doctest
import inspect
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

import exactncc
import exactncc.dask

ROOT = pathlib.Path(__file__).resolve().parents[2]
PACKAGE = pathlib.Path(exactncc.__file__).parent
FUNCTIONS = {name: getattr(exactncc, name) for name in exactncc.__all__ if inspect.isfunction(getattr(exactncc, name))}
FUNCTIONS |= {f"compat.{n}": getattr(exactncc.compat, n) for n in ("match_template", "matchTemplate")}
FUNCTIONS |= {f"dask.{n}": getattr(exactncc.dask, n) for n in ("correlate", "find")}
CLASSES = [exactncc.Context, exactncc.Matches, exactncc.Plan, exactncc.Template]
for c in CLASSES:
    FUNCTIONS |= {f"{c.__name__}.{n}": f for n, f in vars(c).items() if inspect.isfunction(f) and n[0] != "_"}


@pytest.mark.parametrize("item", [*FUNCTIONS.values(), *CLASSES], ids=lambda f: f.__qualname__)
def test_examples(item):
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    for test in doctest.DocTestFinder(recurse=False).find(
        item, item.__name__, module=False, globs={"np": np, "exactncc": exactncc}
    ):
        runner.run(test)
    assert runner.summarize(verbose=False).failed == 0


def test_the_functions_have_examples():
    for name in ("correlate", "find", "find_batch", "find_poses", "convolve", "refine", "suppress", "track", "match_template"):  # fmt: skip
        assert ">>> " in FUNCTIONS[name].__doc__
    assert ">>> " in exactncc.Template.__doc__
    assert ">>> " in exactncc.Plan.__doc__


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstrings_are_complete(name):
    function = FUNCTIONS[name]
    doc = inspect.getdoc(function)
    parameters = [p for p in inspect.signature(function).parameters if p != "self"]
    if not parameters:
        return
    assert "Returns\n-------" in doc
    section = doc.split("Parameters\n----------\n")[1].split("\n\n")[0]
    described = [n.lstrip("*") for line in section.splitlines() if not line.startswith(" ") for n in re.split(r", ", line.split(" : ")[0])]  # fmt: skip
    assert described == sorted(described, key=described.index)  # no name twice
    assert set(described) == set(parameters)


def mypy(*arguments, cwd):
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, cwd=cwd)


def test_types_are_strict(tmp_path):
    pytest.importorskip("mypy")
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\n"
        "import exactncc\n"
        "image = np.zeros((9, 9), np.uint8)\n"
        "matches: exactncc.Matches = exactncc.find(image, image[:3, :3], top=2, min_score=0.5)\n"
        "template = exactncc.Template(image[:3, :3])\n"
        "text: str = exactncc.Plan(image, template).explain()\n"
        "poses: exactncc.Matches = exactncc.find_poses(image, [template], angles=(0, 90), scales=(0.9, 1.1, 0.1))\n"
        "moved = exactncc.track(image, image, [(4, 4)], chip=3, search=(2, 2), fit='gaussian')\n"
        "shift: float = float(moved.dx[0])\n"
        "exactncc.forget_plans()\n"
        "exactncc.find_poses(image, template, angle=(0, 90))  # type: ignore[call-arg]\n"
        "exactncc.track(image, image, chips=3)  # type: ignore[call-arg]\n"
        "exactncc.find(image, template, tpo=2)  # type: ignore[call-arg]\n"
        "exactncc.find(image, template, top='2')  # type: ignore[arg-type]\n"
        "exactncc.refine(image, template)  # type: ignore[call-arg]\n"
    )
    options = ["--strict", "--cache-dir", str(tmp_path / "cache")]
    for run in (
        mypy("mypy", *options, str(user), cwd=tmp_path),
        mypy("mypy", *options, "-p", "exactncc", cwd=tmp_path),
    ):
        assert run.returncode == 0, run.stdout + run.stderr


def names_of(function):
    """The parameters that nanobind writes into a docstring."""
    inside = function.__doc__.splitlines()[0].split("(", 1)[1].rsplit(")", 1)[0]
    return [n for n in re.findall(r"(?:^|, )(\w+)(?=[:,]|$)", re.sub(r"\[[^\]]*\]", "", inside)) if n != "self"]


def test_the_stub_of_the_core_agrees_with_it():
    """The stub has the names of the module, of its classes, and of all parameters, and no others."""
    stub = ast.parse((PACKAGE / "_core.pyi").read_text())

    def agree(body, owner):
        public = {n for n in vars(owner) if not n.startswith("_") or (n == "__init__" and inspect.isclass(owner))}
        nodes = {n.name: n for n in body if isinstance(n, (ast.FunctionDef, ast.ClassDef))}
        assert set(nodes) == {n for n in public if n != "__init__" or "__init__" in nodes}
        for name, node in nodes.items():
            item = getattr(owner, name)
            if isinstance(node, ast.ClassDef):
                agree(node.body, item)
            elif not node.decorator_list and [a.arg for a in node.args.args] != ["self"]:
                assert [a.arg for a in node.args.args if a.arg != "self"] == names_of(item), name

    agree(stub.body, exactncc._core)


@pytest.mark.skipif(not (ROOT / "README.md").exists(), reason="not in a checkout")
@pytest.mark.parametrize("page", ["README.md", "docs/python.md"])
def test_the_programs_of_the_pages_run(page, capsys):
    blocks = re.findall(r"\n```python\n(.*?)\n```", (ROOT / page).read_text(), re.DOTALL)
    assert len(blocks) == 2
    image = np.random.default_rng(2).integers(0, 256, (480, 640), dtype=np.uint8)
    scope = {"image": image, "template": image[100:132, 200:240]}
    for block in blocks:
        exec(block, scope)
        found = scope.get("matches")
        if found is not None:
            assert found[0].item()[:3] == (200, 100, 1.0)
    if page == "README.md":
        assert capsys.readouterr().out.count("1 match") == 2
    else:
        assert scope["scores"].max().compute() == 1.0
