"""Searches: who runs, who forks, who wins, and that every road ends."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.client import stream
from engine.config import EngineConfig
from engine.job import Job, Rival, StepResult
from engine.local import LocalEngine
from engine.query import Query
from engine.scores import text_score
from engine.search import likely_lengths
from models.loader import Model
from protocol.messages import Cancel, CanvasSpec, Delta, Done, Fill, Sampling
from tests.engine.recording import make_engine, make_job
from tests.engine.searching import TEXTS, answer, drive, make_search, settle


@settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(width=st.integers(1, 8), slots=st.integers(1, 6), ratio=st.sampled_from([0.0, 0.01, 0.25]))
def test_a_search_never_runs_wider_than_its_width_and_always_ends(
    tiny: Model, width: int, slots: int, ratio: float
) -> None:
    engine, _ = make_engine(tiny)
    search = make_search(width, slots)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("engine.search.FORK_RATIO", ratio)
        made = drive(engine, search)
    assert search.error is None
    assert search.over and not search.running
    assert made <= width + 1, "the branches, and one vote"
    texts = [TEXTS.read(job) for job in search.ranked]
    assert len(set(texts)) == len(texts), "branches that meet again are one answer"


def test_one_branch_is_the_plain_job(tiny: Model) -> None:
    engine, _ = make_engine(tiny)
    search = make_search(1)
    assert drive(engine, search) == 1
    plain = make_job([20, 21], [30, 31], 4)
    other, _ = make_engine(tiny)
    other.add(plain)
    while other.busy:
        other.step()
    assert search.ranked[0].canvas.tokens.tolist() == plain.canvas.tokens.tolist()


def test_the_vote_weighs_the_text_and_how_it_leads_to_the_suffix() -> None:
    """The branch is a little less likely in itself, but what follows fits it far better."""
    search = make_search(2, slots=2)
    [lead] = search.start()
    assert isinstance(lead, Job)
    settle(lead, [40, 41], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 50, 0.4, 0.8)]))
    assert isinstance(branch, Job)
    assert branch.canvas.tokens.tolist() == [50, 16]
    settle(branch, [51], 0.8)
    assert search.advance(StepResult(lead, finish="stop")) == []
    [vote] = search.advance(StepResult(branch, finish="stop"))
    assert isinstance(vote, Query)
    assert [part.tokens for part in vote.parts] == [(40, 41, 30, 31), (50, 51, 30, 31)]
    assert all(part.rows == (2, 3) and not part.with_suffix for part in vote.parts)
    vote.answers = [answer(-9.0, -9.0), answer(-1.0, -1.0)]
    assert search.advance(StepResult(vote, finish="converged")) == []
    assert search.ranked == [branch, lead]


def test_a_nat_of_the_text_weighs_as_much_as_a_nat_of_the_suffix() -> None:
    """A long text is not drowned by a short suffix; without one, bytes are compared."""
    assert text_score(-4.0, 40, -10.0) > text_score(-9.0, 40, -8.0)
    assert text_score(-4.0, 40, -10.0) < text_score(-9.0, 40, -4.0)
    assert text_score(-4.0, 40, None) > text_score(-2.0, 10, None)


def test_a_failed_branch_fails_the_fill() -> None:
    search = make_search(2)
    [lead] = search.start()
    search.advance(StepResult(lead, error="no memory"))
    assert search.over and search.error == "no memory"


def test_at_the_deadline_a_finished_branch_beats_an_unfinished_lead() -> None:
    search = make_search(2, slots=2)
    [lead] = search.start()
    assert isinstance(lead, Job)
    settle(lead, [40], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 50, 0.4, 0.8)]))
    search.advance(StepResult(branch, finish="stop"))
    search.advance(StepResult(lead, finish="deadline"))
    assert search.ranked[0] is branch and search.finish == "deadline"


@pytest.mark.parametrize("width", [2, 3])
def test_at_the_deadline_a_text_that_breaks_the_document_still_loses(width: int) -> None:
    """Whether the vote was under way, or another branch."""
    search = make_search(width, slots=1)
    [lead] = search.start()
    assert isinstance(lead, Job)
    search.texts = dataclasses.replace(TEXTS, flaws=lambda job: int(job is lead))
    settle(lead, [40], 0.9)
    rivals = [Rival(0, 50 + number, 0.3, 0.5) for number in range(width - 1)]
    branch, *others = search.advance(StepResult(lead, rivals=rivals))
    search.advance(StepResult(lead, finish="stop"))
    more = search.advance(StepResult(branch, finish="stop"))
    (late,) = [*others, *more]
    search.advance(StepResult(late, finish="deadline"))
    assert search.ranked == [branch, lead]


def test_likely_lengths_follow_the_end_marks() -> None:
    with np.errstate(divide="ignore"):
        ends = np.log([0.0, 0.1, 0.7, 0.9, 0.0])
    assert likely_lengths(ends.tolist(), 3) == [2, 3, 1]
    assert likely_lengths(ends.tolist(), 1) == [2]


def done(engine: LocalEngine, fill: Fill) -> Done:
    *_, last = stream(engine, fill)
    assert isinstance(last, Done), last
    return last


@pytest.mark.parametrize("policy", ["causal", "speculate", "fixed"])
def test_alternatives_differ_and_the_best_comes_first(
    tiny_engine: LocalEngine, policy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.search.FORK_RATIO", 0.0)
    sampling = Sampling(policy=policy)  # type: ignore[arg-type]
    fill = Fill("f", "def f(a):\n", "\nreturn in", sampling=sampling, alternatives=4)
    last = done(tiny_engine, fill)
    texts = [last.text, *last.alternatives]
    assert len(set(texts)) == len(texts)
    assert 1 < len(texts) <= 4


def test_deltas_end_on_the_canvas_that_won(
    tiny_engine: LocalEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.search.FORK_RATIO", 0.0)
    for policy in ("causal", "threshold"):
        fill = Fill(
            "f",
            "def f(a):\n",
            "\nreturn in",
            sampling=Sampling(policy=policy, branches=6),  # type: ignore[arg-type]
        )
        cells: list[str | None] = []
        for message in stream(tiny_engine, fill):
            if isinstance(message, Delta):
                cells = [*cells, *[None] * message.size][: message.size]
                for slot, cell in zip(message.slots, message.cells, strict=True):
                    cells[slot] = cell
            if isinstance(message, Done):
                shown = "".join(cell or "" for cell in cells)
                assert message.text.removesuffix("\n") in shown


def test_a_cancelled_search_leaves_nothing_running(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    engine.send(Fill("f", "a(", "", shape="span", sampling=Sampling(branches=8)))
    for _ in range(4):
        engine.receive()
    engine.send(Cancel("f"))
    rest = list(iter(engine.receive, None))
    assert [type(message) for message in rest if isinstance(message, Done)] == [Done]
    assert engine.receive() is None


def test_a_length_in_which_the_moved_text_has_no_room_is_not_tried(
    tiny_engine: LocalEngine,
) -> None:
    sampling = Sampling(policy="threshold", branches=4)
    fill = Fill("f", "def f():\n    \t  \n", "\nend", sampling=sampling)
    assert done(tiny_engine, fill).finish == "stop"


@pytest.mark.parametrize("policy", ["causal", "speculate", "fixed"])
def test_moved_text_outside_the_nucleus_is_spelled_all_the_same(
    tiny_engine: LocalEngine, policy: str
) -> None:
    for seed in range(3):
        sampling = Sampling(policy=policy, temperature=1.0, top_p=0.3, seed=seed)  # type: ignore[arg-type]
        *frames, last = stream(tiny_engine, Fill("f", "x\n \t", "\nend", sampling=sampling))
        assert isinstance(last, Done), last
        sure = [one for frame in frames if isinstance(frame, Delta) for one in frame.confidence]
        assert all(0.0 <= one <= 1.0 for one in sure)


def test_a_pinned_or_given_length_is_not_searched(tiny_engine: LocalEngine) -> None:
    for canvas in (CanvasSpec(tokens=5), CanvasSpec(tokens=5, pinned=True)):
        sampling = Sampling(policy="fixed", branches=4)
        last = done(tiny_engine, Fill("f", "a", "b", canvas=canvas, sampling=sampling))
        assert last.stats.tokens <= 12


def test_a_text_that_breaks_the_document_loses_the_vote() -> None:
    search = make_search(2, slots=1)
    [lead] = search.start()
    assert isinstance(lead, Job)
    search.texts = dataclasses.replace(TEXTS, flaws=lambda job: int(job is lead))
    settle(lead, [40], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 50, 0.3, 0.5)]))
    search.advance(StepResult(lead, finish="stop"))
    [vote] = search.advance(StepResult(branch, finish="stop"))
    assert isinstance(vote, Query)
    vote.answers = [answer(-1.0, -1.0), answer(-9.0, -9.0)]
    search.advance(StepResult(vote, finish="converged"))
    assert search.ranked == [branch, lead]


def test_at_the_end_of_a_file_too_a_text_that_breaks_the_document_loses() -> None:
    """There is nothing to vote about, and both texts are read."""
    search = make_search(2, slots=1)
    search.suffix = ()
    [lead] = search.start()
    assert isinstance(lead, Job)
    search.texts = dataclasses.replace(TEXTS, flaws=lambda job: int(job is lead))
    settle(lead, [40], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 50, 0.3, 0.5)]))
    search.advance(StepResult(lead, finish="stop"))
    assert search.advance(StepResult(branch, finish="stop")) == []
    assert search.ranked == [branch, lead]


def test_if_every_text_breaks_the_document_the_closest_rivals_get_a_chance() -> None:
    search = make_search(3, slots=2)
    [lead] = search.start()
    assert isinstance(lead, Job)
    search.texts = dataclasses.replace(TEXTS, flaws=lambda job: int(job is lead))
    settle(lead, [40, 41], 0.9)
    far, near = Rival(0, 50, 0.02, 0.02), Rival(1, 51, 0.1, 0.11)
    assert search.advance(StepResult(lead, rivals=[far, near])) == []
    branches = search.advance(StepResult(lead, finish="stop"))
    assert [work.canvas.tokens.tolist() for work in branches if isinstance(work, Job)] == [
        [40, 51],
        [50, 16],
    ]


def test_tokens_behind_the_answer_don_t_count_in_the_vote() -> None:
    """A pass that accepts a draft settles more than the token that completes the answer."""
    search = make_search(2, slots=3)
    [lead] = search.start()
    assert isinstance(lead, Job)
    lead.stop = lambda tokens: 41 in tokens
    settle(lead, [40, 41], 0.9)
    [branch] = search.advance(StepResult(lead, rivals=[Rival(0, 50, 0.4, 0.8)]))
    assert isinstance(branch, Job)
    settle(branch, [41], 0.9)
    settle(lead, [42], 0.01)
    search.advance(StepResult(lead, finish="stop"))
    [vote] = search.advance(StepResult(branch, finish="stop"))
    assert isinstance(vote, Query)
    vote.answers = [answer(-1.0, -1.0), answer(-1.0, -1.0)]
    search.advance(StepResult(vote, finish="converged"))
    assert search.ranked == [lead, branch]


def test_a_pinned_length_is_neither_cut_nor_mended(tiny_engine: LocalEngine) -> None:
    """All of the n tokens' text comes back, blank lines and open brackets and all."""
    canvas = CanvasSpec(tokens=9, pinned=True)
    for seed in range(8):
        sampling = Sampling(temperature=3.0, seed=seed)
        fill = Fill("f", "a = (\n", "b\n", shape="line", canvas=canvas, sampling=sampling)
        last = done(tiny_engine, fill)
        assert "".join(token.text for token in last.tokens) == last.text
        assert last.text.endswith("\n") and last.stats.tokens == 12


@pytest.mark.parametrize("policy", ["causal", "speculate", "fixed"])
def test_a_short_pinned_canvas_still_spells_what_moved_into_it(
    tiny_engine: LocalEngine, policy: str
) -> None:
    """Three tokens for a newline and eight blanks: they can't be spelled byte by byte."""
    for seed in range(10):
        sampling = Sampling(policy=policy, temperature=3.0, seed=seed)  # type: ignore[arg-type]
        canvas = CanvasSpec(tokens=3, pinned=True)
        fill = Fill("f", "x:\n" + " " * 8, "\n", shape="span", canvas=canvas, sampling=sampling)
        assert done(tiny_engine, fill).finish == "stop"
