"""pygls' protocol, with what an editor needs and pygls leaves out: an answer to every request.

A request whose params are malformed is answered -32602; the document mirror is ours; cancelling a
command ends what it started.
"""

from collections.abc import Callable
from typing import Any

import attrs
from cattrs import Converter
from lsprotocol import converters, types
from lsprotocol.types import InitializeParams, InitializeResult
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method
from pygls.protocol.json_rpc import (
    JsonRPCNotification,
    JsonRPCRequestMessage,
    JsonRPCResponseMessage,
)
from pygls.server import JsonRPCServer

OURS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
)
"""What pygls would do for its own mirror of the documents."""
_ANSWERED = object()


class RetouchProtocol(LanguageServerProtocol):
    """See the module.

    Attributes:
        experimental: what `capabilities.experimental` says.
        cancelled: called with the id of a request that the editor cancels.
    """

    def __init__(self, server: JsonRPCServer, converter: Converter) -> None:
        super().__init__(server, converter)  # type: ignore[arg-type]
        self.experimental: dict[str, Any] = {}
        self.cancelled: Callable[[int | str], None] = lambda request: None
        for method in OURS:
            self.fm.builtin_features.pop(method, None)

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: InitializeParams) -> Any:
        """As pygls does it, with our experimental capabilities."""
        result: InitializeResult = yield from super().lsp_initialize(params)
        result.capabilities.experimental = self.experimental
        return result

    def structure_message(self, data: dict[str, Any]) -> Any:
        """The typed message; what can't be one is answered, and skipped."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            request = data.get("id")
            if not isinstance(request, int | str):
                raise
            if "method" in data:
                self._send_response(request, error=error.to_response_error())
            else:
                self._handle_response(request, None, error.to_response_error())
            return _ANSWERED

    def handle_message(self, message: Any) -> None:
        """Pass a message on to its handler."""
        if message is not _ANSWERED:
            super().handle_message(message)

    def _handle_cancel_notification(self, msg_id: int | str) -> None:
        self.cancelled(msg_id)
        super()._handle_cancel_notification(msg_id)


def converter() -> Converter:
    """lsprotocol's converter; params of methods it doesn't know stay what JSON made of them."""
    made = converters.get_converter()
    for kind in (JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage):
        made.register_structure_hook(kind, _plain)
    return made


def _plain(data: dict[str, Any], kind: Any) -> Any:
    return kind(**{field.name: data.get(field.name) for field in attrs.fields(kind)})
