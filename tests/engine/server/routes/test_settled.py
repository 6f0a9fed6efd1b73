"""SettledText: what was said stays true, whatever settles next; nothing of the answer is lost."""

from hypothesis import given
from hypothesis import strategies as st

from engine.hole import shape_hole
from engine.server.routes.settled import SettledText, cut_at_stop
from protocol.values import ShapeName

TEXT = st.text("ab()\n \t,", max_size=40)
STOPS = st.lists(st.sampled_from(["\n\n", "b)", "ab", ")"]), max_size=2).map(tuple)


@given(
    prefix=st.sampled_from(["", "x\n", "f("]),
    suffix=st.sampled_from(["", "\n", ")", ", b)\n", "y\n"]),
    shape=st.sampled_from(["auto", "line", "block", "span"]),
    text=TEXT,
    cuts=st.lists(st.integers(0, 40), max_size=6),
    stops=STOPS,
)
def test_pieces_join_to_the_answer(
    prefix: str,
    suffix: str,
    shape: ShapeName,
    text: str,
    cuts: list[int],
    stops: tuple[str, ...],
) -> None:
    hole = shape_hole(prefix, suffix, shape, 2)
    settled = SettledText(hole, stops)
    pieces, last = [], ""
    for cut in sorted(cuts):
        if not settled.stopped and not hole.is_complete(last):
            last = text[:cut]
            pieces.append(settled.grow(last))
    if settled.stopped:
        whole, was_cut = cut_at_stop(hole.answer(last), stops)
        assert was_cut
        assert "".join(pieces) == whole
        return
    final = hole.answer(last if hole.is_complete(last) else text)
    rest = settled.finish(final)
    assert rest is not None
    assert "".join(pieces) + rest == cut_at_stop(final, stops)[0]


def test_text_is_said_as_early_as_it_is_sure() -> None:
    settled = SettledText(shape_hole("x = ", "\n", "auto", None))
    assert settled.grow("") == ""
    assert settled.grow("one +") == "one +"
    assert settled.grow("one + two") == " two"
    assert settled.finish("one + two") == ""


def test_the_beginning_of_a_stop_string_is_held_back() -> None:
    settled = SettledText(shape_hole("x = ", "\n", "auto", None), ("END",))
    assert settled.grow("a E") == "a"
    assert settled.grow("a EN") == ""
    assert settled.grow("a ENtry") == " ENtry"
    assert settled.grow("a ENtry END more") == " "
    assert settled.stopped


def test_an_answer_that_turned_into_another_is_told() -> None:
    settled = SettledText(shape_hole("x = ", "\n", "auto", None))
    settled.grow("one")
    assert settled.finish("two") is None
