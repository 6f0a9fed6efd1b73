"""llama.cpp's `/tokenize` and `/detokenize`: text to token ids of the loaded model, and back.

The tokenizer is read in this process, from the folder that the engine names, when it is needed.
"""

import asyncio
from pathlib import Path
from typing import Any

from litestar import post
from litestar.di import NamedDependency
from msgspec import Struct

from engine.server.routes.answers import AnyRequest
from engine.server.routes.asking import read_body
from engine.server.routes.running import ready_facts
from engine.server.services import Services
from models.errors import ModelError
from models.tokenizer import Tokenizer, tokenizer_in
from protocol.errors import ProtocolError


class TokenizeBody(Struct, frozen=True):
    """The request; the model adds no special tokens, whatever is asked."""

    content: str | None = None
    with_pieces: bool | None = None


class DetokenizeBody(Struct, frozen=True):
    """The request."""

    tokens: list[int] | None = None


class TokenList(Struct, frozen=True):
    """Ids, or ids with their pieces."""

    tokens: list[Any]


class Content(Struct, frozen=True):
    """The text of tokens; what is no whole character shows as U+FFFD."""

    content: str


@post("/tokenize", status_code=200)
async def tokenize(request: AnyRequest, services: NamedDependency[Services]) -> TokenList:
    """Ids of a text."""
    body = read_body(await request.body(), TokenizeBody)
    tokenizer = await _tokenizer(services)
    ids = await asyncio.to_thread(tokenizer.encode, body.content or "")
    if not body.with_pieces:
        return TokenList(ids)
    return TokenList([{"id": i, "piece": _piece(tokenizer.bytes_of([i]))} for i in ids])


@post("/detokenize", status_code=200)
async def detokenize(request: AnyRequest, services: NamedDependency[Services]) -> Content:
    """The text of ids."""
    tokens = read_body(await request.body(), DetokenizeBody).tokens or []
    tokenizer = await _tokenizer(services)
    size = len(tokenizer.token_bytes)
    if any(not 0 <= token < size for token in tokens):
        text = f"Token ids are 0 to {size - 1}."
        raise ProtocolError("invalid_message", text, "tokens")
    return Content(tokenizer.bytes_of(tokens).decode("utf-8", "replace"))


async def _tokenizer(services: Services) -> Tokenizer:
    """The tokenizer of the engine's model, read once; ProtocolError if it can't be told."""
    folder = ready_facts(services).folder
    if folder is None:
        raise ProtocolError("unsupported", "This engine has no tokenizer.")
    known = services.tokenizers.get(folder)
    if known is None:
        try:
            known = await asyncio.to_thread(tokenizer_in, Path(folder))
        except ModelError as error:
            raise ProtocolError("engine_failed", str(error)) from error
        services.tokenizers[folder] = known
    return known


def _piece(data: bytes) -> str | list[int]:
    """Text where the bytes are some, else the bytes."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return list(data)
