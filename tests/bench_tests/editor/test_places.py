"""The editor benchmark types what stood there, and what did not."""

from tests.bench.editor.__main__ import ALONG, FIRST, OTHER, next_key, percentiles
from tests.bench.editor.places import ROOT, places


def test_a_place_is_a_document_with_the_rest_of_one_line_gone() -> None:
    found = places(12)
    assert found == places(12) != places(12, seed=1)
    for place in found:
        source = (ROOT / place.name).read_text("utf-8")
        before, after = place.text[: place.cursor], place.text[place.cursor :]
        assert source.startswith(before + place.keys) and after[0] == "\n"
        assert source.endswith(after) and len(place.text) < len(source)


def test_keys_go_along_with_the_text_or_another_way() -> None:
    assert next_key(FIRST, "abc", "") == "a"
    assert next_key(ALONG, "abc", "xyz") == "x"
    assert next_key(OTHER, "abc", "abc") == "b"
    assert next_key(OTHER, "aaa", "a") == "x"


def test_percentiles() -> None:
    assert percentiles([1.0, 2.0, 3.0]) == {"keys": 3, "p50_ms": 2.0, "p95_ms": 3.0}
    assert percentiles([]) == {"keys": 0}
