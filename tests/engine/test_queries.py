"""Queries: what the model thinks of tokens, as exact as running it."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from engine.query import Context, Part, Query
from models.loader import Model
from tests.engine.recording import log_probs, make_engine, make_job, run

PREFIX, SUFFIX, HOLE = [20, 30, 40], [50, 60], [70, 80, 90, 100]


def ask(model: Model, *parts: Part, prefix: list[int] = PREFIX) -> Query:
    query = Query("q", Context((5, *prefix), tuple(SUFFIX)), list(parts))
    engine, _ = make_engine(model)
    engine.add(query)
    while engine.busy:
        assert all(result.error is None for result in engine.step())
    return query


def causal_part(tokens: list[int], with_suffix: bool = True) -> Part:
    return Part(tuple(tokens), tuple(range(len(tokens))), tuple(tokens), with_suffix=with_suffix)


def test_a_causal_query_scores_the_tokens_that_causal_decoding_chose(tiny: Model) -> None:
    job = make_job(PREFIX, SUFFIX, slots=6)
    tokens, seen = run(tiny, job)
    [answer] = ask(tiny, causal_part(tokens)).answers
    assert answer.best.tolist() == tokens
    expected = [
        log_probs(tiny, row)[0, token].item() for row, token in zip(seen, tokens, strict=True)
    ]
    np.testing.assert_allclose(answer.target, expected, atol=1e-4)


def test_without_the_suffix_a_query_is_blind_to_it(tiny: Model) -> None:
    [seen, blind] = ask(tiny, causal_part(HOLE), causal_part(HOLE, with_suffix=False)).answers
    longer = ask(tiny, causal_part([*HOLE, *SUFFIX], with_suffix=False)).answers[0]
    assert not np.allclose(seen.target, blind.target)
    np.testing.assert_allclose(longer.target[: len(HOLE)], blind.target, atol=1e-4)


def test_a_canvas_query_is_the_canvas_reading(tiny: Model) -> None:
    """Masks as tokens: the same rows a denoising step would run."""
    job = make_job(PREFIX, SUFFIX, slots=5, policy="fixed")
    _, seen = run(tiny, job)
    part = Part((16,) * 5, tuple(range(5)), (33,) * 5, canvas=True)
    [answer] = ask(tiny, part).answers
    expected = log_probs(tiny, seen[0])
    np.testing.assert_allclose(answer.target, expected[:, 33], atol=1e-4)
    assert torch.equal(torch.from_numpy(answer.best), expected.argmax(-1))


@pytest.mark.parametrize("count", [1, 40])
def test_many_parts_are_answered_in_order_over_several_passes(
    tiny: Model, count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.query.QUERY_ROWS", 32)
    parts = [causal_part([20 + n, 21, 22]) for n in range(count)]
    together = ask(tiny, *parts).answers
    assert len(together) == count
    alone = ask(tiny, parts[-1]).answers[0]
    np.testing.assert_allclose(together[-1].target, alone.target, atol=1e-4)


@pytest.mark.parametrize("with_suffix", [True, False])
@pytest.mark.parametrize("rows", [8, 512])
def test_what_parts_share_is_computed_once(
    tiny: Model, monkeypatch: pytest.MonkeyPatch, with_suffix: bool, rows: int
) -> None:
    """The same answers as without sharing, in one pass and over several."""
    monkeypatch.setattr("engine.query.QUERY_ROWS", rows)
    first = causal_part(HOLE, with_suffix)
    lines = {(70, 80, 91, 92): 1, (70, 80, 90, 93, 94): 2, (70, 80): 0}
    whole = [Part(line, (len(line),), (100,), with_suffix=with_suffix) for line in lines]
    parts = [replace(part, shared=lines[part.tokens]) for part in whole]
    shared = ask(tiny, first, *parts).answers[1:]
    for part, answer in zip(whole, shared, strict=True):
        alone = ask(tiny, part).answers[0]
        np.testing.assert_allclose(answer.target, alone.target, atol=1e-4)


@pytest.mark.parametrize(
    "part",
    [
        Part((70, 81), (2,), (100,), shared=2),  # other tokens
        Part((70, 80), (1,), (100,), shared=1),  # a row that is not computed
        Part((70, 80), (2,), (100,), shared=1, with_suffix=False),
        Part((70, 80), (2,), (100,), shared=1, canvas=True),
    ],
)
def test_nothing_else_is_shared(part: Part) -> None:
    with pytest.raises(ValueError, match="begins with"):
        Query("q", Context((5, 20)), [causal_part(HOLE), part])


def test_the_end_mark_is_reported(tiny: Model) -> None:
    [answer] = ask(tiny, Part((16,), (0, 1), (0, 0), canvas=True)).answers
    np.testing.assert_allclose(answer.end, answer.target, atol=1e-6)


def test_a_result_tells_the_rows_of_its_pass(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a query that takes several passes each counts its own; a guided job has all rows twice."""
    monkeypatch.setattr("engine.query.QUERY_ROWS", 10)
    parts = [causal_part(HOLE)] * 3
    query = Query("q", Context((5, *PREFIX)), parts)
    job = make_job(PREFIX, SUFFIX, slots=6, policy="fixed")
    job.context = replace(job.context, references=((9,),), guidance=2.0)
    engine, _ = make_engine(tiny)
    for work in (query, job):
        engine.add(work)
    assert [result.rows for result in engine.step()] == [10, 14]
    assert [result.rows for result in engine.step()] == [5, 14]
