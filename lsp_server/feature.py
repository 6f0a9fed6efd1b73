"""A feature: the methods and commands it takes, as rows of a table; and how rows are registered."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import msgspec
from pygls.exceptions import JsonRpcInvalidParams

from lsp_server.server import RetouchServer


@dataclass(frozen=True, slots=True)
class Method:
    """One request or notification.

    Attributes:
        name: the method.
        handle: called with the server and the params; a coroutine function runs as a task that
            ends when the editor cancels the request.
        params: the msgspec struct of a `retouch/*` method's params, which are checked against it;
            None for methods of LSP, whose params are lsprotocol's.
        options: what is advertised for it, if it needs any.
        offer: its name in `capabilities.experimental.retouch`.
    """

    name: str
    handle: Callable[[RetouchServer, Any], Any]
    params: type[msgspec.Struct] | None = None
    options: Any = None
    offer: str | None = None


@dataclass(frozen=True, slots=True)
class Command:
    """One command of `workspace/executeCommand`.

    `handle` gets the server and the arguments as JSON made them: check them with `arguments`. What
    it starts must be entered in `server.cancels` under ("request", server.request_id), since a
    cancelled command's coroutine runs on.
    """

    name: str
    handle: Callable[[RetouchServer, tuple[Any, ...]], Any]


Row = Method | Command


def register(server: RetouchServer, rows: tuple[Row, ...]) -> None:
    """Enter every row; the methods are advertised."""
    offers = server.protocol.experimental.setdefault("retouch", {"version": 1})
    for row in rows:
        if isinstance(row, Command):
            server.command(row.name)(_command(server, row))
            continue
        server.feature(row.name, row.options)(_method(server, row))
        if row.offer is not None:
            offers[row.offer] = 1


def arguments(given: tuple[Any, ...], *kinds: Any, needed: int) -> list[Any]:
    """A command's arguments, of these types; None for those left out. Raises invalid params."""
    if not needed <= len(given) <= len(kinds):
        raise JsonRpcInvalidParams(f"{needed} to {len(kinds)} arguments are expected")
    found = [checked(value, kind) for value, kind in zip(given, kinds, strict=False)]
    return found + [None] * (len(kinds) - len(found))


def checked(value: Any, kind: Any) -> Any:
    """`value` as `kind`; raises invalid params, which is answered -32602."""
    try:
        return msgspec.convert(value, kind)
    except (msgspec.ValidationError, RecursionError) as error:
        raise JsonRpcInvalidParams(str(error)) from None


def _method(server: RetouchServer, row: Method) -> Callable[[Any], Any]:
    def typed(params: Any) -> Any:
        return params if row.params is None else checked(params or {}, row.params)

    if asyncio.iscoroutinefunction(row.handle):

        async def later(params: Any) -> Any:
            return await row.handle(server, typed(params))

        return later

    def at_once(params: Any) -> Any:
        return row.handle(server, typed(params))

    return at_once


def _command(server: RetouchServer, row: Command) -> Callable[..., Any]:
    if asyncio.iscoroutinefunction(row.handle):

        async def later(*given: Any) -> Any:
            result: Awaitable[Any] = row.handle(server, given)
            return await result

        return later

    def at_once(*given: Any) -> Any:
        return row.handle(server, given)

    return at_once
