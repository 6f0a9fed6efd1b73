"""Documents of data under a schema: what an answer breaks, and the values that may stand there."""

import json
import re
from typing import Any

import pytest

from engine.constraints import document_schema
from engine.constraints.data import documents
from engine.constraints.document_schema import STUBS, DocumentSchema, breaks_in
from engine.constraints.errors import InvalidConstraintError, NotWantedError, UnsupportedError
from engine.constraints.scalars import scalars

SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["name", "port"],
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string"},
            "port": {"type": "integer", "maximum": 65535},
            "debug": {"type": "boolean"},
            "level": {"enum": ["debug", "info", "on"]},
            "share": {"type": "number"},
            "tags": {"type": "array", "items": {"enum": ["a", "b"]}, "minItems": 1},
        },
    }
)


@pytest.mark.parametrize(
    ("language", "before", "behind", "good", "bad"),
    [
        ("yaml", "level: ", "\n", "info", "warn"),
        ("yaml", "level: ", "\nnope: 1\n", '"info"', "null"),
        ("yaml", "name: x\n", "\nlevel: info\n", "port: 80", "port: x"),
        ("yaml", "name: x\n", "\nlevel: info\n", "", "port: 80\nbad: 1"),
        ("yaml", "tags:\n  - ", "\n", "b", "c"),
        ("yaml", "port: ", "\n", "80", "99999"),
        ("toml", "level = ", "\n", '"info"', '"warn"'),
        ("toml", 'name = "x"\n', "", "port = 80\n", 'port = "x"\n'),
        ("toml", "tags = [", "]\n", '"a", "b"', '"a", "c"'),
        ("json", '{"level": ', "}", '"info"', '"warn"'),
        ("json", '{"level": ', "}", '"info", "port": 1', '"info", "port": true'),
    ],
)
def test_an_answer_is_judged_by_what_it_breaks(
    language: str, before: str, behind: str, good: str, bad: str
) -> None:
    problem = breaks_in(DocumentSchema(language, SCHEMA), before, [behind])
    assert problem(good) is None
    assert problem(bad) is not None


def test_the_complaint_names_the_place() -> None:
    problem = breaks_in(DocumentSchema("yaml", SCHEMA), "tags:\n  - ", ["\n"])
    assert problem("c") == 'tags/0: "c" is not one of "a" or "b"'


def test_what_is_broken_elsewhere_is_excused() -> None:
    before, behind = "port: many\nlevel: ", ["\nnope: 1\n"]
    problem = breaks_in(DocumentSchema("yaml", SCHEMA), before, behind)
    assert problem("info") is None
    assert problem("info\nworse: 1") is not None


def test_the_document_is_read_no_more_often_than_it_must_be() -> None:
    texts: list[str] = []

    class Read(DocumentSchema):
        def breaches(self, text: str) -> dict[tuple[object, ...], str]:
            texts.append(text)
            return super().breaches(text)

    problem = breaks_in(Read("yaml", SCHEMA), "name: x\nport: 1\nlevel: ", ["\n"])
    assert problem("info") is None
    assert len(texts) == 1, "a good answer needs no measure"
    assert problem("warn") is not None
    assert len(texts) < 2 + len(STUBS), "what differs between two stubs excuses nothing"
    seen = len(texts)
    assert problem("none") is not None
    assert len(texts) == seen + 1


def test_old_text_that_breaks_the_schema_is_no_measure() -> None:
    problem = breaks_in(DocumentSchema("yaml", SCHEMA), "level: ", ["\n"], old="warn")
    assert problem("warn") is not None
    assert problem("info") is None


def test_later_holes_are_taken_to_be_filled() -> None:
    problem = breaks_in(DocumentSchema("toml", SCHEMA), "port = ", ["\nlevel = ", "\n"])
    assert problem("80") is not None  # no stub is a level: none can tell
    problem = breaks_in(DocumentSchema("toml", SCHEMA), "level = ", ["\nport = ", "\n"])
    assert problem('"info"') is None
    assert problem('"warn"') is not None


def test_a_document_that_can_not_be_read_is_left_to_others() -> None:
    problem = breaks_in(DocumentSchema("toml", SCHEMA), "= =\nport = ", ["\n"])
    assert problem("80") is None


