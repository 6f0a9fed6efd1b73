"""What a client hears of a constraint that can't be met or read."""

from engine.constraints.errors import (
    ConstraintError,
    InvalidConstraintError,
    TooLargeError,
    UnsatisfiableError,
)
from protocol.errors import ErrorCode, ProtocolError

CODES: dict[type[ConstraintError], ErrorCode] = {
    InvalidConstraintError: "constraint_invalid",
    UnsatisfiableError: "constraint_unsatisfiable",
    TooLargeError: "too_large",
}
"""The code for each kind of error; `unsupported` for the others."""


def refusal(error: ConstraintError, param: str = "constraint") -> ProtocolError:
    """The error as the protocol has it, as a sentence."""
    text = str(error)
    sentence = text[:1].upper() + text[1:]
    if not sentence.endswith((".", "'", '"')):
        sentence += "."
    return ProtocolError(CODES.get(type(error), "unsupported"), sentence, param)
