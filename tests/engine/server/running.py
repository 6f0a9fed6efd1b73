"""A real server on a real port in a thread, with a hub of the test's choice."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from engine.server.app import build_app
from engine.server.config import ServerConfig
from engine.server.run import Server, listen, uvicorn_config
from engine.server.services import Services, make_services
from tests.engine.server.inline import InlineHub

LOOPBACK = ServerConfig(port=0)


@dataclass
class Running:
    """A server that answers."""

    port: int
    hub: InlineHub
    services: Services
    loop: asyncio.AbstractEventLoop

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def ws(self) -> str:
        return f"ws://127.0.0.1:{self.port}/v1/infill"


@contextmanager
def running(hub: InlineHub | None = None, config: ServerConfig = LOOPBACK) -> Iterator[Running]:
    """Serve until the block ends."""
    hub = hub or InlineHub()
    started: list[Running] = []
    up, stop = threading.Event(), []

    async def serve() -> None:
        services = make_services(hub, config)
        server = Server(uvicorn_config(build_app(services), config), lambda why: None)
        listening = listen(config)
        stop.append(server)
        stepping = asyncio.create_task(hub.run())
        serving = asyncio.create_task(server.serve(sockets=[listening]))
        while not server.started:
            await asyncio.sleep(0.005)
        port = listening.getsockname()[1]
        started.append(Running(port, hub, services, asyncio.get_running_loop()))
        up.set()
        await asyncio.wait((serving, stepping), return_when=asyncio.FIRST_COMPLETED)
        stepping.cancel()
        await serving

    def run() -> None:
        try:
            asyncio.run(serve())
        except Exception as error:  # noqa: BLE001  told by the thread that waits
            failures.append(error)
            up.set()

    failures: list[Exception] = []
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    assert up.wait(20), "the server did not start"
    if failures:
        raise failures[0]
    try:
        yield started[0]
    finally:
        stop[0].should_exit = True
        thread.join(20)
        assert not thread.is_alive()
