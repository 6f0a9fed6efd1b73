"""What a client may name, an engine can do: the protocol's names are the rows of the tables."""

from typing import get_args

from engine.reviews import REVIEWERS
from engine.revision.proposers import PROPOSERS
from engine.revision.refine import DECIDED, SCORER_OF
from engine.revision.scorers import SCORERS
from protocol.revise import MethodName, ReviewName


def test_every_method_has_a_proposer_and_a_scorer() -> None:
    assert set(get_args(MethodName)) == set(PROPOSERS)
    assert set(SCORER_OF) < set(PROPOSERS) and set(SCORER_OF.values()) <= set(SCORERS)
    assert set(DECIDED) - {"none"} <= set(PROPOSERS)


def test_every_review_is_a_rule() -> None:
    assert set(get_args(ReviewName)) == set(REVIEWERS)
    assert set(REVIEWERS) - {"none"} < set(PROPOSERS)
