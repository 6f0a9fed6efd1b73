"""What the program touches outside itself, in one value, so that tests can hand in their own."""

import logging
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from clients.cli.errors import BadInput, Unwritable
from clients.cli.fill_run import OpenEngine
from clients.cli.glyphs import safe
from clients.cli.settings import Settings

if TYPE_CHECKING:
    from rich.console import Console

    from engine.client import EngineClient
    from engine.config import EngineConfig

_DUMB = ("dumb", "unknown")

_LOG = logging.getLogger("retouch.cli")


@dataclass(frozen=True, slots=True)
class Program:
    """Streams, environment and the way to an engine."""

    open_engine: OpenEngine
    environ: Mapping[str, str]
    stdin: BinaryIO
    stdout: BinaryIO
    stderr: TextIO

    def put(self, data: bytes) -> None:
        """Bytes on standard output, at once; see `output`."""
        with self.output() as stdout:
            stdout.write(data)

    @contextmanager
    def output(self) -> Iterator[BinaryIO]:
        """Standard output, which has everything afterwards.

        Raises:
            Unwritable: it can't be written. That its reader has gone is a BrokenPipeError still.
        """
        try:
            yield self.stdout
            self.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise Unwritable(error) from None

    def is_live(self, settings: Settings) -> bool:
        """Whether standard error is a terminal that can be drawn on, and may be."""
        kind = self.environ.get("TERM") or ("dumb" if os.name == "posix" else "windows")
        terminal = self.stderr.isatty() and kind not in _DUMB
        return terminal and settings.live and not settings.reduced_motion

    def console(self, stream: TextIO, settings: Settings) -> "Console":
        """A console on one stream, with colours as the settings have them."""
        from clients.cli.console import HonestConsole

        colour = settings.color
        return HonestConsole(
            file=stream,
            no_color={"never": True, "always": False}.get(colour),
            force_terminal=True if colour == "always" else None,
            highlight=False,
            markup=False,
            emoji=False,
            legacy_windows=False,
            _environ=self.environ,
        )


def open_any_engine(settings: Settings) -> "EngineClient":
    """The engine of the server that runs, if the settings leave that open; else one of our own.

    Raises:
        EngineError: the model or the device can't be used.
    """
    own = (settings.model, settings.threads, settings.device, settings.dtype)
    if settings.server and own == (None, None, "auto", "auto") and (client := _server_engine()):
        return client
    return open_local_engine(settings)


def _server_engine() -> "EngineClient | None":
    """A running server's engine; None if there is none that lets us in."""
    from engine.errors import EngineError
    from engine.remote import connect_engine
    from engine.server.runtime import default_folder

    try:
        return connect_engine(default_folder())
    except EngineError as error:
        _LOG.warning("not using the server: %s", error)
        return None


def open_local_engine(settings: Settings) -> "EngineClient":
    """The engine in this process. Imported here, since torch takes seconds to load.

    Raises:
        EngineError: the model or the device can't be used.
    """
    from engine.local import open_engine

    return open_engine(engine_config(settings))


def named_model(settings: Settings) -> Path | None:
    """The folder that the settings name; None is the model that ships.

    Raises:
        BadInput: it is in the home of somebody who is not known.
    """
    try:
        return Path(settings.model).expanduser() if settings.model else None
    except RuntimeError:
        raise BadInput(f"the model {safe(settings.model or '')}: no such home folder") from None


def engine_config(settings: Settings) -> "EngineConfig":
    """The engine that the settings ask for."""
    from engine.config import EngineConfig
    from engine.server.runtime import constraint_cache

    return EngineConfig(
        model=named_model(settings),
        device=settings.device,
        dtype=settings.dtype,
        threads=settings.threads,
        constraint_cache=constraint_cache(),
    )


def this_program(environ: Mapping[str, str]) -> Program:
    """The program on the process's own streams; one that was closed is an empty one."""
    _open_closed_streams()
    return Program(open_any_engine, environ, sys.stdin.buffer, sys.stdout.buffer, sys.stderr)


def _open_closed_streams() -> None:
    """The null device where a shell's `<&-` or `>&-` left nothing. They live as long as we do."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115
