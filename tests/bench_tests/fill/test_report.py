"""The table and the picture show what the sections found, each section by itself too."""

from itertools import pairwise
from typing import Any

import pytest

from models.checkpoint import fingerprint
from models.loader import Model
from tests.bench.common.provenance import provenance
from tests.bench.common.stats import wilson
from tests.bench.fill.__main__ import _options, _parser
from tests.bench.fill.picture import png
from tests.bench.fill.report import SECTIONS, markdown
from tests.bench.fill.sections import NAMES, run_section

PAIR = {
    "problems": 10,
    "only_ours": 2,
    "only_theirs": 1,
    "difference": 0.1,
    "low": -0.1,
    "high": 0.3,
    "p_value": 1.0,
}
QUALITY = {
    "arm": "fixed",
    "length": "oracle",
    "problems": 10,
    "passed": 4,
    "interval": wilson(4, 10),
    "exact": 3,
    "nfe": 8.0,
    "tokens_per_nfe": 1.25,
    "seconds_per_fill": 0.5,
    "in_flight": 8,
    "errors": 0,
    "against causal": PAIR,
}
SPEED = {
    "name": "retouch default",
    "precision": "bfloat16",
    "context": 200,
    "state": "warm",
    "n": 3,
    "p50_ms": 120.4,
    "p95_ms": 250.0,
    "tokens_per_second": 33.3,
    "tokens": 9.0,
    "nfe": 10.0,
}
POINT = {
    "arm": "default",
    "policy": "default",
    "places": 20,
    "exact": 0.25,
    "exact_interval": wilson(5, 20),
    "agreement": 0.5,
    "nfe": 4.0,
    "tokens_per_nfe": 2.0,
    "seconds_per_fill": 0.1,
}
FOUND: dict[str, dict[str, Any]] = {
    "quality": {"isolation": "namespaces", "benchmarks": {"single-line": [QUALITY]}},
    "speed": {
        "rows": [SPEED, {**SPEED, "state": "cold"}],
        "steps": [{"reading": "canvas", "context": 200, "step_ms": 12.0, "ratio": 1.0}],
        "missing": ["llama.cpp is not here"],
    },
    "context": {
        "places": 5,
        "rows": [{"tokens": 200, "nll": 2.1, "rise": 0.0, "standard_error": 0.0}],
    },
    "curve": {"points": [POINT, {**POINT, "arm": "fixed steps=4", "policy": "fixed"}]},
    "batch": {"rows": [{"arm": "default", "flips": 1, "places": 8, "interval": wilson(1, 8)}]},
    "twins": {
        "rows": [
            {
                "arm": "default",
                "where": "behind",
                "places": 8,
                "right": 3,
                "interval": wilson(3, 8),
                "copied": 2,
            }
        ]
    },
    "compile": {
        "rows": [
            {"pass": "causal row", "plain_ms": 2.0, "compiled_ms": 1.5, "first_s": 30.0},
            {"pass": "canvas", "plain_ms": 2.0, "error": "it can't be", "first_s": 30.0},
        ]
    },
    "forms": {
        "places": 5,
        "rows": [{"form": "int8 rows", "mib": 101.2, "nll": 1.234, "ms": {"1": 3.0, "16": 9.5}}],
    },
    "memory": {"rows": [{"dtype": "float32", "error": "no room"}]},
}


def results() -> dict[str, dict[str, Any]]:
    made = {**provenance(1), "seed": 42, "dtype": "bfloat16", "load_after": (1, 1, 1)}
    made["weights"] = "0123456789ab"
    return {name: {**section, "provenance": made} for name, section in FOUND.items()}


def test_every_section_can_be_shown() -> None:
    assert set(SECTIONS) == set(NAMES) == set(FOUND)


def test_the_table_holds_the_numbers() -> None:
    text = markdown(results())
    for part in ("4/10 = 40.0%", "+10.0 [-10.0, +30.0]", "120", "llama.cpp is not here", "1/8"):
        assert part in text


def test_the_table_names_the_weights_of_each_section() -> None:
    found = results()
    found["speed"]["provenance"] = {**found["speed"]["provenance"], "weights": "ba9876543210"}
    named = {
        line.split(" | ")[0][2:]: line
        for line in markdown(found).splitlines()
        if "| ba9876543210 |" in line or "| 0123456789ab |" in line
    }
    assert named.keys() == FOUND.keys()
    assert "| ba9876543210 |" in named["speed"]


def test_a_section_says_which_weights_it_measured(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.bench.fill.memory.resident", lambda *_: {})
    options = _options(_parser().parse_args(["--model", str(tiny.folder)]))
    found = run_section("memory", options)
    assert found["provenance"]["weights"] == fingerprint(tiny.folder)


def test_rows_are_as_wide_as_their_heads() -> None:
    lines = ["", *markdown(results()).splitlines()]
    for before, line in pairwise(lines):
        if before.startswith("|") and line.startswith("|"):
            assert before.count("|") == line.count("|")


@pytest.mark.parametrize("name", FOUND)
def test_a_section_alone_can_be_shown(name: str) -> None:
    assert "## " in markdown({name: results()[name]})


def test_the_picture_is_a_png() -> None:
    pytest.importorskip("matplotlib")
    data = png(results())
    assert data is not None and data.startswith(b"\x89PNG")
    assert png({}) is None
