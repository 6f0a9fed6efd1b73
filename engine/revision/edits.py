"""Other tokens that could stand in a text: what the left side finds likely, and words that exist.

A word that the model doubts may have the wrong number of tokens too (`totl` has two, `total` one),
so it is replaced as a whole, by known words at whatever length they have.
"""

import re
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from engine.query import Answer
from engine.revision.passage import Window
from engine.revision.words import is_slip, kind_of, words_in, words_of
from models.config import ModelConfig
from models.tokenizer import Tokenizer

REACH = 3.0
FLOOR = -7.0
DOUBTED_WORDS = 4
SPELLINGS = 6
SHORTEST = 4
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
    """Other tokens in place of [start, stop) of a window, and what they gain in nats.

    `slots` are those that it calls in question. It is `narrow` where little else could be meant:
    a mistyped word, or a token of a kind with few members.
    """

    start: int
    stop: int
    tokens: tuple[int, ...]
    slots: tuple[int, ...]
    narrow: bool = False
    gain: float = 0.0


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a window: its tokens [start, stop), and what they spell beside it."""

    start: int
    stop: int
    lead: str
    text: str
    trail: str


def single_swaps(window: Window, standing: Answer, vocabulary: Vocabulary) -> list[Swap]:
    """One likely token for another of its kind, by the left side alone; most nats ahead first.

    White space stays, and in prose nothing is swapped: there one word is often as good as another.
    Those REACH nats behind the token that stands are left out: no right side could save them.
    """
    found = []
    for slot in (slot for slot in window.open if not window.slots[slot].prose):
        own = float(standing.target[slot])
        pairs = zip(standing.choices[slot], standing.choice_log_probs[slot], strict=True)
        for token, log_prob in pairs:
            old, new = window.slots[slot].token, int(token)
            silent = new in vocabulary.silent or new == old
            if silent or log_prob < max(own - REACH, FLOOR):
                continue
            kind = kind_of(vocabulary.text((old,)))
            if kind == kind_of(vocabulary.text((new,))) and kind != "blank":
                gain, narrow = float(log_prob) - own, kind != "name"
                found.append(Swap(slot, slot + 1, (new,), (slot,), narrow, gain))
    return sorted(found, key=lambda swap: -swap.gain)


def respellings(window: Window, standing: Answer, vocabulary: Vocabulary) -> list[Swap]:
    """Known words one slip away from those that stand nowhere else and that the left side doubts.

    A word that stands several times in the window is changed in all places.
    """
    context, text = window.context, vocabulary.text
    sides = (context.prefix, context.suffix, window.ids)
    heard = Counter(word for side in sides[:2] for word in words_in(text(side)))
    known = words_of(text(side) for side in sides)
    found = []
    for name, places in _doubted(window, standing, vocabulary)[:DOUBTED_WORDS]:
        near = sorted(other for other in known if is_slip(name, other)) if name not in heard else []
        near = sorted(near, key=lambda other: -heard[other])[:SPELLINGS]
        found += [_respelt(window, places, other, vocabulary) for other in near]
    return found


def _doubted(
    window: Window, standing: Answer, vocabulary: Vocabulary
) -> list[tuple[str, list[Word]]]:
    """Words that may change in all their places, the least probable first."""
    places: dict[str, list[Word]] = {}
    for word in words(window, vocabulary):
        places.setdefault(word.text, []).append(word)
    scored = []
    for name, here in places.items():
        chance = min(float(standing.target[word.start : word.stop].sum()) for word in here)
        slots = [window.slots[slot] for word in here for slot in range(word.start, word.stop)]
        free = not any(slot.locked for slot in slots)
        if free and len(name) >= SHORTEST and chance < WORD_DOUBT:
            scored.append((chance, name))
    return [(name, places[name]) for _, name in sorted(scored)]


def _respelt(window: Window, places: list[Word], other: str, vocabulary: Vocabulary) -> Swap:
    """The swap that puts another word into all of these places."""
    tokens: list[int] = []
    at = places[0].start
    for word in places:
        tokens += [*window.ids[at : word.start], *_spelled(word, other, vocabulary)]
        at = word.stop
    slots = [slot for word in places for slot in range(word.start, word.stop)]
    return Swap(places[0].start, at, tuple(tokens), tuple(slots), narrow=True)


def words(window: Window, vocabulary: Vocabulary) -> Iterator[Word]:
    """The words of a window whose tokens hold no part of a character beside them."""
    pieces = [vocabulary.tokenizer.token_bytes[token] for token in window.ids]
    bounds = [0]
    for piece in pieces:
        bounds.append(bounds[-1] + len(piece))
    data = b"".join(pieces)
    for found in _WORD.finditer(data):
        start = next(n for n in range(len(pieces)) if bounds[n + 1] > found.start())
        stop = next(n for n in range(start, len(pieces)) if bounds[n + 1] >= found.end()) + 1
        parts = data[bounds[start] : found.start()], found.group(), data[found.end() : bounds[stop]]
        with suppress(UnicodeDecodeError):
            lead, text, trail = (part.decode("utf-8") for part in parts)
            yield Word(start, stop, lead, text, trail)


def _spelled(word: Word, other: str, vocabulary: Vocabulary) -> tuple[int, ...]:
    return tuple(vocabulary.tokenizer.encode(f"{word.lead}{other}{word.trail}"))
