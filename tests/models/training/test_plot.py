"""Loss curves of a run as a PNG."""

import json
from pathlib import Path

import pytest

from models.training.plot import plot, read_log, smoothed

LINES = [
    {"step": 1, "canvas_rows": 100, "real": 5.0, "tail": 4.0, "noise": 3.0},
    {"step": 2, "canvas_rows": 200, "real": 4.0, "tail": 3.5, "noise": 2.5},
    {"canvas_rows": 200, "held": {"1.0": 5.5, "0.5": 3.9}},
]


def run_of(folder: Path, lines: list[dict[str, object]]) -> Path:
    (folder / "log.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return folder


def test_the_average_has_no_bias_at_its_start() -> None:
    assert smoothed([2.0, 2.0, 2.0]) == pytest.approx([2.0, 2.0, 2.0])
    assert smoothed([1.0, 3.0])[1] == pytest.approx((0.95 * 1 + 3) / 1.95)
    assert smoothed([]) == []


@pytest.mark.parametrize("count", [2, 3])
def test_a_run_is_drawn_with_and_without_held_out_figures(tmp_path: Path, count: int) -> None:
    pytest.importorskip("matplotlib")
    run, out = run_of(tmp_path, LINES[:count]), tmp_path / "losses.png"
    assert len(read_log(run)) == count
    plot(run, out)
    assert out.read_bytes().startswith(b"\x89PNG")
