"""The public Python clients of OpenAI and Mistral against the real server."""

import warnings
from collections.abc import Iterator

import pytest
from openai import APIStatusError, AuthenticationError, OpenAI

from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.running import Running

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from mistralai.client import Mistral


@pytest.fixture
def openai(locked: Running, token: str) -> Iterator[OpenAI]:
    with OpenAI(base_url=f"{locked.http}/v1", api_key=token, max_retries=0) as client:
        yield client


def test_openai_completes(openai: OpenAI) -> None:
    answer = openai.completions.create(model="any", prompt="def f():", suffix="\n", max_tokens=32)
    assert answer.choices[0].text == ANSWER
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage is not None
    assert answer.usage.completion_tokens > 0


def test_openai_streams(openai: OpenAI) -> None:
    chunks = list(openai.completions.create(model="any", prompt="x", stream=True, n=2))
    for index in (0, 1):
        mine = [c.choices[0].text for c in chunks if c.choices[0].index == index]
        assert "".join(mine) == ANSWER


def test_openai_understands_our_errors(openai: OpenAI, locked: Running) -> None:
    with pytest.raises(APIStatusError) as caught:
        openai.completions.create(model="any", prompt="x", n=99)
    assert (caught.value.status_code, caught.value.code) == (400, "invalid_message")  # type: ignore[attr-defined]
    with (
        OpenAI(base_url=f"{locked.http}/v1", api_key="wrong", max_retries=0) as stranger,
        pytest.raises(AuthenticationError),
    ):
        stranger.completions.create(model="any", prompt="x")
    assert [model.id for model in openai.models.list()] == ["fake"]


def test_mistral_completes_and_streams(locked: Running, token: str) -> None:
    with Mistral(server_url=locked.http, api_key=token) as client:
        answer = client.fim.complete(model="codestral", prompt="def f():", suffix="\n")
        assert answer.choices[0].message is not None
        assert answer.choices[0].message.content == ANSWER
        with client.fim.stream(model="codestral", prompt="def f():", suffix="\n") as stream:
            pieces = [event.data.choices[0].delta.content for event in stream]
        assert "".join(str(piece or "") for piece in pieces) == ANSWER
