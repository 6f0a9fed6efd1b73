"""Places where somebody types: in lines of our own sources, the rest of the line taken away."""

import random
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[3]
SOURCES = ("protocol/cells.py", "engine/scheduler.py", "lsp_server/text.py", "clients/cli/diff.py")
SHORTEST = 12


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


def places(count: int, seed: int = 0) -> list[Place]:
    """So many places, spread over the sources."""
    chance, found = random.Random(seed), []
    while len(found) < count:
        name = SOURCES[len(found) % len(SOURCES)]
        source = (ROOT / name).read_text("utf-8")
        lines = source.split("\n")
        at = chance.randrange(3, len(lines))
        line = lines[at]
        begin = len(line) - len(line.lstrip())
        if len(line) - begin < SHORTEST:
            continue
        cut = chance.randrange(begin + 2, len(line) - 6)
        head = "\n".join(lines[:at]) + "\n" + line[:cut]
        text = head + "\n" + "\n".join(lines[at + 1 :])
        found.append(Place(name, text, len(head), line[cut : cut + 6]))
    return found
