"""Messages about the connection itself: greeting, credit, heartbeat and farewell."""

from typing import Annotated

from msgspec import Meta, Struct

from protocol.limits import LIVE_FILLS, Limits
from protocol.values import Encoding, Id

VERSION = 1
SUBPROTOCOLS = ("infill.v1.json", "infill.v1.msgpack")
Name = Annotated[str, Meta(min_length=1, max_length=64)]
Version = Annotated[int, Meta(ge=0, le=2**31 - 1)]
Seq = Annotated[int, Meta(ge=0, le=2**53)]


class ClientInfo(Struct, frozen=True, forbid_unknown_fields=True):
    """Which program speaks."""

    name: Name
    version: Annotated[str, Meta(max_length=64)] = ""


class Heard(Struct, frozen=True, forbid_unknown_fields=True):
    """The last frame of a fill that the client has applied."""

    id: Id
    seq: Seq


class Resume(Struct, frozen=True, forbid_unknown_fields=True):
    """Take up the session of a connection that broke."""

    session: Name
    token: Annotated[str, Meta(min_length=1, max_length=128)]
    fills: Annotated[tuple[Heard, ...], Meta(max_length=LIVE_FILLS)] = ()


class Hello(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="hello"):
    """The first message of a client."""

    v: Annotated[tuple[Version, ...], Meta(min_length=1, max_length=16)]
    client: ClientInfo
    caps: Annotated[tuple[Name, ...], Meta(max_length=32)] = ()
    """`confidence`: cell frames carry confidences."""
    position_encoding: Annotated[tuple[Encoding, ...], Meta(max_length=3)] = ()
    """What the client's offsets may count, the best first; `welcome` says which it is."""
    resume: Resume | None = None


class Ack(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="ack"):
    """Every frame of the fill up to `seq` has been applied."""

    id: Id
    seq: Seq


class Ping(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="ping"):
    """Answered by a pong with the same `t`."""

    t: Annotated[float, Meta(ge=-1e18, le=1e18)] = 0


class Bye(Struct, frozen=True, forbid_unknown_fields=True, tag_field="type", tag="bye"):
    """The client leaves and wants nothing more: live fills end, the session is forgotten."""


class Welcome(Struct, frozen=True, tag_field="type", tag="welcome"):
    """The answer to hello: what this server can do and what it allows."""

    v: int
    session: str
    resume_token: str
    resume_ttl_ms: int
    heartbeat_ms: int
    limits: Limits
    models: tuple[str, ...]
    caps: tuple[str, ...]
    position_encoding: Encoding = "utf-32"
    """What offsets and lengths count: the first that the hello named, else characters."""
    resumed: tuple[str, ...] = ()
    """Fills of the broken connection that are known here; each sends a snapshot or its end."""


class Pong(Struct, frozen=True, tag_field="type", tag="pong"):
    """The answer to a ping."""

    t: float


class Goaway(Struct, frozen=True, tag_field="type", tag="goaway"):
    """The server stops: no new fills; what runs has `grace_ms` to end."""

    reason: str
    grace_ms: int