@pytest.mark.parametrize(
    ("language", "before", "good", "bad"),
    [
        (
            "yaml",
            "level: ",
            ["debug", "info", '"on"'],
            ["warn", "on", "true", "1", "null", " info"],
        ),
        ("yaml", "level:", [" debug"], ["debug"]),
        ("yaml", "debug: ", ["true", "false"], ["yes", "null", "0"]),
        ("yaml", "port: ", ["80", "0"], ["1.5", '"80"', "true", "08"]),
        ("yaml", "share: ", ["80", "0.25"], ["x"]),
        ("yaml", "tags:\n  - ", ["a"], ["c", "[a]"]),
        ("toml", "level = ", ['"info"'], ["info", '"warn"']),
        ("toml", "debug = ", ["true"], ["null"]),
        ("json", '{"level": ', ['"info"'], ["info", "null"]),
    ],
)
def test_values_that_may_stand_there_are_listed(
    language: str, before: str, good: list[str], bad: list[str]
) -> None:
    behind = "}" if language == "json" else "\n"
    found = scalars(DocumentSchema(language, SCHEMA), before, behind)
    assert found is not None
    for text in good:
        assert re.fullmatch(found.pattern, text), found.pattern
    for text in bad:
        assert not re.fullmatch(found.pattern, text), found.pattern


@pytest.mark.parametrize(
    ("language", "before", "behind"),
    [
        ("yaml", "name: ", "\n"),  # any text
        ("yaml", "tags: ", "\n"),  # a list
        ("yaml", "name: x\n", "\n"),  # a line of the document
        ("yaml", "other: ", "\n"),  # not there: nothing may stand
        ("yaml", "# level: ", "\n"),
        ("yaml", "", "# comment: 1\n"),
        ("yaml", "level: in", "\n"),
        ("yaml", "level: '", "'\n"),
        ("toml", "", "\n"),
        ("toml", "= =\nlevel = ", "\n"),
    ],
)
def test_where_there_is_a_choice_nothing_is_listed(language: str, before: str, behind: str) -> None:
    assert scalars(DocumentSchema(language, SCHEMA), before, behind) is None


@pytest.fixture
def readings(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the documents that are read under a schema."""
    found: list[int] = []

    def counted(language: str, text: str) -> list[Any]:
        found.append(len(text))
        return documents(language, text)

    monkeypatch.setattr(document_schema, "documents", counted)
    return found


def _levels(count: int) -> DocumentSchema:
    level = {"enum": [f"level{n}" for n in range(count)]}
    return DocumentSchema("yaml", json.dumps({"properties": {"level": level}}))


def test_a_large_document_is_not_read_once_for_each_of_many_values(readings: list[int]) -> None:
    before = "# much is said here\n" * 10_000 + "level: "
    assert scalars(_levels(300), before, "\n") is None
    assert not readings
    assert scalars(_levels(300), "level: ", "\n") is not None
    assert len(readings) > 300
    assert scalars(_levels(3), before, "\n") is not None, "few values are tried all the same"


def test_values_that_are_not_wanted_any_more_are_not_tried(readings: list[int]) -> None:
    with pytest.raises(NotWantedError):
        scalars(_levels(300), "level: ", "\n", lambda: len(readings) < 20)
    assert len(readings) <= 20 + 2 * len(STUBS)


@pytest.mark.parametrize("behind", [["\n"], ["\nname: ", "\n"]])
def test_of_a_large_document_few_stubs_are_tried(readings: list[int], behind: list[str]) -> None:
    before = "port: many\n" + "# much is said here\n" * 10_000 + "level: "
    problem = breaks_in(DocumentSchema("yaml", SCHEMA), before, behind)
    assert problem("warn") is not None
    assert sum(readings) < 2_000_000
    assert problem("info") is None, "what is broken elsewhere is excused"


def test_a_large_document_that_can_not_be_read_is_read_few_times(readings: list[int]) -> None:
    before = "# much is said here\n" * 10_000 + "level: ["
    problem = breaks_in(DocumentSchema("yaml", SCHEMA), before, ["\nname: x\n"])
    assert problem("info") is None, "it is left to others"
    assert len(readings) <= 1 + 2 * 3


def test_schemas_that_can_not_be_used_say_why() -> None:
    with pytest.raises(UnsupportedError, match="there are json, toml, yaml"):
        DocumentSchema("python", "{}")
    for schema in ("{", '{"type": 1}', '{"$ref": "https://example.org/s.json"}', "[" * 100_000):
        with pytest.raises(InvalidConstraintError, match="invalid schema"):
            DocumentSchema("yaml", schema)
