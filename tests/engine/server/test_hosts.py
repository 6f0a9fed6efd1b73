"""Hosts: exact authorities are answered, look-alikes are not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.server.hosts import HostRule, parse_authority

LOCAL = HostRule(loopback=True, listed=frozenset({"box.example:8443"}))
OPEN = HostRule(loopback=False, listed=frozenset())


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1:7737",
        "localhost:7737",
        "LOCALHOST:7737",
        "[::1]:7737",
        "127.9.9.9:7737",
        "box.example:8443",
    ],
)
def test_a_loopback_server_answers_to_loopback_and_to_what_is_listed(host: str) -> None:
    assert LOCAL.allows(host, 7737)


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:7737",
        "127.evil.com:7737",
        "127.0.0.1.evil.com:7737",
        "localhost.evil.com:7737",
        "boxXexample:8443",
        "box.example",
        "box.example:7737",
        "127.0.0.1",
        "127.0.0.1:80",
        "127.0.0.1:07737x",
        "127.0.0.1:7737:7737",
        "127.1:7737",
        "2130706433:7737",
        "0x7f.0.0.1:7737",
        "127.0.0.1:7737/?#",
        "127.0.0.1:7737@evil.example",
        "user@127.0.0.1:7737",
        "::1:7737",
        "[::1:7737",
        "[::1]x:7737",
        "[127.0.0.1]:7737",
        "[localhost]:7737",
        "10.0.0.1:7737",
        "",
        ":",
        ":7737",
        " 127.0.0.1:7737",
        "127.0.0.1:7737 ",
        "127.0.0.1:\u0667737",
        "localhost.:7737",
        "127.0.0.1:99999",
        "\u24db\u24de\u24d2\u24d0\u24db\u24d7\u24de\u24e2\u24e3:7737",
    ],
)
def test_a_loopback_server_answers_to_nothing_else(host: str) -> None:
    assert not LOCAL.allows(host, 7737)


def test_a_server_without_a_port_in_its_name_is_on_port_80() -> None:
    assert LOCAL.allows("localhost", 80)


def test_an_open_server_answers_to_addresses_but_not_to_names() -> None:
    assert OPEN.allows("192.168.1.5:7737", 7737)
    assert OPEN.allows("[fe80::1]:7737", 7737)
    assert not OPEN.allows("evil.example:7737", 7737)
    assert not OPEN.allows("localhost:7737", 7737)


@given(text=st.text(max_size=40))
def test_any_text_is_an_authority_or_none(text: str) -> None:
    authority = parse_authority(text)
    if authority is not None:
        assert authority.port is None or 0 <= authority.port <= 65535
        assert str(authority.host) != ""
