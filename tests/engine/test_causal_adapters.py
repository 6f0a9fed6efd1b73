"""A hole's causal rows with adapters of their own: contexts and questions stay the base's."""

from pathlib import Path

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.query import Part, Query
from models.loader import Model
from models.transformer import Pass, RowGroup, RowKind
from tests.engine.recording import finish, log_probs, make_engine, make_job, run
from tests.tiny import tiny_model

IDS = st.integers(17, 319)
FEW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.fixture(scope="module")
def adapted(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """A tiny model whose causal rows have adapters."""
    return tiny_model(tmp_path_factory.mktemp("adapted"), causal_rank=3)


def uncached(model: Model, prefix: list[int], suffix: list[int], tokens: list[int]) -> torch.Tensor:
    """Logits of the anchor and all of `tokens` in one pass of causal rows over base contexts."""
    t, layout = model.transformer, model.config.layout
    text = [5, *prefix]
    context = []
    for ids, places in ((suffix, layout.suffix(len(suffix))), (text, layout.prefix(len(text)))):
        if ids:
            store = t.new_key_values()
            group = RowGroup(0, len(ids), (), store)
            t.forward(Pass(torch.tensor(ids), torch.tensor(places), len(ids), (group,)))
            context.append((store, len(ids)))
    rows = [text[-1], *tokens]
    group = RowGroup(0, len(rows), tuple(context), t.new_key_values(), skip=1)
    places = torch.tensor(layout.canvas(len(text), len(tokens)))
    hidden = t.forward(Pass(torch.tensor(rows), places, len(rows), (group,), causal=0))
    return t.logits(hidden, RowKind.CAUSAL)


@FEW
@given(prefix=st.lists(IDS, max_size=30), suffix=st.lists(IDS, max_size=20))
def test_token_by_token_equals_one_pass_of_adapted_rows(
    adapted: Model, prefix: list[int], suffix: list[int]
) -> None:
    tokens, seen = run(adapted, make_job(prefix, suffix))
    expected = uncached(adapted, prefix, suffix, tokens[: len(seen) - 1])
    for one, row in zip(seen, log_probs(adapted, expected), strict=True):
        torch.testing.assert_close(log_probs(adapted, one)[0], row, atol=2e-4, rtol=1e-4)


@FEW
@given(prefix=st.lists(IDS, max_size=30), suffix=st.lists(IDS, max_size=20))
def test_speculate_equals_causal(adapted: Model, prefix: list[int], suffix: list[int]) -> None:
    drafted, _ = run(adapted, make_job(prefix, suffix, policy="speculate"))
    plain, _ = run(adapted, make_job(prefix, suffix))
    assert drafted == plain


def test_adapters_change_causal_rows_and_nothing_else(adapted: Model, tmp_path: Path) -> None:
    plain = tiny_model(tmp_path / "plain")
    prefix, suffix = list(range(20, 40)), list(range(50, 60))
    answers = {}
    for name, model in (("adapted", adapted), ("plain", plain)):
        part = Part((60, 61), (0, 1, 2), (60, 61, 62))
        query = Query("q", make_job(prefix, suffix).context, [part])
        finish(make_engine(model)[0], query)
        _, causal = run(model, make_job(prefix, suffix))
        _, canvas = run(model, make_job(prefix, suffix, policy="fixed"))
        answers[name] = query.answers[0].target, causal[0], canvas[0]
    (question, causal, canvas), (plain_question, plain_causal, plain_canvas) = answers.values()
    assert question.tolist() == pytest.approx(plain_question.tolist(), abs=1e-5)
    torch.testing.assert_close(canvas, plain_canvas, atol=1e-5, rtol=1e-5)
    assert not torch.allclose(causal, plain_causal, atol=1e-2)


def test_a_batch_of_all_kinds_of_rows_gives_each_job_what_it_gets_alone(adapted: Model) -> None:
    policies = ["causal", "fixed", "speculate", "causal"]
    jobs = [
        make_job([20 + n, 30], [31], 3 + n, policy, str(n)) for n, policy in enumerate(policies)
    ]
    finish(make_engine(adapted)[0], *jobs)
    for n, job in enumerate(jobs):
        alone, _ = run(adapted, make_job([20 + n, 30], [31], 3 + n, policies[n]))
        assert job.canvas.tokens.tolist() == alone
