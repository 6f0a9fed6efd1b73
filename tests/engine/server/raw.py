"""A WebSocket client that writes frames by hand, to say what no library would."""

import base64
import os
import socket
import struct
from dataclasses import dataclass

CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
HELLO = b'{"type":"hello","v":[1],"client":{"name":"raw"}}'


@dataclass
class Frame:
    """One frame of the server."""

    opcode: int
    data: bytes
    final: bool

    @property
    def code(self) -> int:
        """The close code."""
        return int(struct.unpack("!H", self.data[:2])[0])


class RawClient:
    """A connection after its handshake."""

    def __init__(
        self,
        port: int,
        timeout: float = 10.0,
        subprotocol: str = "infill.v1.json",
        forwarded: str = "127.0.0.1",
        token: str | None = None,
    ) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        shown = f"Authorization: Bearer {token}\r\n" if token is not None else ""
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET /v1/infill HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n"
            f"X-Forwarded-For: {forwarded}\r\n{shown}"
            f"Sec-WebSocket-Protocol: {subprotocol}\r\n\r\n".encode()
        )
        self._buffer = b""
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._more()
        head, self._buffer = self._buffer.split(b"\r\n\r\n", 1)
        assert head.startswith(b"HTTP/1.1 101"), head

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *_: object) -> None:
        self.socket.close()

    def send(
        self,
        opcode: int,
        data: bytes = b"",
        *,
        final: bool = True,
        mask: bool = True,
        bits: int = 0,
    ) -> None:
        """Write one frame, well formed or not."""
        first = (0x80 if final else 0) | bits << 4 | opcode
        size = len(data)
        flag = 0x80 if mask else 0
        if size < 126:
            head = bytes([first, flag | size])
        elif size < 65536:
            head = bytes([first, flag | 126]) + struct.pack("!H", size)
        else:
            head = bytes([first, flag | 127]) + struct.pack("!Q", size)
        if mask:
            key = b"\x11\x22\x33\x44"
            stretched = key * (size // 4 + 1)
            data = key + bytes(a ^ b for a, b in zip(data, stretched, strict=False))
        self.socket.sendall(head + data)

    def frame(self) -> Frame:
        """The next frame; EOFError if the server hung up."""
        head = self._take(2)
        size = head[1] & 0x7F
        if size == 126:
            size = struct.unpack("!H", self._take(2))[0]
        elif size == 127:
            size = struct.unpack("!Q", self._take(8))[0]
        return Frame(head[0] & 0x0F, self._take(size), bool(head[0] & 0x80))

    def until(self, opcode: int) -> Frame:
        """The next frame of a kind."""
        while (frame := self.frame()).opcode != opcode:
            pass
        return frame

    def closed(self) -> int:
        """The code of the server's close frame."""
        return self.until(CLOSE).code

    def hello(self) -> None:
        """Say hello and hear welcome."""
        self.send(TEXT, HELLO)
        assert b"welcome" in self.until(TEXT).data

    def reset(self) -> None:
        """Hang up with a reset."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()

    def _take(self, size: int) -> bytes:
        while len(self._buffer) < size:
            self._buffer += self._more()
        data, self._buffer = self._buffer[:size], self._buffer[size:]
        return data

    def _more(self) -> bytes:
        try:
            data = self.socket.recv(65536)
        except ConnectionResetError:
            data = b""
        if not data:
            raise EOFError
        return data
