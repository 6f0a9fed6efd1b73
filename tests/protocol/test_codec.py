"""Codec: what is encoded is decoded, and whatever else arrives is one kind of exception."""

import json
from typing import get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from protocol.codec import CODECS, JSON, MSGPACK, Codec
from protocol.errors import ProtocolError
from protocol.limits import FRAME_LIMIT
from protocol.messages import Cancel, Fill, Ping, ToServer
from protocol.replies import Delta
from protocol.wire import CellFrame, lengthen, shorten
from tests.protocol.strategies import DELTAS, TO_CLIENT, TO_SERVER

BOTH = pytest.mark.parametrize("codec", CODECS.values(), ids=["json", "msgpack"])
FILL = {"type": "fill", "id": "a", "prefix": "x", "suffix": "y"}


def code_of(codec: Codec, data: bytes) -> str:
    """The code of the error with which a client's frame is refused."""
    with pytest.raises(ProtocolError) as caught:
        codec.decode_to_server(data)
    return caught.value.code


def encoded(codec: Codec, value: object) -> bytes:
    return (msgspec.msgpack if codec.binary else msgspec.json).encode(value)


@BOTH
@given(message=TO_SERVER)
def test_client_messages_round_trip(codec: Codec, message: Struct) -> None:
    assert codec.decode_to_server(codec.encode(message)) == message


@BOTH
@given(message=TO_CLIENT)
def test_server_messages_round_trip(codec: Codec, message: Struct) -> None:
    assert codec.decode_to_client(codec.encode(message)) == message


@BOTH
@given(delta=DELTAS, f=st.integers(0, 2**31))
def test_deltas_travel_as_short_arrays(codec: Codec, delta: Delta, f: int) -> None:
    data = codec.encode(shorten(delta, f, with_confidence=True))
    frame = codec.decode_to_client(data)
    assert isinstance(frame, CellFrame)
    assert lengthen(frame, delta.id) == delta
    assert len(data) < 60


@BOTH
@given(data=st.binary(max_size=200))
def test_any_bytes_are_a_message_or_a_protocol_error(codec: Codec, data: bytes) -> None:
    for decode in (codec.decode_to_server, codec.decode_to_client):
        try:
            decode(data)
        except ProtocolError as error:
            assert error.code in ("malformed", "invalid_message")


