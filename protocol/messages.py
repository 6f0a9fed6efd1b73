"""The messages of infill.v1: what a client may say and what it may hear.

Client structs refuse unknown fields, server structs ignore them, so that an old client keeps
working beside a newer server. Texts are Unicode; nothing here knows tokens or tensors.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

PREFIX_LIMIT = 256 * 1024
SUFFIX_LIMIT = 128 * 1024
CANVAS_LIMIT = 1024
STEPS_LIMIT = 1024

Id = Annotated[str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9._:-]+$")]
PolicyName = Literal["causal", "entropy", "factor", "fixed", "margin", "speculate", "threshold"]
OrderName = Literal["confidence", "left", "random"]
ShapeName = Literal["auto", "line", "block", "span"]
FinishReason = Literal["converged", "stop", "length", "deadline", "cancelled"]


class CanvasSpec(Struct, frozen=True, forbid_unknown_fields=True):
    """How long the hole may be, in tokens."""

    tokens: Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)] | None = None
    """Slots to start with; None leaves it to the engine."""
    pinned: bool = False
    """True: the hole has exactly `tokens` tokens (the end is pinned there)."""


class Sampling(Struct, frozen=True, forbid_unknown_fields=True):
    """How slots are revealed and tokens drawn. Unset fields take the model's default."""

    policy: PolicyName | None = None
    order: OrderName = "confidence"
    steps: Annotated[int, Meta(ge=1, le=STEPS_LIMIT)] | None = None
    counts: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)], ...], Meta(max_length=256)
    ] = ()
    """Slots to reveal in each step, the last number repeating; overrides `steps`."""
    threshold: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.9
    factor: Annotated[float, Meta(gt=0.0, le=100.0)] = 1.0
    entropy: Annotated[float, Meta(ge=0.0, le=100.0)] = 0.5
    margin: Annotated[float, Meta(ge=0.0, le=1.0)] = 0.5
    temperature: Annotated[float, Meta(ge=0.0, le=5.0)] = 0.0
    top_p: Annotated[float, Meta(gt=0.0, le=1.0)] = 1.0
    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)] = 0
    branches: Annotated[int, Meta(ge=1, le=8)] | None = None
    """Most texts that are tried side by side; the best one is the answer."""


class Fill(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="fill"):
    """Put text into the hole between `prefix` and `suffix`."""

    id: Id
    prefix: Annotated[str, Meta(max_length=PREFIX_LIMIT)]
    suffix: Annotated[str, Meta(max_length=SUFFIX_LIMIT)]
    shape: ShapeName = "auto"
    lines: Annotated[int, Meta(ge=1, le=400)] | None = None
    """For shape `block`: how many lines are asked for."""
    canvas: CanvasSpec = CanvasSpec()
    sampling: Sampling = Sampling()
    alternatives: Annotated[int, Meta(ge=1, le=8)] = 1
    """Most different answers to give; the others come in `Done.alternatives`."""
    deadline_ms: Annotated[int, Meta(ge=1, le=600_000)] | None = None


class Cancel(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="cancel"):
    """Stop a fill; its slot is free within one step."""

    id: Id


class Accepted(Struct, frozen=True, tag_field="type", tag="accepted"):
    """The fill is queued. `notes` say what was trimmed or adjusted, in plain words."""

    id: str
    model: str
    seed: int
    canvas_tokens: int
    policy: str
    notes: tuple[str, ...] = ()


class Delta(Struct, frozen=True, tag_field="type", tag="d"):
    """Cells that changed in one step.

    `cells[i]` is the new text of slot `slots[i]`: None is a mask, "" is a token that shows nothing
    of its own (a part of a character, or an end mark). `confidence[i]` is in 0..1, 0 for masks.
    """

    id: str
    step: int
    size: int
    """Slots of the canvas after this step."""
    slots: tuple[int, ...]
    cells: tuple[str | None, ...]
    confidence: tuple[float, ...]


class Token(Struct, frozen=True):
    """One token of a finished answer."""

    text: str
    confidence: float
    step: int
    """The step that revealed it, from 1; 0 for text that was given."""


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


class Done(Struct, frozen=True, tag_field="type", tag="done"):
    """The fill is over; `text` is what belongs between prefix and suffix."""

    id: str
    text: str
    finish: FinishReason
    tokens: tuple[Token, ...] = ()
    stats: Stats = Stats()
    alternatives: tuple[str, ...] = ()
    """Other answers, best first, if they were asked for."""


class Error(Struct, frozen=True, tag_field="type", tag="error"):
    """Something could not be done; `id` names the fill, if it was about one."""

    code: str
    message: str
    id: str | None = None
    param: str | None = None


ClientMessage = Fill | Cancel
ServerMessage = Accepted | Delta | Done | Error
