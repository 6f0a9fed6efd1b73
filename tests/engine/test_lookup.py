"""Drafts copied from the text: what is copied, and that it changes passes and never the text."""

import dataclasses

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.job import Draw
from engine.lookup import LONGEST, draft
from models.loader import Model
from tests.engine.recording import finish, make_engine, make_job

IDS = st.integers(17, 24)
"""Few, so that they repeat."""
SLOW_FIXTURES = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize(
    ("text", "most", "copied"),
    [
        ([1, 2, 3, 9, 1, 2], 3, [3, 9, 1]),
        ([1, 2, 3, 9, 1, 2], 1, [3]),
        ([5, 2, 7, 1, 2, 8, 6, 2], 2, [8, 6]),  # one token agrees: the last place
        ([1, 2, 7, 6, 2, 8, 1, 2], 2, [7, 6]),  # two agree before one that is nearer
        ([1, 1, 1], 4, [1]),
        ([1, 2, 3], 4, []),
        ([1], 4, []),
        ([], 4, []),
        ([1, 2, 1], 0, []),
    ],
)
def test_what_followed_the_same_tokens_is_copied(
    text: list[int], most: int, copied: list[int]
) -> None:
    assert draft(np.array(text, np.int64), most) == copied


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(0, 5))
def test_a_draft_stands_in_the_text_behind_the_longest_agreement(
    text: list[int], most: int
) -> None:
    found = draft(np.array(text, np.int64), most)
    assert len(found) <= most

    def agreement(stop: int) -> int:
        same = 0
        while same < min(LONGEST, stop) and text[stop - 1 - same] == text[-1 - same]:
            same += 1
        return same

    stops = range(1, len(text))
    longest = max(map(agreement, stops), default=0)
    if not longest or not most:
        assert found == []
    else:
        stop = max(stop for stop in stops if agreement(stop) == longest)
        assert found == text[stop : stop + most]


@SLOW_FIXTURES
@given(
    prefix=st.lists(IDS, max_size=16),
    slots=st.integers(1, 14),
    fixed=st.dictionaries(st.integers(0, 13), IDS, max_size=3),
    draw=st.sampled_from([Draw(), Draw(0.7, 0.9, 4)]),
    others=st.integers(0, 2),
)
def test_copying_changes_passes_alone(
    tiny: Model,
    prefix: list[int],
    slots: int,
    fixed: dict[int, int],
    draw: Draw,
    others: int,
) -> None:
    texts, steps = [], []
    for few in (1, 4):
        jobs = [
            dataclasses.replace(make_job(prefix, [20], slots, "causal"), id=f"j{n}", draw=draw)
            for n in range(others + 1)
        ]
        for job in jobs:
            for slot, token in fixed.items():
                if slot < slots:
                    job.canvas.fix(slot, token)
        engine, _ = make_engine(tiny, few=few)
        finish(engine, *[job for job in jobs if len(job.canvas.masked)])
        texts.append([job.canvas.tokens.tolist() for job in jobs])
        steps.append(jobs[0].step)
    assert texts[0] == texts[1]
    assert steps[1] <= steps[0]


def test_right_copies_save_passes(tiny: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    job = make_job([20, 21], slots=12)
    finish(make_engine(tiny)[0], job)
    said = job.canvas.tokens.tolist()
    monkeypatch.setattr("engine.rows.draft", lambda text, most: said[len(text) - 3 :][:most])
    again = make_job([20, 21], slots=12)
    finish(make_engine(tiny, few=4)[0], again)
    assert again.canvas.tokens.tolist() == said
    assert again.step == 3, "each pass three of a draft and one token more"


def test_speculation_copies_where_the_canvas_has_no_draft(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = make_job([20, 21], slots=12)
    finish(make_engine(tiny)[0], job)
    said = job.canvas.tokens.tolist()
    monkeypatch.setattr("engine.rows.draft", lambda text, most: said[len(text) - 3 :][:most])
    copying = make_job([20, 21], slots=12, policy="speculate")
    finish(make_engine(tiny)[0], copying)
    monkeypatch.setattr("engine.rows.draft", lambda text, most: [])
    alone = make_job([20, 21], slots=12, policy="speculate")
    finish(make_engine(tiny)[0], alone)
    assert copying.canvas.tokens.tolist() == alone.canvas.tokens.tolist() == said
    assert copying.step <= 3 < alone.step, "nine tokens in the first pass"
