"""Ollama, and Inception's edit and apply, against a real server with the fake engine."""

import json
from typing import Any

import httpx
import pytest

from engine.server.routes.edit_prompt import edit_of
from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.routes import recorded
from tests.engine.server.routes.calls import events, get, last_fill, post
from tests.engine.server.running import Running


def test_ollama_generates(server: Running) -> None:
    body = {"model": "x", "prompt": "def f():", "suffix": "\n"}
    answer = post(server, "/api/generate", body)
    assert answer.headers["content-type"].startswith("application/x-ndjson")
    rows = [json.loads(row) for row in answer.text.splitlines()]
    assert "".join(row["response"] for row in rows) == ANSWER
    assert [row["done"] for row in rows] == [False] * (len(rows) - 1) + [True]
    assert rows[-1]["done_reason"] == "stop"
    whole = post(server, "/api/generate", {**body, "stream": False, "options": {"seed": 3}}).json()
    assert (whole["response"], whole["done"]) == (ANSWER, True)
    assert last_fill(server).sampling.seed == 3
    assert post(server, "/api/generate", {"model": "x"}).json()["done_reason"] == "load"


@pytest.mark.parametrize("many", [0, -1, -2])
def test_ollama_knows_numbers_that_bound_nothing(server: Running, many: int) -> None:
    body = {"prompt": "x", "stream": False, "options": {"num_predict": many}}
    assert post(server, "/api/generate", body).json()["response"] == ANSWER
    assert last_fill(server).canvas.most is None


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_of_ollama_is_a_text(server: Running, locked: Running, stream: bool) -> None:
    body = {"model": "x", "prompt": "def f():", "stream": stream}
    unable = post(server, "/api/generate", {**body, "format": {"type": "object"}})
    assert "json_schema" in unable.json()["error"]
    for answer, status in (
        (unable, 400),
        (post(server, "/api/generate", {**body, "prompt": 1}), 400),
        (post(locked, "/api/generate", body), 401),
    ):
        assert answer.status_code == status
        assert list(answer.json()) == ["error"]
        assert isinstance(answer.json()["error"], str)


def test_a_wait_is_not_told_as_the_time_that_the_prompt_took(server: Running) -> None:
    """How long the prompt took is not known; nobody may take it for the engine's pace."""
    body = {"prompt": "x" * 1000, "input_prefix": "x" * 1000, "stream": False}
    timings = post(server, "/infill", body).json()["timings"]
    assert timings["prompt_n"] == 2000
    assert (timings["prompt_ms"], timings["prompt_per_second"]) == (0.0, 0.0)
    assert post(server, "/api/generate", body).json()["prompt_eval_duration"] == 0


def test_what_ollama_clients_look_at(server: Running) -> None:
    assert get(server, "/api/tags")["models"][0]["name"] == "fake"
    assert ".Suffix" in post(server, "/api/show", {"name": "fake"}).json()["template"]
    assert "version" in get(server, "/api/version")


def edited(server: Running, content: str, stream: bool) -> str:
    """The answer to an edit request."""
    body = {"messages": [{"role": "user", "content": content}], "stream": stream}
    answer = post(server, "/v1/edit/completions", body)
    if stream:
        return "".join(e["choices"][0]["delta"]["content"] for e in events(answer))
    assert answer.json()["object"] == "edit.completion"
    text = answer.json()["choices"][0]["message"]["content"]
    assert isinstance(text, str)
    return text


def continue_reads(answer: str) -> str:
    """The lines that Continue takes for those between the tags, as its slice finds them."""
    return answer[answer.find("```\n") + 4 : answer.rfind("\n\n```")]


def zed_reads(answer: str) -> str:
    """The text that Zed takes for the one between the tags, without the fence."""
    return answer.removeprefix("```\n").removesuffix("\n```")


@pytest.mark.parametrize("stream", [False, True])
def test_inception_edits_at_the_cursor(server: Running, stream: bool) -> None:
    answer = edited(server, recorded.EDIT_MESSAGE, stream)
    assert continue_reads(answer) == f"def fib(n):\n    return {ANSWER}"
    assert zed_reads(answer) == f"def fib(n):\n    return {ANSWER}\n"
    fill = last_fill(server)
    assert fill.prefix == "import os\ndef fib(n):\n    return "
    assert fill.suffix == "\nprint(fib(3))"


@pytest.mark.parametrize("stream", [False, True])
def test_code_to_edit_may_end_in_mid_line(server: Running, stream: bool) -> None:
    content = recorded.EDIT_MESSAGE.replace("\n<|/code_to_edit|>\n", "<|/code_to_edit|>\n\n")
    assert zed_reads(edited(server, content, stream)) == f"def fib(n):\n    return {ANSWER}"
    fill = last_fill(server)
    assert fill.prefix == "import os\ndef fib(n):\n    return "
    assert fill.suffix == "\nprint(fib(3))"


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_code_that_is_written_anew_keeps_its_last_line_end(
    server: Running, end: str, stream: bool
) -> None:
    content = recorded.EDIT_MESSAGE.replace("<|cursor|>", "1")
    content = content.replace("1\n<|/code_to_edit|>", f"1{end}<|/code_to_edit|>")
    answer = edited(server, content, stream)
    assert zed_reads(answer) == ANSWER + end
    assert continue_reads(answer) == ANSWER + end.removesuffix("\n")


