"""Places where somebody types: in lines of held-out packages, the rest of the line taken away."""

import random
from collections.abc import Iterable
from dataclasses import dataclass

SHORTEST = 12
LONGEST = 30_000
KEYS = 6


@dataclass(frozen=True)
class Place:
    """A document with a line that is being typed.

    Attributes:
        text: the document, the line cut at `cursor`.
        keys: what stood there, which the person types again.
    """

    name: str
    text: str
    cursor: int
    keys: str


def places(files: Iterable[tuple[str, str]], count: int, seed: int = 0) -> list[Place]:
    """A place in each of `count` files (name, text), so that none has been read before.

    ValueError if there are too few of a usual length.
    """
    chance = random.Random(seed)
    chosen = [(name, text) for name, text in files if len(text) <= LONGEST]
    chance.shuffle(chosen)
    found = [place for name, text in chosen if (place := _place(name, text, chance))]
    if len(found) < count:
        raise ValueError(f"only {len(found)} files have a line to type in")
    return found[:count]


def _place(name: str, text: str, chance: random.Random) -> Place | None:
    lines = text.split("\n")
    usable = [at for at, line in enumerate(lines) if at > 2 and len(line.strip()) >= SHORTEST]
    if not usable:
        return None
    at = chance.choice(usable)
    line = lines[at]
    begin = len(line) - len(line.lstrip())
    cut = chance.randrange(begin + 2, len(line.rstrip()) - KEYS + 1)
    head = "\n".join(lines[:at]) + "\n" + line[:cut]
    return Place(name, head + "\n" + "\n".join(lines[at + 1 :]), len(head), line[cut : cut + KEYS])
