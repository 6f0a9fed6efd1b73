"""The bounds of infill.v1: numbers that messages, codec and server check, told in `welcome`."""

from typing import Literal

from msgspec import Struct

FRAME_LIMIT = 1 << 20
"""Most bytes of one WebSocket message."""
PREFIX_LIMIT = 256 * 1024
SUFFIX_LIMIT = 128 * 1024
CANVAS_LIMIT = 1024
STEPS_LIMIT = 256
ALTERNATIVES_LIMIT = 8
HOLES_LIMIT = 16
FILES_LIMIT = 64
FILE_LIMIT = 32 * 1024
FILES_TOTAL_LIMIT = 512 * 1024
INSTRUCTION_LIMIT = 8 * 1024
OLD_TEXT_LIMIT = 128 * 1024
STOPS_LIMIT = 16
STOP_LIMIT = 64
REGEX_LIMIT = 4096
GRAMMAR_LIMIT = 64 * 1024
SCHEMA_LIMIT = 256 * 1024
CHARS_LIMIT = 2048
"""Characters a constraint can count."""
CHOICES_LIMIT = 1024
CHOICE_LIMIT = 1024
LOCKS_LIMIT = 64
PIN_LIMIT = 4 * 1024
CELL_LIMIT = 256
OPS_LIMIT = 64
SCORE_LIMIT = 16 * 1024

WINDOW = 8
"""Deltas of one fill that may be on their way without an ack."""
LIVE_FILLS = 64
"""Fills one session may have running or queued."""


class Limits(Struct, frozen=True):
    """The bounds a server holds its clients to. Texts are counted in characters."""

    frame_bytes: int = FRAME_LIMIT
    prefix: int = PREFIX_LIMIT
    suffix: int = SUFFIX_LIMIT
    canvas_tokens: int = CANVAS_LIMIT
    steps: int = STEPS_LIMIT
    alternatives: int = ALTERNATIVES_LIMIT
    holes: int = HOLES_LIMIT
    files: int = FILES_LIMIT
    file: int = FILE_LIMIT
    files_total: int = FILES_TOTAL_LIMIT
    stops: int = STOPS_LIMIT
    regex: int = REGEX_LIMIT
    grammar: int = GRAMMAR_LIMIT
    schema: int = SCHEMA_LIMIT
    live_fills: int = LIVE_FILLS
    window: int = WINDOW
    messages_per_second: int = 64
    message_burst: int = 128
    hello_ms: int = 5_000
    lag_ms: int = 2_000
    """Without an ack for so long, a fill sends no more deltas, only its end."""
    ack_ms: int = 10_000
    """Without an ack for so long, the connection is closed."""
    auto_deadline_ms: int | None = 2_000
    """The deadline of an automatic request that names none; None is no deadline."""
    manual_deadline_ms: int | None = 60_000
    batch_deadline_ms: int | None = None

    def deadline_ms(self, priority: Literal["auto", "manual", "batch"]) -> int | None:
        """The deadline of a request that names none."""
        if priority == "auto":
            return self.auto_deadline_ms
        return self.manual_deadline_ms if priority == "manual" else self.batch_deadline_ms
