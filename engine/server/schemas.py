"""The published descriptions, made from the structs: OpenAPI, AsyncAPI 3, JSON Schema.

`python -m engine.server.schemas FOLDER` writes them; a test compares them with what is published.
"""

import json
import sys
from pathlib import Path
from typing import Any, get_args

from litestar import Response, get
from litestar.params import FromPath
from msgspec import Struct

from engine.server.guard import plain_errors
from engine.server.health import Health, NotReady
from engine.server.routes.answers import ErrorAnswer, PlainError
from engine.server.routes.inception import ChatBody
from engine.server.routes.llamacpp import InfillBody, Properties
from engine.server.routes.ollama import GenerateBody, ShowBody
from engine.server.routes.openai import Completion, CompletionBody, ModelList
from engine.server.routes.tokens import Content, DetokenizeBody, TokenizeBody, TokenList
from protocol.errors import RECONNECT, ProtocolError
from protocol.handshake import SUBPROTOCOLS
from protocol.messages import ToClient, ToServer
from protocol.schema import Schema, components, message_schema
from protocol.wire import CellFrame

VERSION = "1"
TEMPLATE = "#/components/schemas/{name}"
JSON_TYPE = "application/json"


class Operation(Struct, frozen=True):
    """One HTTP route as it is described. None is a JSON object without a fixed shape."""

    method: str
    path: str
    summary: str
    body: type[Struct] | None = None
    answer: type[Struct] | None = None
    media: str = JSON_TYPE
    errors: tuple[int, ...] = ()


ASKING = (400, 404, 408, 409, 413, 422, 429, 500, 503)
OPERATIONS = (
    Operation("get", "/health", "Is the model loaded?", None, Health, errors=(503,)),
    Operation("get", "/v1/health", "Is the model loaded?", None, Health, errors=(503,)),
    Operation("get", "/ready", "Are new fills taken?", None, Health, errors=(503,)),
    Operation("get", "/metrics", "Measures for Prometheus.", media="text/plain"),
    Operation("get", "/v1/models", "OpenAI: the models.", None, ModelList),
    Operation("get", "/v1/fim/completions/models", "Inception: the models.", None, ModelList),
    Operation("get", "/v1/edit/completions/models", "Inception: the models.", None, ModelList),
    Operation("post", "/v1/completions", "OpenAI.", CompletionBody, Completion, errors=ASKING),
    Operation("post", "/beta/completions", "DeepSeek.", CompletionBody, Completion, errors=ASKING),
    Operation(
        "post",
        "/v1/fim/completions",
        "Mistral and Inception.",
        CompletionBody,
        Completion,
        errors=ASKING,
    ),
    Operation("post", "/v1/edit/completions", "Inception: edit.", ChatBody, errors=ASKING),
    Operation("post", "/v1/apply/completions", "Inception: apply.", ChatBody, errors=ASKING),
    Operation("post", "/infill", "llama.cpp.", InfillBody, errors=ASKING),
    Operation("post", "/v1/infill/completions", "llama.cpp.", InfillBody, errors=ASKING),
    Operation("get", "/props", "llama.cpp: the server.", None, Properties, errors=(503,)),
    Operation("get", "/slots", "llama.cpp: what runs."),
    Operation(
        "post", "/tokenize", "llama.cpp: ids.", TokenizeBody, TokenList, errors=(400, 413, 500, 503)
    ),
    Operation(
        "post",
        "/detokenize",
        "llama.cpp: text.",
        DetokenizeBody,
        Content,
        errors=(400, 413, 500, 503),
    ),
    Operation("post", "/api/generate", "Ollama.", GenerateBody, errors=ASKING),
    Operation("get", "/api/tags", "Ollama: the models.", errors=(503,)),
    Operation("post", "/api/show", "Ollama: about the model.", ShowBody, errors=(400, 413, 503)),
    Operation("get", "/api/version", "Ollama: the version."),
    Operation("get", "/schema/openapi.json", "This document."),
    Operation("get", "/schema/asyncapi.json", "The WebSocket as AsyncAPI 3."),
    Operation("get", "/schema/infill.v1.json", "The WebSocket's frames as JSON Schema."),
)


