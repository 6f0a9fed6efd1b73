"""A fill of several holes as fills of one hole each, and their ends as one end. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

import msgspec

from engine.job import gravest
from engine.languages import Language, Languages
from engine.making import HELD_LIMIT
from protocol.errors import ProtocolError
from protocol.messages import Done, Error, Fill, Stats
from protocol.requests import NextHole

SEED_STRIDE = 0x1E3779B97F4A7C15
SEEDS = 1 << 63
HOLE_FIELDS = ("canvas", "constraint", "lines", "shape")
GREATEST = ("steps", "wall_ms")
"""Statistics of which holes filled together have the greatest in common, not the sum. The queue is
the first hole's: with that the fill begins."""


def holes_of(fill: Fill) -> tuple[NextHole, ...]:
    """All holes; `before` of the first is the prefix."""
    first = NextHole(fill.prefix, fill.shape, fill.lines, fill.canvas, fill.constraint)
    return (first, *fill.holes)


def language_of(fill: Fill, number: int, languages: Languages) -> Language | None:
    """What a hole is held to; one language for the document leaves a way for the holes behind."""
    language = languages.of(number)
    if language is None or language.asked.scope == "hole":
        return language
    later = fill.holes[number:]
    rooms = tuple((hole.canvas.tokens or HELD_LIMIT) for hole in later)
    behind = (*(hole.before for hole in later), fill.suffix)
    return replace(language, behind=behind, rooms=rooms) if later else language


def check(fill: Fill) -> None:
    """ProtocolError if the holes can't be filled as asked."""
    if fill.alternatives > 1:
        text = "Alternatives can't be given for several holes; ask for one hole at a time."
        raise ProtocolError("unsupported", text, "alternatives")
    if fill.init:
        raise ProtocolError("unsupported", "A warm start is for fills of one hole.", "init")
    for number, hole in enumerate(holes_of(fill)):
        place = f"holes[{number - 1}]." if number else ""
        if number and not hole.before:
            text = "Nothing stands between two holes; make them one hole."
            raise ProtocolError("invalid_message", text, f"{place}before")
        if hole.canvas.pinned and hole.canvas.tokens is None:
            text = "A pinned canvas needs `tokens`."
            raise ProtocolError("invalid_message", text, f"{place}canvas")


def param_in(param: str | None, number: int, languages: Languages) -> str | None:
    """A field of a hole's own fill as a field of the whole one."""
    shared = param == "constraint" and languages.of(number) is languages.of(0)
    if not number or shared or param not in HOLE_FIELDS:
        return param
    return f"holes[{number - 1}].{param}"


def at_hole(error: ProtocolError, number: int, languages: Languages) -> ProtocolError:
    """What is wrong with a hole's own fill, said of the whole one."""
    param = param_in(error.param, number, languages)
    return ProtocolError(error.code, str(error), param, error.retry_after_ms)


def one_hole(fill: Fill, number: int, answers: Sequence[str] = ()) -> Fill:
    """The fill of one hole; holes before it hold `answers`, the other ones nothing.

    A line that another hole interrupts ends there: what comes behind is not known to follow.
    """
    holes = holes_of(fill)
    pairs = zip_longest([hole.before for hole in holes[: number + 1]], answers, fillvalue="")
    rest = [*(hole.before for hole in holes[number + 1 :]), fill.suffix]
    hole = holes[number]
    return msgspec.structs.replace(
        fill,
        prefix="".join(before + answer for before, answer in pairs),
        suffix="".join(rest) if "\n" in rest[0] else rest[0],
        shape=hole.shape,
        lines=hole.lines,
        canvas=hole.canvas,
        constraint=hole.constraint,
        sampling=msgspec.structs.replace(fill.sampling, seed=seed_of(fill, number)),
        holes=(),
    )


def seed_of(fill: Fill, number: int) -> int:
    """Each hole draws noise of its own; the first as if it were alone."""
    return (fill.sampling.seed + number * SEED_STRIDE) % SEEDS


def joined_end(fill: Fill, ends: Sequence[Done], together: bool) -> Done:
    """The end of the fill from those of its first holes; a hole that never began is empty."""
    texts = [end.text for end in ends]
    texts += [""] * (len(fill.holes) + 1 - len(texts))
    finish = gravest(end.finish for end in ends)
    stats = _stats([end.stats for end in ends], together)
    valid = [end.log_valid for end in ends if end.log_valid is not None]
    return Done(
        fill.id,
        texts[0],
        finish,
        ends[0].tokens,
        stats,
        holes=tuple(texts),
        log_valid=sum(valid) if valid else None,
    )


def engine_error(fill: Fill, error: ProtocolError) -> Error:
    """Why a fill that runs can't go on."""
    return Error(error.code, str(error), fill.id, error.param)


def _stats(parts: Sequence[Stats], together: bool) -> Stats:
    """Sums, but for times and steps that the holes spent together."""
    values = {}
    for name in Stats.__struct_fields__:
        of_parts = [getattr(part, name) for part in parts]
        values[name] = max(of_parts) if together and name in GREATEST else sum(of_parts)
    values["queue_ms"] = parts[0].queue_ms
    return Stats(**values)
