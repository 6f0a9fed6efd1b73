"""Swaps may only make words that exist."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.revision.words import invents_none, is_slip, kind_of, words_of

KNOWN = words_of(["rate = total_rate", "x2 + 1"])


@pytest.mark.parametrize(
    ("text", "start", "stop", "fine"),
    [
        ("y = rate", 4, 8, True),
        ("total_rate", 5, 10, True),
        ("total_rat", 5, 9, False),
        ("rate < x2", 5, 6, True),
        ("len(rate)", 0, 3, True),
        ("True", 0, 4, True),
        ("77", 0, 2, True),
        ("rates)", 4, 5, False),
        ("unpacked_)", 9, 10, False),
        ("nonsense, rate", 10, 14, True),
    ],
)
def test_a_word_that_a_swap_touches_must_be_known(
    text: str, start: int, stop: int, fine: bool
) -> None:
    assert invents_none(text, start, stop, KNOWN) is fine


@given(st.text("abc", max_size=5), st.integers(0, 5), st.sampled_from("abc"))
def test_every_single_slip_is_one(word: str, at: int, letter: str) -> None:
    at = min(at, len(word))
    added = word[:at] + letter + word[at:]
    assert is_slip(word, added) and is_slip(added, word)
    assert not is_slip(word, word) and not is_slip(word, added + "xy")
    if at < len(word):
        assert is_slip(word, word[:at] + "x" + word[at + 1 :])
    assert is_slip("total", "toatl") and not is_slip("total", "latot")


def test_kinds_of_tokens() -> None:
    kinds = {" name": "name", "_x": "name", " None": "name", " not": "keyword", "7": "number"}
    kinds |= {" ==": "sign", "(": "sign", "\n    ": "blank", " ": "blank"}
    assert {token: kind_of(token) for token in kinds} == kinds
