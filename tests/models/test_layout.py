"""Golden positions: the trainer and the engine must never drift apart here."""

import pytest

from models.layout import Layout


def test_the_windows_of_the_default_layout() -> None:
    layout = Layout()
    assert list(layout.suffix(3)) == [0, 1, 2]
    assert list(layout.reference(3)) == [128, 129, 130]
    assert list(layout.prefix(4)) == [512, 513, 514, 515]


def test_the_canvas_begins_with_the_anchor_at_the_last_prefix_token() -> None:
    layout = Layout()
    assert layout.anchor(4) == 515
    assert list(layout.canvas(4, 3)) == [515, 516, 517, 518]
    assert list(layout.canvas(1, 2)) == [512, 513, 514]


def test_the_layout_of_the_first_adapters() -> None:
    layout = Layout(0, 128, 128, 128, 128)
    assert list(layout.canvas(3, 1)) == [130, 131]
    assert layout.reference_limit == 0


def test_text_between_canvases_stands_behind_the_one_before_it() -> None:
    """Prefix of 4 at 512; 3 slots, 2 tokens, 2 slots, 1 token, 1 slot."""
    joint = Layout().joint(4, [3, 2, 1], [2, 1])
    assert [list(canvas) for canvas in joint.canvases] == [
        [515, 516, 517, 518],
        [520, 521, 522],
        [523, 524],
    ]
    assert [list(between) for between in joint.betweens] == [[519, 520], [523]]
    assert Layout().joint(4, [3], []).canvases == (Layout().canvas(4, 3),)


@pytest.mark.parametrize(("slots", "betweens"), [([3, 2], []), ([3, 2], [0]), ([3], [1])])
def test_canvases_are_never_side_by_side(slots: list[int], betweens: list[int]) -> None:
    with pytest.raises(ValueError, match="at least one token"):
        Layout().joint(4, slots, betweens)


def test_segments_that_do_not_fit_their_window_are_refused() -> None:
    with pytest.raises(ValueError, match="suffix segment of 129"):
        Layout().suffix(129)
    with pytest.raises(ValueError, match="at least the separator"):
        Layout().anchor(0)
    with pytest.raises(ValueError, match="overlap"):
        Layout(0, 128, 100, 512, 512)
