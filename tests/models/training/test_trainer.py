"""A run learns, resumes exactly, exports what the engine reads, and its workers agree."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from models.errors import ModelError
from models.loader import Model, load
from models.training.__main__ import parse
from models.training.adapters import adapter_tensors
from models.training.export import export
from models.training.held import canvas_nll, digest, held_spans
from models.training.masks import ReadingName
from models.training.network import read_base
from models.training.passes import Passes
from models.training.plot import read_log
from models.training.samples import Mix, Sampler
from models.training.settings import Settings, learning_rate
from models.training.shards import Document, Shard, open_shard, tokenizer_digest, write_shard
from models.training.state import TrainingState
from models.training.trainer import build, run_loss, time_left, train
from models.training.workers import Worker
from tests.models.training.conftest import settings
from tests.tiny import RETOUCH, SHAPE, write_checkpoint


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


def test_settings_that_do_not_fit_leave_the_run_as_it_was(
    folder: Path, shards: Path, tmp_path: Path
) -> None:
    s = replace(settings(folder, shards), steps=1, held_count=0)
    train(s, tmp_path)
    with pytest.raises(ValueError, match="parameters"):
        train(replace(s, rank=8, steps=2), tmp_path)
    _, stored = parse([str(tmp_path), "steps=2"])
    train(stored, tmp_path)
    assert [line["step"] for line in read_log(tmp_path)] == [1, 2]


def test_what_a_killed_run_logged_after_its_last_save_is_not_told_twice(
    folder: Path, shards: Path, tmp_path: Path
) -> None:
    s = replace(settings(folder, shards), steps=1, held_count=0)
    train(s, tmp_path)
    with (tmp_path / "log.jsonl").open("a") as file:
        file.write('{"step": 2, "real": 9.0}\nno line\n{"step": 3, "re')
    train(replace(s, steps=2), tmp_path)
    lines = read_log(tmp_path)
    assert [line["step"] for line in lines] == [1, 2]
    assert lines[1]["real"] != 9.0


def test_adapters_of_another_rank_are_named(folder: Path, shards: Path) -> None:
    s = replace(settings(folder, shards), fresh=False, rank=8)
    with pytest.raises(ValueError, match="of rank 4, the run's of 8"):
        build(s)


@pytest.mark.parametrize("kind", ["qwen2", "qwen3", "untied"])
def test_a_base_that_the_trainer_does_not_compute_is_refused(kind: str, tmp_path: Path) -> None:
    change = {"tie_word_embeddings": False} if kind == "untied" else {"model_type": kind}
    config = write_checkpoint(tmp_path, {**SHAPE, **change, "retouch": RETOUCH})
    with pytest.raises(ModelError, match="leaves out"):
        read_base(tmp_path, config, torch.float32, torch.device("cpu"))


def test_shards_of_another_tokenizer_are_refused(folder: Path, tmp_path: Path) -> None:
    document = Document(list(range(20, 90)), "a", "Python", "a.py")
    write_shard(tmp_path / "train", [document], tokenizer_digest(folder))
    assert len(open_shard(tmp_path / "train", folder)) == 1
    write_shard(tmp_path / "train", [document], "0" * 64)
    s = replace(settings(folder, tmp_path), steps=1, held_count=0)
    with pytest.raises(ValueError, match="another tokenizer"):
        train(s, tmp_path / "run")
    assert not (tmp_path / "run" / "settings.json").exists()


@pytest.mark.parametrize("words", [[], ["RUN", "workers"], ["RUN", "shards=x", "rank=many"]])
def test_words_that_say_no_run_are_answered_with_the_usage(words: list[str]) -> None:
    with pytest.raises(SystemExit, match=r"models\.training RUN"):
        parse(words)


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


def test_documents_without_holes_are_said(
    tiny: Model, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("models.training.held.PATIENCE", 50)
    blanks = tiny.tokenizer.encode("a\n" * 4 + " " * 3000)
    write_shard(tmp_path, [Document(blanks, "a", "Python", "a.py")])
    with pytest.raises(ValueError, match="No held-out document has the 4064 tokens"):
        held_spans(Shard(tmp_path), tiny.tokenizer, 5, 4000)
    with pytest.raises(ValueError, match="gave no hole"):
        held_spans(Shard(tmp_path), tiny.tokenizer, 5, 40)
    monkeypatch.setattr("models.training.samples.PATIENCE", 50)
    sampler = Sampler(Shard(tmp_path), tiny.tokenizer, tiny.config, Mix(nothing=0.0))
    with pytest.raises(ValueError, match="gave no hole"):
        sampler.item(random.Random(1))


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
