"""The NLL that is measured is the engine's own causal reading."""

import pytest
import torch

from models.loader import Model
from models.transformer import Pass, RowGroup, RowKind
from tests.bench.fill.context import line_nll, nll_by_context
from tests.bench.fill.heldout import Place

PLACE = Place("a.py", "def f(x):\n    y = x\n" * 6, "    return y", "\n\nprint(f(1))\n")


def test_nll_is_that_of_one_token_after_another(tiny: Model) -> None:
    """The same line, one row a pass, with every segment in one chunk."""
    text = PLACE.prefix + PLACE.line + PLACE.suffix
    ids, offsets = tiny.tokenizer.encode_with_offsets(text)
    begin, end = len(PLACE.prefix.rstrip()), len(PLACE.prefix + PLACE.line)
    hole = [n for n, (start, stop) in enumerate(offsets) if stop > begin and start < end]
    layout, run = tiny.config.layout, tiny.transformer
    stores = run.new_key_values(), run.new_key_values()
    suffix = ids[hole[-1] + 1 :][: layout.suffix_limit]
    text_ids = [tiny.config.separator_id, *ids[: hole[0]], *(ids[n] for n in hole)]
    for store, part, origin in (
        (stores[0], suffix, layout.suffix_start),
        (stores[1], text_ids[: hole[0]], layout.prefix_origin),
    ):
        group = RowGroup(0, len(part), (), store)
        positions = torch.arange(origin, origin + len(part))
        run.forward(Pass(torch.tensor(part), positions, len(part), (group,)))
    losses = []
    for at in range(hole[0], hole[0] + len(hole)):
        seen = ((stores[0], len(suffix)), (stores[1], at))
        group = RowGroup(0, 1, seen, stores[1], at)
        position = torch.tensor([layout.prefix_origin + at])
        hidden = run.forward(Pass(torch.tensor([text_ids[at]]), position, 1, (group,)))
        losses.append(-run.logits(hidden, RowKind.BASE).log_softmax(-1)[0, text_ids[at + 1]])
    assert line_nll(tiny, PLACE, 1000) == pytest.approx(float(torch.stack(losses).mean()), rel=1e-4)


def test_a_line_may_be_the_last_one_without_a_newline(tiny: Model) -> None:
    place = Place(PLACE.file, PLACE.prefix, PLACE.line, "")
    assert line_nll(tiny, place, 1000) > 0


def test_rise_is_counted_from_the_best_shorter_context(tiny: Model) -> None:
    result = nll_by_context(tiny, [PLACE, PLACE], (4, 8, 16, 32))
    nll = [row["nll"] for row in result["rows"]]
    for n, row in enumerate(result["rows"]):
        assert row["rise"] == pytest.approx(nll[n] - min(nll[: n + 1]), abs=1e-9)
        assert row["standard_error"] == pytest.approx(0.0, abs=1e-9)
