"""How much a client may send, and what becomes of one that does not read or acknowledge."""

import pytest

from protocol.connection import CONTROL_LIMIT
from protocol.limits import WINDOW, Limits
from protocol.messages import (
    Ack,
    Done,
    Ping,
)
from tests.protocol.examples import HELLO
from tests.protocol.server import ACCEPTED, FILL, Server, delta, greeted, running


def test_an_ack_of_the_future_ends_the_connection() -> None:
    server = running()
    server.hears(Ack("a", 1))
    assert server.closed() == 4400


def test_acks_of_ended_fills_are_harmless() -> None:
    server = running()
    server.connection.hear(Done("a", "", "stop"))
    server.says()
    server.hears(Ack("a", 99))
    assert server.closed() is None


def test_a_client_that_never_acks_gets_a_window_then_the_end_then_is_left() -> None:
    server = running()
    for number in range(40):
        server.now = number / 100
        server.connection.hear(delta(number % 4, str(number)))
        server.connection.drain(server.now)
    assert server.ledger.flows["a"].seq == WINDOW
    assert server.connection.wake_at() == pytest.approx(2.0)
    server.connection.tick(2.0)
    assert server.ledger.flows["a"].mode == "final"
    assert server.connection.wake_at() == pytest.approx(10.0)
    server.connection.tick(10.0)
    assert server.closed() == 4408


def test_hello_is_awaited_for_five_seconds() -> None:
    server = Server()
    assert server.connection.wake_at() == 5.0
    server.connection.tick(4.9)
    assert server.closed() is None
    server.connection.tick(5.0)
    assert server.closed() == 4408
    assert server.connection.wake_at() is None


def test_too_many_messages_end_the_connection_but_acks_are_free() -> None:
    server = running()
    for number in range(500):
        server.connection.hear(delta(number % 4, str(number)))
        server.says()
        for ack in server.client.acks():
            server.connection.receive(ack, 0.0)
    assert server.closed() is None
    for _ in range(200):
        server.hears(Ack("a", 0))
    assert server.closed() == 4429


def test_acks_that_come_behind_the_end_are_free_once() -> None:
    limits = Limits(message_burst=4, messages_per_second=1)
    server = Server(limits=limits)
    server.hears(HELLO)
    server.hears(FILL)
    server.connection.hear(ACCEPTED)
    for slot in range(4):
        server.connection.hear(delta(slot))
        server.says()
    server.connection.hear(Done("a", "text", "converged"))
    server.says()
    for seq in (1, 2, 3, 4):
        server.hears(Ack("a", seq))
    assert server.closed() is None
    for _ in range(3):
        server.hears(Ack("a", 4))
    assert server.closed() == 4429, "an ack of nothing new counts"


def test_the_bucket_fills_again() -> None:
    server = greeted()
    for second in range(5):
        server.now = float(second)
        for _ in range(64):
            server.hears(Ping())
        server.says()
    assert server.closed() is None


def test_replies_for_a_client_that_does_not_read_are_bounded() -> None:
    server = Server(limits=Limits(messages_per_second=10**6, message_burst=10**6))
    server.hears(HELLO)
    for _ in range(CONTROL_LIMIT + 1):
        server.hears(Ping())
    assert server.closed() == 4413
