"""Named values and small parts that several messages share."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from protocol.limits import (
    CANVAS_LIMIT,
    FILE_LIMIT,
    INSTRUCTION_LIMIT,
    OLD_TEXT_LIMIT,
    PREFIX_LIMIT,
    STEPS_LIMIT,
    SUFFIX_LIMIT,
)
from protocol.revise import ReviewName

Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+(?![\s\S])")]
Prefix = Annotated[str, Meta(max_length=PREFIX_LIMIT)]
Suffix = Annotated[str, Meta(max_length=SUFFIX_LIMIT)]
Path = Annotated[str, Meta(min_length=1, max_length=1024)]
Instruction = Annotated[str, Meta(min_length=1, max_length=INSTRUCTION_LIMIT)]
Steps = Annotated[int, Meta(ge=1, le=STEPS_LIMIT)]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1)]
Slot = Annotated[int, Meta(ge=0, le=CANVAS_LIMIT)]
Offset = Annotated[int, Meta(ge=0, le=4 * OLD_TEXT_LIMIT)]
"""Into a text, in whatever unit it is counted."""
DeadlineMs = Annotated[int, Meta(ge=1, le=600_000)]
Share = Annotated[float, Meta(ge=0.0, le=1.0)]
Guidance = Annotated[float, Meta(ge=0.0, le=10.0)]
"""Weight w of classifier-free guidance on the instruction; 1 is plain conditioning."""

PolicyName = Literal["causal", "entropy", "factor", "fixed", "margin", "speculate", "threshold"]
OrderName = Literal["confidence", "left", "random"]
ShapeName = Literal["auto", "line", "block", "span"]
Mode = Literal["delta", "prefix", "final"]
"""`delta` sends every change, `prefix` only settled cells from the left, `final` only the end."""
Priority = Literal["auto", "manual", "batch"]
Encoding = Literal["utf-8", "utf-16", "utf-32"]
"""The unit that offsets and lengths count: bytes, 16-bit units, or characters."""
FinishReason = Literal[
    "converged", "stop", "length", "deadline", "constraint", "cancelled", "superseded"
]


class CanvasSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """How long the hole may be, in tokens."""

    tokens: Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)] | None = None
    """Slots to start with; None leaves it to the engine."""
    pinned: bool = False
    """True: the hole has exactly `tokens` tokens (the end is pinned there)."""
    most: Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)] | None = None
    """Slots it may grow to; None is `tokens`, or leaves it to the engine."""


class Sampling(Struct, frozen=True, forbid_unknown_fields=True):
    """How slots are revealed and tokens drawn. Unset fields take the model's default."""

    policy: PolicyName | None = None
    order: OrderName | None = None
    """Of reveals under `fixed`; the slot that `threshold` takes when none is sure. Unset: the
    surest first under `fixed`, the leftmost under `threshold`."""
    steps: Steps | None = None
    counts: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)], ...], Meta(max_length=STEPS_LIMIT)
    ] = ()
    """Slots to reveal in each step, the last number repeating; overrides `steps`."""
    threshold: Share = 0.9
    factor: Annotated[float, Meta(gt=0.0, le=100.0)] = 1.0
    entropy: Annotated[float, Meta(ge=0.0, le=100.0)] = 0.5
    margin: Share = 0.5
    temperature: Annotated[float, Meta(ge=0.0, le=5.0)] = 0.0
    top_p: Annotated[float, Meta(gt=0.0, le=1.0)] = 1.0
    seed: Seed = 0
    branches: Annotated[int, Meta(ge=1, le=8)] | None = None
    """Most texts that are tried side by side; the best one is the answer."""
    review: ReviewName = "none"
    """How revealed tokens are looked at again while a canvas policy fills the hole."""


class ContextFile(Struct, frozen=True, forbid_unknown_fields=True):
    """Another file, or a part of one, that the model may look at."""

    path: Path
    text: Annotated[str, Meta(max_length=FILE_LIMIT)]


class DocumentRef(Struct, frozen=True, forbid_unknown_fields=True):
    """The document a request is about: a newer `version` makes older automatic fills stale."""

    key: Annotated[str, Meta(min_length=1, max_length=256)]
    version: Annotated[int, Meta(ge=0, le=2**63 - 1)]
    language: Annotated[str, Meta(max_length=64)] | None = None


class Lock(Struct, frozen=True, forbid_unknown_fields=True):
    """What must not change: characters [start, stop) of the text, or matches of `pattern`."""

    start: Offset | None = None
    stop: Offset | None = None
    pattern: Annotated[str, Meta(min_length=1, max_length=256)] | None = None


class Stats(Struct, frozen=True):
    """What a fill cost. Times in milliseconds, `forwards` is the NFE."""

    steps: int = 0
    forwards: int = 0
    tokens: int = 0
    remasked: int = 0
    prefill_tokens: int = 0
    cached_tokens: int = 0
    queue_ms: float = 0.0
    model_ms: float = 0.0
    wall_ms: float = 0.0


class Token(Struct, frozen=True):
    """One token of a finished answer and where it comes from."""

    text: str
    confidence: float
    step: int
    """The step that revealed it, from 1; 0 for text that was given."""
    now: float | None = None
    """Its probability in the finished text, where it was asked for."""
    revised_from: str | None = None
    forced: bool = False
    """The constraint ruled out the token that the model would have put here."""
    locked: bool = False
    why: str = ""
    """Why a revision kept or changed it."""
    best: str | None = None
    """In scores: the likeliest token in its place, where that is another one."""
