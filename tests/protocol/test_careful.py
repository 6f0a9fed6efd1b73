"""How many texts are tried where a person waits for the answer."""

import pytest

from engine.policies import POLICIES, ReadingKind
from protocol.careful import BRANCHES, ONE_BY_ONE, careful
from protocol.messages import Sampling


@pytest.mark.parametrize("sampling", [Sampling(), Sampling(policy="speculate", steps=9)])
def test_several_texts_are_tried(sampling: Sampling) -> None:
    assert careful(sampling).branches == BRANCHES
    assert (careful(sampling).policy, careful(sampling).steps) == (sampling.policy, sampling.steps)


@pytest.mark.parametrize(
    "sampling", [Sampling(branches=1), Sampling(temperature=0.5), Sampling(policy="threshold")]
)
def test_what_says_otherwise_stays_as_it_is(sampling: Sampling) -> None:
    assert careful(sampling) == sampling


def test_these_are_the_policies_that_read_one_by_one() -> None:
    causal = {name for name, row in POLICIES.items() if row.reading is not ReadingKind.CANVAS}
    assert causal == ONE_BY_ONE - {None}
