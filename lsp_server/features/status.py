"""The status bar and its switch."""

from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from lsp_server.feature import Command, Method, Row, arguments
from lsp_server.params import Nothing
from lsp_server.server import RetouchServer


class Toggle(Struct, frozen=True):
    """Params of `retouch/toggle`."""

    enable: bool


def status(server: RetouchServer, params: Nothing) -> dict[str, Any]:
    """What there is to show now."""
    return server.board.status.as_json()


def toggle(server: RetouchServer, params: Toggle) -> None:
    """Switch on or off."""
    server.configure(replace(server.settings, enable=params.enable))


def toggle_command(server: RetouchServer, given: tuple[Any, ...]) -> dict[str, Any]:
    """Switch to what was said, else to the other; the status behind it."""
    (enable,) = arguments(given, bool, needed=0)
    toggle(server, Toggle(not server.settings.enable if enable is None else enable))
    return server.board.status.as_json()


ROWS: tuple[Row, ...] = (
    Method("retouch/status", status, Nothing, offer="status"),
    Method("retouch/toggle", toggle, Toggle, offer="toggle"),
    Command("retouch.toggle", toggle_command),
)
