"""Documents of data as values: JSON, TOML and YAML, and what is too much of them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.constraints.data import DataError, documents
from engine.constraints.yaml_data import yaml_values

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # YAML 1.2 reads JSON, but libyaml takes NEL for a line end and refuses control characters.
    | st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.text("abcxyz<", max_size=4).filter(lambda k: k != "<<"), inner, max_size=3
        )
    ),
    max_leaves=8,
)


@given(VALUES)
def test_json_means_the_same_in_yaml(value: Any) -> None:
    text = json.dumps(value)
    assert documents("yaml", text) == documents("json", text) == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("on", "on"),
        ("no", "no"),
        ("True", True),
        ("~", None),
        ("''", ""),
        ("'1'", "1"),
        ("!!str 1", "1"),
        ("0o17", 15),
        ("0x1f", 31),
        ("017", 17),
        ("1e3", 1000.0),
        (".5", 0.5),
        (".inf", 0.0),
        ("2001-01-01", "2001-01-01"),
        ("1:30", "1:30"),
        ("|\n  5\n", "5\n"),
    ],
)
def test_scalars_of_yaml_are_those_of_its_core_schema(text: str, value: object) -> None:
    (found,) = documents("yaml", f"k: {text}\n")
    assert found == {"k": value}
    assert type(found["k"]) is type(value)


def test_yaml_brings_pairs_of_others_in_behind_its_own() -> None:
    text = "base: &b {a: 1, b: 2}\nnew:\n  <<: *b\n  b: 3\nboth:\n  <<: [{c: 1}, {c: 2}]\n"
    (found,) = documents("yaml", text)
    assert found["new"] == {"a": 1, "b": 3}
    assert found["both"] == {"c": 1}


def test_pairs_that_are_brought_in_count_wherever_that_is() -> None:
    base = "b: &b {" + ", ".join(f"k{n}: {n}" for n in range(90)) + "}\n"
    text = base + "".join(f"m{n}: {{<<: *b}}\n" for n in range(10))
    many = 1 + 91 + 10 * (90 + 2)  # each mapping is a value too, and so is what it names
    assert len(yaml_values(text, 9, many)[0]) == 11
    with pytest.raises(ValueError, match="too many values"):
        yaml_values(text, 9, many - 1)


def test_a_stream_has_as_many_values_as_documents() -> None:
    assert documents("yaml", "a: 1\n---\n- b\n---\n") == [{"a": 1}, ["b"], None]
    assert documents("yaml", "# nothing\n") == []


def test_dates_of_toml_are_texts() -> None:
    assert documents("toml", "a = 2001-01-01\nb = 07:30:00\nc = nan\n") == [
        {"a": "2001-01-01", "b": "07:30:00", "c": 0.0}
    ]


def _laughs() -> str:
    lines = ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    for old, new in zip("abcdefgh", "bcdefghi", strict=True):
        lines.append(f"{new}: &{new} [{', '.join([f'*{old}'] * 10)}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("language", "text", "why"),
    [
        ("yaml", _laughs(), "too many values"),
        ("yaml", "&a [*a]", "nested too deep"),
        ("yaml", "- " * 50_000, "more than 100 deep"),
        ("yaml", "[" * 50_000, "nesting depth"),
        ("yaml", "*a", "names nothing"),
        ("yaml", "a: 1\na: 2\n", "stands twice"),
        ("yaml", "? [a]\n: 1\n", "can't be a key"),
        ("yaml", "a: <<\nb: [\n", "did not find"),
        ("yaml", "a: {<<: 1}\n", "takes mappings"),
        ("json", "[" * 5_000, "recursion"),
        ("json", "[NaN]", "not JSON"),
        ("toml", "a = " + "[" * 5_000, "recursion|deep"),
        ("toml", "a = ", "Invalid value"),
        ("yaml", " " * 300_000, "262144 characters"),
    ],
)
def test_what_can_not_be_read_says_why(language: str, text: str, why: str) -> None:
    with pytest.raises(DataError, match=why):
        documents(language, text)


def test_no_tag_makes_an_object() -> None:
    assert documents("yaml", "a: !!python/object/apply:os.system [x]\n") == [{"a": ["x"]}]
