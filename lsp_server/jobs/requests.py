"""Asking the editor: its answer, or None if it refuses or doesn't answer in time."""

import asyncio
from contextlib import suppress
from typing import Any

from pygls.exceptions import JsonRpcException

from lsp_server.server import RetouchServer


async def ask(server: RetouchServer, method: str, params: Any, seconds: float) -> Any:
    """The result of a request to the editor; None if it fails.

    The request itself is never cancelled: pygls trips over an answer to one that was.
    """
    answer = asyncio.ensure_future(server.protocol.send_request_async(method, params))
    answer.add_done_callback(lambda done: done.cancelled() or done.exception())
    with suppress(TimeoutError, JsonRpcException):
        async with asyncio.timeout(seconds):
            return await asyncio.shield(answer)
    return None
