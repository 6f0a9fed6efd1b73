"""Ollama's routes: generate with a suffix, and what its clients look at before."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from datetime import UTC, datetime
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.response import Stream
from msgspec import Struct

from engine.server.routes.answers import LINES, AnyRequest, streamed, watch
from engine.server.routes.asking import Asked, Extensions, read_body, stops_of
from engine.server.routes.running import Outcome, Run, begun, outcomes, ready_facts, runs_of
from engine.server.routes.wanted import ANY_OBJECT, json_text, schema_of
from engine.server.services import Services
from protocol.constraint import JsonSchema

NANOSECONDS = 1_000_000
TEMPLATE = "{{ .Prompt }}<hole>{{ .Suffix }}"
"""Clients fill in the middle only where the template mentions the suffix."""


class Options(Struct, frozen=True):
    """Sampling; what means nothing here is ignored."""

    num_predict: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None


class GenerateBody(Extensions, frozen=True, kw_only=True):
    """The request. It streams unless told not to."""

    model: str | None = None
    prompt: str | None = None
    suffix: str | None = None
    stream: bool | None = None
    format: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    options: Options | None = None


class ShowBody(Struct, frozen=True):
    """Which model to show."""

    model: str | None = None
    name: str | None = None


def asked_of(body: GenerateBody) -> Asked:
    """The request in our words."""
    options = body.options or Options()
    wanted = json_text(body.format)
    schema = JsonSchema(ANY_OBJECT) if wanted == '"json"' else schema_of(body.format)
    many = options.num_predict or 0
    return Asked(
        prefix=body.prompt or "",
        suffix=body.suffix or "",
        max_tokens=many if many > 0 else None,
        temperature=options.temperature,
        top_p=options.top_p,
        seed=None if options.seed is None or options.seed < 0 else options.seed,
        stop=stops_of(options.stop),
        constraint=None if wanted == '""' else schema,
        extensions=body,
    )


@post("/api/generate", status_code=200)
async def generate(
    request: AnyRequest, services: NamedDependency[Services]
) -> Response[dict[str, Any]] | Stream:
    """Fill in the middle. Without a prompt it only says that the model is loaded."""
    body = read_body(await request.body(), GenerateBody)
    model = body.model or ready_facts(services).model
    if not body.prompt and not body.suffix:
        return Response({**_line(model, ""), "done": True, "done_reason": "load"})
    runs = runs_of(services, asked_of(body))
    if body.stream is None or body.stream:
        await begun(runs, watch(request))
        return streamed(LINES, _chunks(runs[0], model), runs)
    (outcome,) = await outcomes(runs, watch(request))
    return Response({**_line(model, outcome.text), **_end(outcome)})


@get("/api/tags")
async def tags(services: NamedDependency[Services]) -> dict[str, Any]:
    """The model that is loaded."""
    name = ready_facts(services).model
    return {"models": [{"name": name, "model": name, "details": _details()}]}


@post("/api/show", status_code=200)
async def show(request: AnyRequest, services: NamedDependency[Services]) -> dict[str, Any]:
    """About the model; the template says that it takes a suffix."""
    read_body(await request.body(), ShowBody)
    name = ready_facts(services).model
    return {
        "template": TEMPLATE,
        "capabilities": ["completion", "insert"],
        "details": _details(),
        "model_info": {"general.basename": name},
    }


@get("/api/version")
async def version(services: NamedDependency[Services]) -> dict[str, str]:
    """Our version."""
    return {"version": services.version}


async def _chunks(run: Run, model: str) -> AsyncGenerator[dict[str, Any], None]:
    async with aclosing(run.pieces()) as pieces:
        async for piece in pieces:
            yield _line(model, piece)
    yield {**_line(model, ""), **_end(run.ended())}


def _line(model: str, text: str) -> dict[str, Any]:
    now = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    return {"model": model, "created_at": now, "response": text, "done": False}


def _end(outcome: Outcome) -> dict[str, Any]:
    """The last line. How long the prompt took is not known apart: the answer's time holds it."""
    stats = outcome.stats
    return {
        "done": True,
        "done_reason": outcome.reason,
        "total_duration": round(stats.wall_ms * NANOSECONDS),
        "load_duration": 0,
        "prompt_eval_count": stats.prefill_tokens + stats.cached_tokens,
        "prompt_eval_duration": 0,
        "eval_count": stats.tokens,
        "eval_duration": round(stats.model_ms * NANOSECONDS),
    }


def _details() -> dict[str, str]:
    return {"format": "safetensors", "family": "retouch"}
