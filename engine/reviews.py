"""Which revealed slots to look at again: one function per rule, and the table of them.

A rule gets what stands, how probable the model finds it now, and how far the job is; it returns
what to remask or replace. `bounded` then keeps every job moving. No logits, text or jobs here.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.floating]
Indices = npt.NDArray[np.int64]
NOTHING: Indices = np.empty(0, np.int64)


class Evidence(Enum):
    """Where the present score of a revealed slot comes from.

    `reveal`: its confidence when it was revealed, at no cost. `itself`: its own canvas row, which
    sees the token and so partly copies it. `shadow`: a copy of the canvas with that slot masked.
    `causal`: the causal reading of the settled left part.
    """

    REVEAL = "reveal"
    ITSELF = "itself"
    SHADOW = "shadow"
    CAUSAL = "causal"


@dataclass(frozen=True, slots=True)
class Standing:
    """R revealed slots that have evidence, in slot order."""

    slots: Indices  # [R]
    tokens: Indices  # [R]
    scores: Floats  # [R] probability of the token, by the rule's evidence
    best: Indices  # [R] the likeliest token by the same evidence
    best_scores: Floats  # [R] its probability


@dataclass(frozen=True, slots=True)
class ReviewPlan:
    """Parameters of the rules.

    Attributes:
        steps: the passes a job is expected to take; sets the time of `p2` and `remdm`.
        doubt: a slot whose score is lower is remasked (`wino`, `causal_check`).
        edit: a token that is at least this probable replaces another one (`edit`).
        eta: rate of random remasking (`remdm`).
        window: [from, to) in time 1 -> 0 in which `remdm_loop` remasks.
        share: largest share of a full canvas that one pass may remask.
    """

    steps: int = 8
    doubt: float = 0.3
    edit: float = 0.9
    eta: float = 0.1
    window: tuple[float, float] = (0.05, 0.55)
    share: float = 0.25
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Moment:
    """How far a job is: the step just taken, from 0; slots that are not fixed; masks before and
    after its reveals."""

    step: int
    slots: int
    before: int
    masked: int

    @property
    def revealed(self) -> int:
        """Slots this step revealed."""
        return self.before - self.masked

    @property
    def full(self) -> bool:
        """Whether the canvas had no mask to begin with."""
        return self.before == 0


@dataclass(frozen=True, slots=True)
class Change:
    """Indices into a Standing: which slots become masks, and which take their best token."""

    remask: Indices = field(default_factory=NOTHING.copy)
    replace: Indices = field(default_factory=NOTHING.copy)


Look = Callable[[Standing, ReviewPlan, Moment], Change]


@dataclass(frozen=True, slots=True)
class Reviewer:
    """A row of the table."""

    look: Look
    evidence: Evidence


@dataclass(frozen=True, slots=True)
class Review:
    """A rule with its parameters, as a job carries it."""

    reviewer: Reviewer
    plan: ReviewPlan = ReviewPlan()


def p2(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """The schedule says how many slots are masks after this step; the least probable make it up.

    Path planning (Peng et al., 2502.03540), with the score of the token that stands.
    """
    open_share = max(0.0, 1 - (moment.step + 1) / plan.steps)
    wanted = int(moment.slots * open_share) - moment.masked
    return Change(_worst(standing)[: max(0, wanted)])


def remdm_cap(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """Each slot with probability min(eta, sigma_max) (ReMDM, 2503.00307)."""
    return _drawn(standing, min(plan.eta, _sigma_max(moment)), plan, moment)


def remdm_rescale(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """Each slot with probability eta x sigma_max."""
    return _drawn(standing, plan.eta * _sigma_max(moment), plan, moment)


def remdm_conf(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """Unsure slots more often: softmax(-score) shares sigma_max x R x eta among R slots."""
    weights = np.exp(-standing.scores)
    rate = _sigma_max(moment) * plan.eta * len(weights)
    return _drawn(standing, rate * weights / max(float(weights.sum()), 1e-9), plan, moment)


def remdm_loop(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """As `remdm_rescale`, but only in a window of time; a full canvas is inside it."""
    time = 1 - (moment.step + 1) / plan.steps
    low, high = plan.window
    if not moment.full and not low <= time < high:
        return Change()
    return remdm_rescale(standing, plan, moment)


def doubtful(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """Every slot whose score is below `doubt`, worst first (`wino`, 2507.18578, with shadows)."""
    order = _worst(standing)
    return Change(order[standing.scores[order] < plan.doubt])


def edit(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """Replace a token where the model is sure of another one (LLaDA 2.1's token-to-token edit)."""
    other = standing.best != standing.tokens
    return Change(replace=np.flatnonzero(other & (standing.best_scores >= plan.edit)))


def none(standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """What stands, stands."""
    return Change()


def bounded(change: Change, standing: Standing, plan: ReviewPlan, moment: Moment) -> Change:
    """The change, cut so that every job ends; of too many remasks the least probable stay.

    While a canvas has masks, fewer are remasked than the step revealed, so their number falls
    with every step. On a full canvas `share` bounds a pass, and the job counts such passes.
    """
    limit = max(0, moment.revealed - 1)
    if moment.full:
        limit = max(1, int(plan.share * moment.slots))
    order = change.remask[np.argsort(standing.scores[change.remask], kind="stable")]
    replace = np.setdiff1d(change.replace, order)
    return Change(order[:limit], replace)


def _worst(standing: Standing) -> Indices:
    return np.argsort(standing.scores, kind="stable")


def _sigma_max(moment: Moment) -> float:
    """min(1, (1 - alpha after) / alpha before), alpha the share revealed; 1 on a full canvas."""
    if moment.full:
        return 1.0
    known = moment.slots - moment.before
    return min(1.0, moment.masked / known) if known else 0.0


def _drawn(standing: Standing, rate: float | Floats, plan: ReviewPlan, moment: Moment) -> Change:
    """Each slot with its rate; the draw belongs to (seed, step, slot) alone."""
    dice = np.random.default_rng((plan.seed, moment.step))
    top = int(standing.slots.max(initial=-1)) + 1
    return Change(np.flatnonzero(dice.random(top)[standing.slots] < rate))


REVIEWERS: dict[str, Reviewer] = {
    "none": Reviewer(none, Evidence.REVEAL),
    "p2": Reviewer(p2, Evidence.ITSELF),
    "remdm_cap": Reviewer(remdm_cap, Evidence.REVEAL),
    "remdm_rescale": Reviewer(remdm_rescale, Evidence.REVEAL),
    "remdm_conf": Reviewer(remdm_conf, Evidence.REVEAL),
    "remdm_loop": Reviewer(remdm_loop, Evidence.REVEAL),
    "wino": Reviewer(doubtful, Evidence.SHADOW),
    "edit": Reviewer(edit, Evidence.ITSELF),
    "causal_check": Reviewer(doubtful, Evidence.CAUSAL),
}
