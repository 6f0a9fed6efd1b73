"""OpenAI's legacy completions and its kin: Mistral, DeepSeek, Inception's fill-in-the-middle.

Mistral and Inception share a path and differ in the answer, so `/v1/fim/completions` answers in
both shapes at once.
"""

import secrets
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import msgspec
from litestar import Response, get, post
from litestar.di import NamedDependency
from litestar.response import Stream
from msgspec import Struct

from engine.server.routes.answers import EVENTS, AnyRequest, streamed, watch
from engine.server.routes.asking import Asked, Extensions, read_body, stops_of
from engine.server.routes.logprobs import logprobs_of
from engine.server.routes.running import (
    Outcome,
    Run,
    begun,
    merged,
    outcomes,
    ready_facts,
    runs_of,
)
from engine.server.routes.wanted import ResponseFormat, format_of
from engine.server.services import Services
from protocol.errors import ProtocolError


class StreamOptions(Struct, frozen=True):
    """What else a stream carries."""

    include_usage: bool | None = None


class CompletionBody(Extensions, frozen=True, kw_only=True):
    """The request of every route here; fields that are not listed are ignored."""

    prompt: str | list[str | int | list[int]] | None = None
    model: str | None = None
    suffix: str | None = None
    max_tokens: int | None = None
    temperature: float | None = None
    top_p: float | None = None
    seed: int | None = None
    random_seed: int | None = None
    stop: str | list[str] | None = None
    n: int | None = None
    logprobs: int | bool | None = None
    echo: bool | None = None
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    response_format: ResponseFormat | None = None


class Usage(Struct, frozen=True):
    """Tokens in OpenAI's words; Inception's two more are told too."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0


class Completion(Struct, frozen=True):
    """The answer of every route here."""

    id: str
    object: str
    created: int
    model: str
    choices: tuple[dict[str, Any], ...]
    usage: Usage | None = None


class ModelCard(Struct, frozen=True):
    """One model in a list."""

    id: str
    object: str = "model"
    created: int = 0
    owned_by: str = "retouch"


class ModelList(Struct, frozen=True):
    """The models this server has."""

    data: tuple[ModelCard, ...]
    object: str = "list"


def asked_of(body: CompletionBody, prompt: str) -> Asked:
    """One prompt of a request in our words."""
    return Asked(
        prefix=prompt,
        suffix=body.suffix or "",
        max_tokens=body.max_tokens,
        temperature=body.temperature,
        top_p=body.top_p,
        seed=body.seed if body.seed is not None else body.random_seed,
        stop=stops_of(body.stop),
        n=1 if body.n is None else body.n,
        constraint=format_of(body.response_format),
        extensions=body,
    )


def prompts_of(body: CompletionBody) -> list[str]:
    """The prompts of a request; ProtocolError for token ids, and for too many."""
    given = body.prompt if isinstance(body.prompt, list) else [body.prompt or ""]
    prompts = [prompt for prompt in given if isinstance(prompt, str)]
    if len(prompts) != len(given):
        raise ProtocolError("unsupported", "Prompts are text; token ids are not read.", "prompt")
    if not 1 <= len(prompts) <= 8:
        raise ProtocolError("invalid_message", "Between 1 and 8 prompts can be sent.", "prompt")
    return prompts


def usage_of(outcomes: list[Outcome], prompts: int) -> Usage:
    """The tokens of all choices, which come prompt by prompt; a shared prompt counts once."""
    every = [outcome.stats for outcome in outcomes]
    each = len(every) // prompts
    shared = [every[at : at + each] for at in range(0, len(every), each)]
    cached = sum(max(stats.cached_tokens for stats in one) for one in shared)
    prompt = sum(max(s.prefill_tokens + s.cached_tokens for s in one) for one in shared)
    made = sum(stats.tokens for stats in every)
    return Usage(prompt, made, prompt + made, cached)


class Dialect(Struct, frozen=True):
    """How a route answers: whether Mistral's shape is told beside the text."""

    both: bool

    def choice(self, index: int, text: str, reason: str | None, whole: bool) -> dict[str, Any]:
        """One choice as it is sent."""
        choice: dict[str, Any] = {"index": index, "text": text}
        if self.both:
            choice["message" if whole else "delta"] = {"role": "assistant", "content": text}
        return {**choice, "logprobs": None, "finish_reason": reason}


