"""What a server begins with: its folder, its token, a socket whose small frames leave at once."""

import asyncio
import socket
from pathlib import Path

import pytest

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.server.config import ServerConfig
from engine.server.run import Serving, listen, serve


@pytest.mark.parametrize("host", ["no.such.invalid", "caf\udce9", "a\0b"])
def test_a_host_that_is_none_is_told(host: str) -> None:
    with pytest.raises(EngineError, match="Can't listen on"):
        listen(ServerConfig(host=host, port=0, token_file=Path("token")))


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_an_idle_time_that_never_comes_is_refused(seconds: float) -> None:
    with pytest.raises(ValueError, match="idle time"):
        ServerConfig(idle_seconds=seconds)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_small_frames_do_not_wait_for_each_other(host: str) -> None:
    if ":" in host and not socket.has_ipv6:
        pytest.skip("needs IPv6")

    async def scenario() -> int:
        met: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            line = writer.get_extra_info("socket")
            met.set_result(line.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            writer.close()

        with listen(ServerConfig(host=host, port=0)) as listening:
            async with await asyncio.start_server(connected, sock=listening):
                port = listening.getsockname()[1]
                _, writer = await asyncio.open_connection(host, port)
                found = await met
                writer.close()
                await writer.wait_closed()
                return found

    assert asyncio.run(scenario()) != 0


@pytest.mark.parametrize("token_there", [False, True])
def test_a_folder_that_cant_be_used_is_said(tmp_path: Path, token_there: bool) -> None:
    """By its name: it is no fault of ours."""
    file = tmp_path / "file"
    file.touch()
    folder, token = (tmp_path, file / "token") if token_there else (file, tmp_path / "token")
    serving = Serving(ServerConfig(port=0, token_file=token), EngineConfig(), folder)
    with pytest.raises(EngineError, match=f"{token if token_there else folder} can't be used"):
        serve(serving)
