"""revise over the model that ships: a wrong constant is found, a sound line stays."""

import json
from pathlib import Path

import pytest

from tests.clients.cli.test_default_model import retouch

pytestmark = [pytest.mark.model, pytest.mark.e2e]

CODE = '''def count_evens(numbers):
    """Return how many of the numbers are even."""
    total = 0
    for number in numbers:
        if number % 3 == 0:
            total += 1
    return total


print(count_evens([1, 2, 3, 4]))
'''


def test_a_wrong_constant_is_found_and_explained(tmp_path: Path) -> None:
    path = tmp_path / "evens.py"
    path.write_text(CODE)
    code, out, err = retouch("revise", str(path), "--lines", "5:6", "-i", "--json")
    assert code == 0, err
    assert path.read_text() == CODE.replace("% 3", "% 2")
    (changed,) = [one for one in json.loads(out)["tokens"] if one["revised_from"] is not None]
    assert (changed["text"], changed["revised_from"]) == ("2", "3")
    assert changed["confidence"] < 0.1 < changed["now"]


def test_slips_in_several_spans_are_put_right(tmp_path: Path) -> None:
    path = tmp_path / "evens.py"
    sound = CODE.replace("% 3", "% 2")
    path.write_text(
        sound.replace("total +=", "toatl +=").replace("print(count_evens", "print(count_evns")
    )
    places = ("--lines", "10", "--lines", "6")
    code, out, err = retouch("revise", str(path), *places, "-i", "--json")
    assert code == 0, err
    assert path.read_text() == sound
    assert [hole["changed"] for hole in json.loads(out)["holes"]] == [True, True]


def test_a_sound_text_stays(tmp_path: Path) -> None:
    path = tmp_path / "evens.py"
    path.write_text(CODE.replace("% 3", "% 2"))
    before = path.read_bytes()
    code, out, err = retouch("revise", str(path), "--lines", "5:6", "-i", "--explain")
    assert (code, path.read_bytes(), out) == (1, before, b""), err
    assert "kept: likely" in err
