"""Every form of a weight gives its product; levels are found where there are some."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from models.groups import GROUP, find_groups
from models.linear import FEW_ROWS, LowRankLinear, PackedLinear
from models.matrix import Matrix, eight_bit

packs_bf16 = pytest.mark.skipif(not torch._C._has_mkldnn, reason="PyTorch without oneDNN")


def as_int8(weight: torch.Tensor) -> Matrix:
    """int8 rows with one scale each."""
    return Matrix(*eight_bit(weight))


def levelled(seed: int, rows: int = 64, columns: int = 96) -> torch.Tensor:
    """A weight of 16 evenly spaced levels in each group, both ends taken, as Q4_1 has them."""
    g = torch.Generator().manual_seed(seed)
    levels = torch.randint(0, 16, (rows, columns // GROUP, GROUP), generator=g)
    levels[..., 0], levels[..., 1] = 0, 15
    spacing = torch.rand(rows, columns // GROUP, 1, generator=g) * 0.05 + 0.05
    low = -7.5 * spacing + 0.1 * torch.randn(spacing.shape, generator=g)
    return (levels * spacing + low).view(rows, columns)


@given(st.integers(0, 10_000))
def test_groups_are_found_again_nearer_to_the_original_than_the_int8_rows(seed: int) -> None:
    weight = levelled(seed)
    rounded = as_int8(weight)
    found = find_groups(rounded)
    assert found is not None
    error = (found.dense() - weight).square().mean()
    assert error < (rounded.dense() - weight).square().mean()


def test_weights_without_levels_stay_as_they_are() -> None:
    g = torch.Generator().manual_seed(1)
    assert find_groups(as_int8(torch.randn(64, 96, generator=g))) is None
    assert find_groups(Matrix(levelled(1))) is None, "floats are not touched"
    assert find_groups(as_int8(levelled(1)[:, :80])) is None, "groups need whole columns"


@packs_bf16
@pytest.mark.parametrize("kind", ["levels", "int8", "floats"])
@pytest.mark.parametrize("rows", [1, FEW_ROWS, FEW_ROWS + 1, 30])
@pytest.mark.parametrize("with_bias", [False, True])
def test_every_form_gives_the_product(kind: str, rows: int, with_bias: bool) -> None:
    g = torch.Generator().manual_seed(rows)
    weight = levelled(2) if kind == "levels" else torch.randn(64, 96, generator=g)
    matrix = Matrix(weight) if kind == "floats" else as_int8(weight)
    bias = torch.randn(64, generator=g).bfloat16() if with_bias else None
    x = torch.randn(rows, 96, generator=g).bfloat16()
    expected = x.float() @ matrix.dense().T + (0 if bias is None else bias.float())
    found = PackedLinear(matrix, bias)(x).float()
    assert (found - expected).norm() < 0.02 * expected.norm()


@packs_bf16
@pytest.mark.parametrize("rows", [1, FEW_ROWS, FEW_ROWS + 1])
def test_low_rank_terms_are_added_whatever_their_form(rows: int) -> None:
    g = torch.Generator().manual_seed(rows)
    matrix = Matrix(torch.randn(64, 96, generator=g))
    a, b = torch.randn(32, 96, generator=g) / 4, torch.randn(64, 32, generator=g) / 4
    x = torch.randn(rows, 96, generator=g).bfloat16()
    both = LowRankLinear(PackedLinear(matrix, None), a.bfloat16(), b.bfloat16())
    expected = x.float() @ (matrix.dense() + b @ a).T
    assert (both(x).float() - expected).norm() < 0.02 * expected.norm()


@packs_bf16
@pytest.mark.parametrize("inner", [8, 24, 40])
def test_rows_that_are_no_whole_steps_are_not_read_beyond(inner: int) -> None:
    g = torch.Generator().manual_seed(inner)
    x = torch.randn(FEW_ROWS, inner, generator=g).bfloat16()
    matrix = as_int8(torch.randn(64, inner, generator=g))
    expected = x.float() @ matrix.dense().T
    found = PackedLinear(matrix, None)(x).float()
    assert (found - expected).norm() < 0.02 * expected.norm()


@packs_bf16
@pytest.mark.parametrize("rank", [8, 24])
def test_low_rank_terms_of_any_rank_are_added(rank: int) -> None:
    g = torch.Generator().manual_seed(rank)
    matrix = Matrix(torch.randn(64, 96, generator=g))
    a, b = torch.randn(rank, 96, generator=g) / 4, torch.randn(64, rank, generator=g) / 4
    x = torch.randn(FEW_ROWS, 96, generator=g).bfloat16()
    both = LowRankLinear(PackedLinear(matrix, None), a.bfloat16(), b.bfloat16())
    expected = x.float() @ (matrix.dense() + b @ a).T
    assert (both(x).float() - expected).norm() < 0.02 * expected.norm()
