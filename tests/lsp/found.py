"""A server that a language server finds: its runtime file and its token in a folder."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.server.config import ServerConfig
from engine.server.runtime import TOKEN, RuntimeFile, RuntimeInfo
from engine.server.token import ensure_token
from tests.engine.server.inline import InlineHub
from tests.engine.server.running import Running, running


@contextmanager
def found_in(folder: Path, hub: InlineHub) -> Iterator[Running]:
    """Serve until the block ends, found by the runtime file in `folder`, with a token."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    token = folder / TOKEN
    ensure_token(token)
    with running(hub, ServerConfig(port=0, token_file=token)) as server:
        runtime = RuntimeFile(folder)
        runtime.acquire()
        try:
            runtime.publish(RuntimeInfo(0, "127.0.0.1", server.port, "0", "fake", str(token)))
            yield server
        finally:
            runtime.release()
