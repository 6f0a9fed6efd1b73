"""Swaps may only make words that exist."""

import pytest

from engine.revision.words import invents_none, words_of

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
