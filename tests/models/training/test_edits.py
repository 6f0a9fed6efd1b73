"""Instruction pairs ask for code: what parses becomes what parses, with names that are names."""

import ast
import keyword
import random
import re
from textwrap import dedent

import pytest

from models.training.edits import Kind, change_of, make_pair, negate, other_name, parsed, rename
from models.training.history import draw_repeat
from models.training.more_edits import call, guard, trace
from models.training.samples import KINDS
from models.training.signatures import argument, default, return_type, types
from tests.models.training.conftest import source

HEADS = (
    "def count(a: dict[str, int], b: int = 3) -> dict[str, int]:",
    'def join(items: list[str], sep=", ", last: str = " and ") -> str:',
    "async def wait(self, seconds=LIMIT * 2, *rest: int, key: str | None = None, **more: int):",
    'def told(a: Callable[[int, str], "b:c"] = lambda x, y: (x), /, c: int = (1 + 2)) -> "d:e":',
    "def some(what=(1), /, that: (int) = 3) -> (str):",
    "def bare(one, two,):",
    "def plain(one, two):",
)
BODIES = (
    "    if not first and second in sep:\n        return [first, second]\n    name += 1",
    '    """Say it."""\n    return f"{name} is" f" {value}"',
    '    # why\n    print("a  # b")\n    value = {"x": import_time}\n    return value  # told',
    '    if value is not None:\n        return f"{name} is told"',
)


def functions() -> list[str]:
    """Whole functions: those of the shards, and heads and bodies that are harder to take apart."""
    told = [f"{head}\n{body}" for head in HEADS for body in BODIES]
    module = source(1)
    plain = [ast.get_source_segment(module, node) for node in ast.parse(module).body[2:]]
    return [*told, *(text for text in plain if text)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_what_parses_becomes_what_parses(kind: Kind) -> None:
    rng, changed = random.Random(5), 0
    for text in functions():
        lines = text.split("\n")
        for piece in [text, *lines, "\n".join(lines[1:])]:
            change = change_of(kind, piece, rng) if parsed(piece) else None
            if change is not None:
                changed += 1
                code = dedent(change.text)
                ast.parse(f"{code} ..." if code.endswith(":") else code)
    assert changed


def test_a_change_that_leaves_no_code_makes_no_pair() -> None:
    text = 'value = f"{name} is" f" {this}"'
    pairs = [make_pair(text, KINDS, random.Random(seed)) for seed in range(200)]
    assert any(pairs)
    assert all(parsed(pair.old) and parsed(pair.new) for pair in pairs if pair)


@pytest.mark.parametrize(
    ("kind", "before", "after"),
    [
        (types, HEADS[0], "def count(a, b=3):"),
        (types, HEADS[1], 'def join(items, sep=", ", last=" and "):'),
        (types, HEADS[2], "async def wait(self, seconds=LIMIT * 2, *rest, key=None, **more):"),
        (types, HEADS[4], HEADS[4]),
        (return_type, HEADS[0], "def count(a: dict[str, int], b: int = 3):"),
        (default, HEADS[0], "def count(a: dict[str, int], b: int) -> dict[str, int]:"),
        (default, HEADS[1], 'def join(items: list[str], sep, last: str = " and ") -> str:'),
        (default, HEADS[2], HEADS[2].replace("=LIMIT * 2", "")),
        (default, HEADS[4], HEADS[4]),
        (argument, HEADS[5], HEADS[5]),
        (negate, "    if not done:", "    if done:"),
        (negate, "    elif not done:", "    elif done:"),
    ],
)
def test_a_head_is_taken_apart_as_python_does(kind: Kind, before: str, after: str) -> None:
    change = kind(f"# first\n{before}\n    ...", random.Random(0))
    assert change is not None and change.text == f"# first\n{after}\n    ..."


def test_a_default_is_told_whole() -> None:
    change = default(HEADS[1], random.Random(0))
    assert change is not None and 'Give sep the default ", "' in change.back


def test_an_argument_is_added_behind_those_that_are_there() -> None:
    change = argument("def f(a=g(1)) -> h(2):", random.Random(1))
    assert change is not None
    assert re.fullmatch(r"def f\(a=g\(1\), \w+=\w+\) -> h\(2\):", change.text)


@pytest.mark.parametrize("kind", [guard, trace, rename])
def test_names_are_no_keywords_and_no_words_of_a_string(kind: Kind) -> None:
    text = 'return total if not failed else raised("words here")'
    for seed in range(60):
        change = kind(text, random.Random(seed))
        told = " ".join(change.there) if change else ""
        words = re.findall(r"(?:Print|Log|Only do this if|Rename) (\w+)", told)
        assert not [w for w in words if keyword.iskeyword(w) or w in ("words", "here")]


def test_no_other_name_is_a_keyword() -> None:
    rng = random.Random(0)
    made = [other_name(n, rng) for n in ("is_valid", "format", "notify", "_1_a") for _ in range(80)]
    assert all(name.isidentifier() and not keyword.iskeyword(name) for name in made)


def test_only_a_whole_value_is_put_into_a_call() -> None:
    assert call("value = {", random.Random(0)) is None
    assert call("return value  # a comment", random.Random(0)) is None
    assert call("return value[0]", random.Random(0)) is not None


def test_a_repeated_change_leaves_code_too() -> None:
    line = 'a = f"{b} is" f" {c}"'
    code = f"\n{line}\n{line.replace('c', 'd')}\n"
    for seed in range(80):
        repeat = draw_repeat(code, random.Random(seed))
        assert repeat is None or (parsed(repeat.before) and parsed(repeat.old))
