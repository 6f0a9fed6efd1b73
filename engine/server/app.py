"""Puts the application together: routes, services, the guard around both."""

from typing import Any, cast

from litestar import Litestar
from litestar.di import Provide
from litestar.exceptions import HTTPException

from engine.server.config import BODY_LIMIT
from engine.server.guard import ASGIApp, Guard, Receive, Scope, Send
from engine.server.health import health, metrics, ready
from engine.server.routes.answers import fail, gone, refuse, turn_away
from engine.server.routes.inception import apply_completions, edit_completions
from engine.server.routes.llamacpp import infill_completion, props, slots
from engine.server.routes.ollama import generate, show, tags, version
from engine.server.routes.openai import completions, fim_completions, models
from engine.server.routes.running import ClientGone
from engine.server.routes.tokens import detokenize, tokenize
from engine.server.schemas import schema
from engine.server.services import Services
from engine.server.websocket import infill
from protocol.errors import ProtocolError

ROUTES = (
    infill,
    health,
    ready,
    metrics,
    completions,
    fim_completions,
    models,
    edit_completions,
    apply_completions,
    infill_completion,
    props,
    slots,
    tokenize,
    detokenize,
    generate,
    tags,
    show,
    version,
    schema,
)
WATCHING = frozenset({"/health", "/v1/health", "/ready", "/metrics"})
"""Paths that look at the server and don't keep it from being idle."""


class Counted:
    """ASGI application around another: counts what is open, for the idle exit and the drain."""

    def __init__(self, app: ASGIApp, services: Services) -> None:
        self._app, self._services = app, services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan" or scope["path"] in WATCHING:
            await self._app(scope, receive, send)
            return
        with self._services.counted(scope["type"] == "http"):
            await self._app(scope, receive, send)


def build_app(services: Services) -> Guard:
    """The ASGI application of one server."""

    async def provide() -> Services:
        return services

    app = Litestar(
        route_handlers=ROUTES,
        dependencies={"services": Provide(provide)},
        request_max_body_size=BODY_LIMIT,
        openapi_config=None,
        logging_config=None,
        exception_handlers={
            ProtocolError: refuse,
            ClientGone: gone,
            HTTPException: turn_away,
            Exception: fail,
        },
    )
    return Guard(Counted(cast(Any, app), services), services.config)
