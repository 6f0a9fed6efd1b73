"""Scores of tokens that stand, against the model run by hand."""

from typing import Any

import numpy as np
import pytest

from engine.job import Work
from engine.query import Context, Part, Query
from engine.revision.edits import Vocabulary
from engine.revision.gains import gains
from engine.revision.passage import Window
from engine.revision.program import Program, Steps, ask
from engine.revision.scorers import SCORERS, Scores, frame
from engine.revision.slots import Slot
from engine.scores import inner_part, suffix_part
from models.loader import Model
from tests.engine.recording import make_engine

IDS = (70, 80, 90, 100, 110)
CONTEXT = Context((5, 20, 30, 40), (50, 60))


def window(context: Context = CONTEXT) -> Window:
    slots = tuple(Slot(token, locked=place == 2) for place, token in enumerate(IDS))
    return Window(0, "w/0.1", context, slots, b"")


def run(model: Model, steps: Steps[Any]) -> Any:
    """What a program's steps return."""
    found: list[Any] = []

    def wrapped() -> Steps[None]:
        found.append((yield from steps))

    program = Program(wrapped())
    engine, _ = make_engine(model)
    works: list[Work] = program.start()
    for work in works:
        engine.add(work)
    while engine.busy:
        for result in engine.step():
            for work in program.advance(result):
                engine.add(work)
    assert program.error is None and program.finish == "converged"
    return found[0]


def scored(model: Model, name: str, context: Context = CONTEXT) -> Scores:
    vocabulary = Vocabulary(model.config, model.tokenizer)
    scores = run(model, SCORERS[name](window(context), vocabulary))
    assert isinstance(scores, Scores)
    return scores


def total(model: Model, ids: tuple[int, ...]) -> float:
    """log P(ids | prefix), blind to the suffix segment."""
    part = Part(ids, tuple(range(len(ids))), ids, with_suffix=False)
    (answer,) = run(model, ask("total", CONTEXT, [part]))
    return float(answer.target.sum())


def test_canvas_scores_are_leave_one_out_probabilities(tiny: Model) -> None:
    scores = scored(tiny, "canvas")
    assert sorted(scores.chance) == [0, 1, 3, 4]
    for slot in scores.chance:
        tokens = (*IDS[:slot], 16, *IDS[slot + 1 :], *frame(5, tiny.config))
        part = Part(tokens, (slot,), (IDS[slot],), canvas=True)
        query = Query("by hand", CONTEXT, [part])
        run(tiny, _one(query))
        np.testing.assert_allclose(
            scores.chance[slot], np.exp(query.answers[0].target[0]), rtol=1e-3
        )
        assert scores.best[slot] == query.answers[0].best[0]


def _one(query: Query) -> Steps[None]:
    yield [query]


def test_the_frame_ends_the_canvas_as_in_training(tiny: Model) -> None:
    assert frame(5, tiny.config) == (0, 15, 15)


def test_causal_scores_look_left(tiny: Model) -> None:
    scores = scored(tiny, "causal")
    part = Part(IDS, (3,), (IDS[3],))
    (answer,) = run(tiny, ask("by hand", CONTEXT, [part]))
    np.testing.assert_allclose(scores.chance[3], np.exp(answer.target[0]), rtol=1e-3)


def test_posterior_gains_are_those_of_the_whole_text(tiny: Model) -> None:
    """log P(text with the swap, suffix) - log P(text, suffix), exactly, on a short text."""
    scores = scored(tiny, "posterior")
    assert scores.swaps and {swap.start for swap in scores.swaps} <= {0, 1, 3, 4}
    own = total(tiny, (*IDS, 50, 60))
    for swap in scores.swaps[::5]:
        line = (*IDS[: swap.start], *swap.tokens, *IDS[swap.stop :], 50, 60)
        assert swap.gain == pytest.approx(total(tiny, line) - own, abs=1e-3)
    for slot, chance in scores.chance.items():
        tested = [np.exp(swap.gain) for swap in scores.swaps if slot in swap.slots]
        assert chance <= 1 / (1 + sum(tested)) + 1e-6


@pytest.mark.parametrize("suffix", [(50, 60), ()])
def test_gains_are_differences_of_whole_texts(tiny: Model, suffix: tuple[int, ...]) -> None:
    """By hand: each text read alone, with and without the suffix segment."""
    context = Context((5, 20, 30, 40), suffix)
    texts = [(70, 80, 91, 100, 110), (70, 80), (*IDS, 33), (71, *IDS[1:]), IDS[:-1]]

    def value(ids: tuple[int, ...]) -> float:
        parts = [inner_part(ids), *([suffix_part(ids, suffix)] if suffix else [])]
        return sum(float(a.target.sum()) for a in run(tiny, ask("by hand", context, parts)))

    expected = [value(text) - value(IDS) for text in texts]
    np.testing.assert_allclose(run(tiny, gains(window(context), texts)), expected, atol=1e-3)
    assert run(tiny, gains(window(context), [])) == []


def test_posterior_needs_no_suffix(tiny: Model) -> None:
    scores = scored(tiny, "posterior", Context((5, 20, 30, 40)))
    assert all(0 <= chance <= 1 for chance in scores.chance.values())
    assert 4 not in {swap.start for swap in scores.swaps}  # nothing right of it speaks for a swap
