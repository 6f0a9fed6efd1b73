"""What a client may ask an engine: fill, revise, score, and cancel. Unknown fields are refused."""

from typing import Annotated

from msgspec import Meta, Struct

from protocol.constraint import Constraint
from protocol.limits import (
    ALTERNATIVES_LIMIT,
    CANVAS_LIMIT,
    CELL_LIMIT,
    FILES_LIMIT,
    HOLES_LIMIT,
    LOCKS_LIMIT,
    OLD_TEXT_LIMIT,
    OPS_LIMIT,
    PIN_LIMIT,
    SCORE_LIMIT,
    STOP_LIMIT,
    STOPS_LIMIT,
    SUFFIX_LIMIT,
)
from protocol.revise import KeepName, MethodName, ScorerName
from protocol.values import (
    CanvasSpec,
    ContextFile,
    DeadlineMs,
    DocumentRef,
    Encoding,
    Guidance,
    Id,
    Instruction,
    Lock,
    Mode,
    Offset,
    Path,
    Prefix,
    Priority,
    Sampling,
    Seed,
    ShapeName,
    Share,
    Slot,
    Steps,
    Suffix,
)

Lines = Annotated[int, Meta(ge=1, le=400)]
Files = Annotated[tuple[ContextFile, ...], Meta(max_length=FILES_LIMIT)]
Locks = Annotated[tuple[Lock, ...], Meta(max_length=LOCKS_LIMIT)]
Pinned = Annotated[str, Meta(min_length=1, max_length=PIN_LIMIT)]
StartCell = Annotated[str, Meta(max_length=CELL_LIMIT)] | None
Chars = Offset


class NextHole(Struct, frozen=True, forbid_unknown_fields=True):
    """A further hole of the same fill, right of the one before it."""

    before: Annotated[str, Meta(max_length=SUFFIX_LIMIT)]
    """The fixed text between the hole before and this one."""
    shape: ShapeName = "auto"
    lines: Lines | None = None
    canvas: CanvasSpec = CanvasSpec()
    constraint: Constraint | None = None
    """What this hole's text is held to; with the scope `hole`."""


class Fill(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="fill"):
    """Put text into the hole between `prefix` and `suffix`.

    `id` is also the idempotency key: the same fill sent twice runs once.
    """

    id: Id
    prefix: Prefix
    suffix: Suffix
    shape: ShapeName = "auto"
    """`auto`: a block where one stands empty, the rest of a line, or a span in it; asked by hand
    (`priority`) a line that opens a block brings that with it."""
    lines: Lines | None = None
    """The most lines of a `block` or a `span`; unset leaves it to the engine."""
    canvas: CanvasSpec = CanvasSpec()
    sampling: Sampling = Sampling()
    alternatives: Annotated[int, Meta(ge=1, le=ALTERNATIVES_LIMIT)] = 1
    """Most different answers to give; the others come in `Done.alternatives`."""
    deadline_ms: DeadlineMs | None = None
    holes: Annotated[tuple[NextHole, ...], Meta(max_length=HOLES_LIMIT - 1)] = ()
    doc: DocumentRef | None = None
    path: Path | None = None
    context: Files = ()
    instruction: Instruction | None = None
    old_text: Annotated[str, Meta(max_length=OLD_TEXT_LIMIT)] | None = None
    init: Annotated[tuple[StartCell, ...], Meta(max_length=CANVAS_LIMIT)] = ()
    """Cells to start from (None is a mask), for a warm start."""
    constraint: Constraint | None = None
    """What the first hole is held to; with the scope `document` the text with all holes filled."""
    guidance: Guidance | None = None
    stop: Annotated[
        tuple[Annotated[str, Meta(min_length=1, max_length=STOP_LIMIT)], ...],
        Meta(max_length=STOPS_LIMIT),
    ] = ()
    mode: Mode = "delta"
    priority: Priority = "manual"
    supersedes: Id | None = None


class Remask(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="remask"):
    """Throw slots [start, stop) back to masks; what was typed or given stays.

    The causal reading can't see what stands right of a mask, so it goes too.
    """

    start: Slot
    stop: Slot


class RemaskBelow(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="remask_below"
):
    """Throw back every revealed slot whose confidence is lower, as a remask would."""

    confidence: Share


