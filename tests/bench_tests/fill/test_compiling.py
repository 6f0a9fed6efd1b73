"""Both ways of a pass are timed, and give the same."""

from collections.abc import Callable
from typing import Any

import pytest
import torch

from models.loader import Model
from tests.bench.fill.compiling import PASSES, compiled


def test_every_pass_is_timed_both_ways(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    seen, said = [], list[str]()

    def compile_nothing(forward: Callable[[Any], Any], dynamic: bool) -> Callable[[Any], Any]:
        def run(step: Any) -> Any:
            seen.append(step)
            return forward(step)

        return run

    monkeypatch.setattr(torch, "compile", compile_nothing)
    rows = compiled(tiny, said.append)
    assert [row["pass"] for row in rows] == list(PASSES) and len(said) == len(PASSES)
    assert all(row["plain_ms"] > 0 and row["compiled_ms"] > 0 for row in rows)
    assert {len(step.ids) for step in seen} == {count for count, _ in PASSES.values()}


def test_a_pass_that_can_not_be_compiled_is_a_result(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(forward: Callable[[Any], Any], dynamic: bool) -> Callable[[Any], Any]:
        def run(step: Any) -> Any:
            raise RuntimeError("no such operator")

        return run

    monkeypatch.setattr(torch, "compile", refuse)
    rows = compiled(tiny, lambda _: None)
    assert all("no such operator" in row["error"] and row["first_s"] >= 0 for row in rows)
    assert all("compiled_ms" not in row for row in rows)
