"""Constraints judged from outside: syntax, a person's command, and the text that is kept."""

import sys

import pytest

from engine.constraints.blackbox import BlackBox
from engine.constraints.errors import CheckerError, UnsupportedError
from engine.constraints.syntax import judge_of
from engine.constraints.validator import CommandValidator


@pytest.mark.parametrize(
    ("language", "good", "bad"),
    [
        ("python", "def f():\n    return 1\n", "def f():\nreturn 1\n"),
        ("python", "x = 1", "x = \0"),
        ("python", "x = 1", "print 'a'"),
        ("json", '{"a": [1]}', '{"a": NaN}'),
        ("json", "1", "[" * 100_000),
    ],
)
def test_exact_judges(language: str, good: str, bad: str) -> None:
    judge = judge_of(language)
    assert judge.exact
    assert judge.accepts(good)
    assert not judge.accepts(bad)


@pytest.mark.parametrize("source", ["(" * 100_000, "-" * 200_000, "x=" + "1+" * 100_000 + "1"])
def test_hostile_python_is_only_refused(source: str) -> None:
    assert judge_of("python").count(source) in (0, 1)


def test_a_document_beyond_the_bound_is_refused() -> None:
    assert not judge_of("python").accepts("#" * 1_048_577)


def test_tree_sitter_counts_errors() -> None:
    pytest.importorskip("tree_sitter_javascript")
    judge = judge_of("javascript")
    assert not judge.exact
    assert judge.accepts("let a = [1, 2];")
    broken = "let a = [1, ;\nlet b = );"
    assert judge.count(broken) > 0
    assert judge.no_new_errors(broken, broken + "\nlet c = 1;")
    assert not judge.no_new_errors("let a = 1;", "let a = ;")


def test_an_unknown_language_names_the_known_ones() -> None:
    with pytest.raises(UnsupportedError, match="there are bash"):
        judge_of("klingon")


def test_the_fallback_is_kept_until_the_model_passes() -> None:
    box = BlackBox(str.isdigit, fallback="1")
    assert box.kept is not None
    assert not box.kept.from_model
    assert box.offer(["x", ")"]) is None
    assert not box.kept.from_model
    assert box.offer(["x", "22"]) == 1
    assert (box.kept.text, box.kept.from_model) == ("22", True)


def _python(code: str) -> list[str]:
    return [sys.executable, "-I", "-c", code]


def test_a_command_judges() -> None:
    code = "import sys; t = sys.stdin.read(); print('no', file=sys.stderr); sys.exit(t != 'ok')"
    validator = CommandValidator(_python(code), seconds=10.0)
    assert validator(b"ok") is None
    assert validator(b"other") == "no"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (_python("import time; time.sleep(60)"), "took over"),
        (_python("import os; os.abort()"), "ended with status"),
        (["/bin/sh", "-c", "sleep 60 & wait"], "took over"),
        (_python("raise SystemExit(7)"), "status 7"),
        (["/nonexistent/validator"], "can't be run"),
    ],
)
def test_a_validator_that_fails_gives_no_verdict(arguments: list[str], why: str) -> None:
    with pytest.raises(CheckerError, match=why):
        CommandValidator(arguments, seconds=0.5)(b"text")


def test_a_failing_checker_is_given_up() -> None:
    asked: list[str] = []

    def broken(text: str) -> bool:
        asked.append(text)
        raise CheckerError("it crashed")

    box = BlackBox(broken, fallback="old", patience=2)
    assert box.kept is None
    assert box.offer(["a", "b", "c"]) is None
    assert asked == ["old", "a"]
    assert box.failed == "it crashed"
