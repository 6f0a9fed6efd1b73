"""Other texts for the weak tokens of a window: swaps that a scorer found, and masked runs that are
denoised again with both sides fixed, at their own length and at a few others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np

from engine.boundary import Boundary
from engine.canvas import Canvas
from engine.constraints.prefix_index import PrefixIndex
from engine.job import Draw, Job
from engine.policies import POLICIES, Plan
from engine.reviews import REVIEWERS, Review, ReviewPlan
from engine.revision.edits import Swap, Vocabulary
from engine.revision.passage import Window
from engine.revision.program import Steps
from engine.revision.scorers import Scores, frame
from engine.revision.words import invents_none, words_of

LENGTHS = (0, 1, -1, 2)
SINGLE_SWAPS = 3
RUNS = 2
REVIEW_PASSES = 4


@dataclass(frozen=True, slots=True)
class Attempt:
    """Tokens in place of [start, stop) of a window; `narrow` as in engine.revision.edits.Swap."""

    start: int
    stop: int
    ids: tuple[int, ...]
    narrow: bool = False


@dataclass(frozen=True, slots=True)
class Tools:
    """What proposals are made with. `watch` is told the job whose canvas may be shown, the window
    and where the canvas stands in it; `share` of a window is the most a review remasks a pass."""

    vocabulary: Vocabulary
    index: PrefixIndex
    draw: Draw
    share: float
    watch: Callable[[Job, Window, int, int], None]


Proposer = Callable[[Window, Sequence[int], Scores, Tools], Steps[list[Attempt]]]


def swapped(
    window: Window, weak: Sequence[int], scores: Scores, tools: Tools
) -> Steps[list[Attempt]]:
    """The swaps at weak slots that gain most, each alone, if they invent no word.

    Never several at once: many small gains of taste would add up to what a guard takes for a bug.
    Only a mistyped name is changed in all its places.
    """
    sides = (window.context.prefix, window.ids, window.context.suffix)
    known = words_of(tools.vocabulary.text(side) for side in sides)
    good = [swap for swap in scores.swaps if swap.gain > 0 and set(weak) & set(swap.slots)]
    fit = (swap for swap in good if _fits(window, swap, known, tools))
    yield []
    return [
        Attempt(swap.start, swap.stop, swap.tokens, swap.narrow)
        for swap in islice(fit, SINGLE_SWAPS)
    ]


def causal_refill(
    window: Window, weak: Sequence[int], scores: Scores, tools: Tools
) -> Steps[list[Attempt]]:
    """The weakest runs, each from the causal reading: what stands right of it is its suffix."""
    runs = sorted(_runs(weak), key=lambda run: min(scores.chance[slot] for slot in range(*run)))
    jobs: list[Job] = []
    places: list[tuple[int, int]] = []
    for start, stop in runs[:RUNS]:
        for length in _lengths(window, start, stop, tools):
            job = _run_job(window, start, stop, length, tools)
            job = replace(job, id=f"{window.name}.run{len(jobs)}")
            jobs.append(job)
            places.append((start, stop))
    if jobs:
        tools.watch(jobs[0], window, *places[0])
    yield list(jobs)
    return [
        Attempt(*place, tuple(job.canvas.tokens.tolist()))
        for job, place in zip(jobs, places, strict=True)
    ]


def canvas_refill(
    window: Window, weak: Sequence[int], scores: Scores, tools: Tools
) -> Steps[list[Attempt]]:
    """All weak slots at once in the canvas reading, one token a step, the clearest first.

    The longest masked run also at other lengths.
    """
    start, stop = max(_runs(weak), key=lambda run: run[1] - run[0])
    jobs: list[Job] = []
    for length in _lengths(window, start, stop, tools):
        line: list[int | None] = [
            None if slot in weak else token for slot, token in enumerate(window.ids)
        ]
        line[start:stop] = [None] * length
        job = _canvas_job(window, line, tools)
        jobs.append(replace(job, id=f"{window.name}.fill{len(jobs)}"))
    tools.watch(jobs[0], window, 0, len(window.slots))
    yield list(jobs)
    return [_whole(window, job, tools) for job in jobs]


def reviewing(name: str) -> Proposer:
    """The whole window as a full canvas that a review of engine.reviews looks at again."""

    def propose(
        window: Window, weak: Sequence[int], scores: Scores, tools: Tools
    ) -> Steps[list[Attempt]]:
        free = set(window.open)
        line = [None if slot in free else token for slot, token in enumerate(window.ids)]
        job = replace(_canvas_job(window, line, tools), id=f"{window.name}.review")
        slots = np.array(window.open, dtype=np.int64)
        chances = [scores.chance[slot] for slot in window.open]
        job.canvas.reveal(slots, np.array(window.ids)[slots], chances, 0)
        job.reviews = REVIEW_PASSES
        job.review = Review(REVIEWERS[name], ReviewPlan(share=tools.share, seed=tools.draw.seed))
        tools.watch(job, window, 0, len(window.slots))
        yield [job]
        return [_whole(window, job, tools)]

    return propose


def _fits(window: Window, swap: Swap, known: frozenset[str], tools: Tools) -> bool:
    text = tools.vocabulary.text
    before, after = text(window.ids[: swap.start]), text(window.ids[swap.stop :])
    new = text(swap.tokens)
    return invents_none(before + new + after, len(before), len(before + new), known)


def _runs(slots: Sequence[int]) -> list[tuple[int, int]]:
    """Maximal runs [start, stop) of neighbouring slots."""
    runs: list[tuple[int, int]] = []
    for slot in sorted(slots):
        if runs and runs[-1][1] == slot:
            runs[-1] = (runs[-1][0], slot + 1)
        else:
            runs.append((slot, slot + 1))
    return runs


def _lengths(window: Window, start: int, stop: int, tools: Tools) -> list[int]:
    """Lengths a masked run is tried at; its own alone while it has moved bytes to spell."""
    tried = LENGTHS[:1] if _unspelled(window, start, tools) else LENGTHS
    return [stop - start + more for more in tried if stop - start + more >= 1]


def _unspelled(window: Window, start: int, tools: Tools) -> bytes:
    """What is left of the moved bytes behind the tokens left of `start`."""
    spelled = b"".join(tools.index.bytes_of(token) or b"" for token in window.ids[:start])
    return window.required[len(spelled) :]


def _run_job(window: Window, start: int, stop: int, length: int, tools: Tools) -> Job:
    ids, around, config = window.ids, window.context, tools.vocabulary.config
    context = replace(
        around,
        prefix=(*around.prefix, *ids[:start]),
        suffix=(*ids[stop:], *around.suffix)[: config.layout.suffix_limit],
    )
    required = _unspelled(window, start, tools)
    return Job(
        id=window.name,
        context=context,
        canvas=Canvas(length, config.mask_id),
        policy=POLICIES["causal"],
        plan=Plan(steps=length),
        draw=tools.draw,
        constraint=Boundary(tools.index, required) if required else None,
    )


def _canvas_job(window: Window, line: Sequence[int | None], tools: Tools) -> Job:
    """A job over the window's line, None being masks, framed as the canvas reading was trained."""
    config = tools.vocabulary.config
    framed = [*line, *frame(len(line), config)]
    canvas = Canvas(len(framed), config.mask_id)
    for slot, token in enumerate(framed):
        if token is not None:
            canvas.fix(slot, token)
    return Job(
        id=window.name,
        context=window.context,
        canvas=canvas,
        policy=POLICIES["margin"],
        plan=Plan(steps=len(line), margin=1.0),
        draw=tools.draw,
        constraint=Boundary(tools.index, window.required) if window.required else None,
    )


def _whole(window: Window, job: Job, tools: Tools) -> Attempt:
    """The text on a canvas job, without its frame; an end mark inside makes it no answer."""
    ends = np.flatnonzero(job.canvas.tokens == tools.vocabulary.config.eos_id)
    tokens, stop = job.canvas.tokens.tolist(), int(ends[-1])
    return Attempt(0, len(window.slots), tuple(tokens[:stop]))


PROPOSERS: dict[str, Proposer] = {
    "posterior": swapped,
    "causal": causal_refill,
    "canvas": canvas_refill,
    **{name: reviewing(name) for name in REVIEWERS if name != "none"},
}
