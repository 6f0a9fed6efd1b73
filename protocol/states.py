"""Which message is legal when: every rule of order is a row of a table here, and nowhere else.

The tables don't know which side reads them; what is not in a table is refused.
"""

from enum import Enum

from protocol.handshake import Ack, Bye, Goaway, Hello, Ping, Pong, Welcome
from protocol.replies import Accepted, Delta, Done, Error, Scores, Snap, Splice
from protocol.requests import Cancel, Fill, Revise, ReviseText, Score


class Phase(Enum):
    """Where a connection is."""

    OPENING = "before hello and welcome"
    OPEN = "open"
    LEFT = "after bye"


class Stage(Enum):
    """Where a fill is."""

    ASKED = "asked"
    RUNNING = "running"
    OVER = "over"


class IllegalOrder(Exception):
    """A message that its sender may not send now."""


REQUESTS = (Fill, ReviseText, Score, Revise, Cancel, Ack, Ping)
REPLIES = (Accepted, Delta, Splice, Snap, Done, Scores, Error, Pong, Goaway)

CLIENT_SAYS: dict[tuple[Phase, type], Phase] = {
    (Phase.OPENING, Hello): Phase.OPEN,
    (Phase.OPEN, Bye): Phase.LEFT,
    **{(Phase.OPEN, kind): Phase.OPEN for kind in REQUESTS},
}
"""What a client may say in each phase, and the phase behind it."""

SERVER_SAYS: dict[tuple[Phase, type], Phase] = {
    (Phase.OPENING, Welcome): Phase.OPEN,
    (Phase.OPENING, Error): Phase.LEFT,
    **{(Phase.OPEN, kind): Phase.OPEN for kind in REPLIES},
}
"""What a server may say in each phase; an error before welcome refuses the client."""

FILL_HEARS: dict[tuple[Stage, type], Stage] = {
    (Stage.ASKED, Accepted): Stage.RUNNING,
    (Stage.RUNNING, Delta): Stage.RUNNING,
    (Stage.RUNNING, Splice): Stage.RUNNING,
    (Stage.RUNNING, Snap): Stage.RUNNING,
    **{
        (stage, kind): Stage.OVER
        for stage in (Stage.ASKED, Stage.RUNNING)
        for kind in (Done, Scores, Error)
    },
}
"""The life of a fill: accepted once, then frames, then exactly one end."""


def step(phase: Phase, message: object, table: dict[tuple[Phase, type], Phase]) -> Phase:
    """The phase behind `message`; IllegalOrder if it may not be said now."""
    try:
        return table[phase, type(message)]
    except KeyError:
        text = f"{type(message).__name__.lower()} is not allowed {phase.value}"
        raise IllegalOrder(text) from None


def advance(stage: Stage, message: object) -> Stage:
    """The stage of a fill behind `message`; IllegalOrder if it can't come now."""
    if isinstance(message, Error) and not message.ends and stage is not Stage.OVER:
        return stage
    try:
        return FILL_HEARS[stage, type(message)]
    except KeyError:
        text = f"{type(message).__name__.lower()} for a fill that is {stage.value}"
        raise IllegalOrder(text) from None
