"""From initialize to shutdown: encoding, settings, and an engine that is ready in time."""

from collections.abc import Mapping
from typing import Any, cast

from lsprotocol import types
from pygls.capabilities import ServerCapabilitiesBuilder

from lsp_server.feature import Method, Row, register
from lsp_server.features import completion
from lsp_server.server import RetouchServer
from lsp_server.settings import read_settings
from lsp_server.text import Encoding


def initialize(server: RetouchServer, params: types.InitializeParams) -> None:
    """Take what the client says of itself."""
    chosen = ServerCapabilitiesBuilder.choose_position_encoding(params.capabilities)
    server.documents.encoding = cast(Encoding, str(getattr(chosen, "value", chosen)))
    options = params.initialization_options
    ours = options.get("retouch") if isinstance(options, Mapping) else None
    experimental = params.capabilities.experimental
    named = experimental.get("retouch") if isinstance(experimental, Mapping) else None
    server.abilities = _abilities(named) | _abilities(ours)
    if isinstance(options, Mapping):
        options = {name: value for name, value in options.items() if name != "retouch"}
    server.configure(read_settings(options, server.tell_once))
    if server.settings.completion:
        register(server, completion.ROWS)


def initialized(server: RetouchServer, params: types.InitializedParams) -> None:
    """Have the engine ready for the first request."""
    server.warm_up()


def configured(server: RetouchServer, params: types.DidChangeConfigurationParams) -> None:
    """Take settings that were changed."""
    sent = params.settings
    ours = sent.get("retouch") if isinstance(sent, Mapping) else None
    if ours is not None:
        server.configure(read_settings(ours, server.tell_once))


async def shutdown(server: RetouchServer, params: Any) -> None:
    """Let go of everything."""
    await server.end()


def _abilities(raw: object) -> frozenset[str]:
    """The names that are switched on in an object such as {"denoise": 1}."""
    found = raw.items() if isinstance(raw, Mapping) else ()
    return frozenset(str(name)[:64] for name, value in found if value)


ROWS: tuple[Row, ...] = (
    Method(types.INITIALIZE, initialize),
    Method(types.INITIALIZED, initialized),
    Method(types.WORKSPACE_DID_CHANGE_CONFIGURATION, configured),
    Method(types.SHUTDOWN, shutdown),
)
