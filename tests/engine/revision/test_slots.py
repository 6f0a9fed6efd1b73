"""Tokens under revision: what a splice says of old and new text."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engine.revision.passage import window_starts
from engine.revision.slots import Slot, ids_of, spliced

TOKENS = st.integers(97, 100)


def spell(token: int) -> bytes:
    return bytes([token])


@given(
    old=st.lists(TOKENS, min_size=1, max_size=6),
    edits=st.lists(
        st.tuples(st.integers(0, 6), st.integers(0, 6), st.lists(TOKENS, max_size=4)), max_size=4
    ),
)
def test_old_and_new_text_can_both_be_read_off(
    old: list[int], edits: list[tuple[int, int, list[int]]]
) -> None:
    slots = tuple(Slot(token) for token in old)
    for start, stop, new in edits:
        start, stop = sorted((min(start, len(slots)), min(stop, len(slots))))
        expected = (*ids_of(slots)[:start], *new, *ids_of(slots)[stop:])
        if not expected or start == stop:
            continue  # a run of a window, never all of it without a token, is what is spliced
        slots = spliced(slots, start, stop, new, spell)
        assert ids_of(slots) == expected
        said = b"".join(spell(s.token) if s.was is None else s.was for s in slots)
        assert said == bytes(old)


def test_a_swap_back_is_no_change() -> None:
    slots = (Slot(97), Slot(98))
    there = spliced(slots, 1, 2, [99], spell)
    assert there[1].was == b"b" and there[1].changed
    assert not spliced(there, 1, 2, [98], spell)[1].changed


@given(st.lists(st.sampled_from([b"\n", b"a"]), min_size=1, max_size=60), st.integers(2, 12))
def test_windows_are_no_larger_than_asked(pieces: list[bytes], size: int) -> None:
    starts = window_starts(pieces, size)
    bounds = [*starts, len(pieces)]
    assert starts[0] == 0
    assert all(0 < b - a <= size for a, b in pairwise(bounds))


def test_a_window_begins_with_a_line_if_one_is_near() -> None:
    assert window_starts([b"a"] * 8 + [b"\n"] + [b"a"] * 4, 10) == [0, 8]
