"""Several holes in one pass: against one dense forward, alone, cut into chunks, and in a batch."""

from dataclasses import dataclass

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

import engine.runner
from engine.canvas import Canvas
from engine.core import Engine
from engine.job import Job, JointJob
from engine.policies import POLICIES, Plan
from engine.query import Context
from engine.runner import Runner
from engine.scheduler import Scheduler
from models.loader import Model
from models.transformer import Pass, RowGroup, RowKind, Transformer
from tests.engine.recording import finish, make_engine, make_job, run

IDS = st.integers(17, 319)
FAST = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
POLICY = st.sampled_from(["fixed", "threshold", "factor"])


@dataclass(frozen=True)
class Text:
    """Fixed text around and between holes, and the holes' sizes."""

    prefix: list[int]
    suffix: list[int]
    references: list[list[int]]
    betweens: list[list[int]]
    slots: list[int]
    policies: list[str]

    def job(self, name: str = "joint") -> JointJob:
        context = Context((5, *self.prefix), tuple(self.suffix), tuple(map(tuple, self.references)))
        holes = [
            Job(f"{name}#{n}", context, Canvas(size, 16), POLICIES[policy], Plan(steps=3))
            for n, (size, policy) in enumerate(zip(self.slots, self.policies, strict=True))
        ]
        return JointJob(name, context, tuple(holes), tuple(map(tuple, self.betweens)))


@st.composite
def texts(draw: st.DrawFn) -> Text:
    holes = draw(st.integers(2, 4))
    some = st.lists(IDS, min_size=1, max_size=12)
    return Text(
        draw(st.lists(IDS, max_size=30)),
        draw(st.lists(IDS, max_size=12)),
        draw(st.lists(some, max_size=2)),
        [draw(some) for _ in range(holes - 1)],
        [draw(st.integers(1, 7)) for _ in range(holes)],
        [draw(POLICY) for _ in range(holes)],
    )


def answers(job: JointJob) -> list[list[int]]:
    return [hole.canvas.tokens.tolist() for hole in job.holes]


class Dense(Transformer):
    """One group whose own mask is given: no caches, no blocks, nothing to join."""

    seen: Tensor

    def _mask(self, group: RowGroup) -> Tensor:
        return torch.zeros(self.seen.shape).masked_fill(~self.seen, -30000.0)


@dataclass(frozen=True)
class Row:
    """One row of the dense reference, as the design tells it."""

    kind: str
    number: int
    id: int
    position: int

    def sees(self, other: "Row", earlier: bool) -> bool:
        """Whether this row sees `other`, which stands before it (or is it) if `earlier`."""
        if other.kind == "anchor":
            return False
        if self.kind in ("anchor", "slot"):
            return True
        if self.kind == "between":
            return other.kind == "prefix" or (other.kind == "between" and earlier)
        return earlier and (self.kind, self.number) == (other.kind, other.number)


def rows_by_hand(text: Text) -> list[Row]:
    """Windows of the tiny model: suffix at 0, references at 32, prefix at 64."""
    rows = [Row("suffix", 0, token, n) for n, token in enumerate(text.suffix)]
    for number, ids in enumerate(text.references):
        rows += [Row("reference", number, token, 32 + n) for n, token in enumerate(ids)]
    rows += [Row("prefix", 0, token, 64 + n) for n, token in enumerate([5, *text.prefix])]
    at, anchor, behind = 64 + 1 + len(text.prefix), [5, *text.prefix][-1], []
    for number, size in enumerate(text.slots):
        behind.append(Row("anchor", number, anchor, at - 1))
        behind += [Row("slot", number, 16, at + n) for n in range(size)]
        at += size
        if number < len(text.betweens):
            ids = text.betweens[number]
            rows += [Row("between", number, token, at + n) for n, token in enumerate(ids)]
            at, anchor = at + len(ids), ids[-1]
    return rows + behind


def dense(model: Model, text: Text) -> Tensor:
    """Logits of every slot of every hole, all masked, from one forward over everything."""
    inner, rows = model.transformer, rows_by_hand(text)
    reference = Dense(inner.config, inner.ends, inner.base, inner.canvas)
    reference.seen = torch.tensor(
        [[row.sees(other, k <= q) for k, other in enumerate(rows)] for q, row in enumerate(rows)]
    )
    split = sum(row.kind not in ("anchor", "slot") for row in rows)
    ids, places = torch.tensor([row.id for row in rows]), torch.tensor([r.position for r in rows])
    group = RowGroup(0, len(rows), (), reference.new_key_values())
    hidden = reference.forward(Pass(ids, places, split, (group,)))
    probed, at = [], split
    for size in text.slots:  # the anchor predicts the first slot
        probed.append(hidden[at : at + size])
        at += 1 + size
    return reference.logits(torch.cat(probed), RowKind.CANVAS)


@FAST
@given(text=texts())
def test_the_first_pass_equals_one_dense_forward(tiny: Model, text: Text) -> None:
    engine_, recording = make_engine(tiny)
    finish(engine_, text.job())
    torch.testing.assert_close(recording.seen[0], dense(tiny, text), atol=2e-4, rtol=1e-4)


@FAST
@given(text=texts(), chunk=st.integers(1, 7))
def test_chunks_make_no_difference(tiny: Model, text: Text, chunk: int) -> None:
    whole, cut = text.job(), text.job()
    finish(make_engine(tiny)[0], whole)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.runner, "CHUNK", chunk)
        engine_, recording = make_engine(tiny)
        finish(engine_, cut)
    torch.testing.assert_close(recording.seen[0], dense(tiny, text), atol=2e-4, rtol=1e-4)
    assert answers(cut) == answers(whole)


