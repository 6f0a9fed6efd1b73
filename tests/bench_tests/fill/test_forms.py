"""Every form of the weights is the same model but for its rounding."""

import pytest
import torch

from models.groups import Groups
from models.linear import FourBit
from models.loader import Model
from models.matrix import Matrix, eight_bit
from tests.bench.fill.context import line_nll
from tests.bench.fill.forms import CONTEXT, FORMS, ROWS, forms, in_form, read_weights
from tests.bench.fill.heldout import Place

PLACE = Place("a.py", "def f(x):\n    y = x\n" * 6, "    return y", "\n\nprint(f(1))\n")


def test_forms_differ_in_rounding_alone(tiny: Model) -> None:
    said: list[str] = []
    rows = {row["form"]: row for row in forms(tiny, [PLACE], said.append)}
    assert set(rows) == {"float32", "bfloat16", "int8 rows"}  # random weights have no levels
    assert any("four-bit" in line and "not for" in line for line in said)
    exact = rows["float32"]["nll"]
    assert all(row["nll"] == pytest.approx(exact, rel=0.02) for row in rows.values())
    assert rows["int8 rows"]["mib"] * 4 == rows["float32"]["mib"] > 0
    assert all(set(row["ms"]) == {str(n) for n in ROWS} for row in rows.values())


def test_another_form_is_another_model(tiny: Model) -> None:
    """The loss is that of the form's own matrices."""
    weights = read_weights(tiny)
    halved = [{n: Matrix(w.dense() / 2) for n, w in layer.items()} for layer in weights]
    form = FORMS["float32"]
    same, other = (
        in_form(
            tiny,
            form,
            [{n: linear for n, w in layer.items() if (linear := form.make(w))} for layer in made],
        )
        for made in (weights, halved)
    )
    assert line_nll(same, PLACE, CONTEXT) == pytest.approx(line_nll(tiny, PLACE, CONTEXT), rel=1e-5)
    assert line_nll(other, PLACE, CONTEXT) != pytest.approx(
        line_nll(tiny, PLACE, CONTEXT), rel=1e-3
    )


def test_levels_are_found_under_int8_rows() -> None:
    levels = torch.randint(0, 16, (64, 64), generator=torch.Generator().manual_seed(1)).int()
    levels.view(64, -1, 32)[..., :2] = torch.tensor([0, 15]).int()
    means = torch.full((64, 2), 0.01).bfloat16()
    dense = Groups(levels, means, means).dense()
    assert isinstance(FORMS["four-bit groups"].make(Matrix(*eight_bit(dense))), FourBit)
