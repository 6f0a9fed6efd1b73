"""Edit-history pairs for the next edit: a change made in one line, and due in another below it.

The text stays real: the change is told backwards, from what might have stood there before.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from models.training.edits import STRING, Kind, change_of, compound, names, other_name, quotes
from models.training.more_edits import formatting, none_check
from models.training.signatures import return_type, types

SYSTEMATIC: tuple[Kind, ...] = (quotes, compound, formatting, none_check, return_type, types)
"""Kinds of change that are made line by line in the same way."""
BEHIND = 600


@dataclass(frozen=True, slots=True)
class Repeat:
    """A change that has reached one line and is due in another.

    Attributes:
        before, after: the first line, as it was and as it stands in the text.
        start, stop: where the second line stands, changed already.
        old: the second line before.
        behind: what follows it, where that isn't what the text says.
    """

    before: str
    after: str
    start: int
    stop: int
    old: str
    behind: str | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    stop: int
    text: str


def draw_repeat(text: str, rng: random.Random) -> Repeat | None:
    """A name that was changed, or a systematic change; None where there are no two lines for it."""
    return _renamed(text, rng) if rng.random() < 0.6 else _systematic(text, rng)


def _renamed(text: str, rng: random.Random) -> Repeat | None:
    """All lines use the new name but the second and those behind it."""
    lines = list(_lines(text))
    first = rng.choice(lines) if lines else None
    found = names(STRING.sub("", first.text)) if first else []
    if first is None or not found:
        return None
    new = rng.choice(found)
    whole, old = re.compile(rf"\b{re.escape(new)}\b"), other_name(new, rng)
    later = [line for line in lines if line.start > first.start and whole.search(line.text)]
    if not later or re.search(rf"\b{re.escape(old)}\b", text):
        return None
    second = later[0]
    behind = whole.sub(old, text[second.stop : second.stop + BEHIND])
    was, due = whole.sub(old, first.text), whole.sub(old, second.text)
    return Repeat(was, first.text, second.start, second.stop, due, behind)


def _systematic(text: str, rng: random.Random) -> Repeat | None:
    """Two lines to which a kind of change applies in the same way."""
    lines = list(_lines(text))
    for kind in rng.sample(SYSTEMATIC, len(SYSTEMATIC)):
        changed = [(line, c) for line in lines if (c := change_of(kind, line.text, rng))]
        pairs = [(one, other) for one, other in pairwise(changed) if one[1].back == other[1].back]
        if pairs:
            (first, was), (second, due) = rng.choice(pairs)
            return Repeat(was.text, first.text, second.start, second.stop, due.text)
    return None


def _lines(text: str) -> Iterator[_Line]:
    """Whole lines behind the first one that hold code and are plain ASCII."""
    for match in re.finditer(r"(?<=\n)[^\n]*(?=\n)", text):
        line = match.group()
        if line.isascii() and line.strip() and not line.lstrip().startswith("#"):
            yield _Line(match.start(), match.end(), line)
