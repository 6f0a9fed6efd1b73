"""What a server is started with; checked once, passed down."""

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path

from protocol.limits import Limits

BODY_LIMIT = 1 << 20
_ORIGIN = re.compile(
    r"(?!http:.*:80$|https:.*:443$)[a-z][a-z0-9+.-]*://[a-z0-9._~:\[\]-]+", re.ASCII
)
"""How browsers spell the Origin header: in lower case, without a path or the scheme's own port."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """Settings of one server.

    Attributes:
        host, port: where it listens; port 0 takes a free one.
        token_file: who can read it may ask; None lets everybody ask (loopback only).
        allowed_hosts: further `host:port` values of the Host header.
        allowed_origins: web pages that may ask, as the Origin header spells them.
        connections: most connections at once.
        resume_seconds: how long a broken session's fills go on.
        heartbeat_seconds: pings a client, and the time it has to answer.
        grace_seconds: what running fills get when the server stops.
        idle_seconds: stop after so long without anybody; None never does.
    """

    host: str = "127.0.0.1"
    port: int = 7737
    token_file: Path | None = None
    allowed_hosts: tuple[str, ...] = ()
    allowed_origins: tuple[str, ...] = ()
    limits: Limits = field(default_factory=Limits)
    connections: int = 512
    resume_seconds: float = 10.0
    heartbeat_seconds: float = 10.0
    grace_seconds: float = 5.0
    idle_seconds: float | None = None

    def __post_init__(self) -> None:
        if not 0 <= self.port <= 65535:
            raise ValueError(f"port must be 0 to 65535, not {self.port}")
        if self.token_file is None and not is_loopback(self.host):
            raise ValueError("--no-auth is for loopback addresses alone; use a token file")
        for origin in self.allowed_origins:
            if not _ORIGIN.fullmatch(origin):
                text = "browsers send `scheme://host[:port]` in lower case, without the usual port"
                raise ValueError(f"{origin!r} can't be allowed as an origin: {text}")
        if self.idle_seconds is not None and not self.idle_seconds > 0:  # nan
            raise ValueError("the idle time must be positive")


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches `host`."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
