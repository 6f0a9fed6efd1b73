"""The log: JSON lines, numbers, no text of a user."""

import json
import logging
from pathlib import Path

import pytest

from engine.server.logs import FILE, end_facts, start_log, stop_log
from protocol.messages import Done, Error, Stats

SECRET = "password = 'hunter2'"


def test_lines_are_json_without_texts(tmp_path: Path) -> None:
    handler = start_log(tmp_path)
    logger = logging.getLogger("engine.server.test")
    done = Done("id", SECRET, "stop", stats=Stats(steps=3, wall_ms=1.5))
    logger.info("fill ended", extra={"facts": end_facts("s", done)})
    logger.info("fill ended", extra={"facts": end_facts("s", Error("overloaded", SECRET, SECRET))})
    try:
        raise ValueError(SECRET)
    except ValueError:
        logger.exception("a request could not be taken")
    stop_log(handler)
    text = (tmp_path / FILE).read_text("utf-8")
    rows = [json.loads(line) for line in text.splitlines()]
    assert "hunter2" not in text
    assert [row["event"] for row in rows] == ["fill ended", "fill ended", rows[2]["event"]]
    assert (rows[0]["finish"], rows[0]["steps"], rows[0]["wall_ms"]) == ("stop", 3, 1.5)
    assert rows[1]["finish"] == "overloaded"
    assert rows[2]["error"] == "ValueError"


def test_a_folder_that_cannot_be_written_costs_the_log_alone(tmp_path: Path) -> None:
    handler = start_log(tmp_path / "missing")
    logging.getLogger("engine.server.test").info("unheard")
    stop_log(handler)
    assert not (tmp_path / "missing").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_costs_the_log_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / FILE).symlink_to("/dev/full")
    handler = start_log(tmp_path)
    for _ in range(3):
        logging.getLogger("engine.server.test").info("lost")
    stop_log(handler)
    assert capsys.readouterr().err == ""
