"""Frames that no library would send: any cut gives the same messages, nonsense closes by code."""

import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.limits import FRAME_LIMIT
from tests.engine.server.raw import BINARY, CLOSE, CONT, HELLO, PING, PONG, TEXT, RawClient
from tests.engine.server.running import Running

FILL = b'{"type":"fill","id":"a","prefix":"text=\xc3\xa9\xe2\x82\xac;","suffix":""}'
PING_MESSAGE = b'{"type":"ping","t":5}'


Frames = list[tuple[int, bytes, dict[str, int]]]


def ended(client: RawClient) -> int:
    """The close code, 1006 if the server hung up without one."""
    try:
        return client.closed()
    except EOFError:
        return 1006


def is_up(server: Running) -> None:
    with RawClient(server.port) as client:
        client.hello()


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, len(FILL)), max_size=6), pings=st.booleans())
def test_any_fragmentation_gives_the_same_messages(
    server: Running, cuts: list[int], pings: bool
) -> None:
    with RawClient(server.port) as client:
        client.hello()
        places = [0, *sorted(cuts), len(FILL)]
        for number, (start, stop) in enumerate(pairwise(places)):
            last = number == len(places) - 2
            client.send(TEXT if number == 0 else CONT, FILL[start:stop], final=last)
            if pings and not last:
                client.send(PING, b"between")
        while b'"done"' not in (frame := client.frame()).data:
            assert frame.opcode in (TEXT, PONG)
        assert "é€".encode() in frame.data


def test_a_message_may_come_byte_by_byte(server: Running) -> None:
    with RawClient(server.port) as client:
        client.hello()
        key = b"\x00\x00\x00\x00"
        whole = bytes([0x81, 0x80 | len(PING_MESSAGE)]) + key + PING_MESSAGE
        for byte in whole:
            client.socket.sendall(bytes([byte]))
        assert b'"pong"' in client.until(TEXT).data


def test_a_ping_is_answered_with_its_data(server: Running) -> None:
    with RawClient(server.port) as client:
        client.send(PING, b"x" * 125)
        assert client.until(PONG).data == b"x" * 125
        client.send(PONG, b"unasked")
        client.hello()


@pytest.mark.parametrize(
    ("name", "frames", "codes"),
    [
        ("unmasked", [(TEXT, HELLO, {"mask": False})], (1002,)),
        ("reserved bit 1", [(TEXT, HELLO, {"bits": 4})], (1002,)),
        ("reserved bit 3", [(TEXT, HELLO, {"bits": 1})], (1002,)),
        ("reserved data opcode", [(3, b"x", {})], (1002,)),
        ("reserved control opcode", [(11, b"x", {})], (1002,)),
        ("long ping", [(PING, b"x" * 126, {})], (1002,)),
        ("cut ping", [(PING, b"x", {"final": False})], (1002,)),
        ("continuation of nothing", [(CONT, b"x", {})], (1002,)),
        ("text in a message", [(TEXT, b"{", {"final": False}), (TEXT, b"}", {})], (1002,)),
        ("bad utf-8", [(TEXT, b'{"a":"\xff"}', {})], (1007,)),
        ("utf-8 cut at the end", [(TEXT, b"\xe2\x82", {})], (1007,)),
        (
            "utf-8 bad across frames",
            [(TEXT, b"\xe2\x82", {"final": False}), (CONT, b"x", {})],
            (1007,),
        ),
        ("surrogate", [(TEXT, b'"\xed\xa0\x80"', {})], (1007,)),
        ("binary", [(BINARY, HELLO, {})], (1003,)),
        ("empty text", [(TEXT, b"", {})], (1007,)),
        ("close without code", [(CLOSE, b"", {})], (1000, 1005, 1006)),
        ("close with half a code", [(CLOSE, b"\x03", {})], (1002,)),
        ("close 1005", [(CLOSE, b"\x03\xed", {})], (1002,)),
        ("close 1006", [(CLOSE, b"\x03\xee", {})], (1002,)),
        ("close 999", [(CLOSE, b"\x03\xe7", {})], (1002,)),
        ("close 5000", [(CLOSE, b"\x13\x88", {})], (1002,)),
        ("close bad reason", [(CLOSE, b"\x03\xe8\xff", {})], (1002, 1007)),
        ("close 1000", [(CLOSE, b"\x03\xe8bye", {})], (1000,)),
        ("close 4999", [(CLOSE, b"\x13\x87", {})], (4999,)),
    ],
)
def test_nonsense_closes_with_its_code(
    server: Running,
    name: str,
    frames: list[tuple[int, bytes, dict[str, int]]],
    codes: tuple[int, ...],
) -> None:
    with RawClient(server.port) as client:
        for opcode, data, options in frames:
            client.send(opcode, data, **options)  # type: ignore[arg-type]
        if name == "close without code":
            assert client.until(CLOSE).data in (b"", b"\x03\xe8")
        else:
            assert ended(client) in codes
    is_up(server)


def test_a_frame_that_claims_too_much_is_refused_before_it_comes(server: Running) -> None:
    with RawClient(server.port) as client:
        client.socket.sendall(bytes([0x81, 0xFF]) + (FRAME_LIMIT + 1).to_bytes(8, "big") + b"mask")
        assert ended(client) == 1009
    with RawClient(server.port) as client:
        client.socket.sendall(bytes([0x81, 0xFF]) + (2**63).to_bytes(8, "big") + b"mask")
        assert ended(client) in (1002, 1009)
    is_up(server)


def test_many_fragments_that_are_too_much_together_are_refused(server: Running) -> None:
    with RawClient(server.port) as client:
        client.send(TEXT, b"x" * 500_000, final=False)
        client.send(CONT, b"x" * 500_000, final=False)
        client.send(CONT, b"x" * 500_000, final=False)
        assert ended(client) == 1009
    is_up(server)


@settings(max_examples=25, deadline=None)
@given(data=st.binary(min_size=1, max_size=60))
def test_any_bytes_leave_the_server_up(server: Running, data: bytes) -> None:
    with RawClient(server.port) as client:
        client.socket.sendall(data)
        client.socket.shutdown(1)
        assert ended(client) in (1000, 1002, 1003, 1005, 1006, 1007, 1009, 4400)


def test_after_anything_the_server_is_up(server: Running) -> None:
    is_up(server)
    dice = random.Random(1)
    for _ in range(10):
        with RawClient(server.port) as client:
            client.send(dice.choice([TEXT, CONT, PING]), dice.randbytes(20), final=False)
            client.reset()
    is_up(server)
