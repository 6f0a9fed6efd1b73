"""How HTTP answers look: JSON, errors, server-sent events, lines of JSON. Status 200, never 201."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

import msgspec
from litestar import Request, Response
from litestar.background_tasks import BackgroundTask
from litestar.exceptions import HTTPException
from litestar.response import Stream

from engine.errors import kind_and_place
from engine.server.guard import plain_errors
from engine.server.routes.running import ClientGone, Gone, Run, close
from protocol.errors import HTTP_STATUS, ErrorCode, ProtocolError

logger = logging.getLogger(__name__)

AnyRequest = Request[Any, Any, Any]
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


LINE_ENDS = {end.encode(): f"\\u{ord(end):04x}".encode() for end in "\x85\u2028\u2029"}
"""What many clients, Ollama's in Python among them, take for the end of a line, as JSON escapes."""


@dataclass(frozen=True, slots=True)
class Framing:
    """How the chunks of a stream are told apart, what stands behind the last, and an error."""

    media: str
    before: bytes = b""
    behind: bytes = b"\n"
    end: bytes = b""
    tell: Callable[[ProtocolError], ErrorAnswer | PlainError] = error_answer

    def frame(self, chunk: Any) -> bytes:
        """One chunk, an error too."""
        body = msgspec.json.encode(chunk)
        for raw, escaped in LINE_ENDS.items():
            body = body.replace(raw, escaped)
        return self.before + body + self.behind


BARE_EVENTS = Framing("text/event-stream", b"data: ", b"\n\n")
"""Server-sent events."""
EVENTS = replace(BARE_EVENTS, end=b"data: [DONE]\n\n")
"""The same with a mark of the end."""
LINES = Framing("application/x-ndjson", tell=plain_error)
"""One line of JSON a chunk, as Ollama has them."""


def streamed(
    framing: Framing, chunks: AsyncGenerator[Any, None], runs: Iterable[Run] = ()
) -> Stream:
    """The chunks as they come, an error as the last; then the runs they are made from are closed,
    which nobody may have begun to read.
    """

    async def body() -> AsyncGenerator[bytes, None]:
        try:
            async with aclosing(chunks):
                async for chunk in chunks:
                    yield framing.frame(chunk)
        except ProtocolError as error:
            yield framing.frame(framing.tell(error))
            return
        yield framing.end

    async def closing() -> None:
        close(runs)

    return Stream(
        body(),
        status_code=200,
        media_type=framing.media,
        headers={"Cache-Control": "no-store"},
        background=BackgroundTask(closing),
    )
