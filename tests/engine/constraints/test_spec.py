"""Specs from outside: every field bounded, one clear error."""

import pytest

from engine.constraints.errors import InvalidConstraintError
from engine.constraints.spec import Choices, ConstraintSpec, Ebnf, Lengths, Regex, check_spec


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        (Regex(pattern="a" * 1_100_000), "at most"),
        (Regex(pattern="a\0"), "NUL"),
        (Choices(texts=()), "between 1 and"),
        (Choices(texts=("\ud800",)), "surrogates"),
        (Choices(texts=("a" * 600_000, "b" * 600_000)), "in all"),
        (Ebnf(grammar="root ::= a", start="a\0"), "rule name"),
        (Lengths(), "needs min_chars"),
        (Lengths(min_chars=5, max_chars=3), "min_chars <= max_chars"),
        (Lengths(max_chars=100_000), "can't be held"),
        (Regex(pattern="a", max_chars=3, scope="document"), "scope"),
    ],
)
def test_bad_specs(spec: ConstraintSpec, why: str) -> None:
    with pytest.raises(InvalidConstraintError, match=why):
        check_spec(spec)
