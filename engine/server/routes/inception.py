"""Inception's edit and apply: a span written anew, and a snippet merged into a file."""

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from litestar import Response, post
from litestar.di import NamedDependency
from litestar.response import Stream
from msgspec import Struct
from msgspec.structs import replace

from engine.server.routes.answers import EVENTS, AnyRequest, streamed, watch
from engine.server.routes.asking import Asked, Extensions, read_body, stops_of
from engine.server.routes.edit_prompt import Edit, apply_of, edit_of
from engine.server.routes.merge import TooMuch, Unclear, merge
from engine.server.routes.running import Run, begun, outcomes, ready_facts, runs_of
from engine.server.services import Services
from protocol.errors import ProtocolError

LINES = 400
OPENING, CLOSING = "```\n", "\n```"
"""The fence that clients cut from an edit; Continue takes the code's last line end with it."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around the answer of an edit: the fence, and the code that stays."""

    head: str = ""
    tail: str = ""
    line_end: str = ""
    """How the code to edit ends; what is written anew ends so too, unless nothing is."""

    @property
    def before(self) -> str:
        """What is said before the answer."""
        return OPENING + self.head

    def behind(self, text: str) -> str:
        """What is said behind the answer `text`."""
        whole = text + self.tail
        end = "" if not whole or whole.endswith("\n") else self.line_end
        return self.tail + end + CLOSING


class UserMessage(Struct, frozen=True):
    """What the user says; there is exactly one."""

    content: str
    role: str = "user"


class ChatBody(Extensions, frozen=True, kw_only=True):
    """The request of both routes; fields that are not listed are ignored."""

    messages: tuple[UserMessage, ...] = ()
    model: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: bool | None = None


def asked_of(body: ChatBody, edit: Edit) -> tuple[Asked, Frame]:
    """The request in our words, and what stands around its answer.

    With a cursor the hole is there; without one the whole of the code is written anew.
    """
    cursor = len(edit.code) if edit.cursor is None else edit.cursor
    head, tail = (edit.code[:cursor], edit.code[cursor:]) if edit.cursor is not None else ("", "")
    rewrites = edit.cursor is None
    count = min(LINES, max(1, len(edit.code.splitlines())))
    extensions = body
    if rewrites and body.shape is None:
        extensions = replace(body, shape="block", lines=count)
    asked = Asked(
        prefix=edit.before + head,
        suffix=tail + edit.after,
        max_tokens=body.max_tokens,
        temperature=body.temperature,
        top_p=body.top_p,
        seed=body.seed,
        stop=stops_of(body.stop),
        files=edit.files,
        old_text=edit.code if rewrites else None,
        extensions=extensions,
    )
    line_end = next((end for end in ("\r\n", "\n") if edit.code.endswith(end)), "")
    return asked, Frame(head, tail, line_end)


@post("/v1/edit/completions", status_code=200)
async def edit_completions(
    request: AnyRequest, services: NamedDependency[Services]
) -> Response[dict[str, Any]] | Stream:
    """The code to edit as it should be, in a fence."""
    body = read_body(await request.body(), ChatBody)
    model = body.model or ready_facts(services).model
    asked, frame = asked_of(body, edit_of(_content(body)))
    runs = runs_of(services, asked)
    if body.stream:
        await begun(runs, watch(request))
        return streamed(EVENTS, _edit_chunks(runs[0], model, frame), runs)
    (outcome,) = await outcomes(runs, watch(request))
    usage = {"prompt_tokens": outcome.stats.prefill_tokens + outcome.stats.cached_tokens}
    usage["completion_tokens"] = outcome.stats.tokens
    usage["total_tokens"] = usage["prompt_tokens"] + usage["completion_tokens"]
    text = frame.before + outcome.text + frame.behind(outcome.text)
    return Response({**_whole("edit.completion", model, text, outcome.reason), "usage": usage})


@post("/v1/apply/completions", status_code=200)
async def apply_completions(
    request: AnyRequest, services: NamedDependency[Services]
) -> Response[dict[str, Any]] | Stream:
    """The merged file. No model is asked: what the anchors leave unclear is refused."""
    body = read_body(await request.body(), ChatBody)
    model = body.model or ready_facts(services).model
    try:
        text = await asyncio.to_thread(merge, *apply_of(_content(body)))
    except Unclear as unclear:
        raise ProtocolError("constraint_unsatisfiable", str(unclear), "messages") from None
    except TooMuch as much:
        raise ProtocolError("too_large", str(much), "messages") from None
    if body.stream:
        return streamed(EVENTS, _apply_chunks(model, text))
    return Response(_whole("apply.completion", model, text, "stop"))


def _content(body: ChatBody) -> str:
    if len(body.messages) != 1 or body.messages[0].role != "user":
        raise ProtocolError("invalid_message", "Send exactly one user message.", "messages")
    return body.messages[0].content


async def _edit_chunks(run: Run, model: str, frame: Frame) -> AsyncGenerator[dict[str, Any], None]:
    shared = _head("edit.completion.chunk", model)
    yield _chunk(shared, frame.before, None)
    async with aclosing(run.pieces()) as pieces:
        async for piece in pieces:
            yield _chunk(shared, piece, None)
    end = run.ended()
    yield _chunk(shared, frame.behind(end.text), None)
    yield _chunk(shared, "", end.reason)


async def _apply_chunks(model: str, text: str) -> AsyncGenerator[dict[str, Any], None]:
    shared = _head("edit.completion.chunk", model)
    yield _chunk(shared, text, None)
    yield _chunk(shared, "", "stop")


def _head(kind: str, model: str) -> dict[str, Any]:
    """What all chunks of a completion have in common, its id too."""
    name = f"edit-{secrets.token_hex(12)}"
    return {"id": name, "object": kind, "created": int(time.time()), "model": model}


def _whole(kind: str, model: str, text: str, reason: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": text}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {**_head(kind, model), "choices": [choice]}


def _chunk(shared: dict[str, Any], text: str, reason: str | None) -> dict[str, Any]:
    delta = {"role": "assistant", "content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {**shared, "choices": [choice]}
