"""Type-preserving token substitutions in Python: operator for operator, name for name, and so on.

The method of the Code Revision Benchmark (2512.15596); text in, text out, seeded.
"""

import io
import keyword
import random
import tokenize
from collections.abc import Sequence
from dataclasses import dataclass

CLASSES = (
    ("<", "<=", ">", ">=", "==", "!="),
    ("+", "-", "*", "//", "/", "%", "**"),
    ("+=", "-=", "*=", "//=", "/="),
    ("&", "|", "^"),
    ("and", "or"),
    ("in", "not in"),
    ("True", "False"),
    ("min", "max"),
    ("any", "all"),
    ("append", "extend"),
)
BY_WORD = {word: group for group in CLASSES for word in group}


@dataclass(frozen=True, slots=True)
class Site:
    """A token that may be replaced: characters [start, stop) of the source, and by what."""

    start: int
    stop: int
    choices: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Mutation:
    """A source with substitutions; `places` are [start, stop) of the new tokens in it."""

    source: str
    places: tuple[tuple[int, int], ...]


def sites(source: str, start: int, stop: int) -> list[Site]:
    """All tokens of source[start:stop] that can be replaced by one of their kind."""
    tokens = [token for token in tokens_of(source) if token.string]
    offsets = line_offsets(source)
    variables = _variables(tokens)
    names = sorted({tokens[at].string for at in variables})
    strings = sorted({t.string for t in tokens if t.type == tokenize.STRING and len(t.string) < 20})
    found = []
    for at, token in enumerate(tokens):
        begin = offsets[token.start[0] - 1] + token.start[1]
        end = offsets[token.end[0] - 1] + token.end[1]
        if begin < start or end > stop:
            continue
        others = _choices(tokens, at, names if at in variables else (), strings)
        others = tuple(other for other in others if other != token.string)
        if others:
            found.append(Site(begin, end, others))
    return found


def mutate(source: str, chosen: Sequence[Site], dice: random.Random) -> Mutation:
    """Replace every chosen site by one of its choices."""
    parts, places, at, length = [], [], 0, 0
    for site in sorted(chosen, key=lambda site: site.start):
        word = dice.choice(site.choices)
        before = source[at : site.start]
        parts += [before, word]
        length += len(before)
        places.append((length, length + len(word)))
        length += len(word)
        at = site.stop
    return Mutation("".join(parts) + source[at:], tuple(places))


def tokens_of(source: str) -> list[tokenize.TokenInfo]:
    """Python's tokens; none if the source can't be read."""
    try:
        return list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return []


def line_offsets(source: str) -> list[int]:
    """Where each line starts, in characters."""
    offsets = [0]
    for line in source.splitlines(keepends=True):
        offsets.append(offsets[-1] + len(line))
    return offsets


def _variables(tokens: Sequence[tokenize.TokenInfo]) -> set[int]:
    """Indices of names that hold values: no keyword, attribute, call, annotation or import."""
    imported = {
        token.string
        for token in tokens
        if token.line.lstrip().startswith(("import ", "from ")) and token.type == tokenize.NAME
    }
    found, depth = set(), 0
    for at, token in enumerate(tokens):
        depth += (token.string in ("(", "[", "{")) - (token.string in (")", "]", "}"))
        before = tokens[at - 1].string if at else ""
        after = tokens[at + 1].string if at + 1 < len(tokens) else ""
        declared = token.line.lstrip().startswith(("def ", "class ")) or "lambda" in token.line
        named = token.type == tokenize.NAME and not keyword.iskeyword(token.string)
        special = token.string in BY_WORD or token.string in imported | {"self", "cls"}
        placed = before in (".", ":", "->") or after in ("(", ":", ".")
        if named and not (special or declared or placed or (after == "=" and depth > 0)):
            found.add(at)
    return found


def _choices(
    tokens: Sequence[tokenize.TokenInfo], at: int, names: Sequence[str], strings: Sequence[str]
) -> tuple[str, ...]:
    token = tokens[at]
    if token.type == tokenize.NUMBER:
        return _numbers(token.string)
    if token.type == tokenize.STRING:
        return tuple(strings) if len(token.string) < 20 else ()
    unary = at > 0 and tokens[at - 1].type == tokenize.OP and tokens[at - 1].string not in ")]}"
    if token.string in BY_WORD and not (token.type == tokenize.OP and unary):
        return BY_WORD[token.string] if _can_swap(tokens, at) else ()
    return tuple(names)


def _can_swap(tokens: Sequence[tokenize.TokenInfo], at: int) -> bool:
    """`in` of a loop and `not in` are left alone; so is unpacking."""
    if tokens[at].string != "in":
        return True
    words = [token.string for token in tokens if token.start[0] == tokens[at].start[0]]
    return "for" not in words and tokens[at - 1].string != "not"


def _numbers(text: str) -> tuple[str, ...]:
    """Neighbours and the usual suspects, of the same type."""
    if text.isdigit():
        value = int(text)
        return tuple(str(n) for n in dict.fromkeys((value + 1, value - 1, 0, 1, 2)) if n >= 0)
    try:
        value_float = float(text)
    except ValueError:
        return ()
    return (repr(value_float + 1.0), repr(value_float / 2))
