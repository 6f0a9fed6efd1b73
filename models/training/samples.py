"""Endless training items out of a shard: holes, joint holes and rewrites in one layout."""

import random
from dataclasses import dataclass

import numpy as np

from models import references
from models.config import ModelConfig
from models.layout import Layout
from models.tokenizer import Tokenizer
from models.training import edits, more_edits
from models.training.draft import Draft, Filled, Seen
from models.training.history import draw_repeat
from models.training.masks import ReadingName, Specials, canvas, causal_slot, draw_slots
from models.training.pack import Item
from models.training.shards import Shard
from models.training.spans import PATIENCE, draw, holes_at
from models.training.twins import Twins, draw_twins
from models.training.window import Window

KINDS = [*edits.KINDS, *more_edits.KINDS]


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares and sizes of what is sampled."""

    edits: float = 0.15
    repeated: float = 0.2
    """Share of the edits that another line has had just before."""
    joint: float = 0.08
    twins: float = 0.12
    """Texts in which a function gets a twin."""
    header: float = 0.6
    context: float = 0.15
    no_prefix: float = 0.03
    nothing: float = 0.15
    """Texts with one hole more, into which nothing belongs."""
    spread: int = 64
    """A hole for so many tokens of text."""
    most: int = 7
    longest: int = 47
    noisy: bool = True
    """Whether one slot of a canvas shows wrong tokens."""
    windows: tuple[tuple[int, float], ...] = ((256, 0.45), (384, 0.4), (640, 0.1), (1024, 0.05))
    suffixes: tuple[tuple[int, float], ...] = ((128, 0.4), (72, 0.25), (32, 0.25), (0, 0.1))


class Sampler:
    """Draws items; the same shard, mix and random state give the same items."""

    def __init__(
        self,
        shard: Shard,
        tokenizer: Tokenizer,
        config: ModelConfig,
        mix: Mix,
        reading: ReadingName = "canvas",
    ) -> None:
        self._shard, self._tokenizer, self._mix = shard, tokenizer, mix
        self._reading: ReadingName = reading
        self._layout: Layout = config.layout
        self._separator = config.separator_id
        self._specials = Specials(config.eos_id, config.pad_id, config.mask_id)
        self._kinds = [self._rewrites, self._repeats, self._joint, self._holes]
        again = mix.edits * mix.repeated
        self._shares = [mix.edits - again, again, mix.joint, 1 - mix.edits - mix.joint]
        lengths = shard.documents["length"].astype(np.float64)
        self._odds = np.cumsum(lengths) / lengths.sum()

    def item(self, rng: random.Random) -> Item:
        """One item of at least one hole; ValueError where the shard holds nothing to draw."""
        for _ in range(PATIENCE):
            number = int(np.searchsorted(self._odds, rng.random()))
            window = self._window(min(number, len(self._shard) - 1), rng)
            if len(window.ids) < 48:
                continue
            twins = draw_twins(window.text, rng) if rng.random() < self._mix.twins else None
            if twins is not None:
                ids = self._tokenizer.encode(twins.text)
                window = Window(ids, self._tokenizer, window.beyond)
            draft = Draft(window, self._separator, self._layout, self._reading == "causal")
            shared = self._references(number, draft, rng)
            if twins is not None:
                self._twins(draft, twins, shared, rng)
            else:
                (make,) = rng.choices(self._kinds, self._shares)
                make(draft, shared, rng)
            if draft.holes:
                return Item(draft.segments, draft.holes)
        raise ValueError(f"{PATIENCE} draws from training documents gave no hole.")

    def _window(self, number: int, rng: random.Random) -> Window:
        """A stretch of document `number`, with what a suffix at its end reaches into."""
        size = _pick(self._mix.windows, rng)
        length = int(self._shard.documents[number]["length"])
        start = rng.randrange(max(1, length - size // 2)) if rng.random() < 0.85 else 0
        ids = self._shard.ids(number, start, start + size + self._layout.suffix_limit)
        return Window(ids[:size], self._tokenizer, ids[size:])

    def _references(self, number: int, draft: Draft, rng: random.Random) -> list[Seen]:
        """Header and context file, where the mix asks for them; what the holes see of them."""
        seen = []
        if rng.random() < self._mix.header:
            path, language = self._shard.path(number), self._shard.language(number)
            named = rng.choice([language, language.lower(), path.rpartition(".")[2]])
            words = references.header(path, named)
            seen.append(draft.reference(self._tokenizer.encode(words)))
        other = self._shard.neighbour(number, rng.choice([-3, -2, -1, 1, 2, 3]))
        if other is not None and rng.random() < self._mix.context:
            start = rng.choice([0, rng.randrange(int(self._shard.documents[other]["length"]))])
            words = references.context_file(self._shard.path(other), "")
            ids = self._tokenizer.encode(words) + self._shard.ids(other, start, start + 256)
            seen.append(draft.reference(ids))
        return seen

    def _holes(self, draft: Draft, shared: list[Seen], rng: random.Random) -> None:
        """Several holes over one text; two or three share a suffix segment."""
        window = draft.window
        if rng.random() < self._mix.nothing:
            at = rng.randrange(1, len(window.ids))
            suffix = draft.suffix(window.starts[at], lambda: _pick(self._mix.suffixes, rng))
            if suffix:
                draft.add(at, self._fill([], draft, rng), [*shared, *suffix])
        for _ in range(max(3, min(self._mix.most, len(window.ids) // self._mix.spread))):
            near = rng.randrange(2, max(3, len(window.text) - 20))
            for span in holes_at(window.text, near, rng, rng.choice([2, 2, 3])):
                self._hole(draft, span, shared, rng)

    def _hole(
        self, draft: Draft, span: tuple[int, int], shared: list[Seen], rng: random.Random
    ) -> None:
        """A hole at `span` of the text, where it can be one."""
        window, stop = draft.window, span[1]
        hole = window.cut(*span)
        if hole is None or hole[0] < 1 or len(hole[1]) > self._mix.longest:
            return
        suffix = draft.suffix(stop, lambda: _pick(self._mix.suffixes, rng))
        prefix = 0 if rng.random() < self._mix.no_prefix else hole[0]
        filled = self._fill(hole[1], draft, rng)
        draft.add(prefix, filled, [*shared, *suffix], window.breaks(hole[1], stop))

    def _twins(self, draft: Draft, twins: Twins, shared: list[Seen], rng: random.Random) -> None:
        """Lines in which two functions differ, and what follows a place in them."""
        lines = rng.sample(twins.lines, min(len(twins.lines), self._mix.most))
        for start, stop in lines:
            self._hole(draft, (start, stop), shared, rng)
            inside = rng.randrange(start + 1, stop)
            if draft.window.text[inside:stop].strip():
                self._hole(draft, (inside, stop), shared, rng)

    def _fill(self, hole: list[int], draft: Draft, rng: random.Random) -> Filled:
        filled = canvas(hole, self._specials, rng)
        if self._reading == "causal":
            return Filled(filled, [causal_slot(filled)])
        others, noisy = draft.window.ids, self._mix.noisy
        return Filled(filled, draw_slots(filled, others, self._specials, rng, noisy))

    def _rewrites(self, draft: Draft, shared: list[Seen], rng: random.Random) -> None:
        """Pieces of real code with an instruction; the old text is a reference segment."""
        window = draft.window
        for _ in range(8):
            span = draw(window.text, rng.randrange(2, max(3, len(window.text) - 20)), rng)
            if span is None or len(draft.holes) == 4:
                continue
            start = window.text.rfind("\n", 0, span[0] + 1)
            stop = window.text.find("\n", span[1])
            text = window.text[start + 1 : stop]
            if start < 0 or stop < start or not text.isascii():
                continue
            pair = edits.make_pair(text, KINDS, rng)
            if pair is not None:
                told = references.instruction(pair.instruction)
                rewrite = _Rewrite(start, stop, pair.old, pair.new, told)
                self._rewrite(draft, rewrite, shared, rng)

    def _repeats(self, draft: Draft, shared: list[Seen], rng: random.Random) -> None:
        """Lines that need the change another line has had; that one is a reference segment."""
        text = draft.window.text
        for _ in range(8):
            repeat = draw_repeat(text, rng)
            if repeat is None or len(draft.holes) == 4:
                continue
            start, stop = repeat.start - 1, repeat.stop
            told = references.recent_edit(repeat.before, repeat.after)
            new = text[repeat.start : stop]
            rewrite = _Rewrite(start, stop, repeat.old, new, told, repeat.behind)
            self._rewrite(draft, rewrite, shared, rng)

    def _rewrite(
        self, draft: Draft, rewrite: "_Rewrite", shared: list[Seen], rng: random.Random
    ) -> None:
        encode, window = self._tokenizer.encode, draft.window
        first = window.token_at(rewrite.start)
        lead = window.text[window.starts[first] : rewrite.start + 1]
        hole = encode(lead + rewrite.new)
        old = encode(references.old_text(rewrite.old))
        if not lead.isascii() or first < 1 or len(hole) > self._mix.longest or len(old) > 128:
            return
        told = draft.reference(encode(rewrite.told))
        seen = [draft.reference(old), told] if rng.random() < 0.95 else [told]
        behind, limit = rewrite.behind, _pick(self._mix.suffixes, rng)
        if behind is None:
            suffix = draft.suffix(rewrite.stop, lambda: limit)
        else:
            suffix = draft.behind(encode(behind)[:limit] if behind.isascii() else [])
        draft.add(first, self._fill(hole, draft, rng), [*shared, *seen, *suffix])

    def _joint(self, draft: Draft, shared: list[Seen], rng: random.Random) -> None:
        """Two holes denoised together, with the text between them as part of the context."""
        window = draft.window
        for _ in range(12):
            spans = [
                draw(window.text, rng.randrange(2, max(3, len(window.text) - 20)), rng)
                for _ in "12"
            ]
            found = sorted(span for span in spans if span is not None)
            if len(found) < 2 or len(draft.holes) == 3:
                continue
            cuts = [window.cut(*span) for span in found]
            if cuts[0] is None or cuts[1] is None or cuts[0][0] < 1:
                continue
            between = window.between(cuts[0][2], window.starts[cuts[1][0]])
            sizes = [len(cut[1]) for cut in cuts if cut is not None]
            if not between or len(between) > 200 or max(sizes) > 24:
                continue
            fills = [self._fill(cut[1], draft, rng) for cut in cuts if cut is not None]
            suffix = draft.suffix(cuts[1][2], lambda: _pick(self._mix.suffixes, rng))
            draft.add_joint(cuts[0][0], between, fills, [*shared, *suffix])


@dataclass(frozen=True, slots=True)
class _Rewrite:
    """Lines behind the line break at `start`, up to `stop`: `old` becomes `new`, as is `told`."""

    start: int
    stop: int
    old: str
    new: str
    told: str
    behind: str | None = None
    """What follows, where that isn't what the text says."""


def _pick(choices: tuple[tuple[int, float], ...], rng: random.Random) -> int:
    return rng.choices([value for value, _ in choices], [weight for _, weight in choices])[0]
