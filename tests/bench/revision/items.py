"""Spans to revise, broken or clean: of solved problems with tests, or of package files without."""

import ast
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from tests.bench.revision.mutations import Mutation, Site, mutate, sites
from tests.bench.revision.typos import typos

SPAN_TOKENS = 46  # with moved white space they stay within one window of 48
SPAN_CHARACTERS = 240
TRIES = 12


@dataclass(frozen=True, slots=True)
class Program:
    """A correct source; `check` is appended to run its tests ("" if it has none)."""

    name: str
    source: str
    check: str


@dataclass(frozen=True, slots=True)
class Item:
    """A span that stands between two texts.

    Attributes:
        gold: what the span said before it was broken; equal to `text` where it is clean.
        wrong: [start, stop) of the broken tokens, in characters of `text`.
    """

    name: str
    prefix: str
    text: str
    suffix: str
    gold: str
    check: str
    wrong: tuple[tuple[int, int], ...] = ()

    def program(self, text: str) -> str:
        """The whole program with `text` as the span."""
        return f"{self.prefix}{text}{self.suffix}\n{self.check}\n"


Length = Callable[[str], int]
Find = Callable[[str, int, int], list[Site]]


def spans(source: str) -> list[tuple[int, int]]:
    """Runs of 1 to 6 whole statement lines inside functions, not far from the wanted length."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            lines = _statement_lines(node)
            for at, first in enumerate(lines):
                for last in lines[at : at + 6]:
                    found.add((starts[first - 1], starts[last]))
    return [(a, b) for a, b in sorted(found) if source[a:b].strip() and b - a <= SPAN_CHARACTERS]


def _fits(text: str, tokens: Length) -> bool:
    return 3 <= tokens(text) <= SPAN_TOKENS


def clean_items(program: Program, tokens: Length, dice: random.Random) -> Iterator[Item]:
    """Spans of a program as they are, in random order."""
    places = spans(program.source)
    dice.shuffle(places)
    for start, stop in places:
        text = program.source[start:stop]
        if not _fits(text, tokens):
            continue
        before, after = program.source[:start], program.source[stop:]
        yield Item(f"{program.name}:{start}", before, text, after, text, program.check)


def substituted_items(program: Program, tokens: Length, dice: random.Random) -> Iterator[Item]:
    """Spans with 1 to 3 substitutions, in random order; whether tests fail is not known here."""
    return _broken_items(program, tokens, dice, sites, (1, 1, 2, 3))


def misspelt_items(program: Program, tokens: Length, dice: random.Random) -> Iterator[Item]:
    """Spans with one misspelt name, in random order."""
    return _broken_items(program, tokens, dice, typos, (1,))


def _broken_items(
    program: Program, tokens: Length, dice: random.Random, find: Find, counts: Sequence[int]
) -> Iterator[Item]:
    places = spans(program.source)
    if not places:
        return
    for number in range(TRIES):
        start, stop = dice.choice(places)
        here = find(program.source, start, stop)
        count = min(dice.choice(counts), len(here))
        if not count:
            continue
        mutation = mutate(program.source, dice.sample(here, count), dice)
        end = stop + len(mutation.source) - len(program.source)
        if _fits(mutation.source[start:end], tokens) and _parses(mutation.source):
            yield _item(program, mutation, (start, stop, end), f"{program.name}:{start}~{number}")


def _item(program: Program, mutation: Mutation, bounds: tuple[int, int, int], name: str) -> Item:
    start, stop, end = bounds
    return Item(
        name,
        program.source[:start],
        mutation.source[start:end],
        program.source[stop:],
        program.source[start:stop],
        program.check,
        tuple((a - start, b - start) for a, b in mutation.places),
    )


def _statement_lines(function: ast.FunctionDef) -> list[int]:
    """Lines of the body, 1-based, without the docstring."""
    body: Sequence[ast.stmt] = function.body
    if ast.get_docstring(function, clean=False) is not None:
        body = body[1:]
    if not body:
        return []
    return list(range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1))


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


Draw = Callable[[Program, Length, random.Random], Iterator[Item]]
BUGS: dict[str, Draw] = {"substitutions": substituted_items, "typos": misspelt_items}
