"""One case of a hole: what stands around it, what the model says, what must be inserted."""

from typing import NamedTuple

from engine.hole import shape_hole
from protocol.messages import ShapeName


class Case(NamedTuple):
    """`complete`: whether the model's text settles the answer without an end mark."""

    language: str | None
    before: str
    after: str
    said: str
    answer: str
    complete: bool = True
    shape: ShapeName = "auto"
    lines: int | None = None


def check(case: Case) -> None:
    hole = shape_hole(case.before, case.after, case.shape, case.lines, None, case.language)
    got = hole.answer(case.said).text
    assert (got, hole.is_complete(case.said)) == (case.answer, case.complete), hole.shape
