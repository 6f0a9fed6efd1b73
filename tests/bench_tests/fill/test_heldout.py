"""Places are cut cleanly out of held-out files, the same ones for the same seed."""

import zipfile
from pathlib import Path

import pytest

from models.loader import DEFAULT_MODEL, read_config
from models.tokenizer import read_tokenizer
from tests.bench.fill.curve import agreement
from tests.bench.fill.data import MissingData
from tests.bench.fill.heldout import HeldOut, download

TOKENIZER = read_tokenizer(DEFAULT_MODEL, read_config(DEFAULT_MODEL))
TEXT = "".join(f"def function_{n}(x):\n    # line {n}\n    return x + {n}\n" for n in range(200))


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "some-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("some/code.py", TEXT)
        archive.writestr("some/data.txt", TEXT)
    return path


def test_places_are_whole_lines_with_enough_before_them(wheel: Path) -> None:
    held_out = HeldOut([wheel], TOKENIZER)
    places = held_out.places(10, 300, 42)
    assert places == held_out.places(10, 300, 42) != held_out.places(10, 300, 43)
    for place in places:
        assert place.prefix + place.line + place.suffix in TEXT
        assert place.prefix.endswith("\n") and place.suffix.startswith("\n")
        assert "\n" not in place.line and "#" not in place.line
        assert 280 <= len(TOKENIZER.encode(place.prefix)) <= 300


def test_too_few_lines_are_a_reason_to_skip(wheel: Path) -> None:
    with pytest.raises(MissingData, match="only 0 lines"):
        HeldOut([wheel], TOKENIZER).places(10, 100_000, 42)


def test_a_wheel_that_is_there_is_not_downloaded(wheel: Path) -> None:
    assert download("some==1.0", wheel.parent) == wheel


def test_agreement_is_the_share_of_common_tokens() -> None:
    assert agreement(TOKENIZER, "    return x", "    return x") == 1.0
    assert agreement(TOKENIZER, "", "return x") == 0.0
    assert 0.0 < agreement(TOKENIZER, "    return y", "    return x") < 1.0
