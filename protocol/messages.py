"""The messages of infill.v1: every struct by name, and the unions of what each side may say.

Client structs refuse unknown fields, server structs ignore them, so that an old client keeps
working beside a newer server. Texts are Unicode; nothing here knows tokens or tensors.
"""

from protocol.constraint import (
    Choices,
    Constraint,
    Ebnf,
    JsonSchema,
    Lark,
    Lengths,
    Regex,
    Syntax,
)
from protocol.handshake import (
    Ack,
    Bye,
    ClientInfo,
    Goaway,
    Heard,
    Hello,
    Ping,
    Pong,
    Resume,
    Welcome,
)
from protocol.limits import (
    CANVAS_LIMIT,
    PREFIX_LIMIT,
    STEPS_LIMIT,
    SUFFIX_LIMIT,
    Limits,
)
from protocol.replies import Accepted, Delta, Done, Error, Scores, Snap, Splice
from protocol.requests import (
    Advance,
    Cancel,
    ContextChange,
    Fill,
    NextHole,
    Op,
    Pin,
    Remask,
    RemaskBelow,
    Resize,
    Revise,
    ReviseText,
    Score,
    Task,
)
from protocol.values import (
    CanvasSpec,
    ContextFile,
    DocumentRef,
    FinishReason,
    Id,
    Lock,
    Mode,
    OrderName,
    PolicyName,
    Priority,
    Sampling,
    ShapeName,
    Stats,
    Token,
)

ClientMessage = Fill | ReviseText | Score | Revise | Cancel
"""What an engine is asked."""
ServerMessage = Accepted | Delta | Splice | Snap | Done | Scores | Error
"""What an engine answers."""
ToServer = Hello | ClientMessage | Ack | Ping | Bye
"""Everything a client may say over a connection."""
ToClient = Welcome | ServerMessage | Pong | Goaway
"""Everything a server may say over a connection."""

__all__ = [
    "CANVAS_LIMIT",
    "PREFIX_LIMIT",
    "STEPS_LIMIT",
    "SUFFIX_LIMIT",
    "Accepted",
    "Ack",
    "Advance",
    "Bye",
    "Cancel",
    "CanvasSpec",
    "Choices",
    "ClientInfo",
    "ClientMessage",
    "Constraint",
    "ContextChange",
    "ContextFile",
    "Delta",
    "DocumentRef",
    "Done",
    "Ebnf",
    "Error",
    "Fill",
    "FinishReason",
    "Goaway",
    "Heard",
    "Hello",
    "Id",
    "JsonSchema",
    "Lark",
    "Lengths",
    "Limits",
    "Lock",
    "Mode",
    "NextHole",
    "Op",
    "OrderName",
    "Pin",
    "Ping",
    "PolicyName",
    "Pong",
    "Priority",
    "Regex",
    "Remask",
    "RemaskBelow",
    "Resize",
    "Resume",
    "Revise",
    "ReviseText",
    "Sampling",
    "Score",
    "Scores",
    "ServerMessage",
    "ShapeName",
    "Snap",
    "Splice",
    "Stats",
    "Syntax",
    "Task",
    "ToClient",
    "ToServer",
    "Token",
    "Welcome",
]
