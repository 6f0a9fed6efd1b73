"""A fill -> its jobs: canvas sizes, stop rules, policies, and the search over them."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np

from engine.asked_review import check_review, review_of
from engine.boundary import Boundary
from engine.canvas import Canvas, SlotState
from engine.constraints.prefix_index import PrefixIndex
from engine.held import Held
from engine.hole import Hole
from engine.job import Draw, Job, Stop
from engine.policies import DEFAULT_POLICY, DEFAULT_STEPS, POLICIES, Plan, ReadingKind
from engine.prompt import Prompt
from engine.query import Answer, Context, Part, Query
from engine.search import Search, Texts, likely_lengths
from engine.terms import FREE, Terms
from engine.warm import encoded, warmed
from models.config import ModelConfig
from models.loader import Model
from protocol.cells import begun_text
from protocol.errors import ProtocolError
from protocol.messages import CANVAS_LIMIT, CanvasSpec, Fill

DEFAULT_BRANCHES = 1
LINE_SLOTS, LINE_LIMIT = 16, 64
HELD_LIMIT = 256
"""Tokens an answer that keeps to a language may have, where nothing else is said."""
HELD_SPARE = 8
"""Slots beyond twice the least that such an answer needs: a canvas in which it can end."""
FAILED = 1 << 20
AGAIN_HEAT = 0.8
BUCKETS = (8, 12, 16, 24, 32, 48, 64)
BLOCKS = {
    ReadingKind.CANVAS: 48,
    ReadingKind.CAUSAL: CANVAS_LIMIT,
    ReadingKind.SPECULATIVE: 64,
}
"""Slots of one block: canvas rows were trained on short canvases, causal rows don't care."""


