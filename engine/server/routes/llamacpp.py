"""llama.cpp's `/infill` as editors send it, and the routes that they look at before."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.response import Stream
from msgspec import Struct

from engine.server.routes.answers import BARE_EVENTS, AnyRequest, streamed, watch
from engine.server.routes.asking import Asked, Extensions, read_body, stops_of
from engine.server.routes.running import Outcome, Run, begun, outcomes, ready_facts, runs_of
from engine.server.routes.wanted import grammar_of, schema_of
from engine.server.services import Services
from protocol.messages import ContextFile
from protocol.values import FinishReason

STOP_TYPES: dict[FinishReason, str] = {"length": "limit", "deadline": "limit"}


class ExtraFile(Struct, frozen=True):
    """A piece of another file."""

    text: str | None = None
    filename: str | None = None


class InfillBody(Extensions, frozen=True, kw_only=True):
    """The request; options that mean nothing here are ignored.

    So are time limits of a phase: cut short by a deadline, an answer would end in mid-line.
    """

    input_prefix: str | None = None
    input_suffix: str | None = None
    input_extra: list[ExtraFile] | None = None
    prompt: str | None = None
    n_predict: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    stop: str | list[str] | None = None
    stream: bool | None = None
    grammar: str | None = None
    json_schema: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    response_fields: list[str] | None = None


class Properties(Struct, frozen=True):
    """What `/props` tells; clients look at `total_slots` and the context size."""

    model_alias: str
    total_slots: int
    chat_template: str
    default_generation_settings: dict[str, int]


def asked_of(body: InfillBody) -> Asked:
    """The request in our words: the line up to the cursor belongs to the prefix."""
    files = [
        ContextFile(file.filename or "extra", file.text or "") for file in body.input_extra or ()
    ]
    return Asked(
        prefix=(body.input_prefix or "") + (body.prompt or ""),
        suffix=body.input_suffix or "",
        max_tokens=None if body.n_predict is None or body.n_predict < 0 else body.n_predict,
        temperature=body.temperature,
        top_p=body.top_p,
        seed=None if body.seed is None or body.seed < 0 else body.seed,
        stop=stops_of(body.stop),
        files=tuple(files),
        constraint=schema_of(body.json_schema) or grammar_of(body.grammar, "grammar"),
        extensions=body,
    )


def answer_of(
    body: InfillBody, content: str, outcome: Outcome | None, model: str
) -> dict[str, Any]:
    """The whole answer; with `response_fields`, those alone under the very keys that were asked."""
    answer = {"content": content, "stop": True, "model": model, "tokens": [], **_facts(outcome)}
    if not body.response_fields:
        return answer
    return {
        name: value
        for name in body.response_fields
        if (value := _at(answer, name.split("/"))) is not None
    }


@post(["/infill", "/v1/infill/completions"], status_code=200)
async def infill_completion(
    request: AnyRequest, services: NamedDependency[Services]
) -> Response[dict[str, Any]] | Stream:
    """Fill in the middle. `n_predict` 0 asks for nothing but a warm cache: an empty answer."""
    body = read_body(await request.body(), InfillBody)
    model = ready_facts(services).model
    if body.n_predict == 0:
        return Response(answer_of(body, "", None, model))
    runs = runs_of(services, asked_of(body))
    if body.stream:
        await begun(runs, watch(request))
        return streamed(BARE_EVENTS, _chunks(runs[0], body, model), runs)
    (outcome,) = await outcomes(runs, watch(request))
    return Response(answer_of(body, outcome.text, outcome, model))


@get("/props")
async def props(services: NamedDependency[Services]) -> Properties:
    """What kind of server this is."""
    facts = ready_facts(services)
    return Properties(facts.model, services.config.limits.live_fills, "", {"n_ctx": facts.window})


@get("/slots")
async def slots(services: NamedDependency[Services]) -> list[dict[str, Any]]:
    """One entry for each fill that runs."""
    return [{"id": number, "is_processing": True} for number in range(services.hub.load.live)]


async def _chunks(run: Run, body: InfillBody, model: str) -> AsyncGenerator[dict[str, Any], None]:
    async with aclosing(run.pieces()) as pieces:
        async for piece in pieces:
            yield {"content": piece, "stop": False}
    yield answer_of(body, "", run.ended(), model)


def _facts(outcome: Outcome | None) -> dict[str, Any]:
    """Everything but the text, in llama.cpp's words.

    How long the prompt took is not known apart: it is a part of what the answer took.
    """
    if outcome is None:
        return {"stop_type": "none", "truncated": False, "tokens_cached": 0, "timings": {}}
    stats = outcome.stats
    return {
        "stop_type": "word" if outcome.stop else STOP_TYPES.get(outcome.finish, "eos"),
        "stopping_word": outcome.stop,
        "truncated": False,
        "tokens_cached": stats.cached_tokens,
        "tokens_evaluated": stats.prefill_tokens + stats.cached_tokens,
        "tokens_predicted": stats.tokens,
        "created": int(time.time()),
        "timings": {
            "prompt_n": stats.prefill_tokens,
            **_rates("prompt", stats.prefill_tokens, 0.0),
            "predicted_n": stats.tokens,
            **_rates("predicted", stats.tokens, stats.model_ms),
        },
    }


def _rates(name: str, tokens: int, ms: float) -> dict[str, float]:
    return {
        f"{name}_ms": ms,
        f"{name}_per_token_ms": ms / tokens if tokens else 0.0,
        f"{name}_per_second": 1000 * tokens / ms if ms else 0.0,
    }


def _at(value: Any, path: list[str]) -> Any:
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value
