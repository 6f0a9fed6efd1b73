"""What can be done to a job that runs: pin, throw back, lock, accept, cancel."""

from typing import Annotated, Any

from msgspec import Meta, Struct

from lsp_server.feature import Command, Method, Row, arguments
from lsp_server.jobs.ops import Change, Target, change
from lsp_server.jobs.registry import Registry
from lsp_server.jobs.running import accept as accept_job
from lsp_server.live.slots import Refused, lock, pin, throw_back
from lsp_server.params import Name, Number
from lsp_server.server import RetouchServer
from protocol.limits import PIN_LIMIT

GONE = "This job is not running."


class Place(Struct, frozen=True, rename="camel", kw_only=True):
    """Params: columns [start, stop) of a hole's frame, its lines joined by a line feed.

    `seq` is the frame's; without it the last one is meant.
    """

    job_id: Name
    hole: Number
    start: Number
    stop: Number
    seq: Number | None = None


class Typed(Place, frozen=True, rename="camel", kw_only=True):
    """Params of `retouch/revisePin`."""

    text: Annotated[str, Meta(max_length=PIN_LIMIT)]


class JobId(Struct, frozen=True, rename="camel"):
    """Params of `retouch/accept`."""

    job_id: Name


class Cancelled(Struct, frozen=True, rename="camel"):
    """Params of `retouch/cancel`; `reason` is for the log."""

    job_id: Name
    reason: Annotated[str, Meta(max_length=1024)] | None = None


async def revise_pin(server: RetouchServer, params: Typed) -> dict[str, Any]:
    """Text comes in place of what is there, and stays."""
    text = params.text
    return await _change(server, params, lambda it, start, stop: pin(it, start, stop, text))


async def throw_back_tokens(server: RetouchServer, params: Place) -> dict[str, Any]:
    """The tokens there become masks again."""
    return await _change(server, params, throw_back)


async def lock_tokens(server: RetouchServer, params: Place) -> dict[str, Any]:
    """The tokens there stay."""
    return await _change(server, params, lock)


def accept(server: RetouchServer, params: JobId) -> dict[str, Any]:
    """Take what is there now; the job ends with it."""
    job = server.part(Registry).get(params.job_id)
    if job is None:
        return {"ok": False, "reason": GONE}
    if not accept_job(server, job):
        return {"ok": False, "reason": "There is nothing to take yet, or it is being taken."}
    return {"ok": True}


def cancel(server: RetouchServer, params: Cancelled) -> None:
    """Stop a job; the document is as if it had not been."""
    server.part(Registry).stop(params.job_id)


def cancel_command(server: RetouchServer, given: tuple[Any, ...]) -> bool:
    """Stop one job, or all; whether any was."""
    (job_id,) = arguments(given, Name, needed=0)
    return server.part(Registry).stop(job_id)


async def _change(server: RetouchServer, params: Place, make: Change) -> dict[str, Any]:
    job = server.part(Registry).get(params.job_id)
    if job is None:
        return {"ok": False, "reason": GONE}
    try:
        target = Target(params.hole, params.start, params.stop, params.seq)
        await change(server, job, target, make)
    except Refused as why:
        return {"ok": False, "reason": str(why)}
    return {"ok": True}


ROWS: tuple[Row, ...] = (
    Method("retouch/revisePin", revise_pin, Typed, offer="revisePin"),
    Method("retouch/throwBack", throw_back_tokens, Place, offer="throwBack"),
    Method("retouch/lock", lock_tokens, Place, offer="lock"),
    Method("retouch/accept", accept, JobId, offer="accept"),
    Method("retouch/cancel", cancel, Cancelled, offer="cancel"),
    Command("retouch.cancel", cancel_command),
)
