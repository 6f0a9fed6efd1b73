"""What holds for every hole and every text, said by random ones made of telling pieces."""

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.hole import Hole, shape_hole
from engine.shape.languages import LANGUAGES
from protocol.messages import ShapeName

PIECES = [
    *"()[]{}\"'`:;,=./#<>-\\ \n\t",
    *("\n", "\n    ", "\n  ", "\n\t", "    ", "\r\n"),
    *("foo", "x", "1", "end", "en", "d", "do", "if ", "then", "fi", "function ", "return "),
    *("def f():\n", "else:", "} else {\n", "case 1:", "- a", "a: ", '"""', "'''", "/*", "*/", "//"),
    *("<div>", "</div>", "</", "/>", "${", "$(", "--", "[[", "]]", "<<EOF\n", "EOF", 'R"(', "r#"),
    *("é", "\U0001f600", "\x0c", "\ufffd"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
languages = st.sampled_from([None, *(language.name for language in LANGUAGES)])
shapes: st.SearchStrategy[ShapeName] = st.sampled_from(["auto", "line", "block", "span"])


@st.composite
def holes(draw: st.DrawFn) -> Hole:
    lines = draw(st.sampled_from([None, 1, 2, 5]))
    hole = shape_hole(draw(texts), draw(texts), draw(shapes), lines, None, draw(languages))
    return hole.growing() if draw(st.booleans()) else hole


@settings(max_examples=400, deadline=None)
@given(holes(), texts)
def test_once_complete_more_text_changes_nothing(hole: Hole, text: str) -> None:
    settled = None
    for stop in range(len(text) + 1):
        said = text[:stop]
        if settled is not None:
            assert hole.is_complete(said)
            assert hole.answer(said).text == settled
        elif hole.is_complete(said):
            settled = hole.answer(said).text


@settings(max_examples=400, deadline=None)
@given(holes(), texts, st.data())
def test_the_pieces_join_to_the_answer(hole: Hole, text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    parts = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    answer = hole.answer(text)
    assert "".join(answer.pieces(parts)) == answer.text


@settings(max_examples=400, deadline=None)
@given(holes(), texts)
def test_an_answer_is_bounded_and_its_edits_are_in_order(hole: Hole, text: str) -> None:
    answer = hole.answer(text)
    at = 0
    for edit in answer.edits:
        assert at <= edit.start <= edit.stop <= len(text)
        at = edit.stop
    if hole.shape == "line" and not hole.grows:
        assert answer.text.rstrip("\r\n").count("\n") == 0
    if hole.whole_lines and answer.text:
        assert answer.text.endswith(hole.newline)


@settings(max_examples=200, deadline=None)
@given(texts, texts, languages)
def test_the_model_sees_the_texts_with_plain_line_ends(
    before: str, after: str, language: str | None
) -> None:
    hole = shape_hole(before, after, "auto", None, None, language)
    assert hole.prefix == before.replace("\r\n", "\n")
    assert hole.suffix.removeprefix("\n") == after.replace("\r\n", "\n").removeprefix("\n")
