"""Lines that the causal reading writes into holes: greedy, of as many lines, and nothing else."""

import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from models.loader import Model
from models.training.align import truth
from models.training.pack import REAL, Hole, Item
from models.training.samples import Mix, Sampler
from models.training.shards import Shard
from models.training.teacher import LONGEST, Teacher
from models.training.trainer import train
from models.transformer import Pass, RowGroup, RowKind
from tests.models.training.conftest import settings
from tests.tiny import tiny_model

MIX = Mix(edits=0.3, joint=0.2)


@pytest.fixture(scope="module", params=[2, 6, 17])
def writer(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Model:
    """A tiny model with causal adapters, in fp32, that writes texts of several lines by chance."""
    layout = {"suffix": [0, 128], "reference": [128, 512], "prefix_origin": 512}
    folder = tmp_path_factory.mktemp("writer")
    return tiny_model(folder, seed=request.param, causal_rank=4, layout=layout)


@pytest.fixture(scope="module")
def items(writer: Model, shards: Path) -> list[Item]:
    sampler = Sampler(Shard(shards / "train"), writer.tokenizer, writer.config, MIX)
    rng = random.Random(3)
    return [sampler.item(rng) for _ in range(40)]


@pytest.fixture(scope="module")
def texts(writer: Model, items: list[Item]) -> list[list[list[int] | None]]:
    return Teacher(writer).texts(items)


def read(model: Model, item: Item, hole: Hole, text: list[int]) -> torch.Tensor:
    """Logits at every slot of `text` and behind it, all read in one pass."""
    transformer, context = model.transformer, []
    for number, _, stop in hole.visible:
        segment, store = item.segments[number], transformer.new_key_values()
        ids, places = torch.tensor(segment.ids[:stop]), torch.tensor(segment.positions[:stop])
        transformer.forward(Pass(ids, places, stop, (RowGroup(0, stop, (), store),)))
        context.append((store, stop))
    rows = [hole.slots[0].ids[0], *text]
    group = RowGroup(0, len(rows), tuple(context), transformer.new_key_values(), skip=1)
    places = torch.arange(hole.positions[0], hole.positions[0] + len(rows))
    step = Pass(torch.tensor(rows), places, len(rows), (group,), causal=0)
    logits = transformer.logits(transformer.forward(step), RowKind.CAUSAL).clone()
    logits[:, list(model.tokenizer.silent_ids - {model.config.eos_id})] = -torch.inf
    return logits


def test_texts_are_greedy_and_of_as_many_lines(
    writer: Model, items: list[Item], texts: list[list[list[int] | None]]
) -> None:
    spelled, seen = writer.tokenizer.token_bytes, 0
    for item, written in zip(items, texts, strict=True):
        for hole, text in zip(item.holes, written, strict=True):
            if text is None:
                continue
            assert hole.breaks == sum(spelled[token].count(b"\n") for token in text)
            *told, last = read(writer, item, hole, text).argmax(-1).tolist()
            assert told == text and len(text) <= LONGEST
            assert last == writer.config.eos_id or b"\n" in spelled[last]
            seen += 1
    assert seen > 5


def test_only_holes_that_end_with_a_line_are_filled(
    items: list[Item], texts: list[list[list[int] | None]]
) -> None:
    kinds = set()
    for item, written in zip(items, texts, strict=True):
        for hole, text in zip(item.holes, written, strict=True):
            kinds.add((hole.breaks is None, text is None))
            assert hole.breaks is None or len(hole.anchors) == 1
    assert kinds == {(True, True), (False, True), (False, False)}


def test_what_was_written_is_what_the_slots_ask_for(
    writer: Model, items: list[Item], texts: list[list[list[int] | None]]
) -> None:
    end = writer.config.eos_id
    for item, told, written in zip(
        items, Teacher(writer).retold(items, random.Random(1), noisy=True), texts, strict=True
    ):
        assert told.segments == item.segments
        for old, new, text in zip(item.holes, told.holes, written, strict=True):
            if text is None:
                assert new is old
                continue
            assert truth(new)[: len(text) + 1] == [*text, end]
            first, anchor = old.positions[0], old.slots[0].ids[0]
            assert new.positions == list(range(first, first + len(truth(new)) + 1))
            assert [slot.ids[0] for slot in new.slots] == [anchor] * 4
            assert (new.visible, new.anchors) == (old.visible, old.anchors)


def test_slots_with_masks_alone_behind_learn_what_is_expected_there(
    writer: Model, items: list[Item]
) -> None:
    mask, soft, hard = writer.config.mask_id, 0, 0
    silent = writer.tokenizer.silent_ids - {writer.config.eos_id}
    for old, new in zip(items, Teacher(writer).softened(items, 0.75), strict=True):
        for before, hole in zip(old.holes, new.holes, strict=True):
            assert [slot.losses for slot in hole.slots] == [slot.losses for slot in before.slots]
            real = sum(kind == REAL for *_, kind in hole.slots[0].losses)
            single = len(hole.anchors) == 1 and real
            chances = read(writer, new, hole, truth(hole)[:real]).softmax(-1) if single else None
            for slot in hole.slots:
                for row, _, _, kind in slot.losses:
                    open_end = set(slot.ids[1 + row :]) == {mask}
                    found = slot.expected.get(row)
                    assert (found is not None) == (single and kind == REAL and open_end)
                    if found is None or chances is None:
                        hard += 1
                        continue
                    tokens, shares = zip(*found, strict=True)
                    known = chances[row, list(tokens)]
                    torch.testing.assert_close(torch.tensor(shares), 0.75 * known / known.sum())
                    assert chances[row].argmax() == tokens[0] and not silent & set(tokens)
                    soft += 1
    assert soft > 100 and hard > 100


@pytest.mark.parametrize("writer", [17], indirect=True)
@pytest.mark.parametrize("how", ["taught", "soft"])
def test_a_taught_run_resumes_exactly(
    writer: Model, shards: Path, tmp_path: Path, how: str
) -> None:
    plain = settings(writer.folder, shards)
    whole = replace(plain, **{how: 0.7})  # type: ignore[arg-type]
    train(whole, tmp_path / "whole")
    train(replace(whole, steps=2), tmp_path / "parts")
    train(whole, tmp_path / "parts")
    train(plain, tmp_path / "other")
    names = ("whole", "parts", "other")
    a, b, c = (load_file(tmp_path / name / "state.safetensors")["parameters.0"] for name in names)
    assert torch.equal(a, b) and not torch.equal(a, c)


@pytest.mark.parametrize("writer", [17], indirect=True)
@pytest.mark.parametrize("wrong", [{"reading": "causal"}, {"samplers": 1}])
def test_a_run_that_cant_be_taught_says_so(
    writer: Model, shards: Path, tmp_path: Path, wrong: dict[str, Any]
) -> None:
    with pytest.raises(SystemExit, match="reading=canvas"):
        train(replace(settings(writer.folder, shards), taught=0.5, **wrong), tmp_path)
