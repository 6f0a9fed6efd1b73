"""Scheduler: urgency, fair shares, deadlines, rows and admission; simulated, without a model."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.canvas import Canvas
from engine.fairness import PATIENCE, PREFILL_ROWS, denoising_rows
from engine.job import Job, StepResult, Work
from engine.policies import POLICIES, Plan
from engine.query import Answer, Context, Part, Priority, Query
from engine.scheduler import QUEUE_LIMIT, ROWS, Scheduler

BATCH = 4
NONE = np.empty(0, np.int64)
ANSWER = Answer(NONE.astype(np.float32), NONE, NONE.astype(np.float32))


def job(
    name: str,
    client: str = "",
    priority: Priority = "manual",
    deadline: float | None = None,
    slots: int = 15,
    policy: str = "fixed",
) -> Job:
    return Job(
        id=name,
        context=Context((5,)),
        canvas=Canvas(slots, 16),
        policy=POLICIES[policy],
        plan=Plan(8),
        deadline=deadline,
        client=client,
        priority=priority,
    )


def done(work: Work, finish: bool = False) -> StepResult:
    rows = denoising_rows(work)
    return StepResult(work, forwards=1, rows=rows, finish="converged" if finish else None)


def turn(scheduler: Scheduler, now: float = 0.0) -> list[str]:
    """One pass in which every chosen job takes a step; their names."""
    works = scheduler.schedule(now)
    scheduler.retire([done(work) for work in works])
    return [work.id for work in works]


def read(scheduler: Scheduler, *works: Work) -> None:
    """Add works whose contexts are read already."""
    for work in works:
        scheduler.add(work)
        scheduler._entries[work.id].is_fresh = False


def test_jobs_that_fit_go_together() -> None:
    scheduler = Scheduler(BATCH)
    read(scheduler, *(job(f"j{n}") for n in range(BATCH)))
    assert sorted(turn(scheduler)) == ["j0", "j1", "j2", "j3"]
    assert sorted(turn(scheduler)) == ["j0", "j1", "j2", "j3"]


def test_equal_jobs_of_one_client_take_turns_by_arrival() -> None:
    scheduler = Scheduler(BATCH)
    read(scheduler, *(job(f"j{n}") for n in range(BATCH + 2)))
    assert turn(scheduler) == ["j0", "j1", "j2", "j3"]


def test_urgent_classes_go_first() -> None:
    scheduler = Scheduler(2)
    read(scheduler, job("b", priority="batch"), job("m"), job("a", priority="auto"))
    assert turn(scheduler) == ["a", "m"]


def test_the_earliest_deadline_of_a_client_goes_first() -> None:
    scheduler = Scheduler(2)
    read(scheduler, job("none"), job("late", deadline=9), job("soon", deadline=1))
    assert turn(scheduler) == ["soon", "late"]


@pytest.mark.parametrize("priority", ["auto", "manual", "batch"])
def test_many_jobs_of_one_client_don_t_hold_up_another(priority: Priority) -> None:
    scheduler = Scheduler(BATCH)
    read(scheduler, *(job(f"crowd{n}", "crowd", priority) for n in range(50)))
    for _ in range(10):
        turn(scheduler)
    read(scheduler, job("one", "lonely", priority))
    for _ in range(30):
        assert "one" in turn(scheduler)


def test_an_automatic_fill_beside_fifty_batch_fills_waits_for_no_turn() -> None:
    scheduler = Scheduler(BATCH)
    read(scheduler, *(job(f"crowd{n}", "crowd", "batch") for n in range(50)))
    turn(scheduler)
    for number in range(20):
        name = f"auto{number}"
        scheduler.add(job(name, "typist", "auto"))
        assert "auto" in turn(scheduler)[0]
        for _ in range(7):
            assert turn(scheduler)[0] == name
        scheduler.retire([done(scheduler._entries[name].work, finish=True)])


def test_what_waits_too_long_becomes_more_urgent() -> None:
    scheduler = Scheduler(1)
    read(scheduler, job("batch", "a", "batch"), job("auto", "b", "auto"))
    seen = Counter(turn(scheduler, now)[0] for now in (n * 0.1 for n in range(200)))
    assert 2 <= seen["batch"] <= 20
    assert seen["auto"] > 150
    assert PATIENCE == 2.0


@given(
    jobs=st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 64)), min_size=1, max_size=30),
    turns=st.integers(1, 60),
)
def test_clients_get_equal_rows_while_they_all_have_work(
    jobs: list[tuple[str, int]], turns: int
) -> None:
    scheduler = Scheduler(1)
    read(scheduler, *(job(str(n), client, slots=slots) for n, (client, slots) in enumerate(jobs)))
    rows: Counter[str] = Counter()
    for _ in range(turns):
        (name,) = turn(scheduler)
        client, slots = jobs[int(name)]
        rows[client] += slots + 1
    clients = {client for client, _ in jobs}
    assert max(rows[c] for c in clients) - min(rows[c] for c in clients) <= 2 * 65


def test_who_was_away_has_no_credit() -> None:
    scheduler = Scheduler(1)
    read(scheduler, job("a", "a"))
    for _ in range(100):
        turn(scheduler)
    read(scheduler, job("b", "b"))
    assert Counter(turn(scheduler)[0] for _ in range(10)) == {"a": 5, "b": 5}


def test_contexts_that_are_read_don_t_fill_a_pass() -> None:
    scheduler = Scheduler(8)
    for number in range(8):
        scheduler.add(job(f"new{number}"))
    assert len(scheduler.schedule()) == ROWS // PREFILL_ROWS
    scheduler = Scheduler(8)
    read(scheduler, *(job(f"old{n}", "x") for n in range(4)))
    for number in range(8):
        scheduler.add(job(f"new{number}", "y"))
    chosen = [work.id for work in scheduler.schedule()]
    assert sum(name.startswith("old") for name in chosen) == 4
    assert sum(name.startswith("new") for name in chosen) == 2


def test_a_context_counts_as_read_at_the_first_step() -> None:
    scheduler = Scheduler(8)
    scheduler.add(job("a", slots=3))
    (work,) = scheduler.schedule()
    scheduler.retire([StepResult(work, prefilled=128)])
    assert scheduler._entries["a"].rows == PREFILL_ROWS
    scheduler.retire([StepResult(work, prefilled=7, forwards=1, rows=4)])
    assert scheduler._entries["a"].rows == 4
    assert scheduler._served[""] == 128 + 7 + 4


def test_a_job_that_is_larger_than_a_pass_still_goes() -> None:
    scheduler = Scheduler(8)
    read(scheduler, job("huge", slots=1000), job("small", slots=3))
    assert "huge" in turn(scheduler)


def test_queries_and_causal_jobs_know_their_rows() -> None:
    query = Query("q", Context((5,)), [Part((1, 2, 3), (0,), (1,))])
    scheduler = Scheduler(8)
    read(scheduler, query, job("c", policy="causal", slots=900))
    assert [entry.rows for entry in scheduler._entries.values()] == [4, 1]


def test_a_query_of_many_passes_counts_the_rows_of_the_coming_one() -> None:
    """Without those that a part shares with the first one, and those of other passes."""
    scheduler, ids = Scheduler(8), tuple(range(99))
    whole = Part(ids, (0,), (1,))
    query = Query("q", Context((5,)), [whole, *[replace(whole, rows=(98,), shared=90)] * 100])
    read(scheduler, query)
    assert scheduler._entries["q"].rows == 100 + 45 * 9
    query.answers += [ANSWER] * 46
    assert scheduler._entries["q"].rows == 55 * 9


def test_cancelled_and_late_jobs_end_before_the_next_step() -> None:
    scheduler = Scheduler(8)
    read(scheduler, job("1"), job("10"), job("late", deadline=5.0))
    scheduler.end("1", "cancelled")
    scheduler.end("nobody", "cancelled")
    assert {r.work.id: r.finish for r in scheduler.expired(5.0)} == {
        "1": "cancelled",
        "late": "deadline",
    }
    assert turn(scheduler) == ["10"]
    with pytest.raises(ValueError, match="live already"):
        scheduler.add(job("10"))


def test_nothing_is_left_of_jobs_that_ended() -> None:
    scheduler = Scheduler(8)
    for number in range(200):
        read(scheduler, job(f"j{number}", f"client{number % 7}"))
        if number % 2:
            scheduler.end(f"j{number}", "cancelled")
            scheduler.expired(0.0)
        else:
            scheduler.retire([done(work, finish=True) for work in scheduler.schedule()])
    assert len(scheduler) == 0
    assert not scheduler._served
    assert not scheduler._ending


def test_what_cannot_meet_its_deadline_is_refused_at_once() -> None:
    scheduler = Scheduler(BATCH)
    read(scheduler, *(job(f"j{n}", f"c{n}") for n in range(10)))
    late = job("late", "x", deadline=1.0)
    assert scheduler.turns_before(late, 0.0) == 2
    refusal = scheduler.refusal(late, pace=0.4, now=0.0)
    assert refusal is not None
    assert refusal.retry_after == pytest.approx(1.2)
    assert scheduler.refusal(late, pace=0.3, now=0.0) is None
    assert scheduler.refusal(job("patient", "x"), pace=9.0, now=0.0) is None
    urgent = job("urgent", "x", "auto", deadline=1.0)
    assert scheduler.refusal(urgent, pace=0.9, now=0.0) is None, "it goes first"


def test_too_many_are_refused() -> None:
    scheduler = Scheduler(BATCH)
    read(scheduler, *(job(f"j{n}") for n in range(QUEUE_LIMIT)))
    assert scheduler.refusal(job("more"), 0.0, 0.0) is not None
