"""The refine loop: score, propose, keep what is better, window by window; bounded, never worse.

Training-free refinement by leave-one-out scores (reference: GIDD's loop, CDLM's benchmark), with
guards: few tokens a round, each tried at most MAX_TRIES times, no text twice, and a new text is
kept only if its score beats the old one's by the guard.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from engine.prompt import is_text
from engine.reviews import REVIEWERS
from engine.revision.gains import gains
from engine.revision.passage import Passage, Window
from engine.revision.program import Steps
from engine.revision.proposers import PROPOSERS, Attempt, Tools
from engine.revision.scorers import SCORERS, Scores
from engine.revision.slots import Slots, ids_of, spliced, tried
from protocol.revise import MethodName

DECIDED = {"posterior", *REVIEWERS}
"""Methods whose first proposal is their best: where that fails, no other one is made."""
GUARD, NARROW_GUARD = 12.0, 6.0
"""Nats, by `tests.bench.revision.tune`: 1.2 % of 500 sound held-out spans changed, and no bug less
restored than at 11 nats. Names are many, so one of them is often likelier by chance."""
MAX_TRIES = 3
ROUND_SHARE = 0.25
NEIGHBOUR_DOUBT = 0.7

SCORER_OF = {"posterior": "posterior", "canvas": "canvas", "wino": "canvas"}
"""The scorer that finds a method's weak tokens; `causal` for the others."""


