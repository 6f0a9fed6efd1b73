"""The routes as recorded clients call them, against a real server with the fake engine."""

import json
import threading
from http.client import HTTPConnection

import httpx
import pytest

from protocol.messages import Fill
from tests.engine.server.fake_engine import ANSWER
from tests.engine.server.routes import recorded
from tests.engine.server.routes.calls import events, get, last_fill, post
from tests.engine.server.running import Running
from tests.engine.server.waiting import wait_until


def test_llama_vim_reads_flat_fields(server: Running) -> None:
    line = HTTPConnection("127.0.0.1", server.port, timeout=20)
    line.request("POST", "/infill", json.dumps(recorded.LLAMA_VIM), recorded.LLAMA_VIM_HEADERS)
    answer = line.getresponse()
    assert answer.status == 200
    text = answer.read().decode()
    line.close()
    body = json.loads(text)
    assert set(body) == set(recorded.LLAMA_VIM["response_fields"])
    assert body["content"] == ANSWER
    assert text.startswith('{"content":')
    fill = last_fill(server)
    assert fill.prefix == "def fib(n):\n    if n < 2: return n\n    return "
    assert fill.suffix == "\n\nprint(fib(3))\n"
    assert fill.deadline_ms is None, "its limit counts from the first line on"


def test_llama_vim_warms_without_a_fill(server: Running) -> None:
    asked = len(server.hub.asked)
    assert post(server, "/infill", recorded.LLAMA_VIM_WARM).json() == {}
    assert len(server.hub.asked) == asked


def test_infill_without_fields_says_everything(server: Running) -> None:
    body = post(server, "/infill", {"input_prefix": "x", "stop": None, "seed": -1}).json()
    assert body["content"] == ANSWER
    assert (body["stop"], body["stop_type"], body["model"]) == (True, "eos", "fake")
    assert body["timings"]["predicted_n"] > 0


def test_infill_streams_settled_text(server: Running) -> None:
    answer = post(server, "/infill", {"input_prefix": "x", "stream": True})
    blocks = [json.loads(b.removeprefix("data: ")) for b in answer.text.split("\n\n") if b]
    assert "".join(block["content"] for block in blocks) == ANSWER
    assert [block["stop"] for block in blocks] == [False] * (len(blocks) - 1) + [True]


def test_what_llama_cpp_clients_look_at(server: Running) -> None:
    assert get(server, "/health")["status"] == "ok"
    assert get(server, "/props")["total_slots"] > 0
    assert get(server, "/slots?fail_on_no_slot=1") == []
    assert get(server, "/v1/models")["data"][0]["id"] == "fake"
    facts = server.hub.facts
    assert facts is not None
    assert get(server, "/props")["default_generation_settings"] == {"n_ctx": facts.window}
    assert facts.window < server.services.config.limits.prefix, "tokens, not characters"


@pytest.mark.parametrize("path", ["/v1/completions", "/v1/fim/completions", "/beta/completions"])
def test_minuet_and_continue_stream(server: Running, path: str) -> None:
    for body, headers in (
        (recorded.MINUET, recorded.MINUET_HEADERS),
        (recorded.CONTINUE_FIM, recorded.CONTINUE_HEADERS),
    ):
        chunks = events(post(server, path, body, **headers))
        choices = [chunk["choices"][0] for chunk in chunks]
        assert all(len(chunk["choices"]) == 1 for chunk in chunks), "no chunk without a choice"
        assert "".join(choice["text"] for choice in choices) == ANSWER
        assert [c["finish_reason"] for c in choices] == [None] * (len(choices) - 1) + ["stop"]
        if path == "/v1/fim/completions":
            assert "".join(choice["delta"]["content"] for choice in choices) == ANSWER


def test_inception_means_no_suffix(server: Running) -> None:
    events(post(server, "/v1/completions", recorded.CONTINUE_INCEPTION))
    assert last_fill(server).suffix == ""


