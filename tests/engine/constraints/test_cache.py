"""Compiled constraints on disk: what comes back, what is thrown away, how much is kept."""

import io
import json
import os
from pathlib import Path

import numpy as np
import pytest

from engine.constraints.cache import ConstraintCache, cache_key, packed, unpacked
from engine.constraints.limits import Bounds, Limits
from engine.constraints.regex import full_match
from engine.constraints.spec import Regex
from engine.constraints.token_dfa import TokenDFA
from engine.constraints.token_lift import lift
from tests.engine.constraints.toys import VOCABULARY


@pytest.fixture(scope="module")
def automaton() -> TokenDFA:
    return lift(full_match("(ab)*c", Limits(), Bounds()).dfa, VOCABULARY, Limits(), ("a note",))


def same(one: TokenDFA, other: TokenDFA) -> bool:
    names = ("token_class", "pair_from", "pair_to", "pair_set", "set_starts", "set_classes")
    arrays = all(np.array_equal(getattr(one, n), getattr(other, n)) for n in names)
    inner = np.array_equal(one.dfa.delta, other.dfa.delta) and one.dfa.start == other.dfa.start
    return arrays and inner and one.notes == other.notes


def test_round_trip(automaton: TokenDFA, tmp_path: Path) -> None:
    cache = ConstraintCache(tmp_path / "new")
    assert cache.load("k") is None
    cache.store("k", packed(automaton))
    found = cache.load("k")
    assert found is not None
    assert same(found, automaton)
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["k.npz"]


@pytest.mark.parametrize("cut", [0, 10, 500])
def test_damaged_files_are_removed(automaton: TokenDFA, tmp_path: Path, cut: int) -> None:
    path = tmp_path / "k.npz"
    path.write_bytes(packed(automaton)[:cut])
    assert ConstraintCache(tmp_path).load("k") is None
    assert not path.exists()


@pytest.mark.parametrize(
    ("name", "value"),
    [("pair_to", 99), ("pair_set", -1), ("set_classes", 99), ("table", 99), ("byte_class", 200)],
)
def test_indices_out_of_range_are_refused(automaton: TokenDFA, name: str, value: int) -> None:
    content = _with(automaton, name, value)
    with pytest.raises(ValueError, match="out of range"):
        unpacked(content)


def test_another_version_and_pickles_are_refused(automaton: TokenDFA) -> None:
    with pytest.raises(ValueError, match="another version"):
        unpacked(_with_head(automaton, {"version": -1, "start": 1, "notes": []}))
    file = io.BytesIO()
    np.savez(file, head=np.array([{"a": 1}], dtype=object))
    with pytest.raises(ValueError, match="allow_pickle"):
        unpacked(file.getvalue())


def test_the_oldest_files_go_first(automaton: TokenDFA, tmp_path: Path) -> None:
    content = packed(automaton)
    cache = ConstraintCache(tmp_path, most_bytes=2 * len(content))
    for age, key in enumerate(["a", "b", "c"]):
        cache.store(key, content)
        os.utime(tmp_path / f"{key}.npz", (age, age))
    cache.store("d", content)
    assert sorted(path.stem for path in tmp_path.iterdir()) == ["c", "d"]


def test_keys_tell_specs_and_vocabularies_apart() -> None:
    key = cache_key(Regex(pattern="a"), "v")
    assert key == cache_key(Regex(pattern="a", best_effort=True), "v")
    assert key != cache_key(Regex(pattern="b"), "v")
    assert key != cache_key(Regex(pattern="a"), "w")


def _arrays(content: bytes) -> dict[str, np.ndarray]:
    with np.load(io.BytesIO(content)) as file:
        return {name: file[name].copy() for name in file.files}


def _saved(arrays: dict[str, np.ndarray]) -> bytes:
    file = io.BytesIO()
    np.savez(file, **arrays)
    return file.getvalue()


def _with(automaton: TokenDFA, name: str, value: int) -> bytes:
    arrays = _arrays(packed(automaton))
    arrays[name].reshape(-1)[0] = value
    return _saved(arrays)


def _with_head(automaton: TokenDFA, head: dict[str, object]) -> bytes:
    arrays = _arrays(packed(automaton))
    arrays["head"] = np.frombuffer(json.dumps(head).encode(), np.uint8)
    return _saved(arrays)
