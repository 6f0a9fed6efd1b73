"""What an engine answers. Server structs are lenient: clients ignore what they don't know."""

from msgspec import Struct

from protocol.values import FinishReason, Stats, Token


class Accepted(Struct, frozen=True, tag_field="type", tag="accepted"):
    """The fill is queued. `notes` say what was trimmed or adjusted, in plain words."""

    id: str
    model: str
    seed: int
    canvas_tokens: int
    policy: str
    notes: tuple[str, ...] = ()
    f: int = 0
    """The number that stands for this fill in cell frames of this connection."""
    position: int = 0
    """How many fills stand before this one in the queue."""
    est_ms: float | None = None


class Delta(Struct, frozen=True, tag_field="type", tag="d"):
    """Cells that changed in one step.

    `cells[i]` is the new text of slot `slots[i]`: None is a mask, "" is a token that shows nothing
    of its own (a part of a character, or an end mark). `confidence[i]` is in 0..1, 0 for masks.
    Slots that `size` adds are masks.
    """

    id: str
    step: int
    size: int
    """Slots of the canvas after this step."""
    slots: tuple[int, ...]
    cells: tuple[str | None, ...]
    confidence: tuple[float, ...]
    seq: int = 0
    """The frame's number in its fill, from 1, with gaps where frames were merged."""
    canvas: int = 0
    """Which canvas of the fill: hole + holes * alternative."""


class Splice(Struct, frozen=True, tag_field="type", tag="splice"):
    """The canvas changed its length: `delete` slots from `at` on go, `insert` masks come there."""

    id: str
    at: int
    delete: int
    insert: int
    seq: int = 0
    canvas: int = 0


class Snap(Struct, frozen=True, tag_field="type", tag="snap"):
    """The whole canvas, in place of every frame before."""

    id: str
    step: int
    cells: tuple[str | None, ...]
    confidence: tuple[float, ...]
    seq: int = 0
    canvas: int = 0
    f: int = 0


class Done(Struct, frozen=True, tag_field="type", tag="done"):
    """The fill is over; `text` is what belongs between prefix and suffix."""

    id: str
    text: str
    finish: FinishReason
    tokens: tuple[Token, ...] = ()
    stats: Stats = Stats()
    alternatives: tuple[str, ...] = ()
    """Other answers, best first, if they were asked for."""
    holes: tuple[str, ...] = ()
    """With several holes: the text of each; `text` is the first."""
    log_valid: float | None = None
    """Under a constraint: log of the probability that the model alone would have kept to it, as
    the steps saw it; in nats."""
    seq: int = 0
    """The last frame that was sent before this."""


class Scores(Struct, frozen=True, tag_field="type", tag="scores"):
    """The answer to a score request: the tokens whose texts join to the text that was sent.

    `now` of each is its probability, None for what was not scored: past the deadline, or beside
    the text (a line end at its very end). `finish` is `converged` or `deadline`.
    """

    id: str
    tokens: tuple[Token, ...]
    stats: Stats = Stats()
    finish: FinishReason = "converged"


class Error(Struct, frozen=True, tag_field="type", tag="error"):
    """Something could not be done; `id` names the fill, if it was about one."""

    code: str
    message: str
    id: str | None = None
    param: str | None = None
    retry_after_ms: int | None = None
    fatal: bool = False
    """The connection ends with this."""
    ends: bool = True
    """False: the fill with this id goes on; only what was asked of it was refused."""


def is_end(message: Struct) -> bool:
    """Whether a message is the end of the request that it is about."""
    return isinstance(message, Done | Scores) or (isinstance(message, Error) and message.ends)