def test_a_body_is_read_whatever_its_type(server: Running) -> None:
    data = json.dumps({**recorded.MINUET, "stream": False})
    with httpx.Client(trust_env=False, verify=False) as client:
        answer = client.post(
            server.http + "/v1/completions", content=data, headers={"Content-Type": "text/plain"}
        )
    assert answer.status_code == 200
    assert answer.json()["choices"][0]["text"] == ANSWER
    assert answer.json()["usage"]["completion_tokens"] > 0


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/completions", {"prompt": None}),
        ("/v1/completions", {"prompt": "x", "response_format": {"type": None}}),
        ("/infill", {"input_extra": [{"text": None, "filename": None}]}),
        ("/tokenize", {"content": None}),
        ("/detokenize", {"tokens": None}),
    ],
)
def test_a_null_is_a_field_that_was_not_sent(
    server: Running, path: str, body: dict[str, object]
) -> None:
    answer = post(server, path, body)
    assert answer.status_code == 200 or answer.json()["error"]["code"] == "unsupported"


def test_choices_have_seeds_of_their_own(server: Running) -> None:
    body = {"prompt": "x", "n": 3, "stream": False, "model": None}
    answer = post(server, "/v1/completions", body).json()
    assert [choice["index"] for choice in answer["choices"]] == [0, 1, 2]
    seeds = [m.sampling.seed for m in server.hub.asked[-3:] if isinstance(m, Fill)]
    assert len(set(seeds)) == 3
    post(server, "/v1/completions", {"prompt": "x", "seed": 7})
    assert last_fill(server).sampling.seed == 7
    chunks = events(post(server, "/v1/completions", {**body, "stream": True}))
    for index in range(3):
        mine = [c["choices"][0] for c in chunks if c["choices"][0]["index"] == index]
        assert "".join(choice["text"] for choice in mine) == ANSWER


def test_several_prompts_and_echo(server: Running) -> None:
    body = {"prompt": ["text=one;", "text=two;"], "echo": True}
    texts = [c["text"] for c in post(server, "/v1/completions", body).json()["choices"]]
    assert texts == ["text=one;one", "text=two;two"]
    chunks = events(post(server, "/v1/completions", {**body, "stream": True}))
    pieces = [c["choices"][0] for c in chunks]
    for index, text in enumerate(texts):
        assert "".join(p["text"] for p in pieces if p["index"] == index) == text


def test_several_prompts_are_answered_side_by_side(slow: Running) -> None:
    before = slow.hub.engine.steps
    prompts = [f"steps=20;text={letter * 20};" for letter in "abcd"]
    choices = post(slow, "/v1/completions", {"prompt": prompts}).json()["choices"]
    assert [choice["text"] for choice in choices] == [letter * 20 for letter in "abcd"]
    assert slow.hub.engine.steps - before < 40


def test_usage_comes_with_an_empty_choice_only_when_it_was_asked_for(server: Running) -> None:
    body = {"prompt": "x", "stream": True, "stream_options": {"include_usage": True}}
    *chunks, last = events(post(server, "/v1/completions", body))
    assert last["choices"] == []
    assert last["usage"]["total_tokens"] > 0
    assert all(chunk["choices"] for chunk in chunks)


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_string_ends_the_text_and_the_fill(slow: Running, stream: bool) -> None:
    body = {"prompt": "steps=200;text=ab STOP" + "x" * 200 + ";", "stop": ["STOP"], "seed": 1}
    answer = post(slow, "/v1/completions", {**body, "stream": stream})
    if stream:
        choices = [chunk["choices"][0] for chunk in events(answer)]
        text = "".join(choice["text"] for choice in choices)
    else:
        text = answer.json()["choices"][0]["text"]
    assert text == "ab "
    wait_until(lambda: not slow.hub.routes)


def test_our_own_fields_reach_the_engine(server: Running) -> None:
    body = {"prompt": "x", "steps": 3, "policy": "fixed", "shape": "block", "lines": 2}
    post(server, "/v1/completions", {**body, "deadline_ms": 900, "max_tokens": 12})
    fill = last_fill(server)
    assert (fill.sampling.steps, fill.sampling.policy) == (3, "fixed")
    assert (fill.shape, fill.lines, fill.deadline_ms) == ("block", 2, 900)
    assert fill.canvas.tokens == 12


