"""Schemas with judged instances from the data folder beside the repository; reads, never copies."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[4] / "shared" / "data" / "json_schema"


@dataclass(frozen=True, slots=True)
class Case:
    """One schema; `tests` are (value, is valid)."""

    group: str
    name: str
    schema: Any
    tests: tuple[tuple[Any, bool], ...]


def conformance(asserted_formats: bool = False) -> Iterator[Case]:
    """The JSON-Schema-Test-Suite for 2020-12: its core, or its optional formats."""
    folder = DATA / "test_suite" / "tests" / "draft2020-12"
    for path in sorted(
        (folder / "optional" / "format" if asserted_formats else folder).glob("*.json")
    ):
        for group in json.loads(path.read_text()):
            tests = tuple((test["data"], test["valid"]) for test in group["tests"])
            yield Case(path.stem, group["description"], group["schema"], tests)


def real_world() -> Iterator[Case]:
    """The MaskBench sample, grouped by source; "Synthesized" is not real-world."""
    for path in sorted((DATA / "maskbench_300").glob("*.json")):
        content = json.loads(path.read_text())
        source = path.stem.split("---")[0]
        if source.startswith(("BFCL", "JME")):
            source = source.split("_")[0]
        tests = tuple((test["data"], test["valid"]) for test in content["tests"])
        yield Case(source, path.stem, content["schema"], tests)


def spelled(value: Any) -> bytes:
    """An instance as the compact spelling writes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="surrogatepass")


def in_order(value: Any, schema_text: str) -> Any:
    """The instance with keys in the order in which the schema first names them."""
    if isinstance(value, list):
        return [in_order(item, schema_text) for item in value]
    if not isinstance(value, dict):
        return value
    far = len(schema_text)

    def place(key: str) -> int:
        found = schema_text.find(json.dumps(key))
        return far if found < 0 else found

    return {key: in_order(value[key], schema_text) for key in sorted(value, key=place)}


def whole_numbers(value: Any) -> Any:
    """The instance with 1.0 written as 1."""
    if isinstance(value, list):
        return [whole_numbers(item) for item in value]
    if isinstance(value, dict):
        return {key: whole_numbers(item) for key, item in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value
