"""Offsets in any unit mean the same characters, or none."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.requests import Task
from protocol.units import CODECS, characters, in_characters, length
from protocol.values import Encoding
from tests.protocol.strategies import REVISIONS, fills

TEXT = st.text("a\u00e9\u4e2d\U0001f600", max_size=12)
ENCODINGS: list[Encoding] = ["utf-8", "utf-16", "utf-32"]


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXT, data=st.data())
def test_offsets_go_there_and_back(encoding: Encoding, text: str, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, len(text)))
    units = length(text[:count], encoding)
    assert characters(text, units, encoding) == count


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXT, units=st.integers(0, 60))
def test_what_is_no_edge_of_a_character_is_none(encoding: Encoding, text: str, units: int) -> None:
    count = characters(text, units, encoding)
    edges = [length(text[:n], encoding) for n in range(len(text) + 1)]
    assert count == (edges.index(units) if units in edges else None)


def test_every_encoding_is_known() -> None:
    assert list(CODECS) == ENCODINGS == list(get_args(Encoding))


@given(task=REVISIONS | fills())
def test_characters_are_not_counted_anew(task: Task) -> None:
    assert in_characters(task, "utf-32") is task
