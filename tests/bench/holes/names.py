"""Programs with every mention of one name cut out: any new name is right, if it is the same."""

import io
import keyword
import random
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tests.bench.revision.items import Program

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Named:
    """A source with its holes cut out; `pieces` are one more than the holes."""

    program: str
    name: str
    pieces: tuple[str, ...]
    check: str

    def source(self, names: Sequence[str]) -> str:
        """The program with a name in each hole, and its tests."""
        filled = "".join(
            piece + name for piece, name in zip(self.pieces, (*names, ""), strict=True)
        )
        return f"{filled}\n{self.check}\n"


def named(programs: Sequence[Program], mentions: int, count: int, seed: int) -> list[Named]:
    """`count` local names that are mentioned so often, at most one of each program."""
    shuffled = list(programs)
    random.Random(seed).shuffle(shuffled)
    found: list[Named] = []
    for program in shuffled:
        names = sorted(_locals(program.source, mentions))
        if names:
            name = random.Random(f"{seed}{program.name}").choice(names)
            pieces = tuple(re.split(rf"\b{name}\b", program.source))
            found.append(Named(program.name, name, pieces, program.check))
        if len(found) == count:
            break
    return found


def _locals(source: str, mentions: int) -> Iterator[str]:
    """Names that are assigned or looped over, and stand in the source exactly so often."""
    counts = Counter(_WORD.findall(source))
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return
    seen = Counter(token.string for token in tokens if token.type == tokenize.NAME)
    bound = {
        first.string
        for first, second in pairwise(tokens)
        if first.type == tokenize.NAME and second.string in ("=", "in") and first.start[1] > 0
    }
    for name in bound:
        if counts[name] == seen[name] == mentions and not keyword.iskeyword(name):
            yield name
