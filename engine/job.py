"""A job: one fill from queue to end, and what one step did to it. No torch, no text."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from engine.canvas import Canvas
from engine.policies import Floats, Indices, Plan, Policy, ReadingKind
from engine.query import Context, Priority, Query
from engine.reviews import Review

Finish = Literal["converged", "stop", "length", "deadline", "cancelled"]
Reason = TypeVar("Reason", bound=str)
GRAVITY = ("converged", "stop", "length", "constraint", "deadline", "cancelled", "superseded")
Stop = Callable[[Sequence[int]], bool]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What a constraint makes of the first k masked slots: tokens of one accepting path.

    Attributes:
        tokens, confidence [k]: the path, and each token's probability among what may stand there.
        forced [k]: the token that the model would have put there is ruled out.
        rivals, rivalry [k]: another token that would do too and its probability; 0 where unknown.
        witness [L]: the whole canvas, completed; None where only one slot is known.
        log_valid: log of the probability that the model alone keeps to it; None where that is
            not told.
    """

    tokens: Indices
    confidence: Floats
    forced: npt.NDArray[np.bool_]
    rivals: Indices
    rivalry: Floats
    witness: Indices | None = None
    log_valid: float | None = None


class Constraint(Protocol):
    """A language the canvas must belong to. It belongs to no job: all a job did is in the job."""

    @property
    def draws(self) -> bool:
        """Whether it draws tokens by itself: it is then given scores without noise."""
        ...

    def reach(self, slots: Indices, canvas: Canvas) -> int:
        """How many of the masked `slots`, from the left, the constraint still has a say in."""
        ...

    def narrow(self, scores: npt.NDArray[np.float32], slots: Indices, job: "Job") -> Narrowed:
        """Proposals for the first k masked `slots`, from their log-probabilities `scores` [k, V].

        They may cover fewer slots: those not mentioned are free. Unsatisfiable if there are none.
        """
        ...

    def given(self, job: "Job") -> "Narrowed | None":
        """The proposal for the first masked slot where no scores are needed for it."""
        ...

    def allows(self, canvas: Canvas, room: int) -> bool:
        """Whether a canvas that may still grow by `room` slots can be completed."""
        ...

    def completed(self, job: "Job") -> Indices | None:
        """The tokens of the job's canvas, perhaps with more behind, with every mask filled."""
        ...

    def behind(self, canvas: Canvas) -> "Constraint | None":
        """What is left to keep to once a full canvas belongs to the prefix."""
        ...


class Unsatisfiable(Exception):
    """No filling of a job's canvas keeps to its constraint."""


@dataclass(frozen=True, slots=True)
class Draw:
    """How a token is drawn from a slot's distribution."""

    temperature: float = 0.0
    top_p: float = 1.0
    seed: int = 0


