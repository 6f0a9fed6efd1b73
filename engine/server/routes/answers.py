"""How HTTP answers look: JSON, errors, server-sent events, lines of JSON. Status 200, never 201."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.exceptions import HTTPException
from litestar.response import Stream

from engine.errors import kind_and_place
from engine.server.guard import plain_errors
from engine.server.routes.running import ClientGone, Gone
from protocol.errors import HTTP_STATUS, ErrorCode, ProtocolError

logger = logging.getLogger(__name__)

AnyRequest = Request[Any, Any, Any]
DONE = b"data: [DONE]\n\n"
KINDS = {401: "authentication_error", 404: "not_found_error", 429: "rate_limit_error"}
CLOSED_STATUS = 499
CODES: dict[int, ErrorCode] = {404: "not_found", 413: "too_large"}
"""What the web framework refuses by itself, in our words; all else is a bad request."""


class ErrorBody(msgspec.Struct, frozen=True):
    """The inside of an error."""

    message: str
    type: str
    param: str | None
    code: str


class ErrorAnswer(msgspec.Struct, frozen=True):
    """An error as OpenAI's clients read it."""

    error: ErrorBody


class PlainError(msgspec.Struct, frozen=True):
    """An error as Ollama's clients read it."""

    error: str


def error_answer(error: ProtocolError) -> ErrorAnswer:
    """The body that tells of an error."""
    status = HTTP_STATUS[error.code]
    kind = KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    return ErrorAnswer(ErrorBody(str(error), kind, error.param, error.code))


def plain_error(error: ProtocolError) -> PlainError:
    """The body that tells of an error to Ollama's clients."""
    return PlainError(str(error))


def refuse(request: AnyRequest, error: ProtocolError) -> Response[ErrorAnswer | PlainError]:
    """Exception handler: the error with its status and, where it helps, when to come back."""
    headers = {}
    if error.retry_after_ms is not None:
        headers["Retry-After"] = str(max(1, round(error.retry_after_ms / 1000)))
    return _told(request, error, HTTP_STATUS[error.code], headers)


def turn_away(request: AnyRequest, error: HTTPException) -> Response[ErrorAnswer | PlainError]:
    """Exception handler: what no route has answered, such as a path that isn't there."""
    status = error.status_code
    code = CODES.get(status, "invalid_message" if status < 500 else "engine_failed")
    return _told(request, ProtocolError(code, error.detail), status, error.headers or {})


def fail(request: AnyRequest, error: Exception) -> Response[ErrorAnswer | PlainError]:
    """Exception handler: a fault of ours."""
    logger.error("a request failed: %s", kind_and_place(error))
    text = f"The server could not answer: {type(error).__name__}."
    return _told(request, ProtocolError("engine_failed", text), 500, {})


def _told(
    request: AnyRequest, error: ProtocolError, status: int, headers: dict[str, str]
) -> Response[ErrorAnswer | PlainError]:
    tell = plain_error if plain_errors(request.url.path) else error_answer
    return Response(tell(error), status_code=status, headers=headers)


def gone(_: AnyRequest, __: ClientGone) -> Response[bytes]:
    """Exception handler: nobody reads this."""
    return Response(b"", status_code=CLOSED_STATUS)


def watch(request: AnyRequest) -> Gone:
    """Waits until the client has hung up; the body must have been read."""

    async def hung_up() -> None:
        while True:
            event = await request.receive()
            if event["type"] == "http.disconnect":
                return
            await asyncio.sleep(0)

    return hung_up


def events(chunks: AsyncGenerator[Any, None]) -> Stream:
    """Server-sent events, one a chunk, and the mark of the end; an error is the last event."""
    return _stream(chunks, _event, DONE, "text/event-stream")


def lines(chunks: AsyncGenerator[Any, None]) -> Stream:
    """One line of JSON a chunk, as Ollama has them, an error too."""
    return _stream(chunks, lambda body: body + b"\n", b"", "application/x-ndjson", plain_error)


def bare_events(chunks: AsyncGenerator[Any, None]) -> Stream:
    """Server-sent events without a mark of the end."""
    return _stream(chunks, _event, b"", "text/event-stream")


def _event(body: bytes) -> bytes:
    return b"data: " + body + b"\n\n"


def _stream(
    chunks: AsyncGenerator[Any, None],
    frame: Callable[[bytes], bytes],
    end: bytes,
    media: str,
    tell: Callable[[ProtocolError], ErrorAnswer | PlainError] = error_answer,
) -> Stream:
    async def body() -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(chunks):
                async for chunk in chunks:
                    yield frame(msgspec.json.encode(chunk))
        except ProtocolError as error:
            yield frame(msgspec.json.encode(tell(error)))
            return
        yield end

    return Stream(body(), status_code=200, media_type=media, headers={"Cache-Control": "no-store"})