class Pin(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="pin"):
    """Slots [start, stop) become this text, which stays; what a person types is pinned."""

    start: Slot
    stop: Slot
    text: Pinned


class Resize(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="resize"):
    """Cut or extend the canvas at its right end to so many slots, and no further.

    Of a pinned canvas it moves the end; of an extended one a revealed end mark is thrown back.
    """

    tokens: Annotated[int, Meta(ge=1, le=CANVAS_LIMIT)]


class Advance(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="advance"):
    """The first `chars` characters of the canvas were accepted: they belong to the prefix now.

    They must have settled. What the fill returns in the end is what follows them.
    """

    chars: Chars


class ContextChange(Struct, frozen=True, forbid_unknown_fields=True, tag_field="op", tag="context"):
    """The text beside the hole changed: characters dropped at the hole's edge, then text added.

    The canvas is kept as far as its reading allows: the causal one begins anew behind another
    prefix. The shape of the hole is told anew, as for a new request.
    """

    prefix_drop: Chars = 0
    prefix_add: Annotated[str, Meta(max_length=PIN_LIMIT)] = ""
    suffix_drop: Chars = 0
    suffix_add: Annotated[str, Meta(max_length=PIN_LIMIT)] = ""


Op = Remask | RemaskBelow | Pin | Resize | Advance | ContextChange


class Revise(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="revise"):
    """Change a live fill's canvas and go on.

    Either all ops are done, in order, or none: then an error with `ends` false says why. Where an
    op names slots they are those of the frame `base_seq`, as the op before it left them; once
    slots have moved since, nothing is done.
    """

    id: Id
    base_seq: Annotated[int, Meta(ge=0, le=2**53)]
    ops: Annotated[tuple[Op, ...], Meta(min_length=1, max_length=OPS_LIMIT)]
    canvas: Annotated[int, Meta(ge=0, le=HOLES_LIMIT * ALTERNATIVES_LIMIT - 1)] = 0
    steps: Steps | None = None
    """Steps of a policy that counts them, from now on."""
    seed: Seed | None = None
    """The randomness from now on."""
    encoding: Encoding | None = None
    """What the ops count; None is what welcome said."""

    @property
    def names_slots(self) -> bool:
        """Whether it matters how slots are numbered."""
        return any(isinstance(op, Remask | Pin) for op in self.ops)


class ReviseText(
    Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="revise_text"
):
    """Find the weakest tokens of `text`, which stands, and denoise them again.

    The answer is `text` itself unless a better one is found.
    """

    id: Id
    prefix: Prefix
    text: Annotated[str, Meta(min_length=1, max_length=OLD_TEXT_LIMIT)]
    suffix: Suffix
    strength: Share = 0.3
    """The largest share of the tokens that may change; 0 only scores them."""
    method: MethodName | None = None
    """How weak tokens are found and replaced; None is the model's best."""
    guard: Annotated[float, Meta(ge=0.0, le=10_000.0)] | None = None
    """Nats a change must gain before it is kept; None is the engine's default."""
    rounds: Annotated[int, Meta(ge=1, le=16)] = 4
    """Proposals for each window of the text."""
    keep: Annotated[tuple[KeepName, ...], Meta(max_length=3)] = ()
    """Kinds of text that must not change."""
    instruction: Instruction | None = None
    guidance: Guidance | None = None
    locks: Locks = ()
    sampling: Sampling = Sampling()
    constraint: Constraint | None = None
    """What both the old and the new text are held to."""
    doc: DocumentRef | None = None
    path: Path | None = None
    context: Files = ()
    deadline_ms: DeadlineMs | None = None
    mode: Mode = "delta"
    priority: Priority = "manual"


class Score(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="score"):
    """How probable each token of `text` is between `prefix` and `suffix`; `Scores` answers."""

    id: Id
    prefix: Prefix
    text: Annotated[str, Meta(min_length=1, max_length=SCORE_LIMIT)]
    suffix: Suffix
    method: ScorerName | None = None
    """None is `causal`, which takes a row a token; the others take dozens."""
    path: Path | None = None
    context: Files = ()
    deadline_ms: DeadlineMs | None = None
    priority: Priority = "manual"


class Cancel(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="cancel"):
    """Stop a fill; its slot is free within one step."""

    id: Id


Task = Fill | ReviseText | Score
"""Requests that begin something of their own."""
