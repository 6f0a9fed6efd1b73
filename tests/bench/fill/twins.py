"""Lines of functions beside a twin, in packages no training saw: is the text made, or copied?

The twins are made as those of the training are (`models.training.twins`), of other code.
"""

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.client import EngineClient
from models.training.twins import draw_twins
from protocol.messages import Done
from tests.bench.common.stats import wilson
from tests.bench.fill.arms import Arm
from tests.bench.fill.data import MissingData
from tests.bench.fill.drive import fill_all
from tests.bench.fill.heldout import SUFFIX_CHARACTERS, Place

PREFIX_CHARACTERS = 1200
WINDOW = 2500
DRAWS = 8
WHERE = ("behind", "before")
"""Where the twin stands, seen from the hole."""


@dataclass(frozen=True, slots=True)
class TwinPlace:
    """A line, the one that its twin has there, and where that stands."""

    place: Place
    copy: str
    where: str


def twin_places(files: Iterable[tuple[str, str]], count: int, seed: int) -> list[TwinPlace]:
    """`count` lines by `seed`, twins behind and before in turn; MissingData if there are fewer."""
    rng = random.Random(seed)
    found: dict[str, list[TwinPlace]] = {where: [] for where in WHERE}
    for name, text in files:
        for _ in range(DRAWS):
            start = text.find("\n", rng.randrange(max(1, len(text) - WINDOW))) + 1
            drawn = list(_drawn(name, text[start : start + WINDOW], rng))
            for place in _some(drawn, 1, rng):
                found[place.where].append(place)
    chosen = [place for where in WHERE for place in _some(found[where], count // 2, rng)]
    if len(chosen) < count // 2 * 2:
        raise MissingData(f"the held-out packages have only {len(chosen)} twins")
    return chosen


def _some(places: list[TwinPlace], count: int, rng: random.Random) -> list[TwinPlace]:
    return rng.sample(places, min(count, len(places)))


def _drawn(name: str, text: str, rng: random.Random) -> Iterator[TwinPlace]:
    """Every line in which two twins in `text` differ."""
    twins = draw_twins(text, rng)
    if twins is None:
        return
    half = len(twins.lines) // 2
    for number, (start, stop) in enumerate(twins.lines):
        other = twins.lines[(number + half) % len(twins.lines)]
        before = twins.text[: start + 1]
        prefix = before[before.find("\n", max(0, len(before) - PREFIX_CHARACTERS)) + 1 :]
        suffix = twins.text[stop : stop + SUFFIX_CHARACTERS]
        place = Place(name, prefix, twins.text[start + 1 : stop], suffix)
        copy = twins.text[other[0] + 1 : other[1]]
        yield TwinPlace(place, copy, WHERE[number >= half])


def measure(client: EngineClient, arm: Arm, places: Sequence[TwinPlace]) -> list[dict[str, Any]]:
    """For twins behind and before: how many lines are right, and how many are the twin's."""
    fills = [arm.fill(str(number), each.place.whole_line) for number, each in enumerate(places)]
    ends = {int(e.id or 0): e for e in fill_all(client, fills, arm.in_flight)}
    texts = {number: e.text.strip() for number, e in ends.items() if isinstance(e, Done)}
    rows = []
    for where in WHERE:
        chosen = [n for n, each in enumerate(places) if each.where == where]
        right = sum(texts.get(n) == places[n].place.line.strip() for n in chosen)
        rows.append(
            {
                "arm": arm.name,
                "where": where,
                "places": len(chosen),
                "right": right,
                "interval": wilson(right, len(chosen)),
                "copied": sum(texts.get(n) == places[n].copy.strip() for n in chosen),
            }
        )
    return rows