def openapi() -> Schema:
    """OpenAPI 3.1 of every HTTP route."""
    kinds: set[type[Struct]] = {ErrorAnswer, NotReady, PlainError}
    for op in OPERATIONS:
        kinds |= {kind for kind in (op.body, op.answer) if kind is not None}
    listed = sorted(kinds, key=lambda kind: kind.__name__)
    paths: dict[str, Schema] = {}
    for op in OPERATIONS:
        paths.setdefault(op.path, {})[op.method] = _operation(op)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Retouch", "version": VERSION},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
            "schemas": components(tuple(listed), TEMPLATE),
        },
    }


def asyncapi() -> Schema:
    """AsyncAPI 3 of the WebSocket."""
    up, down = get_args(ToServer), (*get_args(ToClient), CellFrame)
    messages = {kind.__name__: _message(kind) for kind in (*up, *down)}
    channel = "#/channels/infill"
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Retouch infill.v1",
            "version": VERSION,
            "description": "Offer one of the subprotocols "
            + ", ".join(SUBPROTOCOLS)
            + " and, from a browser, `bearer.<token>`. Reconnect by yourself after close codes "
            + ", ".join(str(code) for code in sorted(RECONNECT))
            + " alone.",
        },
        "channels": {"infill": {"address": "/v1/infill", "messages": messages}},
        "operations": {
            "toServer": {
                "action": "receive",
                "channel": {"$ref": channel},
                "messages": [{"$ref": f"{channel}/messages/{kind.__name__}"} for kind in up],
            },
            "toClient": {
                "action": "send",
                "channel": {"$ref": channel},
                "messages": [{"$ref": f"{channel}/messages/{kind.__name__}"} for kind in down],
            },
        },
        "components": {"schemas": components((*up, *down), TEMPLATE)},
    }


def documents() -> dict[str, Schema]:
    """Every document by its file name."""
    return {
        "openapi.json": openapi(),
        "asyncapi.json": asyncapi(),
        "infill.v1.json": message_schema(),
    }


def text_of(document: Schema) -> str:
    """A document as it is published."""
    return json.dumps(document, indent=1, sort_keys=True) + "\n"


@get("/schema/{name:str}")
async def schema(name: FromPath[str]) -> Response[str]:
    """One of the documents."""
    document = documents().get(name)
    if document is None:
        raise ProtocolError("not_found", f"There is no document {name}.")
    return Response(text_of(document), media_type=JSON_TYPE)


def _message(kind: type[Struct]) -> Schema:
    return {
        "name": str(kind.__struct_config__.tag),
        "contentType": JSON_TYPE,
        "payload": {"$ref": TEMPLATE.format(name=kind.__name__)},
    }


def _operation(op: Operation) -> Schema:
    answers: dict[str, Any] = {"200": _content(op.answer, op.media, op.summary)}
    for status in (401, 403, *op.errors):
        answers[str(status)] = _content(_error(op, status), JSON_TYPE, "An error.")
    described: Schema = {"summary": op.summary, "responses": answers}
    if op.body is not None:
        body = {"$ref": TEMPLATE.format(name=op.body.__name__)}
        described["requestBody"] = {"required": True, "content": {JSON_TYPE: {"schema": body}}}
    return described


def _error(op: Operation, status: int) -> type[Struct]:
    if plain_errors(op.path):
        return PlainError
    return NotReady if status == 503 and op.method == "get" else ErrorAnswer


def _content(kind: type[Struct] | None, media: str, description: str) -> Schema:
    shape: Schema = {} if kind is None else {"$ref": TEMPLATE.format(name=kind.__name__)}
    return {"description": description, "content": {media: {"schema": shape}}}


def main(words: list[str]) -> int:
    """Write every document into a folder."""
    (folder,) = words
    for name, document in documents().items():
        (Path(folder) / name).write_text(text_of(document), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
