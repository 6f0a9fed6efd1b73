"""Finished work is found again, also after a run was killed in the middle of a line."""

from pathlib import Path

from tests.bench.common.records import Records, Stamped, key_of, read_json, write_json


def test_records_come_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "runs.jsonl"
    Records(path).add("a", passed=True)
    assert Records(path).get("a") == {"key": "a", "passed": True}
    assert Records(path).get("b") is None


def test_a_torn_line_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    Records(path).add("a", n=1)
    with path.open("ab") as file:
        file.write(b'{"key": "b", "n"')
    Records(path).add("c", n=3)
    again = Records(path)
    assert again.get("a") and again.get("c") and not again.get("b")


def test_a_stamp_is_part_of_every_key(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    ours, theirs = Stamped(path, ["commit", "weights"]), Stamped(path, ["commit", "others"])
    ours.add(ours.key("task", 1), passed=True)
    assert Stamped(path, ["commit", "weights"]).get(ours.key("task", 1))
    assert ours.get(theirs.key("task", 1)) is None


def test_keys_depend_on_every_part() -> None:
    assert key_of("a", {"x": 1, "y": 2}) == key_of("a", {"y": 2, "x": 1})
    assert key_of("a", {"x": 1}) != key_of("a", {"x": 2}) != key_of("b", {"x": 2})


def test_json_is_replaced_whole(tmp_path: Path) -> None:
    path = tmp_path / "table.json"
    assert read_json(path) is None
    write_json(path, {"a": [1]})
    write_json(path, {"a": [2]})
    assert read_json(path) == {"a": [2]}
    assert [entry.name for entry in tmp_path.iterdir()] == ["table.json"]
