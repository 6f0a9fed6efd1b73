"""Start the engine's server when none runs; it outlives us, is shared, and ends when unused."""

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

import lsp_server
from lsp_server.link.finding import Endpoint, LinkError, find_endpoint, is_claimed, unusable
from protocol.isolated import isolated

POLL_SECONDS = 0.1
PATIENCE_SECONDS = 180.0
"""A model that is loaded from a slow disk takes its time."""
TOLD_BYTES = 2000


def engine_command(folder: Path) -> list[str]:
    """What starts the server; isolated, so that nothing of a workspace is imported."""
    root = Path(lsp_server.__file__).parent.parent
    return isolated(sys.executable, str(root), "engine", "--folder", str(folder))


class Launcher:
    """Finds the server of a folder, and starts it with `command` if there is none."""

    def __init__(self, folder: Path, command: Sequence[str] | None = None) -> None:
        self._folder = folder
        self._command = list(command or engine_command(folder))
        self._process: subprocess.Popen[bytes] | None = None  # kept, so that its end is collected

    async def endpoint(self, starting: Callable[[], None]) -> Endpoint:
        """Where the server is; `starting` is called if it must be waited for. LinkError."""
        found = find_endpoint(self._folder)
        if found is not None:
            return found
        starting()
        with tempfile.TemporaryFile() as said:
            if not is_claimed(self._folder):
                self._process = self._start(said)
            try:
                async with asyncio.timeout(PATIENCE_SECONDS):
                    return await self._appears(said)
            except TimeoutError:
                text = f"The engine did not start in {PATIENCE_SECONDS:.0f} seconds."
                raise LinkError(f"{text} Try `retouch serve` in a terminal.") from None

    def _start(self, said: IO[bytes]) -> subprocess.Popen[bytes]:
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise unusable(self._folder, error) from error
        try:
            return subprocess.Popen(
                self._command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=said,
                cwd=self._folder,
                start_new_session=os.name == "posix",
            )
        except OSError as error:
            raise LinkError(f"The engine can't be started: {error}.") from error

    async def _appears(self, said: IO[bytes]) -> Endpoint:
        """Wait for the runtime file. Another editor may have been faster: then for its server."""
        while True:
            found = find_endpoint(self._folder)
            if found is not None:
                return found
            over = self._process is None or self._process.poll() is not None
            if over and not is_claimed(self._folder):
                raise LinkError(_why(self._process, said))
            await asyncio.sleep(POLL_SECONDS)


def _why(process: subprocess.Popen[bytes] | None, said: IO[bytes]) -> str:
    """The last words of a server that ended before it answered."""
    said.seek(max(0, said.seek(0, os.SEEK_END) - TOLD_BYTES))
    lines = said.read().decode("utf-8", "replace").strip().splitlines()
    code = process.returncode if process is not None else None
    why = lines[-1][:300] if lines else f"it ended with status {code}"
    return f"The engine did not start: {why} (try `retouch serve` in a terminal)"
