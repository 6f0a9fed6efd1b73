"""The bench of the server: a quick run gives every number and is gone on from."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.bench.serve.__main__ import main
from tests.bench.serve.loopback import percentiles
from tests.bench.serve.report import markdown
from tests.bench.serve.sections import FAKE, SECTIONS


def run(folder: Path, *words: str) -> dict[str, Any]:
    assert main(["--quick", "--threads", "1", "--out", str(folder), *words]) == 0
    return {path.stem: json.loads(path.read_text()) for path in folder.glob("*.json")}


@pytest.mark.e2e
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_the_fake_engine_is_measured_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = run(tmp_path, *FAKE)
    rows = found["loopback"]["result"]["rows"]
    for pair in rows.values():
        for numbers in pair.values():
            assert numbers["samples"] > 0
            assert 0 < numbers["p50_ms"] <= numbers["p99_ms"]
    assert found["loopback"]["result"]["cancel_to_end"]["p50_ms"] > 0
    memory = found["memory"]["result"]
    assert len(memory["after_each_quarter"]) == 4
    assert all(mark["server_mib"] > 1 for mark in memory["after_each_quarter"])
    assert "first_delta" in (tmp_path / "table.md").read_text()
    assert "load (" in capsys.readouterr().out
    again = run(tmp_path, *FAKE)
    assert again == found, "what is there is not measured anew"
    assert run(tmp_path, "--again", "memory")["memory"] != found["memory"]


@pytest.mark.model
@pytest.mark.e2e
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_the_real_engine_is_measured(tmp_path: Path, default_model_folder: Path) -> None:
    found = run(tmp_path, *(name for name in SECTIONS if name not in FAKE))
    rates = found["throughput"]["result"]
    assert set(rates) == {
        f"{policy}: {number} fills of 16" for policy in ("fixed", "causal") for number in (1, 2)
    }
    assert all(row["together"] > 0 for row in rates.values())
    assert found["fairness"]["result"]["alone"]["p95_turns"] >= 8
    assert found["cancel"]["result"]["worst_turns"] == 1
    assert len(found["memory_real"]["result"]["after_each_quarter"]) == 4
    assert "p95 steps" in markdown(found)


def test_percentiles_are_in_milliseconds() -> None:
    assert percentiles([0.001] * 99 + [1.0])["p50_ms"] == 1.0
    assert percentiles([0.5]) == {"p50_ms": 500.0, "p95_ms": 500.0, "p99_ms": 500.0, "samples": 1}
