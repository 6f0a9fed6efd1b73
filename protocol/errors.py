"""The exceptions that cross the protocol, the codes they carry, and how a connection closes."""

from dataclasses import dataclass
from typing import Literal, get_args

ErrorCode = Literal[
    "invalid_message",
    "malformed",
    "too_large",
    "unsupported",
    "unsupported_version",
    "unauthenticated",
    "forbidden",
    "model_not_found",
    "not_found",
    "id_conflict",
    "stale_base",
    "constraint_invalid",
    "constraint_unsatisfiable",
    "rate_limited",
    "deadline",
    "overloaded",
    "engine_failed",
    "draining",
]

CODES: frozenset[str] = frozenset(get_args(ErrorCode))

HTTP_STATUS: dict[str, int] = {
    "invalid_message": 400,
    "malformed": 400,
    "unsupported": 400,
    "unsupported_version": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "model_not_found": 404,
    "not_found": 404,
    "deadline": 408,
    "id_conflict": 409,
    "stale_base": 409,
    "too_large": 413,
    "constraint_invalid": 422,
    "constraint_unsatisfiable": 422,
    "rate_limited": 429,
    "engine_failed": 500,
    "overloaded": 503,
    "draining": 503,
}
"""The status that stands for each code over HTTP."""

REASON_BYTES = 123


class ProtocolError(Exception):
    """A message can't be accepted or a fill can't go on.

    Attributes:
        code: one of `CODES`; stable, for programs.
        param: the field that is wrong, or None.
        retry_after_ms: when it makes sense to try again, or None.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        param: str | None = None,
        retry_after_ms: int | None = None,
    ) -> None:
        super().__init__(message)
        self.code: ErrorCode = code
        self.param = param
        self.retry_after_ms = retry_after_ms


@dataclass(frozen=True, slots=True)
class Close:
    """How a connection ends: a WebSocket close code and a reason of at most 123 bytes."""

    code: int
    reason: str

    def __post_init__(self) -> None:
        clamped = self.reason.encode()[:REASON_BYTES].decode(errors="ignore")
        object.__setattr__(self, "reason", clamped)


NORMAL, GOING_AWAY, WRONG_KIND, MALFORMED, TOO_BIG, INTERNAL = 1000, 1001, 1003, 1007, 1009, 1011
INVALID, NO_VERSION, SILENT, TAKEN_OVER, OVER_LIMIT = 4400, 4406, 4408, 4409, 4413
UNAUTHENTICATED, TOO_FAST, DRAINING = 4401, 4429, 4503

RECONNECT: frozenset[int] = frozenset({1001, 1006, 1011, 1012, 1013, DRAINING})
"""Close codes after which a client may try again by itself."""
