"""Holes, canvases, joint holes and rewrites: cut on tokens, in the layout, and true to the text."""

import random
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.config import ModelConfig
from models.loader import Model
from models.training import edits, more_edits
from models.training.history import draw_repeat
from models.training.masks import BUCKETS, Specials, canvas, draw_slots
from models.training.pack import NOISE, REAL, TAIL, Item, pack
from models.training.samples import KINDS, Mix, Sampler
from models.training.shards import Shard
from models.training.spans import MIX, draw, holes_at
from models.training.window import Window
from tests.models.training.conftest import source

SPECIALS = Specials(eos=0, pad=15, mask=16)


def items(shards: Path, tiny: Model, config: ModelConfig, mix: Mix, count: int) -> list[Item]:
    sampler = Sampler(Shard(shards / "train"), tiny.tokenizer, config, mix)
    rng = random.Random(4)
    return [sampler.item(rng) for _ in range(count)]


def test_causal_holes_are_one_slot_that_ends_in_an_end_mark(
    shards: Path, tiny: Model, config: ModelConfig
) -> None:
    sampler = Sampler(Shard(shards / "train"), tiny.tokenizer, config, Mix(joint=0), "causal")
    rng = random.Random(4)
    for hole in (hole for _ in range(30) for hole in sampler.item(rng).holes):
        (slot,) = hole.slots
        assert hole.causal
        *real, (last, target, _, kind) = slot.losses
        assert (kind, target) == (TAIL, SPECIALS.eos)
        assert [(row, slot.ids[row + 1]) for row in range(last)] == [loss[:2] for loss in real]


@given(st.integers(0, 1_000_000))
def test_spans_lie_in_the_text_and_hold_something(seed: int) -> None:
    rng, text = random.Random(seed), source(seed % 9)
    span = draw(text, rng.randrange(len(text)), rng)
    if span is not None:
        assert 0 <= span[0] < span[1] <= len(text)
        assert text[slice(*span)].strip()
    spans = holes_at(text, rng.randrange(len(text)), rng, 3)
    assert len({stop for _, stop in spans}) <= 1
    assert len(set(spans)) == len(spans)


def test_every_kind_of_span_occurs() -> None:
    rng, text = random.Random(0), source(1)
    for maker, _ in MIX:
        found = [maker(text, rng.randrange(len(text)), rng) for _ in range(50)]
        assert any(span is not None for span in found), maker.__name__


@given(st.integers(4, 300), st.integers(1, 40))
def test_a_cut_spells_the_hole_and_heals_to_the_left(tiny: Model, start: int, length: int) -> None:
    window = Window(tiny.tokenizer.encode(source(2)), tiny.tokenizer)
    cut = window.cut(start, start + length)
    assert cut is not None
    first, hole, stop = cut
    assert window.starts[first] <= start
    spelled = tiny.tokenizer.bytes_of(hole).decode()
    assert spelled == window.text[window.starts[first] : stop]
    behind = window.behind(stop, 10_000)
    assert behind is not None
    assert tiny.tokenizer.bytes_of(behind).decode() == window.text[stop:]


@given(st.lists(st.integers(20, 300), min_size=1, max_size=47), st.integers(0, 10_000))
def test_slots_hide_or_show_but_never_lose_the_truth(hole: list[int], seed: int) -> None:
    rng = random.Random(seed)
    filled = canvas(hole, SPECIALS, rng)
    assert len(filled.ids) in BUCKETS
    assert filled.ids[: len(hole) + 1] == [*hole, 0]
    assert set(filled.ids[len(hole) + 1 :]) <= {15}
    first, mask, other, noisy = draw_slots(filled, hole, SPECIALS, rng)
    for shown, losses in (first, mask, other, noisy):
        learnt = {row: target for row, target, _, _ in losses}
        assert losses
        for row, token in enumerate(shown):
            assert learnt.get(row, token) == filled.ids[row]
            assert token != 16 or row in learnt
    assert {row for row, _, _, kind in first[1] if kind == REAL} == set(range(len(hole)))
    hidden = [{row for row, *_ in losses} for _, losses in (mask, other)]
    assert hidden[0] | hidden[1] == set(range(len(filled.ids)))
    assert all(noisy[0][row] != target for row, target, _, kind in noisy[1] if kind == NOISE)


def test_positions_come_from_the_layout(shards: Path, tiny: Model, config: ModelConfig) -> None:
    layout = config.layout
    for item in items(shards, tiny, config, Mix(joint=0, edits=0.3), 20):
        for hole in item.holes:
            text, _, length = hole.visible[-1]
            assert item.segments[text].ids[0] == config.separator_id
            assert hole.positions == list(layout.canvas(length, len(hole.positions) - 1))
            anchor = item.segments[text].ids[length - 1]
            assert all(slot.ids[0] == anchor for slot in hole.slots)
            for number, start, stop in hole.visible[:-1]:
                segment = item.segments[number]
                assert (start, stop) == (0, len(segment.ids))
                assert segment.positions[0] in (layout.suffix_start, layout.reference_start)


def test_a_suffix_has_the_length_that_was_drawn_while_the_document_goes_on(
    shards: Path, tiny: Model, config: ModelConfig
) -> None:
    window = Window([30] * 20, tiny.tokenizer, [31] * 50)
    assert window.behind(len(window.text), 60) == [31] * 50
    assert window.behind(len(window.text) - 1, 3) == [30, 31, 31]
    mix = Mix(joint=0, edits=0, header=0, context=0, windows=((64, 1.0),), suffixes=((40, 1.0),))
    lengths = [
        hole.visible[0][2]
        for item in items(shards, tiny, config, mix, 40)
        for hole in item.holes
        if len(hole.visible) > 1
    ]
    assert len(lengths) > 100 and sum(length == 40 for length in lengths) > 0.8 * len(lengths)


