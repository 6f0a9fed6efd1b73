"""What a running server says of itself in its runtime file. No I/O here."""

import msgspec
from msgspec import Struct

FILE, LOCK, TOKEN = "server.json", "server.lock", "token"
"""Names in the user's state folder: the runtime file, its lock, the token."""
MOST_BYTES = 64 * 1024


class RuntimeInfo(Struct, frozen=True):
    """Where a server is, and who may ask it."""

    pid: int
    host: str
    port: int
    version: str
    model: str
    token_file: str | None

    @property
    def url(self) -> str:
        """Where it answers."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def parse_runtime(data: bytes) -> RuntimeInfo | None:
    """The content of a runtime file; None if it is too long or not one."""
    if len(data) > MOST_BYTES:
        return None
    try:
        return msgspec.json.decode(data, type=RuntimeInfo)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
