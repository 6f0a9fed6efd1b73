"""Variants of training are trained for the same time, once, and put side by side."""

import json
import random
from dataclasses import asdict, replace
from pathlib import Path

import pytest
import torch

from models.layout import Layout
from models.loader import read_config
from models.training.ablations import VARIANTS, ablations, markdown, usual_settings, varied
from models.training.adapters import adapter_tensors
from models.training.kernels import DenseLinear, applied
from models.training.masks import Specials, canvas, draw_slots
from models.training.network import Dense
from models.training.pack import NOISE
from models.training.settings import Settings, layout
from models.training.trainer import build, train
from tests.models.training.conftest import settings


def test_a_whole_matrix_has_autograds_gradients() -> None:
    torch.manual_seed(0)
    dense = Dense(torch.randn(5, 4))
    x, given = torch.randn(3, 4, requires_grad=True), torch.randn(3, 5)
    dense(x).backward(given)
    other = x.detach().clone().requires_grad_()
    weight = dense.weight.detach().clone().requires_grad_()
    (other @ weight.T).backward(given)  # type: ignore[no-untyped-call]
    assert x.grad is not None and other.grad is not None
    torch.testing.assert_close(x.grad, other.grad)
    torch.testing.assert_close(dense.weight.grad, weight.grad)
    assert applied(DenseLinear, x, dense.weight, dense.merged).shape == (3, 5)


def test_whole_matrices_learn_and_are_no_adapters(
    folder: Path, shards: Path, tmp_path: Path
) -> None:
    chosen = replace(settings(folder, shards), rank=0, steps=2)
    train(chosen, tmp_path)
    lines = [json.loads(line) for line in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert lines[-1]["held"]["1"] > 0
    with pytest.raises(ValueError, match="no adapters"):
        adapter_tensors(build(chosen)[0])


def test_a_canvas_without_noise_has_none(folder: Path) -> None:
    config = read_config(folder)
    specials = Specials(config.eos_id, config.pad_id, config.mask_id)
    filled = canvas(list(range(40, 60)), specials, random.Random(0))

    def kinds(noisy: bool) -> set[int]:
        slots = draw_slots(filled, [70, 71], specials, random.Random(1), noisy)
        return {kind for _, losses in slots for *_, kind in losses}

    assert NOISE in kinds(True)
    assert NOISE not in kinds(False)


def test_the_windows_before_a_prefix_end_where_it_starts() -> None:
    assert layout(512) == Layout()
    assert layout(128).reference_limit == 0
    assert layout(1024).reference_limit == Layout().reference_limit


def test_variants_are_trained_once(tmp_path: Path) -> None:
    trained = []

    def fake(settings: Settings, folder: Path) -> None:
        trained.append((settings, folder.name))
        folder.mkdir(parents=True)
        lines: list[dict[str, object]] = [
            {"step": 9, "canvas_rows": 1234, "real": 3.0},
            {"step": 9, "canvas_rows": 1234, "held": {"1": 5.5, "tail": 2.25}},
        ]
        (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
        (folder / "settings.json").write_text(json.dumps(asdict(settings)))

    usual = usual_settings("shards", 60.0)
    rows = ablations(usual, tmp_path, ["rank 64", "rank 32"], fake)
    assert ablations(usual, tmp_path, ["rank 64", "rank 32"], fake) == rows
    assert [(s.rank, name) for s, name in trained] == [(64, "rank-64"), (32, "rank-32")]
    assert (tmp_path / "ablations.md").read_text() == markdown(rows)
    assert "| rank 32 | 1,234 | 9 | 5.500 | 2.250 |" in markdown(rows)
    with pytest.raises(SystemExit, match="other settings"):
        ablations(usual_settings("shards", 300.0), tmp_path, ["rank 64"], fake)
    assert len(trained) == 2


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_changes_what_its_name_says(name: str) -> None:
    usual = usual_settings("shards", 60.0)
    assert (varied(usual, name) == usual) == (name == "rank 64")


def test_an_unknown_variant_is_refused_with_the_known_ones() -> None:
    with pytest.raises(SystemExit, match="rank 128"):
        varied(usual_settings("shards", 60.0), "rank 1")