@dataclass(frozen=True, slots=True)
class RefinePlan:
    """How far a revision goes.

    Attributes:
        method: a row of engine.revision.proposers.PROPOSERS.
        strength: largest share of the tokens of a window that may differ from the old text.
        guard: nats a new text must gain; `narrow_guard` if little else could be meant.
        rounds: proposals in each window.
        doubt: a token less probable than this is weak, and so is one the model would replace.
    """

    method: MethodName
    strength: float = 0.3
    guard: float = GUARD
    narrow_guard: float = NARROW_GUARD
    rounds: int = 4
    doubt: float = 0.5


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one proposed text: the nats it gains, and whether it was kept."""

    window: int
    gain: float
    kept: bool
    text: bytes
    narrow: bool


@dataclass(slots=True)
class Refiner:
    """One revision of a passage. `verdicts` tell what was tried; `passage` holds the result."""

    passage: Passage
    plan: RefinePlan
    tools: Tools
    accepts: Callable[[bytes], bool] = lambda data: True
    """Whether the bytes of the whole passage keep to what was asked of them."""
    verdicts: list[Verdict] = field(default_factory=list)
    _seen: set[bytes] = field(default_factory=set)
    _turn: int = 0

    def steps(self) -> Steps[None]:
        """All windows from the left; each is as good as before, or better."""
        for index in range(len(self.passage.windows)):
            if not all(slot.locked for slot in self.passage.windows[index]):
                yield from self._refine(index)

    def _refine(self, index: int) -> Steps[None]:
        self._seen = {self._text(self.passage.windows[index])}
        scores = yield from self._look(index)
        for _ in range(self.plan.rounds):
            window = self._window(index)
            whole = self.plan.method in REVIEWERS
            weak = window.open if whole else weakest(window.slots, scores, self.plan)
            if not weak or not self.plan.strength:
                return
            propose = PROPOSERS[self.plan.method]
            attempts = yield from propose(window, weak, scores, self.tools)
            if not whole:
                self.passage.windows[index] = tried(window.slots, weak)
            texts = self._allowed(index, window, attempts)
            found = yield from gains(self._window(index), [ids_of(text) for text, _ in texts])
            best = self._judge(index, texts, found)
            if best is not None:
                self.passage.windows[index] = texts[best][0]
                scores = yield from self._look(index)
            elif self.plan.method in DECIDED:
                return

    def _window(self, index: int) -> Window:
        self._turn += 1
        return self.passage.window(index, self._turn)

    def _look(self, index: int) -> Steps[Scores]:
        """Score a window and note what was found in its slots."""
        window = self._window(index)
        scorer = SCORERS[SCORER_OF.get(self.plan.method, "causal")]
        scores = yield from scorer(window, self.tools.vocabulary)
        self.passage.windows[index] = noted(window.slots, scores)
        return scores

    def _allowed(
        self, index: int, window: Window, attempts: Sequence[Attempt]
    ) -> list[tuple[Slots, bool]]:
        """Texts not seen before that keep locks, strength, the edge and valid UTF-8; and whether
        they are narrow."""
        texts = []
        for attempt in attempts:
            slots = self.passage.windows[index]
            spell = self._spell
            text = spliced(slots, attempt.start, attempt.stop, attempt.ids, spell)
            data = self._text(text)
            if data in self._seen or not self._fits(index, window, text):
                continue
            self._seen.add(data)
            texts.append((text, attempt.narrow))
        return texts

    def _fits(self, index: int, window: Window, text: Slots) -> bool:
        ids = ids_of(text)
        if not ids or self.tools.vocabulary.silent.intersection(ids):
            return False
        if sum(slot.changed for slot in text) > allowance(text, self.plan.strength):
            return False
        if kept_locks(window.slots) != kept_locks(text):
            return False
        around = self.passage.windows
        whole = [*around[:index], text, *around[index + 1 :]]
        data = b"".join(map(self._text, whole))
        keeps = self._text(text).startswith(window.required) and is_text(data)
        return keeps and self.accepts(data)

    def _judge(
        self, index: int, texts: Sequence[tuple[Slots, bool]], found: Sequence[float]
    ) -> int | None:
        """Which of the new texts is furthest ahead of its guard, if one is; all are noted."""
        if not texts:
            return None
        ahead = [
            gain - (self.plan.narrow_guard if narrow else self.plan.guard)
            for gain, (_, narrow) in zip(found, texts, strict=True)
        ]
        best = max(range(len(ahead)), key=lambda number: ahead[number])
        keep = best if ahead[best] > 0 else None
        for number, (text, narrow) in enumerate(texts):
            verdict = Verdict(index, found[number], number == keep, self._text(text), narrow)
            self.verdicts.append(verdict)
        return keep

    def _spell(self, token: int) -> bytes:
        return self.tools.index.bytes_of(token) or b""

    def _spelled(self, ids: Sequence[int]) -> bytes:
        return b"".join(map(self._spell, ids))

    def _text(self, slots: Slots) -> bytes:
        return self._spelled(ids_of(slots))


def weakest(slots: Slots, scores: Scores, plan: RefinePlan) -> list[int]:
    """The slots to remask in a round, ascending: the least probable first, within the strength.

    A neighbour that is doubtful too goes with each, since wrong tokens come in runs.
    """
    room = allowance(slots, plan.strength) - sum(slot.changed for slot in slots)
    most = min(room, max(1, int(ROUND_SHARE * len(slots))))
    chance = {slot: p for slot, p in scores.chance.items() if slots[slot].tries < MAX_TRIES}
    weak = sorted(
        (slot for slot, p in chance.items() if p < plan.doubt or _contested(slots, scores, slot)),
        key=lambda slot: chance[slot],
    )
    untried = min((slots[slot].tries for slot in weak), default=0)
    chosen = [slot for slot in weak if slots[slot].tries == untried][: max(0, most)]
    for slot in list(chosen):
        for neighbour in (slot - 1, slot + 1):
            doubtful = max(chance.get(neighbour, 1.0), chance[slot]) < NEIGHBOUR_DOUBT
            if doubtful and neighbour not in chosen and len(chosen) < most:
                chosen.append(neighbour)
    return sorted(chosen)


def _contested(slots: Slots, scores: Scores, slot: int) -> bool:
    return scores.best[slot] != slots[slot].token


def allowance(slots: Slots, strength: float) -> int:
    """How many tokens of a window may differ from the old text; at least one unless 0."""
    free = sum(not slot.locked for slot in slots)
    return max(1, int(strength * free)) if strength > 0 and free else 0


def kept_locks(slots: Slots) -> list[int]:
    """The locked tokens in order."""
    return [slot.token for slot in slots if slot.locked]


def noted(slots: Slots, scores: Scores) -> Slots:
    """The slots with their scores: `now`, and `then` where nothing has changed yet."""
    untouched = not any(slot.changed for slot in slots)
    return tuple(
        replace(
            slot,
            now=scores.chance.get(place),
            then=scores.chance.get(place) if untouched and slot.then is None else slot.then,
        )
        for place, slot in enumerate(slots)
    )
