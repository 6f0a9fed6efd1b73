"""The editor benchmark types what stood there, and what did not."""

import pytest

from tests.bench.editor.__main__ import ALONG, FIRST, OTHER, next_key, percentiles
from tests.bench.editor.places import places

FILES = [
    (f"m{n}.py", f"import os\n\n\ndef f_{n}(value):\n    return value + {n} * 1000\n# {n}\n")
    for n in range(14)
]


def test_a_place_is_a_file_of_its_own_with_the_rest_of_one_line_gone() -> None:
    found, sources = places(FILES, 12), dict(FILES)
    assert found == places(FILES, 12) != places(FILES, 12, seed=1)
    assert len({place.name for place in found}) == 12
    for place in found:
        source = sources[place.name]
        before, after = place.text[: place.cursor], place.text[place.cursor :]
        assert len(place.keys) == 6 and source.startswith(before + place.keys) and after[0] == "\n"
        assert source.endswith(after) and len(place.text) < len(source)


def test_too_few_files_are_said() -> None:
    with pytest.raises(ValueError, match="only 14 files"):
        places([*FILES, ("empty.py", ""), ("long.py", "x = 1\n" * 10_000)], 15)


def test_keys_go_along_with_the_text_or_another_way() -> None:
    assert next_key(FIRST, "abc", "") == "a"
    assert next_key(ALONG, "abc", "xyz") == "x"
    assert next_key(OTHER, "abc", "abc") == "b"
    assert next_key(OTHER, "aaa", "a") == "x"


def test_percentiles() -> None:
    assert percentiles([1.0, 2.0, 3.0]) == {"keys": 3, "p50_ms": 2.0, "p95_ms": 3.0}
    assert percentiles([]) == {"keys": 0}
