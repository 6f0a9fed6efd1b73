"""Requests for jobs that can't be done: each is answered, with a reason, and nothing pops up."""

from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import Desk, desk
from tests.lsp.jobs.engine import Serving

CODE = "def f(x):\n    return x + 1\n\n\ny = f(1)\n"


def whole(it: Desk) -> dict[str, Any]:
    return it.range(0, len(it.text))


BAD: list[tuple[dict[str, Any], int]] = [
    ({"textDocument": {"uri": "file:///other.py"}, "range": None}, -32602),
    ({"range": {"start": {"line": 0}, "end": {"line": 1, "character": 0}}}, -32602),
    ({"range": {"start": {"line": -1, "character": 0}, "end": None}}, -32602),
    ({"instruction": 5}, -32602),
    ({"instruction": "x" * 10_000}, -32602),
    ({"textDocument": {"uri": "file:///other.py"}, "range": "whole"}, -32803),
    ({"textDocument": {"uri": None, "version": 7}, "range": "whole"}, -32801),
]


@pytest.mark.parametrize(("wrong", "code"), BAD)
def test_bad_requests_are_refused(served: Serving, wrong: dict[str, Any], code: int) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            params = {"textDocument": {"uri": it.uri}, "range": whole(it), **wrong}
            if params["range"] == "whole":
                params["range"] = whole(it)
            if params["textDocument"]["uri"] is None:
                params["textDocument"]["uri"] = it.uri
            with pytest.raises(JsonRpcException) as refused:
                await it.ask("retouch/rewrite", params)
            assert refused.value.code == code
            assert not it.warnings and not served.engine.heard

    play(scene())


def test_odd_ranges_are_put_right(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return 0"]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            good = it.range_of("return x + 1")
            await it.begin("retouch/rewrite", range={"start": good["end"], "end": good["start"]})
            await it.ended()
            assert it.text.value == CODE.replace("return x + 1", "return 0")
            far = {"line": 9999, "character": 9999}
            await it.begin("retouch/rewrite", range={"start": far, "end": far})
            await it.ended(2)
            assert it.text.value.endswith("return 0")

    play(scene())


def test_a_huge_range_is_refused(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = 1\n" * 5000)
            with pytest.raises(JsonRpcException, match="Select less"):
                await it.begin("retouch/rewrite", range=whole(it))

    play(scene())


def test_files_that_are_left_alone(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/.env", "A=1\n", language="plaintext")
            with pytest.raises(JsonRpcException, match="leaves this document alone"):
                await it.begin("retouch/rewrite", range=whole(it))

    play(scene())


def test_a_failing_engine_is_told(served: Serving) -> None:
    served.able()

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/revise", range=it.range_of("return x + 1"))
            ended = await it.ended()
            assert ended["reason"] == "failed" and "revise_text" in ended["message"]

    play(scene())


def test_too_many_jobs_have_to_wait(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = 1\n" * 40)
            for line in range(32):
                await it.begin("retouch/rewrite", range=it.range(line * 6, line * 6 + 5))
            with pytest.raises(JsonRpcException, match="Too many jobs"):
                await it.begin("retouch/rewrite", range=it.range(240 - 6, 240 - 1))
            await until(lambda: it.states and it.states[-1]["jobs"] == 32, "a busy status")
            assert await it.command("retouch.cancel") is True
            await it.ended(32)
            await until(lambda: it.states[-1]["state"] == "idle", "an idle status")

    play(scene())


def test_a_server_that_breaks_ends_its_jobs(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            served.engine.breaks = True
            ended = await it.ended()
            assert ended["reason"] == "failed" and "stopped" in ended["message"]
            assert it.text.value == CODE

    play(scene())


@pytest.mark.parametrize("stop", [0, 20_000])
def test_heat_of_nothing_or_too_much(served: Serving, stop: int) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = 1\n" * 4000)
            with pytest.raises(JsonRpcException, match="characters"):
                await it.begin("retouch/heat", range=it.range(0, stop))

    play(scene())
