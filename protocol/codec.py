"""Bytes <-> messages, for both encodings and both directions; every way to fail is one exception.

Frames are whole WebSocket messages. Nothing here knows which message is legal when.
"""

from typing import Generic, Literal, Protocol, TypeVar, get_args

import msgspec

from protocol.errors import ProtocolError
from protocol.handshake import SUBPROTOCOLS
from protocol.limits import FRAME_LIMIT
from protocol.messages import ToClient, ToServer
from protocol.wire import CellFrame

Encoding = Literal["json", "msgpack"]
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
ARRAYS = frozenset({*range(0x90, 0xA0), 0xDC, 0xDD, ord("[")})
"""First bytes of a frame that is an array, in either encoding."""
CLIENT_TYPES = frozenset(kind.__struct_config__.tag for kind in get_args(ToClient))


class _Head(msgspec.Struct, frozen=True):
    type: str


class _Decoder(Protocol, Generic[T_co]):
    def decode(self, data: bytes, /) -> T_co: ...


class _Encoder(Protocol):
    def encode(self, message: object, /) -> bytes: ...


class Codec:
    """One encoding.

    Attributes:
        subprotocol: its name in the WebSocket handshake.
        encoding: `json` travels in text frames, `msgpack` in binary frames.
        limit: most bytes of a frame that is read.
    """

    def __init__(self, subprotocol: str, encoding: Encoding, limit: int = FRAME_LIMIT) -> None:
        self.subprotocol = subprotocol
        self.encoding = encoding
        self.limit = limit
        library = msgspec.json if encoding == "json" else msgspec.msgpack
        self._encoder: _Encoder = library.Encoder()
        self._to_server: _Decoder[ToServer] = library.Decoder(ToServer)
        self._to_client: _Decoder[ToClient] = library.Decoder(ToClient)
        self._cells: _Decoder[CellFrame] = library.Decoder(CellFrame)
        self._head: _Decoder[_Head] = library.Decoder(_Head)

    @property
    def binary(self) -> bool:
        """Whether frames are binary."""
        return self.encoding == "msgpack"

    def encode(self, message: ToServer | ToClient | CellFrame) -> bytes:
        """The frame of a message."""
        return self._encoder.encode(message)

    def decode_to_server(self, data: bytes) -> ToServer:
        """The message of a client; ProtocolError too_large, malformed or invalid_message.

        Bounds across fields are not judged here, see `protocol.checks`.
        """
        return self._decode(self._to_server, data)

    def decode_to_client(self, data: bytes) -> ToClient | CellFrame | None:
        """The message of a server, None for a type this version doesn't know."""
        if data[:1] and data[0] in ARRAYS:
            return self._decode(self._cells, data)
        if self._decode(self._head, data).type not in CLIENT_TYPES:
            return None
        return self._decode(self._to_client, data)

    def _decode(self, decoder: _Decoder[T], data: bytes) -> T:
        if len(data) > self.limit:
            text = f"The message has {len(data)} bytes; {self.limit} are allowed."
            raise ProtocolError("too_large", text)
        try:
            return decoder.decode(data)
        except msgspec.ValidationError as error:
            raise ProtocolError("invalid_message", f"{error}", _place(error)) from None
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise ProtocolError("malformed", f"This is not {self.encoding}: {error}") from None


def _place(error: msgspec.ValidationError) -> str | None:
    """The field a validation error is about, from its last words: ... - at `$.canvas.tokens`."""
    _, found, place = str(error).rpartition(" - at `$.")
    return place.rstrip("`") if found else None


JSON = Codec(SUBPROTOCOLS[0], "json")
MSGPACK = Codec(SUBPROTOCOLS[1], "msgpack")
CODECS = {codec.subprotocol: codec for codec in (JSON, MSGPACK)}