@BOTH
@given(message=TO_SERVER, place=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_one_changed_byte_never_escapes(
    codec: Codec, message: Struct, place: int, byte: int
) -> None:
    data = bytearray(codec.encode(message))
    data[place % len(data)] = byte
    try:
        codec.decode_to_server(bytes(data))
    except ProtocolError as error:
        assert error.code in ("malformed", "invalid_message")


@BOTH
@given(message=TO_SERVER, stop=st.integers(0, 10**6))
def test_a_cut_frame_is_never_a_message(codec: Codec, message: Struct, stop: int) -> None:
    data = codec.encode(message)
    assert code_of(codec, data[: stop % len(data)]) in ("malformed", "invalid_message")


@BOTH
@pytest.mark.parametrize("kind", get_args(ToServer), ids=lambda kind: kind.__name__)
def test_client_structs_refuse_unknown_fields(codec: Codec, kind: type[Struct]) -> None:
    data = encoded(codec, {"type": kind.__struct_config__.tag, "surprise": 1})
    with pytest.raises(ProtocolError, match="unknown field `surprise`"):
        codec.decode_to_server(data)


@BOTH
def test_server_structs_ignore_unknown_fields_and_types(codec: Codec) -> None:
    pong = {"type": "pong", "t": 1.0, "new": {"deep": [1]}}
    assert codec.decode_to_client(encoded(codec, pong)) is not None
    assert codec.decode_to_client(encoded(codec, {"type": "from the future"})) is None


@BOTH
@pytest.mark.parametrize("value", [-1, 0, 2**63, 1.5, "1", True])
@pytest.mark.parametrize(
    "path",
    ["deadline_ms", "alternatives", "canvas.tokens", "sampling.steps", "lines"],
)
def test_numbers_out_of_bounds_are_refused(codec: Codec, path: str, value: object) -> None:
    body: object = value
    for name in reversed(path.split(".")):
        body = {name: body}
    assert isinstance(body, dict)
    assert code_of(codec, encoded(codec, {**FILL, **body})) == "invalid_message"


def test_json_numbers_have_no_size() -> None:
    data = b'{"type":"fill","id":"a","prefix":"","suffix":"","lines":' + b"9" * 400 + b"}"
    assert code_of(JSON, data) == "invalid_message"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "malformed"),
        (b"\xef\xbb\xbf{}", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b'{"type":"ping","t":NaN}', "malformed"),
        (b'{"type":"ping","t":1e400}', "invalid_message"),
        (b'{"type":"ping","t":true}', "invalid_message"),
        (b'{"type":"ping","t":1} {}', "malformed"),
        (b'{"type":"cancel","id":"\\ud800"}', "malformed"),
        (b'{"type":"cancel","id":"a\\n"}', "invalid_message"),
        (b'{"type":"cancel","id":"../x"}', "invalid_message"),
        (b'{"type":"cancel","id":"a\\u0000"}', "invalid_message"),
        (b'{"type":"nope"}', "invalid_message"),
        (b'["d",1,1,0,1,1,[],[]]', "invalid_message"),
        (b"[" * 100_000, "invalid_message"),
        (b'{"type":"cancel","id":' + b"[" * 100_000, "invalid_message"),
        (b'{"type":"hello","v":[1],"client":{"name":"x"},"caps":' + b"[" * 100_000, None),
    ],
)
def test_json_tricks_are_refused(data: bytes, code: str | None) -> None:
    assert code_of(JSON, data) in (code, "malformed", "invalid_message")
    if code is not None:
        assert code_of(JSON, data) == code


def test_deep_nesting_is_malformed_not_a_crash() -> None:
    deep = b'{"type":"pong","t":1,"x":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    with pytest.raises(ProtocolError) as caught:
        JSON.decode_to_client(deep)
    assert caught.value.code == "malformed"
    packed = b"\x83\xa4type\xa4pong\xa1t\x01\xa1x" + b"\x91" * 100_000 + b"\xc0"
    with pytest.raises(ProtocolError) as caught:
        MSGPACK.decode_to_client(packed)
    assert caught.value.code == "malformed"


@pytest.mark.parametrize(
    "bomb", [b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff"]
)
def test_msgpack_length_bombs_are_refused(bomb: bytes) -> None:
    assert code_of(MSGPACK, bomb) in ("malformed", "invalid_message")
    hello = b"\x83\xa4type\xa5hello\xa1v" + bomb
    assert code_of(MSGPACK, hello) in ("malformed", "invalid_message")


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -float("inf")])
def test_msgpack_has_no_way_in_for_numbers_that_json_lacks(number: float) -> None:
    body = {**FILL, "sampling": {"temperature": number}}
    assert code_of(MSGPACK, encoded(MSGPACK, body)) == "invalid_message"
    assert code_of(MSGPACK, encoded(MSGPACK, {"type": "ping", "t": number})) == "invalid_message"


@BOTH
def test_oversize_is_refused_before_it_is_parsed(codec: Codec) -> None:
    assert code_of(codec, b"x" * (FRAME_LIMIT + 1)) == "too_large"


@BOTH
def test_errors_name_the_field(codec: Codec) -> None:
    with pytest.raises(ProtocolError) as caught:
        codec.decode_to_server(encoded(codec, {**FILL, "canvas": {"tokens": 0}}))
    assert caught.value.param == "canvas.tokens"


def test_a_fill_needs_no_more_than_its_text() -> None:
    data = json.dumps(FILL).encode()
    assert JSON.decode_to_server(data) == Fill(id="a", prefix="x", suffix="y")
    assert JSON.decode_to_server(b'{"type":"cancel","id":"a"}') == Cancel(id="a")
    assert JSON.decode_to_server(b'{"type":"ping"}') == Ping()
