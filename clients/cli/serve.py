"""`retouch serve` and `retouch status`: the server that editors, tools and browsers share."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from msgspec import Struct

from clients.cli.errors import CHANGED, UNCHANGED, BadInput, EngineFailure
from clients.cli.options import Command, ListingOptions
from clients.cli.program import Program, engine_config
from clients.cli.report import as_json
from clients.cli.settings import Settings
from clients.cli.settings_sources import Resolved
from engine.errors import EngineError
from protocol.limits import Limits

if TYPE_CHECKING:
    from engine.server.run import Serving
    from engine.server.runtime import RuntimeInfo

_LOG = logging.getLogger("retouch.cli")
_PANEL: dict[str, Any] = {"rich_help_panel": "Server"}
PORT = 7737
_LIMITS = Limits()
_AUTO = "Time of infill.v1 requests made while one types that name none; 0 is no deadline."
_MANUAL = "Time of infill.v1 requests made by hand that name none; 0 is no deadline."

SERVE = (
    "Serve the model to editors, tools and browsers until it is stopped.\n\n"
    "It listens on this machine alone and asks for a token, which only you can read; "
    "`retouch status` says where both are. WebSocket clients speak infill.v1 at /v1/infill; "
    "clients for OpenAI, Mistral, Inception, llama.cpp and Ollama find the routes they know.\n\n"
    "Exit codes: 0 stopped, 2 bad usage, 3 the server could not start."
)
STATUS = (
    "Say whether a server runs, and where.\n\n"
    "Exit codes: 0 it runs, 1 there is none, 3 it can't be told."
)
SERVE_EXAMPLES = (
    "[bold]Examples[/bold]\n\n  retouch serve  [dim]# for this machine, with a token[/dim]\n\n"
    "  retouch serve --no-auth --port 8012  [dim]# for clients that can't send a key[/dim]"
)
STATUS_EXAMPLES = "[bold]Examples[/bold]\n\n  retouch status --json  [dim]# for programs[/dim]"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServeOptions:
    """Where to listen and whom to let in."""

    host: Annotated[str, typer.Option("--host", help="Address to listen on.", **_PANEL)] = (
        "127.0.0.1"
    )
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.", **_PANEL)
    ] = PORT
    workers: Annotated[
        int, typer.Option("--workers", min=1, max=64, help="Engine processes.", **_PANEL)
    ] = 1
    no_auth: Annotated[
        bool, typer.Option("--no-auth", help="Ask for no token; loopback only.", **_PANEL)
    ] = False
    token_file: Annotated[
        Path | None, typer.Option("--token-file", help="The token's file, mode 0600.", **_PANEL)
    ] = None
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="HOST:PORT", help="A further name.", **_PANEL),
    ] = None
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="URL", help="A web page that may ask.", **_PANEL),
    ] = None
    idle_exit: Annotated[
        float | None,
        typer.Option("--idle-exit", metavar="SECONDS", help="Stop when unused.", **_PANEL),
    ] = None
    auto_deadline: Annotated[
        int, typer.Option("--auto-deadline-ms", min=0, max=600_000, help=_AUTO, **_PANEL)
    ] = _LIMITS.auto_deadline_ms or 0
    manual_deadline: Annotated[
        int, typer.Option("--manual-deadline-ms", min=0, max=600_000, help=_MANUAL, **_PANEL)
    ] = _LIMITS.manual_deadline_ms or 0
    folder: Annotated[
        Path | None, typer.Option("--runtime-dir", help="Where the server is noted.", **_PANEL)
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusOptions(ListingOptions):
    """Where to look."""

    folder: Annotated[
        Path | None, typer.Option("--runtime-dir", help="Where the server is noted.", **_PANEL)
    ] = None


class Status(Struct, frozen=True):
    """What `retouch status --json` prints."""

    running: bool
    url: str | None = None
    pid: int | None = None
    version: str | None = None
    model: str | None = None
    token_file: str | None = None


def serve(program: Program, options: ServeOptions, resolved: Resolved) -> int:
    """Serve until stopped."""
    from engine.server.run import serve as run

    if options.no_auth:
        program.stderr.write("retouch: --no-auth: every program on this machine may ask\n")
    try:
        run(_serving(program, options, resolved.settings))
    except ValueError as error:
        raise BadInput(str(error)) from error
    except EngineError as error:
        raise EngineFailure(str(error)) from error
    return CHANGED


def status(program: Program, options: StatusOptions, _: Resolved) -> int:
    """Say whether a server runs."""
    from engine.server.runtime import default_folder, find_server

    try:
        info = find_server(options.folder or default_folder())
    except EngineError as error:
        raise EngineFailure(str(error)) from error
    found = Status(running=False) if info is None else _status(info)
    lines = "".join(f"{line}\n" for line in _told(info))
    program.put(as_json(found) if options.json else lines.encode())
    return UNCHANGED if info is None else CHANGED


def _serving(program: Program, options: ServeOptions, settings: Settings) -> "Serving":
    from engine.server.config import ServerConfig
    from engine.server.run import Serving
    from engine.server.runtime import TOKEN, default_folder

    folder = (options.folder or default_folder()).absolute()  # others look from elsewhere
    token_file = (options.token_file or folder / TOKEN).absolute()

    def announce(info: "RuntimeInfo") -> None:
        program.stderr.write("".join(f"{line}\n" for line in _told(info)))
        program.stderr.flush()

    return Serving(
        ServerConfig(
            host=options.host,
            port=options.port,
            token_file=None if options.no_auth else token_file,
            allowed_hosts=tuple(options.allow_host or ()),
            allowed_origins=tuple(options.allow_origin or ()),
            idle_seconds=options.idle_exit,
            limits=Limits(
                auto_deadline_ms=options.auto_deadline or None,
                manual_deadline_ms=options.manual_deadline or None,
            ),
        ),
        engine_config(settings),
        folder,
        options.workers,
        announce,
    )


def _status(info: "RuntimeInfo") -> Status:
    return Status(True, info.url, info.pid, info.version, info.model, info.token_file)


def _told(info: "RuntimeInfo | None") -> list[str]:
    """Lines for a person."""
    if info is None:
        return ["no server runs; `retouch serve` starts one"]
    token = info.token_file or "none is asked for"
    return [
        f"Server   {info.url}  (pid {info.pid}, version {info.version})",
        f"Model    {info.model}",
        f"Token    {token}",
    ]


SERVE_COMMANDS: tuple[Command[Any], ...] = (
    Command("serve", ServeOptions, serve, SERVE, SERVE_EXAMPLES, ("Engine",)),
    Command("status", StatusOptions, status, STATUS, STATUS_EXAMPLES, ()),
)
"""For the table of commands."""
