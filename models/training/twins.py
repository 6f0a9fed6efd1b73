"""Functions beside a twin: the same text but for a word or an operator that their heads call for.

Code is full of text that comes again, so a reading of both sides learns to copy what stands near.
Beside a twin a copy is wrong in the one line that matters, and right in all others.
"""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from models.training.edits import parsed

Span = tuple[int, int]

HEAD = re.compile(
    r"(?m)^(?P<indent>[ \t]*)(?:export |async |static |public |pub )*(?:def|function|func|fn) "
    r"(?P<name>[A-Za-z_]\w{2,40})\("
)
PART = re.compile(r"[A-Za-z][a-z]{2,}")
"""A word in a name: `read` and `Lines` in `readLines`, `read` and `lines` in `read_lines`."""
LONGEST = 900
"""Characters of a function that gets a twin."""
OPPOSITES = (
    "add remove, get set, read write, load save, load dump, encode decode, start stop, open close, "
    "first last, left right, before after, min max, upper lower, push pop, enable disable, "
    "show hide, lock unlock, source target, request response, row column, width height, "
    "key value, input output, parent child, begin end, prefix suffix, old new, source destination, "
    "import export, connect disconnect, increase decrease, next previous, head tail, send receive, "
    "create delete, user group, file folder, string bytes, serialize deserialize, local remote"
)
OPERATORS = (
    (" + ", " - ", "add subtract, plus minus, increase decrease, sum difference"),
    (" * ", " / ", "multiply divide, product quotient"),
    (" < ", " > ", "smaller larger, below above, before after, less more"),
    (" <= ", " >= ", "at_most at_least, until since"),
    (" == ", " != ", "same different, equal unequal, is is_not"),
    (" and ", " or ", "both either, all any"),
    ("True", "False", "enable disable, show hide, open close, set clear"),
    ("[0]", "[-1]", "first last, head tail"),
    ("min(", "max(", "smallest largest, min max, lowest highest"),
    (" += ", " -= ", "raise lower, add subtract, up down"),
    (" not in ", " in ", "lacks has, without with"),
    ("if not ", "if ", "without with, missing present"),
)


@dataclass(frozen=True, slots=True)
class Twins:
    """A text in which a function stands beside its twin; `lines` of both that differ."""

    text: str
    lines: list[Span]


def draw_twins(text: str, rng: random.Random) -> Twins | None:
    """The text with a twin before or behind one of its functions; None where none can be made."""
    if not text.isascii():
        return None
    found = [(match, stop) for match in HEAD.finditer(text) if (stop := _stop(text, match))]
    if not found:
        return None
    match, stop = rng.choice(found)
    at = match.start()
    one = text[at:stop]
    make = _by_operator if rng.random() < 0.4 else _by_word
    pair = make(one, match["name"], text, rng)
    if pair is None or (parsed(one) and not all(map(parsed, pair))):
        return None
    first, second = pair if rng.random() < 0.5 else pair[::-1]
    gap = "\n\n" if match["indent"] else "\n\n\n"
    return Twins(
        f"{text[:at]}{first}{gap}{second}{text[stop:]}",
        [*_differing(first, second, at), *_differing(second, first, at + len(first) + len(gap))],
    )


def _stop(text: str, head: re.Match[str]) -> int:
    """Where the function ends, before its last line break; 0 if it has no end or is too long."""
    at, stop, indent = text.find("\n", head.end()), 0, len(head["indent"])
    while 0 <= at < head.start() + LONGEST:
        following = text.find("\n", at + 1)
        if following < 0:
            return 0
        line = text[at + 1 : following]
        bare = line.strip()
        closes = bare in ("}", "};") or bare.startswith(")")
        if bare and len(line) - len(line.lstrip()) <= indent and not closes:
            return stop
        stop, at = (following if bare else stop), following
    return 0


def _by_word(one: str, name: str, text: str, rng: random.Random) -> tuple[str, str] | None:
    """The function, and it with another word in its name and wherever else that stands."""
    body = one[one.index(f"{name}(") + len(name) :]
    shared = [word for word in PART.findall(name) if _word(word).search(body)]
    if not shared:
        return None
    word = rng.choice(shared)
    known = _opposites(word.lower())
    spoken = {part.lower() for part in PART.findall(text)} - {p.lower() for p in PART.findall(one)}
    others = known if known and rng.random() < 0.7 else sorted(spoken)
    if not others:
        return None
    other = rng.choice(others)
    return one, _word(word).sub(lambda match: _like(match.group(), other), one)


def _by_operator(one: str, name: str, _: str, rng: random.Random) -> tuple[str, str] | None:
    """The function with an operator in one line and its opposite there, each named for its own."""
    head = one.index(f"{name}(")
    start = one.find("\n", head)
    places = [
        (start + at.start(), there, back, words)
        for there, back, words in _both_ways()
        for at in re.finditer(re.escape(there), one[start:])
    ]
    if start < 0 or not places:
        return None
    at, there, back, words = rng.choice(places)
    mine, its = rng.choice(words)
    other = one[:at] + back + one[at + len(there) :]
    return _renamed(one, head, name, mine), _renamed(other, head, name, its)


def _renamed(one: str, head: int, name: str, word: str) -> str:
    """The function under its name with `word` in front."""
    camel = "_" not in name.strip("_") and any(c.isupper() for c in name)
    new = _camel(word) + name[0].upper() + name[1:] if camel else f"{word}_{name.lstrip('_')}"
    return one[:head] + new + one[head + len(name) :]


def _camel(word: str) -> str:
    first, *rest = word.split("_")
    return first + "".join(part.capitalize() for part in rest)


def _both_ways() -> Iterator[tuple[str, str, list[tuple[str, str]]]]:
    for one, other, told in OPERATORS:
        words = _pairs(told)
        yield one, other, words
        yield other, one, [pair[::-1] for pair in words]


def _opposites(word: str) -> list[str]:
    return [b if word == a else a for a, b in _pairs(OPPOSITES) if word in (a, b)]


def _pairs(told: str) -> list[tuple[str, str]]:
    return [(one, other) for one, other in (pair.split() for pair in told.split(","))]


def _word(word: str) -> re.Pattern[str]:
    """The word as a part of names, in any case."""
    small, big, loud = word.lower(), word.capitalize(), word.upper()
    alone = rf"(?<![A-Za-z])(?:{small}(?![a-z])|{loud}(?![A-Za-z]))"
    return re.compile(rf"{alone}|{big}(?![a-z])")


def _like(word: str, other: str) -> str:
    """`other` in the case of `word`."""
    if word.isupper():
        return other.upper()
    return other.capitalize() if word[0].isupper() else other


def _differing(one: str, other: str, at: int) -> list[Span]:
    """Lines below the head of `one`, which stands at `at`, that `other` has not in that place."""
    spans, start = [], 0
    pairs = zip(one.split("\n"), other.split("\n"), strict=True)
    for number, (line, twin) in enumerate(pairs):
        if number and line != twin:
            spans.append((at + start - 1, at + start + len(line)))
        start += len(line) + 1
    return spans
