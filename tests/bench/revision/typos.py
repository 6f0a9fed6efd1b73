"""Names with a slip of the keyboard: a letter left out, doubled, wrong, or two of them swapped."""

import keyword
import re
import tokenize
from collections import Counter

from tests.bench.revision.mutations import Site, line_offsets, tokens_of

SHORTEST = 4
_WORD = re.compile(r"\w+")


def typos(source: str, start: int, stop: int) -> list[Site]:
    """Names in source[start:stop] that stand elsewhere too, each with all its misspellings."""
    offsets, counts = line_offsets(source), Counter(_WORD.findall(source))
    found = []
    for token in tokens_of(source):
        begin = offsets[token.start[0] - 1] + token.start[1]
        name = token.string
        proper = token.type == tokenize.NAME and not keyword.iskeyword(name)
        inside = begin >= start and begin + len(name) <= stop
        if proper and inside and len(name) >= SHORTEST and counts[name] > 1:
            slips = tuple(slip for slip in misspellings(name) if slip not in counts)
            found += [Site(begin, begin + len(name), slips)] if slips else []
    return found


def misspellings(name: str) -> list[str]:
    """Every name that one slip makes of `name`; its first letter stays."""
    slips: dict[str, None] = {}
    for at in range(1, len(name)):
        head, letter, tail = name[:at], name[at], name[at + 1 :]
        slips[head + tail] = None
        slips[head + letter + letter + tail] = None
        slips[head + _beside(letter) + tail] = None
        if tail:
            slips[head + tail[0] + letter + tail[1:]] = None
    return [slip for slip in slips if slip != name and slip.isidentifier()]


def _beside(letter: str) -> str:
    """The key right of a letter's on a QWERTY keyboard; at a row's end, the one left of it."""
    for row in ("qwertyuiop", "asdfghjkl", "zxcvbnm"):
        if (at := row.find(letter.lower())) >= 0:
            return row[at + 1] if at + 1 < len(row) else row[at - 1]
    return letter