@dataclass(slots=True)
class Job:
    """One fill. `stop` tells from settled tokens that it is done.

    Whoever makes it changes it until it is queued. While it is live the engine does, in its steps;
    between two of them its session may, as a person wants it, and tells the engine of it. Once it
    has ended the session completes its canvas.
    """

    id: str
    context: Context
    canvas: Canvas
    policy: Policy
    plan: Plan
    draw: Draw = Draw()
    constraint: Constraint | None = None
    stop: Stop | None = None
    limit: int = 0
    """Slots the hole may grow to when it is full and nothing has ended it."""
    further: Callable[[Sequence[int]], int] | None = None
    """Told from the settled tokens when there is no room left, once: another limit."""
    block: int = 1 << 16
    """Slots of a full canvas that make it a block: it joins the prefix, and a new one begins."""
    past: Canvas | None = None
    """The finished blocks."""
    deadline: float | None = None
    """In seconds of the engine's clock."""
    client: str = ""
    """Who asked; clients share the engine fairly."""
    priority: Priority = "manual"
    steps_left: int | None = None
    """Steps that the deadline still allows, by the engine's pace; None without a deadline."""
    step: int = 0
    began: int = 0
    """The step before the current block's first."""
    review: Review | None = None
    """How revealed slots are looked at again; only the canvas reading does that."""
    reviews: int = 0
    """Passes that look at a full canvas again before the job ends."""
    remasked: int = 0
    """Slots thrown back or replaced by reviews so far."""
    witness: Indices | None = None
    """Under a constraint: the canvas as the last step would complete it."""
    log_valid: float | None = None
    """See Narrowed; summed over blocks, and over slots where each has a step of its own. Where
    a person changed the canvas, from then on."""

    @property
    def whole(self) -> Canvas:
        """Finished blocks and the canvas behind them."""
        return self.canvas if self.past is None else self.past.followed_by(self.canvas)

    @property
    def finished(self) -> int:
        """Slots of finished blocks."""
        return 0 if self.past is None else len(self.past)

    @property
    def room(self) -> int:
        """Slots that growth may still add."""
        return max(0, self.limit - len(self.whole))

    def keep(self, narrowed: Narrowed) -> None:
        """Take note of what a constraint said in this step."""
        if self.witness is None and narrowed.log_valid is not None:
            self.log_valid = (self.log_valid or 0.0) + narrowed.log_valid
        self.witness = narrowed.witness

    def complete(self) -> None:
        """Fill every mask by the witness, or as the constraint has it; nothing without one."""
        tokens = None if self.constraint is None else self.constraint.completed(self)
        if tokens is None:
            return
        if len(tokens) > len(self.canvas):
            self.canvas.grow(len(tokens) - len(self.canvas))
        masked = self.canvas.masked
        self.canvas.reveal(masked, tokens[masked], 0.0, self.step, forced=True)

    def next_block(self, slots: int) -> None:
        """Put the full canvas behind the prefix, where its keys are exact, and begin a new one."""
        prefix = (*self.context.prefix, *self.canvas.tokens.tolist())
        self.context = replace(self.context, prefix=prefix)
        if self.constraint is not None:
            self.constraint = self.constraint.behind(self.canvas)
        self.past, self.canvas = self.whole, Canvas(slots, self.canvas.mask_id)
        self.witness = None
        self.began = self.step

    def branch(self, name: str, canvas: Canvas) -> "Job":
        """A job like this one, on another canvas."""
        return replace(self, id=name, canvas=canvas, witness=None)


@dataclass(slots=True)
class JointJob:
    """Several holes of one text, denoised together: their canvases see each other.

    Each hole is a job of its own for its canvas, policy, constraint and stop rule, but is never
    scheduled; its canvas keeps its size. A hole that has ended stays in sight of the others.

    Attributes:
        context: what stands before the first hole and behind the last one.
        betweens: token ids of the text behind each hole but the last, at least one each.
        finishes: how each hole ended; None while it is open.
    """

    id: str
    context: Context
    holes: tuple[Job, ...]
    betweens: tuple[tuple[int, ...], ...]
    deadline: float | None = None
    client: str = ""
    priority: Priority = "manual"
    finishes: list[Finish | None] = field(init=False)

    def __post_init__(self) -> None:
        if len(self.holes) != len(self.betweens) + 1 or not all(self.betweens):
            raise ValueError("there is at least one token between two holes")
        if any(hole.policy.reading is not ReadingKind.CANVAS for hole in self.holes):
            raise ValueError("only the canvas reading fills several holes together")
        self.finishes = [None] * len(self.holes)

    @property
    def open_holes(self) -> list[int]:
        """Which holes have not ended."""
        return [number for number, finish in enumerate(self.finishes) if finish is None]


Work = Job | JointJob | Query


def gravest(finishes: Iterable[Reason]) -> Reason:
    """The finish that says most about a fill of several parts."""
    return max(finishes, key=GRAVITY.index)


@dataclass(frozen=True, slots=True)
class Rival:
    """The token that came second at a slot, and how close it was."""

    slot: int
    token: int
    probability: float
    ratio: float
    """Its probability over that of the token that won."""
    past: int = 0
    """Slots of finished blocks before the canvas that `slot` counts in."""


@dataclass(slots=True)
class StepResult:
    """What one turn did to one job."""

    work: Work
    rivals: list[Rival] = field(default_factory=list)
    """For the slots that one row alone decided (causal reading)."""
    prefilled: int = 0
    cached: int = 0
    forwards: int = 0
    rows: int = 0
    """Of its own, the context's left out."""
    seconds: float = 0.0
    """Time of the whole turn, shared with the rest of the batch."""
    finish: Finish | None = None
    error: str | None = None
