"""A server in a process of its own: `fake` engine, `real` engine, or a bare `echo`.

`python -m tests.bench.serve.server KIND FOLDER THREADS` prints its port and runs until killed.
"""

import asyncio
import contextlib
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from websockets.asyncio.server import ServerConnection
from websockets.asyncio.server import serve as serve_websocket

from engine.config import EngineConfig
from engine.process import worker_command
from engine.server.config import ServerConfig
from engine.server.run import Serving, serve
from engine.server.runtime import TOKEN
from engine.server.token import read_token

ROOT = Path(__file__).resolve().parents[3]
Kind = Literal["fake", "real", "echo"]
PATIENCE = 30.0


@dataclass(frozen=True, slots=True)
class Process:
    """A server that runs. `pids` are the server, then its engine."""

    port: int
    token: str | None
    process: "subprocess.Popen[str]"

    @property
    def url(self) -> str:
        """Its WebSocket."""
        return f"ws://127.0.0.1:{self.port}/v1/infill"

    @property
    def pids(self) -> list[int]:
        """The server, then its engines."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        children = path.read_text().split() if path.exists() else []
        return [self.process.pid, *map(int, children)]


@contextlib.contextmanager
def started(kind: Kind, folder: Path, threads: int = 1) -> Iterator[Process]:
    """Run a server while the block runs."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "tests.bench.serve.server", kind, str(folder), str(threads)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the {kind} server did not start")
        token = None if kind == "echo" else read_token(folder / TOKEN)
        yield Process(int(line), token, process)
    finally:
        process.kill()
        process.wait(PATIENCE)
        process.stdout.close()


async def echo() -> None:
    """Send every message back."""

    async def answer(socket: ServerConnection) -> None:
        async for message in socket:
            await socket.send(message)

    async with serve_websocket(answer, "127.0.0.1", 0, compression=None) as server:
        print(next(iter(server.sockets)).getsockname()[1], flush=True)
        await asyncio.Event().wait()


def main(kind: str, folder: Path, threads: int) -> None:
    """Serve until killed."""
    if kind == "echo":
        asyncio.run(echo())
        return
    command = worker_command("tests.engine.server.fake_worker", ROOT) if kind == "fake" else None
    config = ServerConfig(port=0, token_file=folder / TOKEN)
    engine = EngineConfig(threads=threads)
    serve(Serving(config, engine, folder, 1, lambda info: print(info.port, flush=True), command))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