class Extras(Struct, frozen=True):
    """What a stream tells at its end: the usage of so many prompts, if any; log-probabilities."""

    usage: int
    logprobs: bool


def wants_logprobs(body: CompletionBody) -> bool:
    """0 asks for the tokens that stand, and so does `true`; `false` and nothing don't."""
    return body.logprobs is not None and body.logprobs is not False


async def _complete(
    request: AnyRequest, services: Services, dialect: Dialect
) -> Response[Completion] | Stream:
    body = read_body(await request.body(), CompletionBody)
    asked = [asked_of(body, prompt) for prompt in prompts_of(body)]
    head = Completion(
        id=f"cmpl-{secrets.token_hex(12)}",
        object="text_completion",
        created=int(time.time()),
        model=body.model or ready_facts(services).model,
        choices=(),
    )
    echo = prompts_of(body) if body.echo else [""] * len(asked)
    runs = [run for one in asked for run in runs_of(services, one)]
    each = len(runs) // len(asked)
    if body.stream:
        await begun(runs, watch(request))
        told = [(run, echo[n // each]) for n, run in enumerate(runs)]
        wants_usage = body.stream_options is not None and body.stream_options.include_usage
        extras = Extras(len(asked) if wants_usage else 0, wants_logprobs(body))
        return streamed(EVENTS, _chunks(told, head, dialect, extras), runs)
    found = await outcomes(runs, watch(request))
    choices = tuple(
        dialect.choice(n, echo[n // each] + outcome.text, outcome.reason, whole=True)
        for n, outcome in enumerate(found)
    )
    if wants_logprobs(body):
        for n, (choice, outcome) in enumerate(zip(choices, found, strict=True)):
            choice["logprobs"] = logprobs_of(outcome.tokens, len(echo[n // each]))
    usage = usage_of(found, len(asked))
    return Response(msgspec.structs.replace(head, choices=choices, usage=usage))


async def _chunks(
    runs: list[tuple[Run, str]],
    head: Completion,
    dialect: Dialect,
    extras: Extras,
) -> AsyncGenerator[Completion, None]:
    """A chunk for every piece, one for every end, one for the usage if that was asked for.

    `runs` are the choices, each with the text that is told before it.
    """

    def chunk(index: int, text: str, reason: str | None = None) -> Completion:
        choice = dialect.choice(index, text, reason, whole=False)
        return msgspec.structs.replace(head, choices=(choice,))

    for index, (_, text) in enumerate(runs):
        if text:
            yield chunk(index, text)
    async with aclosing(merged([run for run, _ in runs])) as pieces:
        async for index, piece in pieces:
            if piece is not None:
                yield chunk(index, piece)
                continue
            run, text = runs[index]
            last = chunk(index, "", run.ended().reason)
            if extras.logprobs:
                last.choices[0]["logprobs"] = logprobs_of(run.ended().tokens, len(text))
            yield last
    if extras.usage:
        ends = [run.ended() for run, _ in runs]
        yield msgspec.structs.replace(head, usage=usage_of(ends, extras.usage))


@post(["/v1/completions", "/beta/completions"], status_code=200)
async def completions(
    request: AnyRequest, services: NamedDependency[Services]
) -> Response[Completion] | Stream:
    """OpenAI's legacy completions with `suffix`; DeepSeek's beta route is the same."""
    return await _complete(request, services, Dialect(both=False))


@post("/v1/fim/completions", status_code=200)
async def fim_completions(
    request: AnyRequest, services: NamedDependency[Services]
) -> Response[Completion] | Stream:
    """Fill-in-the-middle in the shapes of Mistral and Inception at once."""
    return await _complete(request, services, Dialect(both=True))


@get(["/v1/models", "/v1/fim/completions/models", "/v1/edit/completions/models"])
async def models(services: NamedDependency[Services]) -> ModelList:
    """The model that is loaded."""
    facts = services.hub.facts
    return ModelList((ModelCard(facts.model),) if facts is not None else ())
