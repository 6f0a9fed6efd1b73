"""Log-probabilities, token ids, long answers: what some clients ask beside the text."""

import math
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.server.routes.logprobs import logprobs_of
from engine.server.routes.running import cut_tokens
from models.loader import Model
from protocol.messages import Token
from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.inline import InlineHub
from tests.engine.server.routes.calls import events, last_fill, post
from tests.engine.server.running import Running, running


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/fim/completions", "/beta/completions"])
@pytest.mark.parametrize("asked", [0, 5, True])
def test_logprobs_tell_the_tokens_that_stand(server: Running, path: str, asked: object) -> None:
    body = {"prompt": "x", "logprobs": asked}
    (choice,) = post(server, path, body).json()["choices"]
    table = choice["logprobs"]
    assert "".join(table["tokens"]) == choice["text"] == ANSWER
    assert table["token_logprobs"] == [round(math.log(0.5), 4)] * len(table["tokens"])
    for text, offset in zip(table["tokens"], table["text_offset"], strict=True):
        assert ANSWER[offset:].startswith(text)
    chunks = events(post(server, path, {**body, "stream": True}))
    *others, last = (chunk["choices"][0]["logprobs"] for chunk in chunks)
    assert others == [None] * len(others)
    assert last == table


def test_logprobs_follow_an_echo_and_end_at_a_stop_string(server: Running) -> None:
    body = {"prompt": "text=one two;", "echo": True, "stop": ["wo"], "logprobs": 1}
    (choice,) = post(server, "/v1/completions", body).json()["choices"]
    assert choice["text"] == "text=one two;one t"
    assert "".join(choice["logprobs"]["tokens"]) == "one t"
    assert choice["logprobs"]["text_offset"][0] == len("text=one two;")


@pytest.mark.parametrize("asked", [None, False])
def test_nobody_is_told_logprobs_unasked(server: Running, asked: object) -> None:
    (choice,) = post(server, "/v1/completions", {"prompt": "x", "logprobs": asked}).json()[
        "choices"
    ]
    assert choice["logprobs"] is None


def test_an_impossible_token_has_a_number() -> None:
    table = logprobs_of([Token("a", 0.0, 1), Token("", 0.3, 1)], 0)
    assert len(table["tokens"]) == 1
    assert math.isfinite(table["token_logprobs"][0])


def test_tokens_are_cut_with_their_text() -> None:
    tokens = [Token("ab", 0.5, 1), Token("cd", 0.5, 1), Token("e", 0.5, 1)]
    assert [token.text for token in cut_tokens(tokens, 3)] == ["ab", "c"]
    assert cut_tokens(tokens, 0) == ()
    assert cut_tokens(tokens, 99) == tuple(tokens)


@pytest.fixture(scope="module")
def with_tokenizer(tiny: Model) -> Running:
    hub = InlineHub()
    assert hub.facts is not None
    hub.facts = replace(hub.facts, folder=str(tiny.folder))
    with running(hub) as it:
        yield it  # type: ignore[misc]


@pytest.mark.parametrize("text", ["", "def f():\n    return", "\u00e9\u4e2d\U0001f600", "<s0>"])
def test_text_becomes_ids_and_text_again(with_tokenizer: Running, tiny: Model, text: str) -> None:
    body = {"content": text, "add_special": True, "parse_special": True}
    ids = post(with_tokenizer, "/tokenize", body).json()["tokens"]
    assert ids == tiny.tokenizer.encode(text)
    assert post(with_tokenizer, "/detokenize", {"tokens": ids}).json() == {"content": text}


def test_pieces_that_are_no_text_are_bytes(with_tokenizer: Running) -> None:
    body = {"content": "in\u00e9", "with_pieces": True}
    tokens = post(with_tokenizer, "/tokenize", body).json()["tokens"]
    assert [token["piece"] for token in tokens] == ["in", [0xC3], [0xA9]]


@pytest.mark.parametrize("ids", [[-1], [10**6], [2**70], ["x"], [1.5]])
def test_ids_that_are_none_are_refused(with_tokenizer: Running, ids: list[object]) -> None:
    answer = post(with_tokenizer, "/detokenize", {"tokens": ids})
    assert answer.status_code == 400


def test_an_engine_without_a_tokenizer_says_so(server: Running) -> None:
    answer = post(server, "/tokenize", {"content": "x"})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "unsupported"


def test_a_tokenizer_that_is_gone_is_said(tmp_path: Path) -> None:
    hub = InlineHub()
    assert hub.facts is not None
    hub.facts = replace(hub.facts, folder=str(tmp_path))
    with running(hub) as server:
        assert post(server, "/tokenize", {"content": "x"}).status_code == 500


def test_a_large_bound_lets_the_answer_grow(server: Running) -> None:
    post(server, "/v1/completions", {"prompt": "x", "max_tokens": 500})
    fill = last_fill(server)
    assert (fill.canvas.tokens, fill.canvas.most, fill.lines) == (None, 500, 62)
    post(server, "/v1/completions", {"prompt": "x", "max_tokens": 10**5, "lines": 3})
    fill = last_fill(server)
    assert (fill.canvas.most, fill.lines) == (1024, 3)
    post(server, "/v1/completions", {"prompt": "x"})
    assert last_fill(server).canvas.most is None