def test_a_hole_is_what_the_text_says_there(shards: Path, tiny: Model, config: ModelConfig) -> None:
    for item in items(shards, tiny, config, Mix(joint=0, edits=0, no_prefix=0), 20):
        text = tiny.tokenizer.bytes_of(item.segments[0].ids[1:]).decode()
        for hole in item.holes:
            length = hole.visible[-1][2]
            truth = {row: target for slot in hole.slots for row, target, *_ in slot.losses}
            real = [truth[row] for row in sorted(truth) if truth[row] not in (0, 15)]
            before = tiny.tokenizer.bytes_of(item.segments[0].ids[1:length]).decode()
            assert text.startswith(before + tiny.tokenizer.bytes_of(real).decode())


def test_an_edit_that_is_due_again_is_shown_with_the_first_one(
    shards: Path, tiny: Model, config: ModelConfig
) -> None:
    spell, mix = (
        tiny.tokenizer.bytes_of,
        Mix(edits=1, repeated=1, joint=0, twins=0, header=0, context=0),
    )
    checked = 0
    for item in items(shards, tiny, config, mix, 12):
        for hole in item.holes:
            told = [spell(item.segments[n].ids).decode() for n, *_ in hole.visible]
            recent = next(text for text in told if text.startswith("Recent edit:\n- "))
            before, after = recent.splitlines()[1:3]
            length = hole.visible[-1][2]
            assert after.removeprefix("+ ") in spell(item.segments[0].ids[1:length]).decode()
            assert before[2:] != after[2:]
            truth = {row: target for slot in hole.slots for row, target, *_ in slot.losses}
            new = spell([truth[row] for row in sorted(truth) if truth[row] not in (0, 15)]).decode()
            old = next((t for t in told if t.startswith("Old text:\n")), None)
            assert old is None or old.removeprefix("Old text:\n").strip() != new.strip()
            checked += 1
    assert checked >= 12


@given(st.integers(0, 1_000))
def test_a_name_is_old_again_in_the_line_that_is_due_and_behind_it(seed: int) -> None:
    code = "def f(size):\n    width = size + 1\n    return width\n\nprint(width)\nprint(1)\n"
    repeat = draw_repeat(code, random.Random(seed))
    if repeat is None:
        return
    assert repeat.after in code[: repeat.start].split("\n")
    assert repeat.before != repeat.after and "\n" not in repeat.old
    assert repeat.old != code[repeat.start : repeat.stop] and repeat.behind is not None
    assert repeat.behind.count("\n") == code[repeat.stop :].count("\n")
    renamed = re.sub(r"\bwidth\b", "@", code[repeat.start :])
    if "@" in renamed.split("\n")[0]:
        assert "width" not in re.findall(r"\w+", repeat.old + repeat.behind)


@pytest.mark.parametrize(
    "lines", [("a = 'x'", "b = 'y'"), ("n += 1", "m += 2"), ("if a is None:", "if b is None:")]
)
def test_systematic_changes_are_found_in_both_lines(lines: tuple[str, str]) -> None:
    code = f"\n{lines[0]}\n{lines[1]}\n"
    found = [draw_repeat(code, random.Random(seed)) for seed in range(60)]
    assert any(r and r.behind is None and (r.after, code[r.start : r.stop]) == lines for r in found)


def test_joint_holes_have_two_anchors_and_a_text_between(
    shards: Path, tiny: Model, config: ModelConfig
) -> None:
    found = items(shards, tiny, config, Mix(joint=1.0, edits=0, twins=0), 8)
    for item in found:
        for hole in item.holes:
            first, second = hole.anchors
            number, _, stop = hole.visible[-1]
            segment = item.segments[number]
            assert stop == len(segment.ids)
            assert hole.positions[second] == segment.positions[-1]
            assert all(slot.ids[second] == segment.ids[-1] for slot in hole.slots)
            before = segment.positions.index(hole.positions[first])
            assert segment.positions[before + 1] == hole.positions[second - 1] + 1


def test_packing_counts_every_row_once(shards: Path, tiny: Model, config: ModelConfig) -> None:
    some = items(shards, tiny, config, Mix(joint=0.3), 12)
    packed = pack(some)
    rows = sum(len(hole.positions) * len(hole.slots) for item in some for hole in item.holes)
    assert len(packed.ids) == len(packed.positions) == rows
    assert [c.start for c in packed.chunks] == [0, *[c.stop for c in packed.chunks[:-1]]]
    assert packed.chunks[-1].stop == rows
    assert len(packed.context_ids) == sum(n * length for n, length in packed.context_shapes)
    assert packed.loss_rows.max() < rows


def test_twelve_kinds_of_edits_apply_to_plain_code() -> None:
    assert len(KINDS) >= 12
    code = '''def read(path: str, limit: int = 3) -> list[str]:
    """Read it."""
    # open first
    name = f"{path}.txt"
    if limit is not None and path == name:
        total += 1
    return join(path, limit)'''
    rng, used = random.Random(1), set()
    for kind in KINDS:
        for piece in [code, *code.split("\n")]:
            change = kind(piece, rng)
            if change is not None and change.text != piece:
                used.add(kind.__name__)
                assert change.there and change.back
    assert len(used) >= 15, sorted(used)


def test_pairs_go_both_ways() -> None:
    rng, code = random.Random(2), "    total = first + 12\n    return total"
    pairs = [edits.make_pair(code, KINDS, rng) for _ in range(60)]
    made = [pair for pair in pairs if pair is not None]
    assert any(pair.old == code for pair in made)
    assert any(pair.new == code for pair in made)
    assert all(pair.instruction and pair.old != pair.new for pair in made)
    assert more_edits.KINDS
