"""The language server put together: one table of features."""

from collections.abc import Callable, Sequence
from pathlib import Path

from lsp_server.feature import Row, register
from lsp_server.features import (
    code_actions,
    fill_holes,
    heat,
    inline_completion,
    lifecycle,
    live_ops,
    reroll,
    revise,
    rewrite,
    status,
    sync,
)
from lsp_server.link.finding import Endpoint, fixed_endpoint
from lsp_server.link.launching import Launcher
from lsp_server.link.link import Locate
from lsp_server.server import Lookup, RetouchServer
from lsp_server.settings import Settings

FEATURES: tuple[Row, ...] = (
    *lifecycle.ROWS,
    *sync.ROWS,
    *status.ROWS,
    *inline_completion.ROWS,
    *rewrite.ROWS,
    *revise.ROWS,
    *fill_holes.ROWS,
    *reroll.ROWS,
    *heat.ROWS,
    *live_ops.ROWS,
    *code_actions.ROWS,
)
"""Every method and command; a new feature is a file in `features/` and a row here."""


def build(version: str, folder: Path, command: Sequence[str] | None = None) -> RetouchServer:
    """A language server that finds the engine by `folder`, or starts it with `command`."""
    server = RetouchServer(version, lookup(Launcher(folder, command), folder))
    register(server, FEATURES)
    return server


def lookup(launcher: Launcher, folder: Path) -> Lookup:
    """How settings say where the engine is."""

    def locate(settings: Settings) -> Locate:
        port, host = settings.server.port, settings.server.host
        if port is None:
            return launcher.endpoint

        async def fixed(starting: Callable[[], None]) -> Endpoint:
            return fixed_endpoint(folder, host, port)

        return fixed

    return locate