class Maker:
    """Makes the search for a fill on one model."""

    def __init__(self, model: Model, index: PrefixIndex) -> None:
        self._model = model
        self._index = index

    def search(
        self,
        fill: Fill,
        hole: Hole,
        prompt: Prompt,
        deadline: float | None,
        terms: Terms = FREE,
    ) -> Search:
        """The search for a fill; ProtocolError if it contradicts itself, or can't be met."""
        if fill.canvas.pinned and fill.canvas.tokens is None:
            raise ProtocolError("invalid_message", "A pinned canvas needs `tokens`.", "canvas")
        check_review(fill)
        width = max(fill.alternatives, fill.sampling.branches or DEFAULT_BRANCHES)
        if fill.init and width > 1:
            text = "A warm start has one branch; ask for one answer."
            raise ProtocolError("unsupported", text, "init")
        lead = self._job(fill, hole, prompt, deadline, terms)
        search = Search(lead, width, self._texts(hole, prompt, terms), prompt.context.suffix)
        if terms.tries:
            search.spare, search.again = terms.tries, _again(lead)
        if lead.policy.reading is ReadingKind.CANVAS and width > 1 and fill.canvas.tokens is None:
            search.probe, search.expand = _probe(lead), self._lengths(lead, width, terms.held)
        return search

    def resettle(self, search: Search, hole: Hole, prompt: Prompt) -> None:
        """Tell a running search of one job that other text surrounds its hole now."""
        job = search.lead
        context = self._context(prompt, job.policy.reading)
        past = () if job.past is None else tuple(job.past.tokens.tolist())
        job.context = replace(context, prefix=(*context.prefix, *past))
        job.constraint = self._constraint(prompt) if job.past is None else None
        job.stop = self._stop_rule(hole, len(prompt.required), None)
        search.context, search.suffix = context, prompt.context.suffix
        search.texts = self._texts(hole, prompt)

    def settled_text(self, tokens: Sequence[int]) -> bytes:
        """Bytes of settled tokens up to the end mark."""
        ids, end = list(tokens), self._model.config.eos_id
        return self._model.tokenizer.bytes_of(ids[: ids.index(end)] if end in ids else ids)

    def _job(
        self, fill: Fill, hole: Hole, prompt: Prompt, deadline: float | None, terms: Terms
    ) -> Job:
        sampling, policy = fill.sampling, POLICIES[fill.sampling.policy or DEFAULT_POLICY]
        canvas, limit = self._canvas(fill, hole, prompt, terms.held)
        constraint = terms.held or self._constraint(prompt)
        if fill.init:
            cells = encoded(fill.init, prompt.required, self._model.tokenizer)
            most = min(max(limit, len(canvas)), BLOCKS[policy.reading])
            warm = warmed(canvas, cells, most, policy.reading is not ReadingKind.CANVAS)
            if constraint is None or constraint.allows(warm, max(0, limit - len(warm))):
                canvas = warm
        return Job(
            id=fill.id,
            context=self._context(prompt, policy.reading),
            canvas=canvas,
            policy=policy,
            plan=Plan(
                sampling.steps or DEFAULT_STEPS,
                sampling.counts,
                sampling.order or policy.order,
                sampling.threshold,
                sampling.factor,
                sampling.entropy,
                sampling.margin,
                sampling.seed,
            ),
            draw=Draw(sampling.temperature, sampling.top_p, sampling.seed),
            constraint=constraint,
            stop=self._stop_rule(hole, len(prompt.required), terms.held),
            limit=limit,
            further=self._further(hole, limit) if fill.canvas == CanvasSpec() else None,
            block=BLOCKS[policy.reading],
            deadline=deadline,
            review=review_of(fill),
        )

    def _constraint(self, prompt: Prompt) -> Boundary | None:
        """The canvas begins with what moved in."""
        return Boundary(self._index, prompt.required) if prompt.required else None

    def _texts(self, hole: Hole, prompt: Prompt, terms: Terms = FREE) -> Texts:
        return Texts(
            self._reader(hole, prompt),
            self._size,
            lambda job: _flaws(hole, terms, self._answer(hole, prompt, job)),
        )

    def _context(self, prompt: Prompt, reading: ReadingKind) -> Context:
        """The whole context, but for a causal reading that is better off without the suffix."""
        if reading is ReadingKind.CAUSAL and not self._model.config.causal_suffix:
            return replace(prompt.context, suffix=())
        return prompt.context

    def _canvas(
        self, fill: Fill, hole: Hole, prompt: Prompt, held: Held | None
    ) -> tuple[Canvas, int]:
        """The first canvas and how far it may grow; moved text gets slots of its own."""
        config, asked = self._model.config, fill.canvas.tokens
        if fill.canvas.pinned and asked is not None:
            canvas, edge = pinned_canvas(asked, config), self._constraint(prompt)
            if held is not None and not held.allows(canvas, 0):
                raise _unmet(f"No text of exactly {asked} tokens keeps to the constraint.")
            if edge is not None and not edge.allows(canvas, 0):
                begins = prompt.required.decode()
                text = f"{asked} tokens are too few for a hole that begins with {begins!r}."
                raise ProtocolError("invalid_message", text, "canvas")
            return canvas, 0
        moved = prompt.required.decode()
        extra = len(self._model.tokenizer.encode(moved)) if moved else 0
        reading = POLICIES[fill.sampling.policy or DEFAULT_POLICY].reading
        size = min((asked or LINE_SLOTS * hole.lines) + extra, BLOCKS[reading])
        limit = (fill.canvas.most or asked or LINE_LIMIT * hole.lines) + extra
        if held is not None:
            room, usual = fill.canvas.most or asked, LINE_SLOTS * hole.lines
            size, limit = _held_sizes(held.least, room, extra, usual, reading)
        spell = len(prompt.required) + 1  # any bytes can be spelled one a slot
        return Canvas(max(min(size, CANVAS_LIMIT), spell), config.mask_id), min(limit, CANVAS_LIMIT)

    def _further(self, hole: Hole, limit: int) -> Callable[[Sequence[int]], int] | None:
        """More room for the block that a line has opened; a line so long hardly ends by itself."""
        if not hole.grows:
            return None

        def further(tokens: Sequence[int]) -> int:
            opened = b"\n" in self.settled_text(tokens).strip()
            return min(CANVAS_LIMIT, limit + LINE_LIMIT * (hole.most_lines - 1) * opened)

        return further

    def _stop_rule(self, hole: Hole, required: int, held: Held | None) -> Stop:
        """Done at an end mark or at a complete answer."""

        def stop(tokens: Sequence[int]) -> bool:
            if self._model.config.eos_id in tokens:
                return True
            spelled = self.settled_text(tokens)
            if held is not None and not held.may_stop(spelled):
                return False
            if held is not None and held.is_over(spelled):
                return True
            return hole.is_complete(begun_text(spelled[required:]))

        return stop

    def _lengths(self, lead: Job, count: int, held: Held | None) -> Callable[[Answer], list[Job]]:
        """Jobs with the end pinned at the most probable lengths that will do."""

        def expand(answer: Answer) -> list[Job]:
            fits = None if held is None else held.language.feasible_lengths(len(answer.end) - 1)
            lengths = likely_lengths(answer.end.tolist(), len(answer.end), fits)
            pinned = (pinned_canvas(length, self._model.config) for length in lengths)
            edge = None if held is not None else lead.constraint
            roomy = (canvas for canvas in pinned if edge is None or edge.allows(canvas, 0))
            canvases = list(islice(roomy, count))
            if not canvases:
                return [lead]
            jobs = [lead.branch(f"{lead.id}/{n}", canvas) for n, canvas in enumerate(canvases)]
            for job in jobs:
                job.limit = 0
            return jobs

        return expand

    def _reader(self, hole: Hole, prompt: Prompt) -> Callable[[Job], tuple[int, ...]]:
        """The answer's tokens as they continue the prefix: what moved in, then the text."""

        def read(job: Job) -> tuple[int, ...]:
            answer = self._answer(hole, prompt, job)
            body = answer.removesuffix("\n" if hole.whole_lines else "")
            return tuple(self._model.tokenizer.encode(prompt.required.decode() + body))

        return read

    def _answer(self, hole: Hole, prompt: Prompt, job: Job) -> str:
        """What a job would put into the document."""
        whole = job.whole
        data = self.settled_text(whole.tokens[: whole.settled].tolist())
        return hole.answer(begun_text(data[len(prompt.required) :])).text

    def _size(self, ids: Sequence[int]) -> int:
        return max(1, len(self._model.tokenizer.bytes_of(list(ids))))


