"""Whether and how a fill wants its revealed slots to be looked at again."""

from engine.policies import DEFAULT_POLICY, DEFAULT_STEPS, POLICIES, ReadingKind
from engine.reviews import REVIEWERS, Review, ReviewPlan
from protocol.errors import ProtocolError
from protocol.messages import Fill


def check_review(fill: Fill) -> None:
    """Refuse a review that nothing would carry out."""
    name = fill.sampling.policy or DEFAULT_POLICY
    if fill.sampling.review != "none" and POLICIES[name].reading is not ReadingKind.CANVAS:
        text = f"Policy {name} reveals for good; choose a canvas policy such as threshold."
        raise ProtocolError("unsupported", text, "sampling.review")


def review_of(fill: Fill) -> Review | None:
    """How the job looks again at what it revealed."""
    sampling = fill.sampling
    if sampling.review == "none":
        return None
    plan = ReviewPlan(steps=sampling.steps or DEFAULT_STEPS, seed=sampling.seed)
    return Review(REVIEWERS[sampling.review], plan)
