"""Peers answer as they are asked, an empty line too, and say which models they can't run."""

import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from models.loader import Model
from tests.bench.fill.data import MissingData
from tests.bench.fill.peers import Line, LlamaCppPeer, _llama


def library(answer: dict[str, Any]) -> SimpleNamespace:
    """The library in so far as the peer uses it; its server always gives `answer`."""

    def params() -> SimpleNamespace:
        return SimpleNamespace(
            model=SimpleNamespace(),
            cpuparams=SimpleNamespace(),
            cpuparams_batch=SimpleNamespace(),
        )

    server = SimpleNamespace(handle_completions=lambda _: answer)
    return SimpleNamespace(CommonParams=params, Server=lambda _: server)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ({"content": "", "tokens_predicted": 1}, ""),
        ({"content": "x = 1", "tokens_predicted": 1}, "x = 1"),
        ({"choices": [{"text": ""}], "timings": {"predicted_n": 1}}, ""),
    ],
)
def test_a_line_of_llama_cpp_may_be_empty(
    answer: dict[str, Any], text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xllamacpp", library(answer))
    line = LlamaCppPeer(Path("base.Q8_0.gguf"), 1).complete("def f():")
    assert line == Line(text, 1, line.seconds)


@pytest.mark.parametrize("change", [{"qkv_bias": True}, {"qk_norm": True}, {"tied_head": False}])
def test_a_base_that_is_no_llama_is_missing_from_the_peers(
    change: dict[str, bool], tiny: Model
) -> None:
    with pytest.raises(MissingData, match="not a Llama"):
        _llama(tiny.folder, replace(tiny.config, **change))
