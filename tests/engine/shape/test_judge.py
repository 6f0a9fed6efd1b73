"""The verdict on a finished text, by language."""

import pytest

from engine.constraints.errors import UnsupportedError
from engine.hole import shape_hole
from engine.shape.judge import accepts_in, judged_names


@pytest.mark.parametrize(
    ("path", "prefix", "good", "bad"),
    [
        ("a.py", "def f(x):\n", "    return x\n", "    for i in x:\n"),
        ("a.py", "def f(x):\n", "    return x\n", "    return (x\n"),
        ("a.js", "function f(x) {\n", "  return x;\n", "  if (x) {\n"),
        ("a.json", '{"a": 1,\n', '"b": 2}\n', '"b": }\n'),
    ],
)
def test_a_broken_document_has_more_flaws(path: str, prefix: str, good: str, bad: str) -> None:
    suffix = {"a.py": "\n\nprint(f(1))\n", "a.js": "}\n", "a.json": ""}[path]
    hole = shape_hole(prefix, suffix, "line", None, path)
    assert hole.flaws(good) < hole.flaws(bad)


@pytest.mark.parametrize("text", ["x\0y", "(" * 5000, "\ud800", "'\\d'"])
def test_hostile_text_gets_a_verdict_too(text: str) -> None:
    assert shape_hole("a = 1\n", "", "line", None, "a.py").flaws(text) in (0, 1)


def test_without_a_grammar_nothing_is_judged() -> None:
    assert shape_hole("a\n", "b\n", "line", None).flaws("((((") == 0


@pytest.mark.parametrize("name", sorted(judged_names()))
def test_whatever_is_said_to_be_judged_is(name: str) -> None:
    assert isinstance(accepts_in(name, "", [""])("0"), bool)


def test_what_is_not_judged_is_not_said_to_be() -> None:
    assert {"python", "lua", "css", "bash", "shellscript", "typescriptreact"} <= judged_names()
    assert "text" not in judged_names()
    with pytest.raises(UnsupportedError):
        accepts_in("text", "", [""])