def _held_sizes(
    least: int, asked: int | None, extra: int, usual: int, reading: ReadingKind
) -> tuple[int, int]:
    """Slots of the first canvas and the most there may be, for an answer of `least` tokens or more.

    `extra` are for what moved into the hole. ProtocolError if the answer can't fit.
    """
    limit = min(asked + extra if asked else max(HELD_LIMIT, 2 * least), CANVAS_LIMIT)
    if least > limit:
        need, room = max(1, least - extra), limit - extra
        raise _unmet(f"The constraint needs at least {need} tokens; the hole has {room}.")
    if reading is ReadingKind.CANVAS:
        size = limit if asked else max(usual + extra, 2 * least + HELD_SPARE)
    else:
        size = max(usual + extra, least + 1)
    return min(size, limit, BLOCKS[reading]), limit


def _flaws(hole: Hole, terms: Terms, answer: str) -> int:
    """How broken the document is; where texts are tried, whether one passes the last gate first."""
    if terms.box is None:
        return hole.flaws(answer)
    return 0 if terms.box.offer([answer]) is not None else FAILED + hole.flaws(answer)


def _again(lead: Job) -> Callable[[int], Job]:
    """Further jobs like the lead, each with another draw, for where no rival is left to try."""
    size, mask = len(lead.canvas), lead.canvas.mask_id
    known = np.flatnonzero(lead.canvas.states == SlotState.FIXED)
    fixed = [(int(slot), int(lead.canvas.tokens[slot])) for slot in known]
    fresh = replace(lead)

    def again(number: int) -> Job:
        canvas = Canvas(size, mask)
        for slot, token in fixed:
            canvas.fix(slot, token)
        job = fresh.branch(f"{lead.id}/{number}", canvas)
        heat = max(lead.draw.temperature, AGAIN_HEAT)
        job.draw = replace(lead.draw, temperature=heat, seed=lead.draw.seed + number)
        return job

    return again


def _unmet(text: str) -> ProtocolError:
    return ProtocolError("constraint_unsatisfiable", text, "constraint")


def _probe(lead: Job) -> Query:
    """One pass over the open canvas: where does it end?"""
    slots = len(lead.canvas)
    tokens = (lead.canvas.mask_id,) * slots
    part = Part(tokens, tuple(range(slots)), tokens, canvas=True)
    return Query(f"{lead.id}/length", lead.context, [part], deadline=lead.deadline)


def pinned_canvas(tokens: int, config: ModelConfig) -> Canvas:
    """A bucketed canvas whose end mark is fixed behind `tokens` slots, padding after it."""
    size = next((bucket for bucket in BUCKETS if bucket > tokens), tokens + 1)
    canvas = Canvas(size, config.mask_id)
    canvas.fix(tokens, config.eos_id)
    for slot in range(tokens + 1, size):
        canvas.fix(slot, config.pad_id)
    return canvas
