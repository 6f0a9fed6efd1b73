"""A run learns, resumes exactly, exports what the engine reads, and its workers agree."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.loader import load
from models.training.adapters import adapter_tensors
from models.training.export import export
from models.training.held import canvas_nll, digest, held_spans
from models.training.masks import ReadingName
from models.training.passes import Passes
from models.training.samples import Mix, Sampler
from models.training.settings import Settings, learning_rate
from models.training.shards import Shard
from models.training.state import TrainingState
from models.training.trainer import build, run_loss, time_left, train
from models.training.workers import Worker
from tests.models.training.conftest import settings


def test_a_tiny_model_fits_32_holes(folder: Path, shards: Path) -> None:
    s = settings(folder, shards)
    network, config, tokenizer = build(s)
    state = TrainingState(network, 1e-2, 0.0)
    sampler = Sampler(Shard(shards / "train"), tokenizer, config, Mix(longest=12, joint=0, edits=0))
    passes = Passes(replace(s, rows=2200, pass_rows=700), Worker(0, 1), sampler)[0]
    holes = sum(chunk.groups for packed, _ in passes for chunk in packed.chunks)
    assert holes >= 32

    def epoch() -> float:
        total = weight = 0.0
        for raw, _ in passes:
            packed = raw.to(torch.device("cpu"), network.base.embedding.dtype)
            loss, _ = run_loss(network, packed)
            loss.backward()  # type: ignore[no-untyped-call]
            total, weight = total + loss.item(), weight + float(packed.weights.sum())
        for gradient in state.gradients:
            gradient /= weight
        state.update(4e-2, 1.0, 0.9)
        return total / weight

    first = epoch()
    last = [epoch() for _ in range(20)][-1]
    assert last < 0.7 * first


def test_a_run_that_was_interrupted_ends_as_one_that_was_not(
    folder: Path, shards: Path, tmp_path: Path
) -> None:
    whole = settings(folder, shards)
    train(whole, tmp_path / "whole")
    train(replace(whole, steps=2), tmp_path / "parts")
    train(whole, tmp_path / "parts")
    a, b = (torch_state(tmp_path / name) for name in ("whole", "parts"))
    assert a.keys() == b.keys()
    assert all(torch.equal(a[name], b[name]) for name in a)
    lines = [json.loads(x) for x in (tmp_path / "parts" / "log.jsonl").read_text().splitlines()]
    assert [line["step"] for line in lines if "real" in line] == [1, 2, 3, 4]
    assert all(line["held"]["1"] > 0 for line in lines if "held" in line)


def torch_state(run: Path) -> dict[str, torch.Tensor]:
    from safetensors.torch import load_file

    return load_file(run / "state.safetensors")


def test_two_workers_add_their_gradients(folder: Path, shards: Path, tmp_path: Path) -> None:
    s = replace(settings(folder, shards), workers=2, steps=1, held_count=0)
    train(s, tmp_path / "two")
    network, config, tokenizer = build(s)
    state = TrainingState(network, s.rate, s.weight_decay)
    sampler = Sampler(Shard(shards / "train"), tokenizer, config, Mix(edits=s.edits))
    weight = 0.0
    for number in range(2):
        for packed, _ in Passes(s, Worker(number, 2), sampler)[0]:
            packed = packed.to(torch.device("cpu"), network.base.embedding.dtype)
            loss, _ = run_loss(network, packed)
            loss.backward()  # type: ignore[no-untyped-call]
            weight += float(packed.weights.sum())
    for gradient in state.gradients:
        gradient /= weight
    state.update(learning_rate(s, 0, 0.0), s.clip, s.average)
    stored = torch_state(tmp_path / "two")
    torch.testing.assert_close(stored["first.0"], state.tensors()["first.0"], rtol=5e-2, atol=1e-4)


@pytest.mark.parametrize("reading", ["canvas", "causal"])
def test_exported_adapters_are_what_was_trained(
    reading: ReadingName, folder: Path, shards: Path, tmp_path: Path
) -> None:
    s = replace(settings(folder, shards), steps=2, held_count=2, save_seconds=0, reading=reading)
    train(s, tmp_path / "run")
    names = export(tmp_path / "run", tmp_path / "out")
    for file in folder.glob("*"):
        if file.name not in ("config.json", "canvas.safetensors" if reading == "canvas" else ""):
            (tmp_path / "out" / file.name).write_bytes(file.read_bytes())
    model = load(tmp_path / "out", torch.float32, torch.device("cpu"))
    assert names == [f"{reading}-00001-of-00001.safetensors"]
    assert model.config.layout.prefix_origin == 512
    assert (model.transformer.causal is model.transformer.base) is (reading == "canvas")
    network, _, _ = build(replace(s, model=str(tmp_path / "out"), fresh=False))
    trained, _, _ = build(s)
    state = TrainingState(trained, s.rate, s.weight_decay)
    state.resume(tmp_path / "run" / "state.safetensors")
    state.swap_average()
    again, first = adapter_tensors(network, reading), adapter_tensors(trained, reading)
    assert all(torch.equal(again[name], first[name]) for name in first)
    export(tmp_path / "run", tmp_path / "out", 0.5)
    network, _, _ = build(replace(s, model=str(tmp_path / "out"), fresh=False))
    for name, tensor in adapter_tensors(network, reading).items():
        assert torch.equal(tensor, first[name] * (0.5 if name.endswith("_b") else 1.0))


def test_rates_warm_up_stay_and_fall() -> None:
    s = Settings(shards="", warm=10, rate=1.0, decay_from=0.75)
    assert [learning_rate(s, n, 0.1) for n in (0, 9, 50)] == [0.1, 1.0, 1.0]
    assert [round(learning_rate(s, 99, p), 3) for p in (0.75, 0.875, 1.0)] == [1.0, 0.5, 0.03]


def test_held_spans_are_frozen(folder: Path, shards: Path) -> None:
    network, config, tokenizer = build(settings(folder, shards))
    spans = held_spans(Shard(shards / "held"), tokenizer, 5, 40)
    assert digest(spans) == digest(held_spans(Shard(shards / "held"), tokenizer, 5, 40))
    assert all(len(span.prefix) == 40 and span.hole for span in spans)
    assert canvas_nll(network, spans, config) == canvas_nll(network, spans, config)


def test_the_time_left_counts_the_steps_of_this_start_alone() -> None:
    s = Settings(shards="", steps=400)
    assert time_left(s, step=120, done=10, elapsed=50.0) == 1400.0
    assert time_left(replace(s, seconds=600.0), step=120, done=10, elapsed=50.0) == 550.0


def test_decay_draws_the_adapters_alone_to_nothing(folder: Path, shards: Path) -> None:
    """Special rows and the norm's scale start from the base's, not from nothing."""
    network, _, _ = build(settings(folder, shards))
    state = TrainingState(network, 0.1, decay=0.5)
    before = [flat.detach().clone() for flat in state.flat]
    state.update(0.1, 1.0, 0.9)
    assert not torch.equal(state.flat[0], before[0])
    assert torch.equal(state.flat[1], before[1])
