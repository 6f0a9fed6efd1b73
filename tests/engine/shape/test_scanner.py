"""The light lexer: what is code, what is not, what stands open."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.shape.languages import LANGUAGES, language_of
from engine.shape.scanner import DEPTH_LIMIT, State, scan
from engine.shape.survey import survey
from tests.engine.shape.test_properties import texts

OPEN = [
    ("python", "f(x, ['(', \"[\"  # (\n", ["]", ")"]),
    ("python", 'x = """(\n"""\ny = {', ["}"]),
    ("python", "x = 'a\\'(' + (", [")"]),
    ("javascript", "a = `(${b + `[${c", ["}", "}"]),
    ("javascript", "a = b / c; d = /[(]/; e = [", ["]"]),
    ("rust", "fn f<'a>() { let c = '('; let s = r#\"}\"#; (", [")", "}"]),
    ("cpp", 'auto s = R"x(")x"; (', [")"]),
    ("go", "s := `(\n` + f(", [")"]),
    ("lua", "function f() if x then --[[ do\n]] y = [=[ do ]=]", ["end", "end"]),
    ("lua", "for i = 1, 2 do x.end_ = dodo end repeat", ["until"]),
    ("bash", "if true; then echo 'fi' # fi\ncase $x in a) (", [")", "esac", "fi"]),
    ("bash", "cat <<EOF\nif (\nEOF\nfor x in y; do", ["done"]),
    ("html", '<div><br><img src="a>b"/><p class="x">it\'s', ["</p>", "</div>"]),
    ("yaml", "a: it's [x\nb: [1, 'a]', {", ["}", "]", "]"]),
    ("toml", "a = [1, '''[''', \"]\"", ["]"]),
    ("json", '{"a{": [', ["]", "}"]),
    ("css", "a { /* { */ b: '{'", ["}"]),
    ("markdown", "it's (", []),
]


def closers(state: State) -> list[str]:
    frame, found = state.frame, []
    while frame is not None:
        found.append(frame.closer)
        frame = frame.below
    return found


@pytest.mark.parametrize(("name", "text", "expected"), OPEN)
def test_what_stands_open(name: str, text: str, expected: list[str]) -> None:
    marks = list(scan(language_of(None, name).lexis, text, State()))
    assert closers(marks[-1].state if marks else State()) == expected


@given(texts, texts, st.sampled_from(LANGUAGES))
def test_marks_of_a_growing_text_stay(text: str, more: str, language: object) -> None:
    lexis = language.lexis  # type: ignore[attr-defined]
    first = [(m.kind, m.start, m.stop) for m in scan(lexis, text, State(), growing=True)]
    then = [(m.kind, m.start, m.stop) for m in scan(lexis, text + more, State(), growing=True)]
    closing = [mark for mark in first if mark[0] in ("close", "stray", "newline")]
    assert [mark for mark in then if mark[0] in ("close", "stray", "newline")][
        : len(closing)
    ] == closing


def test_depth_is_bounded() -> None:
    marks = list(scan(language_of("a.py", None).lexis, "(" * 5 * DEPTH_LIMIT, State()))
    assert max(mark.state.depth for mark in marks) == DEPTH_LIMIT


def test_a_survey_blanks_comments_and_the_inside_of_strings() -> None:
    python = language_of("a.py", None)
    seen = survey(python.lexis, 'def f(a,\n      b):  # (\n    """Doc:\n    """\n    x = "(:"\n')
    assert [line.code.rstrip() for line in seen.lines] == [
        "def f(a,",
        "      b):",
        "",
        "",
        '    x = """"',
        "",
    ]
    assert seen.logical_start(1) == 0
