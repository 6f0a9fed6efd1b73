"""What is refused or goes wrong is told in one shape, whoever found it out, and never kept back."""

import asyncio
import json
from collections.abc import AsyncGenerator
from typing import cast

import httpx
import pytest

from engine.server.routes.answers import EVENTS, streamed
from engine.server.routes.asking import Asked
from engine.server.routes.running import Run, begun, merged, runs_of
from engine.server.services import make_services
from tests.engine.server.inline import InlineHub
from tests.engine.server.routes import recorded
from tests.engine.server.routes.calls import post
from tests.engine.server.running import LOOPBACK, Running


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"{", 400),
        (b"[]", 400),
        (b"\xff", 400),
        (b"[" * 100_000, 400),
        (b'{"prompt":[1,2]}', 400),
        (b'{"prompt":[[1]]}', 400),
        (b'{"prompt":[]}', 400),
        (b'{"prompt":"x","stop":["' + b"y" * 65 + b'"]}', 413),
        (b'{"prompt":"' + b"x" * (1 << 20) + b'"}', 413),
    ],
)
def test_bad_bodies_are_refused(server: Running, body: bytes, status: int) -> None:
    with httpx.Client(trust_env=False, verify=False) as client:
        answer = client.post(server.http + "/v1/completions", content=body)
    assert answer.status_code == status
    assert isinstance(answer.json()["error"]["message"], str)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "path",
    ["/v1/completions", "/v1/fim/completions", "/v1/edit/completions", "/infill", "/api/generate"],
)
def test_what_the_engine_refuses_has_a_status_streamed_or_not(
    server: Running, path: str, stream: bool
) -> None:
    """Clients try again, or don't, by the status alone."""
    messages = [{"role": "user", "content": recorded.EDIT_MESSAGE}]
    body = {"prompt": "x", "echo": True, "messages": messages, "guided_regex": "a", "n": 1}
    answer = post(server, path, {**body, "stream": stream})
    assert answer.status_code == 400
    assert answer.headers["content-type"].startswith("application/json")
    assert "constraint:regex" in json.dumps(answer.json()["error"])
    assert not server.hub.routes


@pytest.mark.parametrize(("path", "key"), [("/api/generate", "response"), ("/infill", "content")])
def test_a_line_of_a_stream_is_one_for_every_client(server: Running, path: str, key: str) -> None:
    """Ollama's client in Python splits a stream at more than newlines."""
    text = "a\u2028b\x85c\u2029d"
    answer = post(server, path, {"prompt": f"text={text};", "stream": True})
    rows = [json.loads(row.removeprefix("data: ")) for row in answer.iter_lines() if row]
    assert "".join(row[key] for row in rows) == text


def test_a_stream_that_nobody_began_to_read_closes_its_runs() -> None:
    hub = InlineHub()
    services = make_services(hub, LOOPBACK)

    async def never() -> None:
        await asyncio.Event().wait()

    async def scenario() -> None:
        stepping = asyncio.create_task(hub.run())
        asked = Asked(prefix="steps=9000;text=" + "x" * 9000 + ";")
        runs = runs_of(services, asked)
        await begun(runs, never)
        assert hub.routes
        response = streamed(EVENTS, runs[0].pieces(), runs)
        assert response.background is not None
        await response.background()
        async with asyncio.timeout(20):
            while hub.routes:
                await asyncio.sleep(0)
        stepping.cancel()

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("POST", "/v1/completions", 413, "too_large"),
        ("POST", "/infill", 413, "too_large"),
        ("POST", "/tokenize", 413, "too_large"),
        ("POST", "/api/generate", 413, None),
        ("POST", "/v1/chat/completions", 404, "not_found"),
        ("GET", "/schema/other.json", 404, "not_found"),
        ("POST", "/api/chat", 404, None),
        ("GET", "/v1/completions", 405, "invalid_message"),
        ("GET", "/api/generate", 405, None),
    ],
)
def test_what_no_route_answers_is_an_error_of_the_same_shape(
    server: Running, method: str, path: str, status: int, code: str | None
) -> None:
    """`code` None: Ollama's clients read a bare text."""
    large = b" " * (1 << 20) + b"{}" if status == 413 else b""
    with httpx.Client(trust_env=False, verify=False) as client:
        answer = client.request(method, server.http + path, content=large)
    assert answer.status_code == status
    assert list(answer.json()) == ["error"]
    error = answer.json()["error"]
    if code is None:
        assert isinstance(error, str)
    else:
        assert (error["code"], list(error)) == (code, ["message", "type", "param", "code"])


@pytest.mark.parametrize("path", ["/v1/completions", "/api/generate"])
def test_a_fault_is_an_error_of_the_same_shape(
    server: Running, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.server.routes.running.fills_of", lambda *_: 1 / 0)
    answer = post(server, path, {"prompt": "x", "stream": False})
    assert answer.status_code == 500
    error = answer.json()["error"]
    assert "ZeroDivisionError" in (error if path == "/api/generate" else error["message"])


def test_a_fault_in_a_run_ends_what_is_merged_of_it() -> None:
    class Faulty:
        async def pieces(self) -> AsyncGenerator[str, None]:
            yield "a"
            raise RuntimeError("a fault")

    async def read() -> list[tuple[int, str | None]]:
        async with asyncio.timeout(20):
            return [item async for item in merged([cast(Run, Faulty())])]

    with pytest.raises(RuntimeError, match="a fault"):
        asyncio.run(read())
