"""The two readings and the caches under them: every road to the same question, one answer."""

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from torch import Tensor

import engine.runner
from models.loader import Model
from models.transformer import Pass, RowGroup, RowKind
from tests.engine.recording import finish, make_engine, make_job, run

IDS = st.integers(17, 319)
PREFIX = st.lists(IDS, max_size=40)
SUFFIX = st.lists(IDS, max_size=32)
SLOW_FIXTURES = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


def close(a: list[Tensor], b: list[Tensor]) -> None:
    for left, right in zip(a, b, strict=True):
        torch.testing.assert_close(left, right, atol=2e-4, rtol=1e-4)


def plain_causal(model: Model, ids: list[int]) -> Tensor:
    """Logits of the last row of one uncached causal forward at the prefix's positions."""
    store = model.transformer.new_key_values()
    positions = torch.tensor(list(model.config.layout.prefix(len(ids))))
    group = RowGroup(0, len(ids), (), store)
    hidden = model.transformer.forward(Pass(torch.tensor(ids), positions, len(ids), (group,)))
    return model.transformer.logits(hidden[-1:], RowKind.BASE)


@SLOW_FIXTURES
@given(prefix=PREFIX)
def test_the_causal_reading_without_a_suffix_is_the_plain_causal_forward(
    tiny: Model, prefix: list[int]
) -> None:
    """Every row, the anchor's first of all."""
    tokens, seen = run(tiny, make_job(prefix, slots=4))
    close(seen, [plain_causal(tiny, [5, *prefix, *tokens[:n]]) for n in range(len(seen))])


@SLOW_FIXTURES
@given(prefix=PREFIX, suffix=SUFFIX, chunk=st.integers(1, 7))
@pytest.mark.parametrize("policy", ["causal", "fixed", "threshold"])
def test_chunked_and_whole_prefill_agree(
    tiny: Model, policy: str, prefix: list[int], suffix: list[int], chunk: int
) -> None:
    whole = run(tiny, make_job(prefix, suffix, policy=policy))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.runner, "CHUNK", chunk)
        chunked = run(tiny, make_job(prefix, suffix, policy=policy))
    close(whole[1], chunked[1])
    assert whole[0] == chunked[0]


@SLOW_FIXTURES
@given(prefix=PREFIX, typed=st.lists(IDS, max_size=20), cut=st.integers(0, 10), suffix=SUFFIX)
@pytest.mark.parametrize("policy", ["causal", "fixed"])
def test_a_typed_prefix_on_a_warm_cache_agrees_with_a_cold_start(
    tiny: Model, policy: str, prefix: list[int], typed: list[int], cut: int, suffix: list[int]
) -> None:
    """Append, delete and change the end of the prefix; the segments that stand are reused."""
    engine_, recording = make_engine(tiny)
    finish(engine_, make_job(prefix, suffix, policy=policy))
    changed = prefix[: max(0, len(prefix) - cut)] + typed
    recording.seen.clear()
    warm = make_job(changed, suffix, policy=policy)
    finish(engine_, warm)
    tokens, seen = run(tiny, make_job(changed, suffix, policy=policy))
    close(recording.seen, seen)
    assert warm.canvas.tokens.tolist() == tokens


def test_the_context_is_not_computed_twice(tiny: Model) -> None:
    engine_, _ = make_engine(tiny)
    prefix, suffix = list(range(20, 60)), list(range(60, 70))
    prefilled, cached = [], []
    for name, ids in (("cold", prefix), ("same", prefix), ("typed", [*prefix, 99])):
        engine_.add(make_job(ids, suffix, name=name))
        results = [result for _ in iter(lambda: engine_.busy, False) for result in engine_.step()]
        prefilled.append(sum(result.prefilled for result in results))
        cached.append(sum(result.cached for result in results))
    assert prefilled == [51, 0, 1]
    assert cached == [0, 51, 51]


@SLOW_FIXTURES
@given(
    prefixes=st.lists(PREFIX, min_size=2, max_size=4),
    policies=st.lists(st.sampled_from(["causal", "fixed", "threshold"]), min_size=4, max_size=4),
)
def test_a_batch_gives_each_job_what_it_gets_alone(
    tiny: Model, prefixes: list[list[int]], policies: list[str]
) -> None:
    """Ragged jobs, both readings in one pass, some still prefilling."""
    engine_, _ = make_engine(tiny)
    jobs = [
        make_job(ids, [30, 31], slots=3 + n, policy=policies[n], name=str(n))
        for n, ids in enumerate(prefixes)
    ]
    finish(engine_, *jobs)
    for n, job in enumerate(jobs):
        alone, _ = run(tiny, make_job(prefixes[n], [30, 31], 3 + n, policies[n]))
        assert job.canvas.tokens.tolist() == alone


def test_cancelled_prefill_is_kept_and_continued(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.runner, "CHUNK", 8)
    engine_, _ = make_engine(tiny)
    prefix = list(range(20, 60))
    engine_.add(make_job(prefix, name="first"))
    engine_.step()
    engine_.step()
    engine_.cancel("first")
    assert [result.finish for result in engine_.step()] == ["cancelled"]
    engine_.add(make_job(prefix, name="second"))
    assert engine_.step()[0].cached == 16


def test_two_jobs_that_share_a_growing_prefix_do_not_disturb_each_other(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine.runner, "CHUNK", 8)
    engine_, _ = make_engine(tiny)
    shared = list(range(20, 50))
    jobs = [make_job([*shared, 100 + n], name=str(n)) for n in range(3)]
    finish(engine_, *jobs)
    for n, job in enumerate(jobs):
        assert job.canvas.tokens.tolist() == run(tiny, make_job([*shared, 100 + n]))[0]
