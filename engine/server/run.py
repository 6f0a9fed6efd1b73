"""From configuration to a server that runs and stops: engine, socket, runtime file, signals."""

import asyncio
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn

from engine.config import EngineConfig
from engine.errors import EngineError
from engine.pool import EnginePool
from engine.server.app import build_app
from engine.server.config import ServerConfig
from engine.server.logs import start_log, stop_log
from engine.server.runtime import RuntimeFile, RuntimeInfo
from engine.server.services import VERSION, Services, make_services
from engine.server.token import ensure_token
from protocol.limits import FRAME_LIMIT

logger = logging.getLogger(__name__)

BACKLOG = 512
KEEP_ALIVE_SECONDS = 5
TICK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class Serving:
    """Everything a server is started with.

    Attributes:
        folder: where the runtime file is.
        announce: called once the server answers.
        command: how to start an engine process; None is the engine with the model.
    """

    server: ServerConfig
    engine: EngineConfig
    folder: Path
    workers: int = 1
    announce: Callable[[RuntimeInfo], None] = lambda info: None
    command: list[str] | None = None


class Server(uvicorn.Server):
    """uvicorn, which on the first signal asks us to stop in our own time."""

    def __init__(self, config: uvicorn.Config, stop: Callable[[str], None]) -> None:
        super().__init__(config)
        self._stop = stop
        self._asked = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """The first signal drains, the second doesn't wait for that, the third for nothing."""
        self.force_exit = self.should_exit
        self.should_exit = self._asked
        self._asked = True
        self._stop(signal.Signals(sig).name)


def serve(serving: Serving) -> None:
    """Run a server until it is told to stop; EngineError if it can't start."""
    runtime = RuntimeFile(serving.folder)
    runtime.acquire()
    handler = start_log(serving.folder)
    try:
        if serving.server.token_file is not None:
            ensure_token(serving.server.token_file)
        with listen(serving.server) as listening:
            asyncio.run(_serve(serving, runtime, listening))
    finally:
        stop_log(handler)
        runtime.release()


def listen(config: ServerConfig) -> socket.socket:
    """The listening socket; EngineError if the port is taken, or there is no such host."""
    family = socket.AF_INET6 if ":" in config.host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only on sockets that say they are TCP: without that a
    # small frame waits 40 ms for the one before it to be acknowledged.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((config.host, config.port))
        listening.listen(BACKLOG)
    except (OSError, TypeError) as error:  # a TypeError is of a name that no host can have
        listening.close()
        where = f"{config.host}:{config.port}"
        reason = error.strerror if isinstance(error, OSError) else error
        raise EngineError(f"Can't listen on {where}: {reason}. Try --port.") from error
    return listening


def uvicorn_config(app: Any, config: ServerConfig) -> uvicorn.Config:
    """uvicorn as it was measured: sans-I/O websockets, no compression, short keep-alive."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="off",
        ws="websockets-sansio",
        ws_max_size=FRAME_LIMIT,
        ws_per_message_deflate=False,
        ws_ping_interval=config.heartbeat_seconds,
        ws_ping_timeout=config.heartbeat_seconds,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=2,
        server_header=False,
        proxy_headers=False,
        http="h11",
        h11_max_incomplete_event_size=16 * 1024,
    )


async def _serve(serving: Serving, runtime: RuntimeFile, listening: socket.socket) -> None:
    pool = EnginePool(serving.engine, serving.workers, serving.command)
    await pool.start()
    services = make_services(pool, serving.server)
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()

    def stop(why: str) -> None:
        logger.info("stopping", extra={"facts": {"why": why}})
        loop.call_soon_threadsafe(stopping.set)

    server = Server(uvicorn_config(build_app(services), serving.server), stop)
    tasks = [
        asyncio.create_task(_announce(serving, pool, runtime, listening)),
        asyncio.create_task(_watch_idle(services, pool, stop)),
        asyncio.create_task(_drain(services, server, stopping)),
    ]
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        await asyncio.wait((running, tasks[0]), return_when=asyncio.FIRST_COMPLETED)
        if tasks[0].done() and tasks[0].exception() is not None:
            server.should_exit = True
        await running
        if tasks[0].done():
            await tasks[0]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await pool.close()


async def _announce(
    serving: Serving, pool: EnginePool, runtime: RuntimeFile, listening: socket.socket
) -> None:
    """Tell where the server is once its engine is ready; EngineError if it can't be."""
    await pool.ready()
    assert pool.facts is not None
    host, port = listening.getsockname()[:2]
    token = serving.server.token_file
    info = RuntimeInfo(
        pid=os.getpid(),
        host=host,
        port=port,
        version=VERSION,
        model=pool.facts.model,
        token_file=str(token) if token is not None else None,
    )
    runtime.publish(info)
    logger.info("ready", extra={"facts": {"port": port, "model": info.model}})
    serving.announce(info)


async def _watch_idle(services: Services, pool: EnginePool, stop: Callable[[str], None]) -> None:
    """Stop when nobody has been here for long enough, once there was something to come for."""
    limit = services.config.idle_seconds
    await pool.ready()
    services.touched = services.clock()
    while limit is not None:
        await asyncio.sleep(min(1.0, limit / 4))
        if services.idle_seconds() >= limit and not services.sessions.live:
            stop("idle")
            return


async def _drain(services: Services, server: Server, stopping: asyncio.Event) -> None:
    """Once told to stop: refuse what is new, let what runs end, then close."""
    await stopping.wait()
    grace = services.config.grace_seconds
    services.sessions.drain("the server is stopping", round(grace * 1000))
    until = services.clock() + grace
    while services.clock() < until and (services.sessions.unsent or services.requests):
        await asyncio.sleep(TICK_SECONDS)
    server.should_exit = True
