"""Draws the benchmark's items: bugs that make tests fail, clean spans of programs that pass."""

import random
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from tests.bench.revision.items import Draw, Item, Length, Program, clean_items

Passes = Callable[[Sequence[str]], list[bool]]
"""Whether each program runs its tests to their end."""
BATCH = 16


def bugs(
    programs: Sequence[Program],
    tokens: Length,
    passes: Passes,
    count: int,
    seed: int,
    draw: Draw,
) -> list[Item]:
    """`count` bugs, as few of one program as possible; each fails its tests, its gold passes."""
    found: list[Item] = []
    for batch in _batches(_turns(programs, tokens, seed, draw)):
        failed = [not ok for ok in passes([item.program(item.text) for item in batch])]
        healed = passes([item.program(item.gold) for item in batch])
        found += [
            item for item, bad, good in zip(batch, failed, healed, strict=True) if bad and good
        ]
        if len(found) >= count:
            break
    return found[:count]


def clean(
    programs: Sequence[Program], tokens: Length, passes: Passes, count: int, seed: int
) -> list[Item]:
    """`count` spans of programs that pass their tests."""
    found: list[Item] = []
    for batch in _batches(_turns(programs, tokens, seed, clean_items)):
        good = passes([item.program(item.text) for item in batch])
        found += [item for item, ok in zip(batch, good, strict=True) if ok]
        if len(found) >= count:
            break
    return found[:count]


def _turns(
    programs: Sequence[Program],
    tokens: Length,
    seed: int,
    draw: Draw,
) -> Iterator[Item]:
    """One item of every program, in random order, then a second of each, and so on."""
    shuffled = list(programs)
    random.Random(seed).shuffle(shuffled)
    streams = [
        draw(program, tokens, random.Random(f"{seed}{program.name}")) for program in shuffled
    ]
    while streams:
        left = []
        for stream in streams:
            if (item := next(stream, None)) is not None:
                yield item
                left.append(stream)
        streams = left


def _batches(items: Iterator[Item]) -> Iterator[list[Item]]:
    while batch := list(islice(items, BATCH)):
        yield batch
