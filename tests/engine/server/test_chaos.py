"""A real server whose engine is killed, whose disk is full: what runs is told, the rest goes on."""

import asyncio
import os
import signal
from pathlib import Path

import httpx
import pytest

from engine.server.logs import FILE
from engine.server.runtime import TOKEN
from engine.server.token import read_token
from protocol.messages import Done, Error, Fill
from tests.engine.server.talk import talk
from tests.engine.server.test_serving import PATIENCE, served

pytestmark = pytest.mark.e2e

LONG = "steps=9000;sleep=0.01;text=" + "x" * 9000 + ";"


def child_of(pid: int) -> int:
    """The one child of a process."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    if not children.exists():
        pytest.skip("needs /proc")
    (child,) = children.read_text().split()
    return int(child)


def test_an_engine_killed_in_a_step_costs_what_it_was_at(tmp_path: Path) -> None:
    with served(tmp_path) as (process, port):
        token = read_token(tmp_path / TOKEN)

        async def scenario() -> None:
            async with talk(f"ws://127.0.0.1:{port}/v1/infill", token=token) as line:
                for turn in range(2):
                    name = f"long{turn}"
                    await line.say(Fill(name, LONG, ""))
                    await line.hear()
                    await line.hear()
                    os.kill(child_of(process.pid), signal.SIGKILL)
                    error = await line.end(name)
                    assert isinstance(error, Error)
                    assert error.code == "engine_failed"
                    assert error.retry_after_ms is not None
                    await line.say(Fill(f"next{turn}", "text=alive;", ""))
                    done = await line.end(f"next{turn}")
                    assert isinstance(done, Done)
                    assert done.text == "alive"

        asyncio.run(scenario())
        with httpx.Client(trust_env=False, verify=False) as client:
            headers = {"Authorization": f"Bearer {token}"}
            text = client.get(f"http://127.0.0.1:{port}/metrics", headers=headers).text
        assert "retouch_engine_restarts 2.0" in text
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_stops_no_fill_and_no_end(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/dev/full")
    with served(tmp_path) as (process, port):
        token = read_token(tmp_path / TOKEN)

        async def scenario() -> None:
            async with talk(f"ws://127.0.0.1:{port}/v1/infill", token=token) as line:
                await line.say(Fill("a", "text=here;", ""))
                done = await line.end("a")
                assert isinstance(done, Done)
                assert done.text == "here"

        asyncio.run(scenario())
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
