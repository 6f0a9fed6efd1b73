"""The guard on a real server: no route, HTTP or WebSocket, answers to strangers."""

import asyncio
import socket
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Origin, Subprotocol

from engine.server.app import ROUTES
from engine.server.config import ServerConfig
from tests.engine.server.running import Running
from tests.engine.server.talk import talk

PATHS = sorted({path for route in ROUTES for path in route.paths} | {"/", "/nope", "/schema"})
GOOD = "https://good.example"


def get(server: Running, path: str, **headers: str) -> httpx.Response:
    with httpx.Client(trust_env=False, verify=False) as client:
        return client.get(server.http + path, headers=headers)


def raw(port: int, request: bytes) -> bytes:
    """The answer to raw bytes."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as line:
        line.sendall(request)
        line.shutdown(socket.SHUT_WR)
        answer = b""
        while data := line.recv(65536):
            answer += data
    return answer


def status(answer: bytes) -> int:
    return int(answer.split(b" ", 2)[1]) if answer else 0


def ws_status(server: Running, **options: Any) -> int:
    """The status with which a WebSocket is refused, 101 if it isn't."""

    async def attempt() -> int:
        try:
            async with talk(server.ws, **options):
                return 101
        except InvalidStatus as refused:
            return refused.response.status_code

    return asyncio.run(attempt())


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD", "OPTIONS"])
def test_every_route_wants_the_token(locked: Running, path: str, method: str) -> None:
    with httpx.Client(trust_env=False, verify=False) as client:
        answer = client.request(method, locked.http + path)
    assert answer.status_code == 401
    assert "good.example" not in str(answer.headers)


@pytest.mark.parametrize(
    "value",
    [b"", b"Bearer", b"Bearer ", b"Bearer wrong", b"Basic eDp5", b"bearer\tx", b"Bearer \xff"],
)
def test_a_wrong_token_is_no_token(locked: Running, value: bytes) -> None:
    host = b"Host: 127.0.0.1:%d\r\n" % locked.port
    request = b"GET /health HTTP/1.1\r\n" + host + b"Authorization: " + value + b"\r\n\r\n"
    assert status(raw(locked.port, request)) == 401


def test_the_token_opens(locked: Running, token: str) -> None:
    assert get(locked, "/health", Authorization=f"Bearer {token}").json()["status"] == "ok"
    assert get(locked, f"/health?token={token}").status_code == 401, "never in addresses"


def test_two_tokens_are_one_too_many(locked: Running, token: str) -> None:
    line = f"Authorization: Bearer {token}\r\n"
    request = f"GET /health HTTP/1.1\r\nHost: 127.0.0.1:{locked.port}\r\n{line}{line}\r\n"
    assert status(raw(locked.port, request.encode())) == 401


def test_websockets_want_the_token(locked: Running, token: str) -> None:
    assert ws_status(locked) == 401
    assert ws_status(locked, token="wrong") == 401
    assert ws_status(locked, token=token) == 101


def test_browsers_carry_the_token_as_a_subprotocol_that_is_not_echoed(
    locked: Running, token: str
) -> None:
    async def attempt(shown: str) -> str | None:
        names = [Subprotocol("infill.v1.json"), Subprotocol(f"bearer.{shown}")]
        async with connect(locked.ws, subprotocols=names, proxy=None, origin=Origin(GOOD)) as line:
            return line.subprotocol

    assert asyncio.run(attempt(token)) == "infill.v1.json"
    with pytest.raises(InvalidStatus):
        asyncio.run(attempt("wrong"))


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.evil.com:{port}", "localhost:1", "x y"]
)
def test_a_strange_host_is_refused_before_anything_else(
    server: Running, locked: Running, token: str, host: str
) -> None:
    for it in (server, locked):
        name = host.format(port=it.port)
        headers = {
            "Host": name,
            "Authorization": f"Bearer {token}",
            "X-Forwarded-Host": "localhost",
        }
        asked = len(it.hub.asked)
        assert get(it, "/health", **headers).status_code in (400, 403)
        assert len(it.hub.asked) == asked


def test_a_websocket_with_a_strange_host_is_refused(server: Running) -> None:
    request = (
        "GET /v1/infill HTTP/1.1\r\nHost: evil.example\r\nUpgrade: websocket\r\n"
        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nX-Forwarded-Host: localhost\r\n\r\n"
    )
    assert status(raw(server.port, request.encode())) == 403


