"""The server as a process: found, shared, stopped with nothing lost, started over a dead one."""

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from engine.client import stream
from engine.errors import EngineError
from engine.remote import RemoteEngine, connect_engine
from engine.server.runtime import FILE, TOKEN, RuntimeFile, RuntimeInfo, find_server
from engine.server.token import read_token
from protocol.messages import Accepted, Delta, Done, Error, Fill, Goaway
from protocol.runtime import LOCK
from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.talk import talk
from tests.engine.server.waiting import wait_until

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parent.parent.parent.parent
PATIENCE = 60.0


def start(folder: Path, idle: float = 0, port: int = 0, model: str = "") -> subprocess.Popen[str]:
    words = [str(folder), str(idle), str(port), model]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.engine.server.fake_server", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


@contextmanager
def served(folder: Path, idle: float = 0) -> Iterator[tuple[subprocess.Popen[str], int]]:
    process = start(folder, idle)
    try:
        yield process, int(first_line(process))
    finally:
        process.kill()
        process.wait(PATIENCE)
        assert process.stdout is not None
        process.stdout.close()


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    text, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, text.strip()


def fill(prefix: str = "") -> Fill:
    return Fill(id="a", prefix=prefix, suffix="")


def test_programs_find_the_server_and_share_it(tmp_path: Path) -> None:
    with served(tmp_path) as (process, port):
        info = find_server(tmp_path)
        assert info is not None
        assert (info.pid, info.port, info.model) == (process.pid, port, "fake")
        engine = connect_engine(tmp_path)
        assert isinstance(engine, RemoteEngine)
        messages = list(stream(engine, fill()))
        assert isinstance(messages[0], Accepted)
        assert any(isinstance(message, Delta) for message in messages)
        done = messages[-1]
        assert isinstance(done, Done)
        assert done.text == ANSWER
        assert engine.receive() is None
        engine.close()


def test_two_that_start_at_once_are_one_server(tmp_path: Path) -> None:
    with served(tmp_path) as (process, _):
        status, text = ended(start(tmp_path))
        assert status == 3
        assert "running already" in text
        info = find_server(tmp_path)
        assert info is not None
        assert info.pid == process.pid


def test_a_stop_lets_what_runs_end_and_refuses_what_is_new(tmp_path: Path) -> None:
    with served(tmp_path) as (process, port):
        token = read_token(tmp_path / TOKEN)

        async def scenario() -> None:
            async with talk(f"ws://127.0.0.1:{port}/v1/infill", token=token) as line:
                await line.say(fill("steps=50;sleep=0.01;text=" + "x" * 50 + ";"))
                await line.hear()
                process.send_signal(signal.SIGTERM)
                while not isinstance(await line.hear(), Goaway):
                    pass
                await line.say(Fill(id="late", prefix="", suffix=""))
                error = await line.end("late")
                assert isinstance(error, Error)
                assert error.code == "draining"
                done = await line.end("a")
                assert isinstance(done, Done)
                assert (done.text, done.finish) == ("x" * 50, "converged")
                assert await line.closed() == 1012

        asyncio.run(scenario())
        assert process.wait(PATIENCE) == 0
        assert not (tmp_path / FILE).exists()
        assert find_server(tmp_path) is None


def test_a_second_signal_does_not_wait(tmp_path: Path) -> None:
    with served(tmp_path) as (process, port):
        token = read_token(tmp_path / TOKEN)

        async def scenario() -> None:
            async with talk(f"ws://127.0.0.1:{port}/v1/infill", token=token) as line:
                await line.say(fill("steps=9000;sleep=0.01;text=" + "x" * 9000 + ";"))
                await line.hear()
                process.send_signal(signal.SIGINT)
                while not isinstance(await line.hear(), Goaway):
                    pass
                process.send_signal(signal.SIGINT)
                assert await line.closed() == 1012

        asyncio.run(scenario())
        assert process.wait(PATIENCE) == 0


def test_an_unused_server_stops(tmp_path: Path) -> None:
    with served(tmp_path, idle=0.3) as (process, _):
        assert process.wait(PATIENCE) == 0
        assert find_server(tmp_path) is None


def test_a_server_in_use_does_not_stop(tmp_path: Path) -> None:
    with served(tmp_path, idle=0.3) as (process, _):
        engine = connect_engine(tmp_path)
        assert engine is not None
        time.sleep(1.0)
        assert process.poll() is None
        engine.close()
        assert process.wait(PATIENCE) == 0


def test_kill_9_leaves_a_stale_file_that_nobody_believes(tmp_path: Path) -> None:
    with served(tmp_path) as (process, _):
        engine = connect_engine(tmp_path)
        assert engine is not None
        engine.send(fill("steps=9000;sleep=0.01;text=" + "x" * 9000 + ";"))
        assert isinstance(engine.receive(), Accepted)
        process.kill()
        process.wait(PATIENCE)
        while isinstance(message := engine.receive(), Delta):
            pass
        assert isinstance(message, Error)
        assert message.code == "engine_failed"
        engine.close()
    assert (tmp_path / FILE).exists()
    assert find_server(tmp_path) is None
    assert connect_engine(tmp_path) is None
    with served(tmp_path) as (process, _):
        info = find_server(tmp_path)
        assert info is not None
        assert info.pid == process.pid


def test_the_engine_process_dies_with_a_killed_server(tmp_path: Path) -> None:
    with served(tmp_path) as (process, _):
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        if not children.exists():
            pytest.skip("needs /proc")
        (child,) = children.read_text().split()
        process.kill()
        process.wait(PATIENCE)
        wait_until(lambda: not _runs(int(child)))


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"
    except FileNotFoundError:
        return False


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        status, text = ended(start(tmp_path, port=port))
    assert status == 3
    assert f"127.0.0.1:{port}" in text
    assert "--port" in text


def test_an_engine_that_cannot_start_ends_the_server(tmp_path: Path) -> None:
    status, text = ended(start(tmp_path, model="missing"))
    assert (status, text) == (3, "There is no model here; try another.")
    assert find_server(tmp_path) is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid":1}', "x" * 100_000])
def test_a_damaged_runtime_file_is_no_server(tmp_path: Path, text: str) -> None:
    held = RuntimeFile(tmp_path)
    held.acquire()
    (tmp_path / FILE).write_text(text)
    assert find_server(tmp_path) is None
    held.release()


def test_a_lock_that_cant_be_used_is_told(tmp_path: Path) -> None:
    RuntimeFile(tmp_path).publish(RuntimeInfo(os.getpid(), "::1", 1, "0", "fake", None))
    (tmp_path / LOCK).mkdir()
    with pytest.raises(EngineError, match="can't be used"):
        find_server(tmp_path)


def test_a_folder_that_cant_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(EngineError, match="can't be used"):
        RuntimeFile(tmp_path / "file").acquire()
    (tmp_path / LOCK).mkdir()
    with pytest.raises(EngineError, match="can't be used"):
        RuntimeFile(tmp_path).acquire()


def test_the_runtime_file_belongs_to_who_holds_the_lock(tmp_path: Path) -> None:
    info = RuntimeInfo(os.getpid(), "::1", 1, "0", "fake", None)
    assert info.url == "http://[::1]:1"
    held = RuntimeFile(tmp_path)
    held.acquire()
    assert find_server(tmp_path) is None
    held.publish(info)
    assert find_server(tmp_path) == info
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0
    with pytest.raises(EngineError):
        RuntimeFile(tmp_path).acquire()
    held.release()
    assert find_server(tmp_path) is None
    (tmp_path / FILE).write_bytes(b"{}")
    assert find_server(tmp_path) is None
