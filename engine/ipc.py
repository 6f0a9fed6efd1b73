"""What a server and its engine process say over the pipe: msgpack frames behind a length.

The one who writes is one of us, yet every frame is decoded into a struct and nothing else.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from engine.config import EngineConfig
from engine.hub import EngineFacts, Load
from protocol.messages import ClientMessage, ServerMessage

HEAD_BYTES = 4
FRAME_BYTES = 8 << 20


class FrameError(Exception):
    """The pipe carries something that is no frame."""


class Start(Struct, frozen=True, tag="start"):
    """The first frame to a worker: which engine to be."""

    config: EngineConfig


class Ask(Struct, frozen=True, tag="ask"):
    """A message of a client, its fill id already unique in the engine."""

    client: str
    message: ClientMessage


class Ready(Struct, frozen=True, tag="ready"):
    """The worker has its model."""

    facts: EngineFacts


class Failed(Struct, frozen=True, tag="failed"):
    """The worker can't start; `message` says what to do about it."""

    message: str


class Said(Struct, frozen=True, tag="said"):
    """What the engine says after one turn, and how busy it is."""

    messages: tuple[ServerMessage, ...]
    load: Load


ToWorker = Start | Ask
FromWorker = Ready | Failed | Said

_TO_WORKER = msgspec.msgpack.Decoder(ToWorker, dec_hook=lambda kind, value: kind(value))
_FROM_WORKER = msgspec.msgpack.Decoder(FromWorker)


def _plain(value: Any) -> str:
    if isinstance(value, Path):
        return str(value)
    raise NotImplementedError(f"{type(value).__name__} does not travel")


_ENCODER = msgspec.msgpack.Encoder(enc_hook=_plain)


def pack(message: ToWorker | FromWorker) -> bytes:
    """The frame of a message."""
    body = _ENCODER.encode(message)
    return len(body).to_bytes(HEAD_BYTES, "little") + body


def to_worker(frame: bytes) -> ToWorker:
    """The message in a frame to a worker; FrameError if it is none."""
    try:
        return _TO_WORKER.decode(frame)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameError(str(error)) from error


def from_worker(frame: bytes) -> FromWorker:
    """The message in a frame from a worker; FrameError if it is none."""
    try:
        return _FROM_WORKER.decode(frame)
    except (msgspec.DecodeError, RecursionError) as error:
        raise FrameError(str(error)) from error


class FrameReader:
    """Bytes in any cuts -> whole frames."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The frames that are whole with these bytes; FrameError if one is too long."""
        self._buffer += data
        while len(self._buffer) >= HEAD_BYTES:
            size = int.from_bytes(self._buffer[:HEAD_BYTES], "little")
            if size > FRAME_BYTES:
                raise FrameError(f"a frame of {size} bytes")
            if len(self._buffer) < HEAD_BYTES + size:
                return
            frame = bytes(self._buffer[HEAD_BYTES : HEAD_BYTES + size])
            del self._buffer[: HEAD_BYTES + size]
            yield frame


def read_frames(pipe: BinaryIO) -> Iterator[bytes]:
    """The frames of a blocking, unbuffered pipe until it ends."""
    reader = FrameReader()
    while data := pipe.read(1 << 16):
        yield from reader.feed(data)