@FAST
@given(prefix=st.lists(IDS, max_size=30), suffix=st.lists(IDS, max_size=12), policy=POLICY)
def test_one_hole_is_the_plain_job(
    tiny: Model, prefix: list[int], suffix: list[int], policy: str
) -> None:
    plain, seen = run(tiny, make_job(prefix, suffix, policy=policy))
    engine_, recording = make_engine(tiny)
    alone = Text(prefix, suffix, [], [], [6], [policy]).job()
    finish(engine_, alone)
    assert answers(alone) == [plain]
    for ours, theirs in zip(recording.seen, seen, strict=True):
        torch.testing.assert_close(ours, theirs, atol=0, rtol=0)


@FAST
@given(many=st.lists(texts(), min_size=2, max_size=3), prefix=st.lists(IDS, max_size=20))
def test_a_batch_gives_each_text_what_it_gets_alone(
    tiny: Model, many: list[Text], prefix: list[int]
) -> None:
    """Beside other joint jobs and a plain one that shares the first prefix."""
    jobs = [text.job(str(n)) for n, text in enumerate(many)]
    other = make_job(many[0].prefix + prefix, name="plain")
    finish(make_engine(tiny)[0], *reversed(jobs), other)
    for text, job in zip(many, jobs, strict=True):
        alone = text.job()
        finish(make_engine(tiny)[0], alone)
        assert answers(job) == answers(alone)


@FAST
@given(text=texts())
def test_a_warm_cache_makes_no_difference(tiny: Model, text: Text) -> None:
    engine_, _ = make_engine(tiny)
    first, again = text.job("first"), text.job("again")
    finish(engine_, first)
    finish(engine_, again)
    assert answers(first) == answers(again)


def test_the_text_between_is_computed_once(tiny: Model) -> None:
    text = Text([20] * 9, [30] * 4, [], [[40] * 3, [41] * 2], [6, 6, 6], ["fixed"] * 3)
    engine_, _ = make_engine(tiny)
    engine_.add(text.job())
    results = [result for _ in iter(lambda: engine_.busy, False) for result in engine_.step()]
    assert [result.prefilled for result in results] == [10 + 4 + 5, 0, 0]
    assert [result.forwards for result in results] == [1, 1, 1]


def test_a_hole_that_has_ended_stays_in_sight_and_unchanged(tiny: Model) -> None:
    """The first hole takes one step, the second six; the last steps see the first one's text."""
    text = Text([20, 21], [], [], [[40, 41]], [4, 6], ["fixed", "fixed"])

    def with_first(tokens: list[int] | None) -> tuple[JointJob, list[Tensor]]:
        job = text.job()
        job.holes[0].plan = Plan(steps=1)
        job.holes[1].plan = Plan(steps=6)
        for slot, token in enumerate(tokens or []):
            job.holes[0].canvas.fix(slot, token)
        engine_, recording = make_engine(tiny)
        engine_.add(job)
        for _ in range(2):
            engine_.step()
        found = answers(job)[0]
        finish(engine_)
        assert answers(job)[0] == found
        return job, recording.seen

    job, seen = with_first(None)
    _, other = with_first([300, 301, 302])
    assert [hole.step for hole in job.holes] == [1, 6]
    assert len(seen[-1]) == 1 and not torch.allclose(seen[-1], other[-1])


def test_finishes_of_all_holes_make_the_finish(tiny: Model) -> None:
    text = Text([20], [], [], [[40]], [3, 5], ["fixed", "fixed"])
    job = text.job()
    job.holes[0].stop = lambda tokens: len(tokens) >= 1
    job.holes[1].limit = 5
    engine_, _ = make_engine(tiny)
    engine_.add(job)
    *_, last = [result for _ in iter(lambda: engine_.busy, False) for result in engine_.step()]
    assert job.finishes[0] == "stop" and job.finishes[1] == "length"
    assert last.finish == "length"


def test_a_passed_deadline_ends_all_holes(tiny: Model) -> None:
    job = Text([20], [], [], [[40]], [6, 6], ["threshold", "threshold"]).job()
    job.deadline = 0.0
    engine_, _ = make_engine(tiny)
    engine_.add(job)
    [result] = engine_.step()
    assert result.finish == "deadline" and not engine_.busy


def test_a_deadline_hurries_every_hole(tiny: Model) -> None:
    job = Text([20], [], [], [[40]], [40, 40], ["threshold", "threshold"]).job()
    job.deadline = 8.5  # in ticks, two a pass
    ticks = iter(range(1000))
    banned = tiny.tokenizer.silent_ids - {tiny.config.eos_id}
    engine_ = Engine(Runner(tiny.transformer, 1 << 20, banned), Scheduler(8), lambda: next(ticks))
    engine_.add(job)
    *_, last = [result for _ in iter(lambda: engine_.busy, False) for result in engine_.step()]
    assert last.finish == "converged"
    assert [hole.step < 10 for hole in job.holes] == [True, True]


def test_holes_side_by_side_and_causal_ones_are_refused() -> None:
    with pytest.raises(ValueError, match="between two holes"):
        Text([20], [], [], [[]], [2, 2], ["fixed", "fixed"]).job()
    with pytest.raises(ValueError, match="canvas reading"):
        Text([20], [], [], [[30]], [2, 2], ["fixed", "causal"]).job()