@pytest.mark.parametrize("lines", ["", "Host: 127.0.0.1:{port}\r\nHost: 127.0.0.1:{port}\r\n"])
def test_a_missing_or_doubled_host_is_refused(server: Running, lines: str) -> None:
    head = lines.format(port=server.port)
    request = f"GET /health HTTP/1.1\r\n{head}X-Forwarded-Host: localhost\r\n\r\n"
    assert status(raw(server.port, request.encode())) in (400, 403)


@pytest.mark.parametrize(
    "origin",
    [
        "https://evil.example",
        "null",
        "vscode-webview://x",
        "https://good.example.evil.example",
        "http://good.example",
        "https://GOOD.example",
        "https://good.example:443",
        "https://goodXexample",
        "",
    ],
)
def test_a_foreign_origin_is_refused(locked: Running, token: str, origin: str) -> None:
    answer = get(locked, "/health", Authorization=f"Bearer {token}", Origin=origin)
    assert answer.status_code == 403
    assert "access-control-allow-origin" not in answer.headers
    assert ws_status(locked, token=token, origin=Origin(origin)) == 403


def test_a_listed_origin_may_read_the_answer(locked: Running, token: str) -> None:
    answer = get(locked, "/health", Authorization=f"Bearer {token}", Origin=GOOD)
    assert answer.headers["access-control-allow-origin"] == GOOD
    with httpx.Client(trust_env=False, verify=False) as client:
        preflight = client.options(locked.http + "/health", headers={"Origin": GOOD})
    assert preflight.status_code == 204
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    assert "access-control-allow-credentials" not in preflight.headers


def test_a_listed_origin_may_send_the_headers_of_its_client(locked: Running) -> None:
    """OpenAI's client adds a dozen of its own, in browsers too."""
    wanted = "authorization,content-type,x-stainless-arch,x-stainless-lang"
    headers = {"Origin": GOOD, "Access-Control-Request-Headers": wanted}
    with httpx.Client(trust_env=False, verify=False) as client:
        preflight = client.options(locked.http + "/v1/completions", headers=headers)
    assert preflight.headers["access-control-allow-headers"] == wanted


def test_a_listed_origin_may_read_that_its_token_is_wrong(locked: Running) -> None:
    answer = get(locked, "/health", Authorization="Bearer wrong", Origin=GOOD)
    assert answer.status_code == 401
    assert answer.headers["access-control-allow-origin"] == GOOD


@settings(max_examples=40, deadline=None)
@given(name=st.sampled_from([b"Host", b"Origin", b"Authorization"]), value=st.binary(max_size=30))
def test_any_header_bytes_leave_the_server_up(server: Running, name: bytes, value: bytes) -> None:
    clean = value.replace(b"\r", b"").replace(b"\n", b"")
    host = b"" if name == b"Host" else b"Host: 127.0.0.1:%d\r\n" % server.port
    request = b"GET /health HTTP/1.1\r\n" + host + name + b": " + clean + b"\r\n\r\n"
    assert status(raw(server.port, request)) in (200, 400, 403)
    assert get(server, "/health").status_code == 200


def test_a_path_in_the_host_changes_nothing(server: Running) -> None:
    request = f"GET /nope HTTP/1.1\r\nHost: 127.0.0.1:{server.port}/health?#\r\n\r\n"
    assert status(raw(server.port, request.encode())) in (400, 403)


def test_without_a_token_only_loopback_is_served() -> None:
    with pytest.raises(ValueError, match="loopback"):
        ServerConfig(host="0.0.0.0")


@pytest.mark.parametrize(
    "origin",
    [
        "*",
        "null",
        "good.example",
        "https://",
        "https://good.example/",
        "https://good.example/app",
        "https://Good.example",
        "https://good.example:443",
        "http://good.example:80",
    ],
)
def test_an_origin_that_no_browser_sends_is_not_taken(origin: str) -> None:
    with pytest.raises(ValueError, match="origin"):
        ServerConfig(allowed_origins=(origin,))


def test_origins_of_every_kind_are_taken() -> None:
    kinds = ("http://[::1]:8080", "https://xn--bcher-kva.example:8443", "app://obsidian.md")
    assert ServerConfig(allowed_origins=kinds).allowed_origins == kinds
