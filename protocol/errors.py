"""The one exception that crosses the protocol, and the codes it may carry."""

from typing import Literal, get_args

ErrorCode = Literal[
    "invalid_message",
    "too_large",
    "unsupported",
    "id_conflict",
    "overloaded",
    "deadline",
    "engine_failed",
]

CODES: frozenset[str] = frozenset(get_args(ErrorCode))


class ProtocolError(Exception):
    """A message can't be accepted or a fill can't go on.

    Attributes:
        code: one of `CODES`; stable, for programs.
        param: the field that is wrong, or None.
    """

    def __init__(self, code: ErrorCode, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.param = param