@pytest.mark.parametrize(
    ("asked", "heard"), [(None, (0.7, 1.0)), (0, (0.0, 1.0)), (0.0, (0.0, 1.0)), (0.5, (0.7, 0.5))]
)
def test_no_share_of_the_tokens_is_the_likeliest_alone(
    server: Running, asked: float | None, heard: tuple[float, float]
) -> None:
    post(server, "/v1/completions", {"prompt": "x", "temperature": 0.7, "top_p": asked})
    sampling = last_fill(server).sampling
    assert (sampling.temperature, sampling.top_p) == heard


NUMBERS = (
    "max_tokens",
    "n",
    "temperature",
    "top_p",
    "steps",
    "lines",
    "deadline_ms",
    "seed",
    "n_predict",
    "num_predict",
    "logprobs",
    "threshold",
)


@pytest.mark.parametrize(
    "path",
    [
        "/v1/completions",
        "/v1/fim/completions",
        "/beta/completions",
        "/v1/edit/completions",
        "/infill",
        "/api/generate",
    ],
)
@pytest.mark.parametrize("value", [-1, 0, 10**6, 2**63, 2**70, 1.5, "x", [], {}, True])
def test_no_number_is_a_server_error(server: Running, path: str, value: object) -> None:
    messages = [{"role": "user", "content": recorded.EDIT_MESSAGE}]
    with httpx.Client(trust_env=False, verify=False, timeout=30) as client:
        for name in NUMBERS:
            body = {"prompt": "x", "messages": messages, name: value, "stream": False}
            body["options"] = {name: value}  # where Ollama's clients put it
            answer = client.post(server.http + path, json=body)
            assert answer.status_code in (200, 400, 413), (name, answer.text)
            if answer.status_code != 200:
                told = answer.json()["error"]
                code = answer.status_code if isinstance(told, str) else told["code"]
                assert code in (400, 413, "invalid_message", "too_large")


@pytest.mark.parametrize("path", ["/v1/completions", "/infill", "/api/generate"])
@pytest.mark.parametrize("stream", [False, True])
def test_hanging_up_frees_the_slot(slow: Running, path: str, stream: bool) -> None:
    text = "steps=2000;text=" + "x" * 2000 + ";"
    body = {"prompt": text, "stream": stream}
    freed = len(slow.hub.freed_after)
    gone = threading.Event()

    def call() -> None:
        with httpx.Client(
            trust_env=False, verify=False, timeout=httpx.Timeout(20, read=0.3)
        ) as client:
            try:
                with client.stream("POST", slow.http + path, json=body) as answer:
                    for _ in answer.iter_raw():
                        break
            except httpx.ReadTimeout:
                pass
        gone.set()

    threading.Thread(target=call, daemon=True).start()
    assert gone.wait(20)
    wait_until(lambda: not slow.hub.routes)
    assert len(slow.hub.freed_after) > freed
    assert slow.hub.freed_after[-1] <= 2


def test_an_engine_that_dies_is_an_error_not_an_answer(slow: Running) -> None:
    answers: list[httpx.Response] = []
    bodies = [{"prompt": "steps=2000;text=" + "x" * 2000 + ";", "stream": s} for s in (True, False)]
    threads = [
        threading.Thread(target=lambda b=b: answers.append(post(slow, "/v1/completions", b)))  # type: ignore[misc]
        for b in bodies
    ]
    for thread in threads:
        thread.start()
    wait_until(lambda: [r.step > 0 for r in slow.hub.engine.live.values()] == [True] * 2)
    slow.loop.call_soon_threadsafe(slow.hub.fail_all)
    for thread in threads:
        thread.join(20)
    assert sorted(answer.status_code for answer in answers) == [200, 500]
    for answer in answers:
        assert "engine_failed" in answer.text
        assert "[DONE]" not in answer.text
