"""Answers judged by the syntax of their document: tried again, given up, or the old text kept."""

import ast
from collections.abc import Callable
from typing import Any

import pytest

from engine.local import LocalEngine
from protocol.constraint import Syntax
from protocol.messages import Done, Error
from tests.engine.held.asking import fill, heard

PYTHON = Syntax(language="python")


def parses(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError):
        return False
    return True


@pytest.mark.parametrize("policy", ["causal", "speculate", "threshold"])
def test_noise_is_refused_or_parses(engine: LocalEngine, policy: Any) -> None:
    for seed in range(4):
        sampling = {"seed": seed, "temperature": 1.0}
        request = fill(PYTHON, policy, prefix="x = [", suffix="]\n", sampling=sampling, tokens=3)
        end = heard(engine, request)[-1]
        if isinstance(end, Done):
            assert parses(f"x = [{end.text}]\n")
        else:
            assert isinstance(end, Error)
            assert (end.code, end.param) == ("constraint_unsatisfiable", "constraint")
            assert "texts that were tried" in end.message


@pytest.fixture
def hopeless(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes the judge accept one text alone."""

    def only(text: str) -> None:
        monkeypatch.setattr("engine.gate.accepts_in", lambda *_: lambda answer: answer == text)

    return only


def test_the_old_text_is_the_fallback(engine: LocalEngine, hopeless: Callable[[str], None]) -> None:
    hopeless("1 + 2")
    end = heard(engine, fill(PYTHON, prefix="x = ", suffix="\n", old_text="1 + 2"))[-1]
    assert isinstance(end, Done)
    assert (end.text, end.finish, end.tokens) == ("1 + 2", "constraint", ())


def test_best_effort_gives_what_there_is(
    engine: LocalEngine, hopeless: Callable[[str], None]
) -> None:
    hopeless("never")
    request = fill(Syntax(language="python", best_effort=True), prefix="x = ", suffix="\n")
    end = heard(engine, request)[-1]
    assert isinstance(end, Done)
    assert end.finish == "constraint"
    assert end.text


@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_bounds_go_with_it(
    engine: LocalEngine, hopeless: Callable[[str], None], policy: Any, monkeypatch: Any
) -> None:
    monkeypatch.setattr("engine.gate.accepts_in", lambda *_: lambda answer: True)
    request = fill(Syntax(language="python", max_chars=4), policy, prefix="x = ", suffix="\n")
    end = heard(engine, request)[-1]
    assert isinstance(end, Done)
    assert len(end.text) <= 4
