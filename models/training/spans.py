"""Which pieces of a text become holes: by lines, brackets and blocks, with the mix of real use.

All spans are [start, stop) in characters and end before a line break where they are made of lines:
the break in front belongs to the hole (boundary healing), the one behind it to the suffix.
"""

import random
from collections.abc import Callable

Span = tuple[int, int]
Maker = Callable[[str, int, random.Random], Span | None]
LONGEST = 400
PATIENCE = 10_000
"""So many draws in a row without a hole, and the documents are taken to have none."""


def holes_at(text: str, near: int, rng: random.Random, count: int) -> list[Span]:
    """Up to `count` spans with one common end, so that they can share a suffix segment."""
    first = draw(text, near, rng)
    if first is None:
        return []
    spans = [first]
    for _ in range(2 * count):
        if len(spans) == count:
            break
        start = _other_start(text, first[1], rng)
        if start is not None and (start, first[1]) not in spans:
            spans.append((start, first[1]))
    return spans


def draw(text: str, near: int, rng: random.Random) -> Span | None:
    """One span somewhere behind `near`, by the mix; None if the text has none there."""
    maker = rng.choices([kind for kind, _ in MIX], [weight for _, weight in MIX])[0]
    span = maker(text, near, rng)
    if span is None or not 0 < span[1] - span[0] <= LONGEST or not text[slice(*span)].strip():
        return None
    return span


def _other_start(text: str, stop: int, rng: random.Random) -> int | None:
    """Another start for a hole that ends at `stop`: in its line, at its line, some lines above."""
    line = text.rfind("\n", 0, stop)
    if line < 0:
        return None
    for _ in range(rng.choice([0, 0, 0, 1, 2, 3])):
        above = text.rfind("\n", 0, line)
        if above < 0 or stop - above > LONGEST:
            break
        line = above
    if rng.random() < 0.5 and stop - line > 4:
        return rng.randrange(line + 1, stop - 1)
    return line


def whole_line(text: str, near: int, rng: random.Random) -> Span | None:
    """The line break and indentation in front, and one line."""
    start = text.find("\n", near)
    stop = text.find("\n", start + 1)
    return (start, stop) if 0 <= start < stop else None


def several_lines(text: str, near: int, rng: random.Random) -> Span | None:
    """Two to six whole lines."""
    start = stop = text.find("\n", near)
    if start < 0:
        return None
    for _ in range(rng.choice([2, 2, 2, 3, 3, 4, 5, 6])):
        following = text.find("\n", stop + 1)
        if following < 0 or following - start > LONGEST:
            break
        stop = following
    return start, stop


def rest_of_line(text: str, near: int, rng: random.Random) -> Span | None:
    """From a character inside a line to its end."""
    stop = text.find("\n", near)
    return (near, stop) if stop > near else None


def block(text: str, near: int, rng: random.Random) -> Span | None:
    """The lines behind `near` that are indented deeper than its line."""
    head = text.rfind("\n", 0, near) + 1
    start = text.find("\n", near)
    if start < 0:
        return None
    depth, stop = _indent(text[head:start]), start
    while True:
        following = text.find("\n", stop + 1)
        line = text[stop + 1 : following] if following >= 0 else ""
        if (
            following < 0
            or (line.strip() and _indent(line) <= depth)
            or following - start > LONGEST
        ):
            return (start, stop) if stop > start else None
        stop = following


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def bracketed(text: str, near: int, rng: random.Random) -> Span | None:
    """What stands inside the next pair of brackets, or one item of it."""
    opened = min((at for c in "([{" if (at := text.find(c, near)) >= 0), default=-1)
    if opened < 0:
        return None
    depth, start = 0, opened + 1
    for at in range(start, min(len(text), start + LONGEST)):
        character = text[at]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            if depth == 0:
                return start, at
            depth -= 1
        elif character == "," and depth == 0 and rng.random() < 0.4:
            if rng.random() < 0.5:
                return start, at
            start = at + 1
    return None


def expression(text: str, near: int, rng: random.Random) -> Span | None:
    """What stands behind the next `=`, `return`, `:` or `if`, up to its end."""
    marks = ["= ", "return ", ": ", "if ", " in ", "== "]
    rng.shuffle(marks)
    for mark in marks:
        at = text.find(mark, near, near + 300)
        if at >= 0:
            start = at + len(mark)
            stop = text.find("\n", start)
            if stop < 0:
                return None
            return start, stop - (text[stop - 1] in ":;,{" and stop - 1 > start)
    return None


def any_span(text: str, near: int, rng: random.Random) -> Span | None:
    """A random span that cuts tokens."""
    return near, min(len(text), near + 1 + int(rng.expovariate(1 / 25)))


MIX: tuple[tuple[Maker, float], ...] = (
    (whole_line, 0.34),
    (several_lines, 0.18),
    (rest_of_line, 0.20),
    (block, 0.05),
    (bracketed, 0.08),
    (expression, 0.07),
    (any_span, 0.08),
)
