"""Routes about the server itself: is it there, can it be asked, what does it measure."""

from litestar import Response, get
from litestar.di import NamedDependency
from msgspec import Struct

from engine.server.metrics import CONTENT_TYPE
from engine.server.services import Services


class Health(Struct, frozen=True):
    """`status` is `ok` once an engine is ready."""

    status: str
    model: str | None
    version: str
    protocol: str = "infill.v1"


class Unavailable(Struct, frozen=True):
    """The error llama.cpp's clients know while a model loads."""

    code: int = 503
    message: str = "Loading model"
    type: str = "unavailable_error"


class NotReady(Struct, frozen=True):
    """The body of a 503."""

    error: Unavailable


@get(["/health", "/v1/health"])
async def health(services: NamedDependency[Services]) -> Response[Health | NotReady]:
    """200 with the model's name, or 503 while it loads."""
    facts = services.hub.facts
    if facts is None:
        return Response(NotReady(Unavailable()), status_code=503)
    return Response(Health("ok", facts.model, services.version))


@get("/ready")
async def ready(services: NamedDependency[Services]) -> Response[Health | NotReady]:
    """200 if new fills are taken, 503 while the model loads or the server stops."""
    facts = services.hub.facts
    if facts is None or services.sessions.draining:
        message = "Loading model" if facts is None else "Stopping"
        return Response(NotReady(Unavailable(message=message)), status_code=503)
    return Response(Health("ok", facts.model, services.version))


@get("/metrics", media_type=CONTENT_TYPE)
async def metrics(services: NamedDependency[Services]) -> bytes:
    """Everything measured, in the text format of Prometheus."""
    measured, load = services.metrics, services.hub.load
    measured.sessions.set(len(services.sessions))
    measured.live.set(load.live)
    measured.step_ms.set(load.step_ms)
    measured.step_times.load = load
    measured.cached_bytes.set(load.cached_bytes)
    measured.restarts.set(services.hub.restarts)
    return measured.render()
