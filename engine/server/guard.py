"""The one door: Host, Origin and token are checked here before anything else sees a request.

It wraps the whole application, so that no route, HTTP or WebSocket, can be added without it.
"""

import json
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any

from engine.server.config import ServerConfig, is_loopback
from engine.server.hosts import HostRule
from engine.server.token import TokenFile

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]
Headers = Iterable[tuple[bytes, bytes]]
BEARER = "bearer."
ALLOWED_METHODS = b"GET, POST, OPTIONS"
ALLOWED_HEADERS = b"authorization, content-type"


class Refused(Exception):
    """A request that is not let in."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code = status, code


def plain_errors(path: str) -> bool:
    """Whether the clients of a path read an error as a bare text: Ollama's do."""
    return path.startswith("/api/")


class Guard:
    """ASGI application around another."""

    def __init__(self, app: ASGIApp, config: ServerConfig) -> None:
        self._app = app
        self._hosts = HostRule(
            is_loopback(config.host), frozenset(name.lower() for name in config.allowed_hosts)
        )
        self._origins = frozenset(config.allowed_origins)
        self._token = TokenFile(config.token_file) if config.token_file is not None else None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        try:
            origin = self._origin(scope)
            if origin is not None and scope["type"] == "http":
                send = _with_cors(send, origin, scope["headers"])
                if scope["method"] == "OPTIONS":
                    await _answer(send, 204, b"", [])
                    return
            if self._token is not None and not self._shows_token(scope):
                text = "Send the token as `Authorization: Bearer ...`."
                raise Refused(401, "unauthenticated", text)
        except Refused as refused:
            await _refuse(scope, send, refused)
            return
        await self._app(scope, receive, send)

    def _origin(self, scope: Scope) -> str | None:
        """The allowed origin that is named, if any; Refused if Host or Origin is not allowed."""
        headers: Headers = scope["headers"]
        host = _only(headers, b"host")
        server = scope["server"]
        if host is None or server is None or not self._hosts.allows(host, server[1] or 0):
            raise Refused(403, "forbidden", "This server does not answer to that Host.")
        origins = _all(headers, b"origin")
        if origins and (len(origins) > 1 or origins[0] not in self._origins):
            raise Refused(403, "forbidden", "This Origin is not allowed here.")
        return origins[0] if origins else None

    def _shows_token(self, scope: Scope) -> bool:
        assert self._token is not None
        shown = [
            value[7:].strip()
            for value in _all(scope["headers"], b"authorization")
            if value[:7].lower() == "bearer "
        ]
        if scope["type"] == "websocket":
            offered: list[str] = scope["subprotocols"]
            shown += [name[len(BEARER) :] for name in offered if name.startswith(BEARER)]
        return len(shown) == 1 and self._token.accepts(shown[0])


def _all(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key.lower() == name]


def _only(headers: Headers, name: bytes) -> str | None:
    """The value of a header that was sent exactly once."""
    values = _all(headers, name)
    return values[0] if len(values) == 1 else None


def _with_cors(send: Send, origin: str, headers: Headers) -> Send:
    """`send` that tells the browser that this one origin may read the answer.

    What its client sends beside our headers is no danger: only pages that were listed come so far.
    """
    wanted = _only(headers, b"access-control-request-headers")
    extra = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-methods", ALLOWED_METHODS),
        (b"access-control-allow-headers", wanted.encode("latin-1") if wanted else ALLOWED_HEADERS),
        (b"vary", b"origin"),
    ]

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [*message["headers"], *extra]
        await send(message)

    return sending


async def _refuse(scope: Scope, send: Send, refused: Refused) -> None:
    """Say no, with a status and a body where the server can."""
    kind, text = scope["type"], str(refused)
    shaped = {"type": "invalid_request_error", "param": None, "message": text, "code": refused.code}
    body = json.dumps({"error": text if plain_errors(scope["path"]) else shaped}).encode()
    extensions = scope.get("extensions") or {}
    headers = [(b"content-type", b"application/json")]
    if refused.status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if kind == "http":
        await _answer(send, refused.status, body, headers)
    elif "websocket.http.response" in extensions:
        await _answer(send, refused.status, body, headers, prefix="websocket.")
    else:
        await send({"type": "websocket.close", "code": 4403, "reason": refused.code})


async def _answer(
    send: Send, status: int, body: bytes, headers: list[tuple[bytes, bytes]], prefix: str = ""
) -> None:
    headers = [*headers, (b"content-length", str(len(body)).encode())]
    start = {"type": f"{prefix}http.response.start", "status": status, "headers": headers}
    rest = {"type": f"{prefix}http.response.body", "body": body, "more_body": False}
    await send(start)
    await send(rest)
