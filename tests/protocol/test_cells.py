"""Cells: characters never split, never lost, whatever is revealed in whatever order."""

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from models.tokenizer import Tokenizer, tokenizer_in
from protocol.cells import Cell, diff, render

SCRIPTS = st.text("ab \u00e9\u4e2d\ud55c\U0001f600\u200d\U0001f469", max_size=12)
TEXT = st.text(alphabet="aé€😀e\u0301\n", max_size=12)


def pieces_of(data: bytes, seed: int) -> list[bytes]:
    """The bytes cut at random, so that characters are split over slots."""
    rng, pieces = random.Random(seed), []
    while data:
        size = rng.choice([1, 1, 2, 3, 5])
        pieces.append(data[:size])
        data = data[size:]
    return pieces


@given(data=TEXT.map(str.encode) | st.binary(max_size=24), seed=st.integers(0, 999))
def test_any_order_of_reveals_and_remasks_keeps_the_client_equal(data: bytes, seed: int) -> None:
    rng, pieces = random.Random(seed), pieces_of(data, seed)
    server: list[bytes | None] = [None] * len(pieces)
    shown: list[Cell] = [None] * len(pieces)
    for _ in range(3 * len(pieces)):
        slot = rng.randrange(len(pieces))
        server[slot] = None if server[slot] is not None and rng.random() < 0.3 else pieces[slot]
        for changed, cell in diff(shown, cells := render(server)):
            shown[changed] = cell
        assert shown == cells
        assert [cell is None for cell in cells] == [piece is None for piece in server]
    assert "".join(c or "" for c in render([*pieces])) == data.decode("utf-8", "replace")


@given(text=TEXT, seed=st.integers(0, 999))
def test_valid_text_never_shows_a_replacement_character(text: str, seed: int) -> None:
    rng, pieces = random.Random(seed), pieces_of(text.encode(), seed)
    masked = [None if rng.random() < 0.4 else piece for piece in pieces]
    assert "\ufffd" not in "".join(cell or "" for cell in render(masked))


def test_a_character_belongs_to_the_slot_of_its_last_byte() -> None:
    euro = "€".encode()
    assert render([euro[:1], euro[1:2], euro[2:]]) == ["", "", "€"]
    assert render([euro[:1], None, euro[2:]]) == ["", None, ""]
    assert render([b"a" + euro[:2], None]) == ["a", None]


def test_bytes_that_nothing_can_complete_show_as_replacement() -> None:
    assert render([b"\xff", b"x"]) == ["\ufffd", "x"]
    assert render([b"\xe2\x82"]) == ["\ufffd"]


def test_diff_of_a_grown_canvas_names_the_new_slots() -> None:
    assert diff(["a"], ["a", None]) == [(1, None)]


@pytest.fixture(scope="module")
def tokenizer(default_model_folder: Path) -> Tokenizer:
    return tokenizer_in(default_model_folder)


@pytest.mark.model
@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=SCRIPTS, seed=st.integers(0, 99))
def test_characters_that_are_several_tokens_come_whole(
    tokenizer: Tokenizer, text: str, seed: int
) -> None:
    """With the real tokenizer, revealed in any order: no frame shows a broken character."""
    pieces = [tokenizer.bytes_of([token]) for token in tokenizer.encode(text)]
    order = list(range(len(pieces)))
    random.Random(seed).shuffle(order)
    shown: list[bytes | None] = [None] * len(pieces)
    for slot in order:
        shown[slot] = pieces[slot]
        assert "\ufffd" not in "".join(cell or "" for cell in render(shown))
    assert "".join(cell or "" for cell in render(shown)) == text
