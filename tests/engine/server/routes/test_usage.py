"""What an answer cost, however it ended, and who is waited for."""

import json
import threading
import time

import pytest

from engine.server.routes.openai import usage_of
from engine.server.routes.running import Outcome
from protocol.messages import Stats
from tests.engine.server.fake_engine import FakeStepEngine
from tests.engine.server.inline import InlineHub
from tests.engine.server.routes import recorded
from tests.engine.server.routes.calls import events, post
from tests.engine.server.running import Running, running
from tests.engine.server.waiting import wait_until

STOPPED = "steps=30;text=ab STOP" + "x" * 24 + ";"
SEED = 65
"""With it the stop string is there long before the end."""


@pytest.mark.parametrize("stream", [False, True])
def test_a_stop_string_keeps_the_usage(slow: Running, stream: bool) -> None:
    body = {"prompt": STOPPED, "stop": ["STOP"], "seed": SEED, "stream": stream}
    answer = post(slow, "/v1/completions", {**body, "stream_options": {"include_usage": True}})
    usage = (events(answer)[-1] if stream else answer.json())["usage"]
    assert usage["prompt_tokens"] == len(STOPPED)
    assert usage["completion_tokens"] > 0
    body = {"prompt": STOPPED, "stream": stream, "options": {"stop": "STOP", "seed": SEED}}
    last = json.loads(post(slow, "/api/generate", body).text.splitlines()[-1])
    assert (last["done"], last["prompt_eval_count"]) == (True, len(STOPPED))
    assert last["eval_duration"] > 0
    body = {"input_prefix": STOPPED, "stop": ["STOP"], "seed": SEED, "stream": stream}
    rows = post(slow, "/infill", body).text.strip().split("\n\n")
    last = json.loads(rows[-1].removeprefix("data: "))
    assert (last["stop_type"], last["stopping_word"]) == ("word", "STOP")
    assert last["tokens_evaluated"] == len(STOPPED)


def test_an_engine_that_does_not_tell_the_usage_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("engine.server.routes.running.STOPPED_SECONDS", 0.05)
    monkeypatch.setattr(FakeStepEngine, "_end", lambda *_: None)
    with running(InlineHub(step_seconds=0.02)) as server:
        body = {"prompt": STOPPED, "stop": ["STOP"], "seed": SEED}
        answer = post(server, "/v1/completions", body).json()
    assert answer["choices"][0]["text"] == "ab "
    assert answer["usage"]["completion_tokens"] > 0


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    "path", ["/v1/completions", "/infill", "/api/generate", "/v1/edit/completions"]
)
def test_what_runs_is_counted_once_and_waited_for_by_a_stop(
    slow: Running, path: str, stream: bool
) -> None:
    text = "steps=20;text=" + "x" * 20 + ";"
    content = recorded.EDIT_MESSAGE.replace("import os\n", text + "\n")
    body = {"prompt": text, "messages": [{"role": "user", "content": content}], "stream": stream}
    counts = {slow.services.requests}
    thread = threading.Thread(target=post, args=(slow, path, body))
    thread.start()
    while thread.is_alive():
        counts.add(slow.services.requests)
        time.sleep(0.001)
    assert 1 in counts and counts <= {0, 1}
    wait_until(lambda: slow.services.requests == 0)


@pytest.mark.parametrize("stream", [False, True])
def test_a_prompt_counts_once_and_every_prompt_does(server: Running, stream: bool) -> None:
    prompts = ["text=one;", "text=thirteen;"]
    body = {"prompt": prompts, "n": 3, "stream": stream, "stream_options": {"include_usage": True}}
    answer = post(server, "/v1/completions", body)
    usage = (events(answer)[-1] if stream else answer.json())["usage"]
    assert usage["prompt_tokens"] == sum(map(len, prompts))
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]


def test_what_a_cache_held_is_a_part_of_the_prompt() -> None:
    costs = [(10, 0), (0, 10), (4, 3), (0, 7)]
    found = [
        Outcome("", "stop", Stats(tokens=1, prefill_tokens=new, cached_tokens=known))
        for new, known in costs
    ]
    usage = usage_of(found, 2)
    assert (usage.prompt_tokens, usage.cached_input_tokens, usage.completion_tokens) == (17, 17, 4)
