"""Other tokens that could stand in a text: what the left side finds likely, and words that exist.

A word that the model doubts may have the wrong number of tokens too (`totl` has two, `total` one),
so it is replaced as a whole, by words of the text at whatever length they have.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches

from engine.job import Answer
from engine.revision.passage import Window
from engine.revision.words import words_of
from models.config import ModelConfig
from models.tokenizer import Tokenizer

REACH = 3.0
FLOOR = -7.0
DOUBTED_WORDS = 4
SPELLINGS = 6
ALIKE = 0.7
WORD_DOUBT = -3.0
_WORD = re.compile(rb"[\w\x80-\xff]+")


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What must be known of tokens."""

    config: ModelConfig
    tokenizer: Tokenizer

    @property
    def silent(self) -> frozenset[int]:
        """Ids that spell nothing; the end mark is one of them."""
        return self.tokenizer.silent_ids

    def text(self, ids: tuple[int, ...]) -> str:
        """What the ids spell; parts of characters are not kept."""
        return self.tokenizer.bytes_of(list(ids)).decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Swap:
    """Other tokens in place of [start, stop) of a window, and what they gain in nats."""

    start: int
    stop: int
    tokens: tuple[int, ...]
    gain: float = 0.0

    @property
    def slots(self) -> range:
        """The slots it speaks of."""
        return range(self.start, self.stop)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a window: its tokens [start, stop), and what they spell beside it."""

    start: int
    stop: int
    lead: bytes
    text: str
    trail: bytes


def single_swaps(window: Window, standing: Answer, vocabulary: Vocabulary) -> list[Swap]:
    """One likely token for another, by the left side alone; most nats ahead first.

    Those REACH nats behind the token that stands are left out: no right side could save them.
    """
    found = []
    for slot in window.open:
        own = float(standing.target[slot])
        pairs = zip(standing.choices[slot], standing.choice_log_probs[slot], strict=True)
        for token, log_prob in pairs:
            silent = int(token) in vocabulary.silent or int(token) == window.slots[slot].token
            if not silent and log_prob >= max(own - REACH, FLOOR):
                found.append(Swap(slot, slot + 1, (int(token),), float(log_prob) - own))
    return sorted(found, key=lambda swap: -swap.gain)


def respellings(window: Window, standing: Answer, vocabulary: Vocabulary) -> list[Swap]:
    """Words that exist for those the left side doubts most: of like spelling, or begun likely."""
    context = window.context
    sides = (context.prefix, window.ids, context.suffix)
    known = words_of(vocabulary.text(side) for side in sides)
    found: dict[Swap, None] = {}
    for word in _doubted(window, standing, vocabulary)[:DOUBTED_WORDS]:
        alike = get_close_matches(word.text, known - {word.text}, SPELLINGS, ALIKE)
        begun = _begun(word, known, standing, vocabulary)
        for other in dict.fromkeys((*alike, *begun)):
            ids = _spelled(word, other, vocabulary)
            if len(ids) > 1 or word.stop - word.start > 1:  # else it is a single swap
                found[Swap(word.start, word.stop, ids)] = None
    return list(found)


def _doubted(window: Window, standing: Answer, vocabulary: Vocabulary) -> list[Word]:
    """Words that may change, the least probable first."""
    scored = []
    for word in words(window, vocabulary):
        tokens = range(word.start, word.stop)
        chance = float(standing.target[word.start : word.stop].sum())
        if chance < WORD_DOUBT and not any(window.slots[slot].locked for slot in tokens):
            scored.append((chance, word.start, word))
    return [word for _, _, word in sorted(scored)]


def words(window: Window, vocabulary: Vocabulary) -> Iterator[Word]:
    pieces = [vocabulary.tokenizer.token_bytes[token] for token in window.ids]
    bounds = [0]
    for piece in pieces:
        bounds.append(bounds[-1] + len(piece))
    data = b"".join(pieces)
    for found in _WORD.finditer(data):
        start = next(n for n in range(len(pieces)) if bounds[n + 1] > found.start())
        stop = next(n for n in range(start, len(pieces)) if bounds[n + 1] >= found.end()) + 1
        lead, trail = data[bounds[start] : found.start()], data[found.end() : bounds[stop]]
        yield Word(start, stop, lead, found.group().decode("utf-8", "replace"), trail)


def _begun(
    word: Word, known: frozenset[str], standing: Answer, vocabulary: Vocabulary
) -> list[str]:
    """Known words of several tokens whose first one the left side finds likely, likeliest first."""
    places = {int(token): place for place, token in enumerate(standing.choices[word.start])}
    table = vocabulary.tokenizer.token_bytes
    starts = tuple(
        table[token].removeprefix(word.lead).decode("utf-8", "replace") for token in places
    )
    likely = [
        (places[ids[0]], other)
        for other in sorted(known - {word.text})
        if other.startswith(starts) and (ids := _spelled(word, other, vocabulary))[0] in places
    ]
    return [other for _, other in sorted(likely)][:SPELLINGS]


def _spelled(word: Word, other: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    lead, trail = word.lead.decode("utf-8", "replace"), word.trail.decode("utf-8", "replace")
    return tuple(vocabulary.tokenizer.encode(f"{lead}{other}{trail}"))