@pytest.mark.parametrize("path", ["/v1/edit/completions", "/v1/apply/completions"])
def test_one_completion_of_inception_keeps_one_id(server: Running, path: str) -> None:
    content = recorded.EDIT_MESSAGE + (
        "<|original_code|>\na\n<|/original_code|><|update_snippet|>\na\n<|/update_snippet|>"
    )
    body = {"messages": [{"role": "user", "content": content}], "stream": True}
    chunks = events(post(server, path, body))
    assert len(chunks) > 1
    assert len({chunk["id"] for chunk in chunks}) == 1


def test_snippets_that_were_looked_at_are_files() -> None:
    name = "recently_viewed_code_snippet"
    message = recorded.EDIT_MESSAGE + "".join(
        f"<|{name}|>\n{text}<|/{name}|>" for text in ("code_snippet_file_path: a.py\nA\n", "", "B")
    )
    files = edit_of(message).files[-3:]
    assert [(file.path, file.text) for file in files] == [
        ("a.py", "A\n"),
        ("snippet", ""),
        ("snippet", "B"),
    ]


def test_tags_that_are_never_closed_open_nothing() -> None:
    open_tags = "<|recently_viewed_code_snippet|>" * 200_000
    message = recorded.EDIT_MESSAGE + open_tags
    assert edit_of(message).files == edit_of(recorded.EDIT_MESSAGE).files


def test_inception_rewrites_without_a_cursor(server: Running) -> None:
    content = recorded.EDIT_MESSAGE.replace("<|cursor|>", "1")
    body = {"messages": [{"role": "user", "content": content}]}
    post(server, "/v1/edit/completions", body)
    fill = last_fill(server)
    assert (fill.prefix, fill.suffix) == ("import os\n", "print(fib(3))")
    assert (fill.shape, fill.lines) == ("block", 2)


@pytest.mark.parametrize("stream", [False, True])
def test_apply_merges_or_refuses(server: Running, stream: bool) -> None:
    content = (
        "<|original_code|>\na = 1\nb = 2\nc = 3\n<|/original_code|>\n\n"
        "<|update_snippet|>\n// ... existing code ...\nb = 2\nx = 9\nc = 3\n<|/update_snippet|>"
    )
    body: dict[str, Any] = {"messages": [{"role": "user", "content": content}], "stream": stream}
    answer = post(server, "/v1/apply/completions", body)
    if stream:
        text = "".join(e["choices"][0]["delta"]["content"] for e in events(answer))
    else:
        text = answer.json()["choices"][0]["message"]["content"]
    assert text == "a = 1\nb = 2\nx = 9\nc = 3"
    body["messages"][0]["content"] = content.replace("b = 2\nx", "z = 2\nx")
    refused = post(server, "/v1/apply/completions", body)
    assert refused.status_code == 422
    assert "unclear" in refused.json()["error"]["message"]


@pytest.mark.parametrize("path", ["/v1/edit/completions", "/v1/apply/completions"])
@pytest.mark.parametrize(
    "messages",
    [
        [],
        [{"role": "system", "content": "x"}],
        [{"role": "user", "content": "x"}] * 2,
        [{"role": "user", "content": "no tags"}],
        [{"role": "user", "content": recorded.EDIT_MESSAGE.replace("<|/code_to_edit|>", "")}],
        [{"role": "user", "content": recorded.EDIT_MESSAGE.replace("import", "<|cursor|>")}],
    ],
)
def test_odd_edit_messages_are_refused(
    server: Running, path: str, messages: list[dict[str, str]]
) -> None:
    answer = post(server, path, {"messages": messages})
    assert answer.status_code == 400


def test_requests_are_counted(server: Running) -> None:
    post(server, "/v1/completions", {"prompt": "x"})
    with httpx.Client(trust_env=False, verify=False) as client:
        text = client.get(server.http + "/metrics").text
    counted = [
        line for line in text.splitlines() if 'retouch_ends_total{finish="converged"}' in line
    ]
    assert float(counted[0].split()[-1]) >= 1
    assert "retouch_queue_ms_bucket" in text
    assert ANSWER not in text


def test_an_engine_that_is_not_ready_is_told(server: Running) -> None:
    facts, server.hub.facts = server.hub.facts, None
    try:
        answer = post(server, "/v1/completions", {"prompt": "x", "stream": True})
        assert answer.status_code == 503
        assert answer.headers["retry-after"] == "1"
        with httpx.Client(trust_env=False, verify=False) as client:
            health = client.get(server.http + "/health")
        assert health.status_code == 503
        assert health.json()["error"]["message"] == "Loading model"
    finally:
        server.hub.facts = facts
