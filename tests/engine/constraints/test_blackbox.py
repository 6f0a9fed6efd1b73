"""Constraints judged from outside: syntax, and the text that is kept."""

import pytest

from engine.constraints.blackbox import BlackBox
from engine.constraints.syntax import Parses, parses_json, parses_python


@pytest.mark.parametrize(
    ("parses", "good", "bad"),
    [
        (parses_python, "def f():\n    return 1\n", "def f():\nreturn 1\n"),
        (parses_python, "x = 1", "x = \0"),
        (parses_python, "x = 1", "print 'a'"),
        (parses_json, '{"a": [1]}', '{"a": NaN}'),
        (parses_json, "1", "[" * 100_000),
    ],
)
def test_exact_judges(parses: Parses, good: str, bad: str) -> None:
    assert parses(good)
    assert not parses(bad)


@pytest.mark.parametrize("source", ["(" * 100_000, "-" * 200_000, "x=" + "1+" * 100_000 + "1"])
def test_hostile_python_is_only_refused(source: str) -> None:
    assert parses_python(source) in (False, True)


def test_a_document_beyond_the_bound_is_refused() -> None:
    assert parses_python("#" * 1_048_576)
    assert not parses_python("#" * 1_048_577)
    assert not parses_json(" " * 1_048_576 + "1")


def test_the_fallback_is_kept_until_the_model_passes() -> None:
    box = BlackBox(str.isdigit, fallback="1")
    assert box.kept is not None
    assert not box.kept.from_model
    assert box.offer(["x", ")"]) is None
    assert not box.kept.from_model
    assert box.offer(["x", "22"]) == 1
    assert (box.kept.text, box.kept.from_model) == ("22", True)
