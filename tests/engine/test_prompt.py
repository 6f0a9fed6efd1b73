"""Both sides of a hole as tokens: nothing lost, edges healed, windows kept."""

import dataclasses

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.config import EngineConfig
from engine.constraints.prefix_index import PrefixIndex
from engine.errors import EngineError
from engine.local import LocalEngine
from engine.prompt import BLOCK, Prompter, check_spelling, prefix_limit
from models.layout import Layout
from models.loader import Model
from protocol.errors import ProtocolError
from protocol.limits import CANVAS_LIMIT

TEXT = st.text(alphabet="ab(:=\n\t é€😀<>s016|", max_size=60)
FIXTURES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def prompter(model: Model, tokens: int = 512) -> Prompter:
    return Prompter(model.config, model.tokenizer, PrefixIndex(model.tokenizer.token_bytes), tokens)


@FIXTURES
@given(prefix=TEXT, suffix=TEXT)
def test_prefix_tokens_and_moved_bytes_spell_the_prefix(
    tiny: Model, prefix: str, suffix: str
) -> None:
    prompt = prompter(tiny).prompt(prefix, suffix)
    separator, *ids = prompt.context.prefix
    assert separator == tiny.config.separator_id
    assert tiny.tokenizer.bytes_of(ids) + prompt.required == prefix.encode()
    window = tiny.config.layout.suffix_limit
    after = tiny.tokenizer.bytes_of(list(prompt.context.suffix))
    assert suffix.encode().startswith(after)
    assert len(prompt.context.suffix) == window or after == suffix.encode()


def test_a_canvas_behind_the_longest_prefix_ends_within_the_model_s_positions(tiny: Model) -> None:
    config = dataclasses.replace(tiny.config, positions=2000)
    most = prefix_limit(config, 7168)
    assert config.layout.canvas(1 + most, CANVAS_LIMIT).stop == config.positions
    assert prefix_limit(config, 300) == 300


def test_a_model_with_too_few_positions_is_refused(tiny: Model) -> None:
    short = dataclasses.replace(tiny, config=dataclasses.replace(tiny.config, positions=128))
    with pytest.raises(EngineError, match="128 positions"):
        LocalEngine(short, EngineConfig(threads=1))


def test_trailing_white_space_moves_into_the_hole(default_model: Model) -> None:
    prompt = prompter(default_model).prompt("def f():\n    ", "")
    assert prompt.required == b"\n    "


def test_a_last_token_that_others_continue_moves_into_the_hole(default_model: Model) -> None:
    assert prompter(default_model).prompt("import os\nos.pa", "").required == b"pa"


def test_a_part_of_a_character_stays_in_the_prefix(tiny: Model) -> None:
    """Longer tokens begin with the last byte of the text, and with its last character."""
    table = list(tiny.tokenizer.token_bytes)
    table[300:302] = b"\x99b", "ß=".encode()
    edges = Prompter(tiny.config, tiny.tokenizer, PrefixIndex(table), 512)
    for text in ("x = 'ř", "# ß"):
        prompt = edges.prompt(text, "")
        ids, moved = edges.between(text)
        assert prompt.required == moved == b""
        assert tiny.tokenizer.bytes_of(list(prompt.context.prefix[1:])) == text.encode()
        assert tiny.tokenizer.bytes_of(list(ids)) == text.encode()


def test_text_that_spells_a_special_token_stays_text(default_model: Model) -> None:
    prompt = prompter(default_model).prompt("x = '<|endoftext|><empty_output>'  # ", "<file_sep>")
    used = {*prompt.context.prefix[1:], *prompt.context.suffix}
    assert not used & default_model.tokenizer.special_ids


def test_a_long_prefix_is_trimmed_in_whole_blocks_and_said(tiny: Model) -> None:
    kept = [prompter(tiny).prompt("b" * n + ";", "").context.prefix for n in range(1000, 1256)]
    starts = {1000 + n - len(ids) for n, ids in enumerate(kept)}
    assert len(starts) <= 2, "typing moves the start at most once in a block"
    assert all(len(ids) <= 513 for ids in kept)
    assert min(len(ids) for ids in kept) > 512 - BLOCK
    (note,) = prompter(tiny).prompt("b" * 1000, "a" * 100).notes
    assert "before the hole" in note, "a long suffix is the common case and not worth a word"


def test_typing_in_a_huge_file_does_not_move_where_its_window_begins(tiny: Model) -> None:
    lines = "".join(f"line {n}\n" for n in range(4000))
    a = prompter(tiny).prompt(lines + "x", "").context.prefix
    b = prompter(tiny).prompt(lines + "x = 1", "").context.prefix
    assert b[: len(a) - 1] == a[:-1]


def test_a_wall_of_white_space_moves_only_in_part(tiny: Model) -> None:
    prompt = prompter(tiny).prompt("a" + "\n" * 400, "")
    assert len(prompt.required) <= 256


def test_references_are_cut_to_their_window_and_said(tiny: Model) -> None:
    prompt = prompter(tiny).prompt("a", "b", ["File: x.py\n", "y" * 400])
    first, second = prompt.context.references
    assert tiny.tokenizer.bytes_of(list(first)) == b"File: x.py\n"
    assert len(second) == tiny.config.layout.reference_limit
    assert any("yyy" in note for note in prompt.notes)


def test_a_model_without_a_reference_window_says_so(tiny: Model) -> None:
    layout = Layout(0, 32, 32, 32, 64)
    config = dataclasses.replace(tiny.config, layout=layout)
    index = PrefixIndex(tiny.tokenizer.token_bytes)
    prompt = Prompter(config, tiny.tokenizer, index, 512).prompt("a", "b", ["Instruction: x"])
    assert prompt.context.references == ()
    assert "no window" in prompt.notes[0]


@pytest.mark.parametrize("text", ["x = 1\x1d ", "x = 1 \x1d", "\x1d\n  "])
def test_white_space_that_the_vocabulary_can_not_spell_does_not_move(
    lacking: Model, text: str
) -> None:
    edges = prompter(lacking)
    behind = text.rpartition("\x1d")[2]
    assert edges.prompt(text, "").required == behind.encode()
    assert edges.between("=" + text)[1] == behind.encode()


def test_text_between_holes_may_have_no_tokens_at_all(lacking: Model) -> None:
    assert prompter(lacking).between("\x04") == ((), b"")


@pytest.mark.parametrize("text", ["a\x04", "\x1d"])
def test_characters_without_tokens_are_named(lacking: Model, text: str) -> None:
    with pytest.raises(ProtocolError, match=f"U[+]{ord(text[-1]):04X}") as caught:
        check_spelling(lacking.tokenizer, text, "text")
    assert caught.value.param == "text"
    check_spelling(lacking.tokenizer, "a\x05é", "text")
