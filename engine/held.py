"""A canvas held to a language: what is left to say, from engine.constraints, to a job.

Proposals are tokens of one accepting path alone (the witness rule), so any subset of them may be
revealed and any may be remasked. A reading that sees one slot at a time is told which tokens leave
the rest a way.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from engine.canvas import Canvas, SlotState
from engine.constraints.canvas import CanvasConstraint
from engine.constraints.errors import UnsatisfiableError
from engine.constraints.leaving import STAYS, Leaving, lent
from engine.job import Draw, Job, Narrowed, Unsatisfiable
from engine.policies import ReadingKind

Ids = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Odds = npt.NDArray[np.float64]
CREDITS = 64
FEW = 256
BLANK = frozenset(b" \t\r\n")
DEAD_END = "no text that keeps to the constraint fits the canvas any more"


@dataclass(frozen=True, slots=True)
class Tokens:
    """What the ids of a model mean here.

    `spelled` are the bytes of each id; a canvas ends at `end`, behind which `pad` stands.
    """

    spelled: Sequence[bytes]
    end: int
    pad: int
    leaving: Leaving


@dataclass
class Held:
    """See engine.job.Constraint. Holds nothing of a job, so branches share it.

    `follows` is what stands behind the hole: a reading that only continues a text says by
    repeating it that the hole is over.
    """

    language: CanvasConstraint
    tokens: Tokens
    follows: bytes = b""
    _credits: "OrderedDict[int, Ids]" = field(default_factory=OrderedDict)

    @property
    def draws(self) -> bool:
        """Paths are drawn from the joint distribution of valid ones."""
        return True

    def reach(self, slots: Ids, canvas: Canvas) -> int:
        """Every slot."""
        return len(slots)

    def narrow(self, scores: Floats, slots: Ids, job: Job) -> Narrowed:
        """See engine.job.Constraint."""
        if len(slots) == 1 and job.policy.reading is not ReadingKind.CANVAS:
            return self._next(scores[0], int(slots[0]), job)
        return self._path(scores, slots, job)

    def allows(self, canvas: Canvas, room: int) -> bool:
        """Whether a canvas that may still grow by `room` slots can be completed."""
        return self.language.feasible(self._fixed(canvas), room=room)

    @property
    def least(self) -> int:
        """The fewest tokens that fill the hole, with what moved into it."""
        return self.language.least_tokens() or 0

    def may_stop(self, text: bytes) -> bool:
        """Whether the hole's text may end here."""
        return bool(self.language.final[self.language.follower.state(text)])

    def is_over(self, text: bytes) -> bool:
        """Whether the hole's text is complete and nothing may follow it."""
        return self.language.follower.is_over(text)

    def behind(self, canvas: Canvas) -> "Held":
        """The same language behind a full canvas."""
        spelled = self._spelled(canvas.tokens)
        return Held(self.language.moved(spelled), self.tokens, self.follows)

    def completed(self, job: Job) -> Ids | None:
        """The job's witness, ended as soon as the language allows; None before the first step."""
        if not job.step:
            return None
        known = self._fixed(job.canvas)
        if job.witness is not None and len(job.witness) == len(known):
            known = np.where(known < 0, job.witness, known)
        try:
            return self._ended(known, job.room)
        except UnsatisfiableError:
            return None

    def _ended(self, known: Ids, room: int) -> Ids:
        """`known` with what is missing, at least as long, with end mark and padding."""
        follower, size = self.language.follower, len(known)
        if self.tokens.end in known:
            return self.language.shortest(known)
        masked = np.flatnonzero(known < 0)
        settled = int(masked[0]) if len(masked) else size
        if (known[settled:] < 0).all():
            state = follower.state(self._spelled(known[:settled]))
            more = int(min(follower.distances[state], size + room - settled))
            known = np.concatenate([known[:settled], np.full(more, -1)])
        else:
            known = np.concatenate([known, np.full(room, -1)])
        whole = self.language.shortest(known)
        if len(whole) >= size:
            return whole
        tail = np.full(size - len(whole), self.tokens.pad)
        tail[0] = self.tokens.end
        return np.concatenate([whole, tail])

    def _fixed(self, canvas: Canvas) -> Ids:
        """Ids as the language counts them, -1 for masks."""
        known = np.where(canvas.states == SlotState.MASKED, -1, canvas.tokens)
        ends = np.flatnonzero(known == self.tokens.end)
        behind = np.arange(len(known)) > (ends[0] if len(ends) else len(known))
        return np.where(behind & (known >= 0), self.tokens.pad, known)

    def _spelled(self, tokens: Ids) -> bytes:
        return b"".join(self.tokens.spelled[token] for token in tokens.tolist())

    def _path(self, scores: Floats, slots: Ids, job: Job) -> Narrowed:
        """All masked slots at once: the likeliest path, or a drawn one."""
        known = self._fixed(job.canvas)
        view = self.language.step(scores, known, room=self._room(scores, known, job.room))
        if not view.feasible:
            raise Unsatisfiable(DEAD_END)
        draw = job.draw
        path = (
            view.best
            if draw.temperature == 0.0
            else view.sample(np.random.default_rng((draw.seed, job.step)))
        )
        tokens = path.tokens[slots]
        sure = np.where(tokens == self.tokens.pad, 0.0, path.confidence[slots])
        zeros = np.zeros(len(slots), np.float32)
        return Narrowed(
            tokens,
            sure.astype(np.float32),
            path.forced[slots],
            tokens,
            zeros,
            witness=path.tokens,
            log_valid=view.log_valid,
        )

    def _next(self, scores: Floats, slot: int, job: Job) -> Narrowed:
        """The first masked slot alone: the best token that leaves the rest a way, or the end."""
        known, end = self._fixed(job.canvas), self.tokens.end
        if end in known[:slot]:
            return _one(self.tokens.pad, 1.0, False, (end, 0.0), 0.0)
        spelled = self._spelled(known[:slot])
        ids, may_end = self._open_ways(spelled, known[slot:], job.room)
        if not len(ids):
            raise Unsatisfiable(DEAD_END)
        credits = self._credits_of(spelled, known[slot:])
        odds = np.exp(scores.astype(np.float64))
        weights = (odds + lent(odds, credits))[ids]
        if may_end:
            repeats = np.isin(ids, self._repeats)
            weights[-1] += weights[repeats].sum()
            weights[repeats] = 0.0
        total = min(1.0, float(weights.sum()))
        if not total > 0.0:  # all of them underflow
            weights = np.exp(scores[ids].astype(np.float64) - scores[ids].max())
        wish = int(np.argmax(scores))
        wish = wish if wish in ids else int(credits[wish])
        if wish not in ids:
            weights[self._blank(ids, weights)] = 0.0
        weights /= weights.sum()
        first, second = _two_best(weights, may_end, job.draw, job.finished + slot)
        rival = (int(ids[second]), float(weights[second]))
        log_valid = float(np.log(max(total, np.finfo(np.float64).tiny)))
        return _one(int(ids[first]), float(weights[first]), wish not in ids, rival, log_valid)

    def _room(self, scores: Floats, known: Ids, room: int) -> int:
        """Slots that may come behind the canvas: none where the model sees an end within it.

        A canvas that could stay open would rather be filled up than ended.
        """
        if not room or self.tokens.end in known:
            return room
        ends = np.exp(scores[:, self.tokens.end].astype(np.float64))
        sees_end = float(np.prod(1.0 - np.minimum(ends, 1.0))) < 0.5
        return 0 if sees_end and self.language.feasible(known) else room

    def _open_ways(self, spelled: bytes, ahead: Ids, room: int) -> tuple[Ids, bool]:
        """Tokens that may come next, the end mark last if it may.

        Of few tokens, those are left out that only spell the beginning of others, whatever follows:
        their probability is that of texts that the language rules out.
        """
        follow = self.language.follower.next(spelled, ahead, room)
        tokens = follow.tokens
        if 1 < len(tokens) <= FEW:
            state = self.language.follower.state(spelled)
            kept = [token for token in tokens.tolist() if not self._begins(token, state, tokens)]
            tokens = np.array(kept, np.int64)
        return (np.append(tokens, self.tokens.end) if follow.may_end else tokens), follow.may_end

    def _begins(self, token: int, state: int, among: Ids) -> bool:
        """Whether another token goes on behind this one with every byte that may come there."""
        dfa, text = self.language.dfa.dfa, self.tokens.spelled[token]
        behind = dfa.run(text, state)
        follows = np.flatnonzero(dfa.table[behind, dfa.byte_class]).tolist()
        if self.language.final[behind] or not follows or set(follows) & BLANK:
            return False  # white space begins the token behind it
        longer = self.tokens.leaving.extended(text)
        return all(longer.get(byte, -1) in among for byte in follows)

    def given(self, job: Job) -> Narrowed | None:
        """The first masked slot, if one token alone may stand there: no model has to be asked."""
        slot = int(job.canvas.masked[0])
        known = self._fixed(job.canvas)
        if self.tokens.end in known[:slot]:
            return None
        ids, _ = self._open_ways(self._spelled(known[:slot]), known[slot:], job.room)
        return _one(int(ids[0]), 1.0, True, (int(ids[0]), 0.0), 0.0) if len(ids) == 1 else None

    @cached_property
    def _repeats(self) -> Ids:
        """Tokens that begin what stands behind the hole; white space alone says nothing."""
        text, blank = self.follows, not self.follows.strip()
        found = self.tokens.leaving.spelling(text)
        return np.array(
            [token for token in found if blank or self.tokens.spelled[token].strip()], np.int64
        )

    def _blank(self, ids: Ids, weights: Odds) -> npt.NDArray[np.bool_]:
        """Which ways are white space alone, if others are left.

        They are likely before texts that the language rules out, and seldom what is missing.
        """
        spelled = self.tokens.spelled
        blank = np.array([bool(spelled[token]) and not spelled[token].strip() for token in ids])
        return blank & bool(weights[~blank].any())

    def _credits_of(self, spelled: bytes, ahead: Ids) -> Ids:
        """[V] whom the mass of a token goes to that leaves the language, see Leaving."""
        leaving = self.tokens.leaving
        if (ahead >= 0).any():  # where the hole ends is fixed
            return np.full(leaving.size, STAYS)
        language = self.language
        state = language.follower.state(spelled)
        if state not in self._credits:
            credits = leaving.credits(language.dfa.dfa, language.final, state, self.tokens.end)
            self._credits[state] = credits
            if len(self._credits) > CREDITS:
                self._credits.popitem(last=False)
        return self._credits[state]


def _two_best(weights: Odds, may_end: bool, draw: Draw, slot: int) -> tuple[int, int]:
    """Places of the choice and of the next best (the same if there is one way alone).

    The end, in the last place if it may come, is chosen where it has more mass than all tokens.
    """
    place = len(weights) - 1
    if draw.temperature > 0.0:
        heap = np.cumsum(weights)
        dice = np.random.default_rng((draw.seed, slot)).random() * heap[-1]
        first = min(int(np.searchsorted(heap, dice, side="right")), place)
    elif may_end and weights[place] >= 0.5:
        first = place
    else:
        first = int(np.argmax(weights[:place] if may_end and place else weights))
    rest = weights.copy()
    rest[first] = -1.0
    return first, int(np.argmax(rest)) if place else first


def _one(
    token: int, sure: float, forced: bool, rival: tuple[int, float], log_valid: float
) -> Narrowed:
    return Narrowed(
        np.array([token]),
        np.array([sure], np.float32),
        np.array([forced]),
        np.array([rival[0]]),
        np.array([rival[1]], np.float32),
        log_valid=log_valid,
    )
