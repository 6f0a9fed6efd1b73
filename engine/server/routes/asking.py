"""What HTTP clients ask, whatever their dialect: one struct, and the step to a Fill.

HTTP bodies are read leniently: unknown fields are ignored, nulls take defaults, and what this
engine can't do is dropped where dropping it is harmless, else refused.
"""

import secrets
from typing import TypeVar

import msgspec
from msgspec import Struct

from engine.hub import EngineFacts
from engine.server.routes.wanted import Guided, guided_by
from protocol.capabilities import needs
from protocol.checks import check
from protocol.constraint import Constraint
from protocol.errors import ProtocolError
from protocol.limits import (
    CANVAS_LIMIT,
    FILE_LIMIT,
    FILES_LIMIT,
    FILES_TOTAL_LIMIT,
    PREFIX_LIMIT,
    STOP_LIMIT,
    STOPS_LIMIT,
    SUFFIX_LIMIT,
)
from protocol.messages import CanvasSpec, ContextFile, Fill, PolicyName, Sampling, ShapeName

T = TypeVar("T")
NO_SUFFIX = "<|endoftext|>"
"""What a client sends that means none."""
TEMPERATURE = 0.2
START_SLOTS = 64
"""A smaller bound on the answer is also the canvas; a larger one leaves that to the engine."""
LINES, LINE_TOKENS = 400, 8
"""Most lines of an answer, and the tokens of a short one."""
HINTS = ("context", "old_text")
"""Parts that only help; an engine that can't use them does without."""


class Extensions(Guided, frozen=True, kw_only=True):
    """Fields of ours that every route takes beside the client's own."""

    steps: int | None = None
    policy: PolicyName | None = None
    threshold: float | None = None
    shape: ShapeName | None = None
    lines: int | None = None
    deadline_ms: int | None = None


class Asked(Struct, frozen=True, kw_only=True):
    """A request in our words. None takes the default."""

    prefix: str
    suffix: str = ""
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: tuple[str, ...] = ()
    n: int = 1
    files: tuple[ContextFile, ...] = ()
    old_text: str | None = None
    constraint: Constraint | None = None
    extensions: Extensions = Extensions()


def read_body(data: bytes, kind: type[T]) -> T:
    """The body of a request; ProtocolError if it isn't one."""
    try:
        return msgspec.json.decode(data or b"{}", type=kind)
    except msgspec.ValidationError as error:
        _, found, place = str(error).rpartition(" - at `$.")
        param = place.rstrip("`") if found else None
        raise ProtocolError("invalid_message", str(error), param) from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise ProtocolError("malformed", f"The body is not JSON: {error}") from None


def stops_of(stop: str | list[str] | None) -> tuple[str, ...]:
    """Stop strings however they were written; empty ones mean nothing."""
    given = [stop] if isinstance(stop, str) else stop or []
    if len(given) > STOPS_LIMIT or any(len(one) > STOP_LIMIT for one in given):
        text = f"At most {STOPS_LIMIT} stop strings of {STOP_LIMIT} characters."
        raise ProtocolError("too_large", text, "stop")
    return tuple(one for one in given if one)


def fills_of(asked: Asked, facts: EngineFacts) -> list[Fill]:
    """The fills of a request, one a choice; ProtocolError if it is out of bounds.

    Without a seed each gets one of its own, so that equal requests don't give equal answers.
    """
    if not 1 <= asked.n <= 8:
        raise ProtocolError("invalid_message", "Between 1 and 8 choices can be asked.", "n")
    first = secrets.randbits(31) if asked.seed is None else abs(asked.seed) % 2**31
    fills = [_fill(asked, first + number) for number in range(asked.n)]
    return [_without_hints(_checked(fill), facts) for fill in fills]


def _fill(asked: Asked, seed: int) -> Fill:
    extra, most = asked.extensions, asked.max_tokens
    if most is not None and most < 1:
        raise ProtocolError("invalid_message", "At least one token must be allowed.", "max_tokens")
    held = _constraint(asked)
    if held is not None and asked.stop:
        text = "Stop strings can't go with a constraint: the answer ends where its language does."
        raise ProtocolError("unsupported", text, "stop")
    slots = most if most is not None and (held or most <= START_SLOTS) else None
    lines = extra.lines
    if lines is None and most is not None and most > START_SLOTS:
        lines = min(LINES, most // LINE_TOKENS)  # as many as can be, so that the tokens decide
    suffix = "" if asked.suffix == NO_SUFFIX else asked.suffix
    greedy = asked.top_p == 0  # the likeliest token alone
    temperature = TEMPERATURE if asked.temperature is None else asked.temperature
    return Fill(
        id=f"http-{secrets.token_hex(8)}",
        prefix=asked.prefix[-PREFIX_LIMIT:],
        suffix=suffix[:SUFFIX_LIMIT],
        shape=extra.shape or "auto",
        lines=lines,
        canvas=CanvasSpec(
            tokens=slots and min(slots, CANVAS_LIMIT), most=most and min(most, CANVAS_LIMIT)
        ),
        sampling=Sampling(
            policy=extra.policy,
            steps=extra.steps,
            threshold=0.9 if extra.threshold is None else extra.threshold,
            temperature=0.0 if greedy else temperature,
            top_p=1.0 if greedy or asked.top_p is None else asked.top_p,
            seed=seed,
            branches=1,  # the text is streamed: no other branch may win later
        ),
        deadline_ms=extra.deadline_ms,
        context=_fitting(asked.files),
        old_text=asked.old_text,
        constraint=held,
    )


def _constraint(asked: Asked) -> Constraint | None:
    """What the route's own fields or the guided ones ask for."""
    found = asked.constraint or guided_by(asked.extensions)
    if found is None or asked.extensions.best_effort is None:
        return found
    return msgspec.structs.replace(found, best_effort=asked.extensions.best_effort)


def _fitting(files: tuple[ContextFile, ...]) -> tuple[ContextFile, ...]:
    """As many files, from the last back, as a fill may have; long ones lose their end."""
    kept: list[ContextFile] = []
    room = FILES_TOTAL_LIMIT
    for file in reversed(files[-FILES_LIMIT:]):
        text = file.text[: min(FILE_LIMIT, room)]
        room -= len(text)
        kept.append(ContextFile(file.path[:1024] or "untitled", text))
    return tuple(reversed(kept))


def _checked(fill: Fill) -> Fill:
    """`fill`, once it is known to keep the protocol's bounds."""
    try:
        fill = msgspec.convert(msgspec.to_builtins(fill), Fill)
    except msgspec.ValidationError as error:
        raise ProtocolError("invalid_message", str(error)) from None
    check(fill)
    return fill


def _without_hints(fill: Fill, facts: EngineFacts) -> Fill:
    """Drop what only helps, where the engine can't use it."""
    lacking = {name for name, _ in needs(fill) if name not in facts.caps}
    blank = {"context": (), "old_text": None}
    dropped = {name: blank[name] for name in HINTS if name in lacking}
    return msgspec.structs.replace(fill, **dropped)
