"""What can be done to a running job over stdio: pin, throw back, lock."""

import asyncio
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from protocol.messages import Fill, Pin, Remask, Revise
from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import Desk, desk, plain
from tests.lsp.jobs.engine import CAPS, Serving

CODE = "x = old\n"


async def running(it: Desk, served: Serving, steps: int = 2) -> str:
    """A job that stands still after some steps, drawn."""
    served.engine.answer = lambda fill: ["\U0001f600 b c d"]
    served.engine.steps_left = steps
    it.open("/w/a.py", CODE)
    made = await it.begin("retouch/rewrite", range=it.range_of("old"))
    masks = "\u2592" * (4 - steps)
    await until(lambda: it.frames and it.frames[-1]["lines"][0]["text"].endswith(masks), "a frame")
    await until(lambda: it.frames[-1]["step"] == steps, "the last frame")
    return str(made["jobId"])


async def op(it: Desk, name: str, job: str, start: int, stop: int, **more: Any) -> dict[str, Any]:
    params = {"jobId": job, "hole": 0, "start": start, "stop": stop, **more}
    said: dict[str, Any] = plain(await it.ask(f"retouch/{name}", params))
    return said


def ops(served: Serving) -> list[Pin | Remask]:
    """The ops the engine heard of."""
    found = [message.ops for message in served.engine.heard if isinstance(message, Revise)]
    return [it for (it,) in found if isinstance(it, Pin | Remask)]


def test_text_is_pinned_in_the_canvas(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            frame = it.frames[-1]
            assert frame["lines"][0]["text"] == "\U0001f600 b\u2592\u2592"
            assert await op(it, "revisePin", job, 3, 4, text="B2") == {"ok": True}
            assert ops(served) == [Pin(1, 2, " B2")]
            assert await op(it, "revisePin", job, 0, 0, text="z") == {"ok": True}
            served.engine.steps_left = None
            await it.ended()
            assert it.text.value == "x = z\U0001f600 B2 c d\n"

    play(scene())


def test_tokens_are_thrown_back_and_locked(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder, encoding="utf-8") as it:
            job = await running(it, served)
            assert await op(it, "lock", job, 0, 4) == {"ok": True}
            assert await op(it, "throwBack", job, 4, 6) == {"ok": True}
            assert ops(served) == [Pin(0, 1, "\U0001f600"), Remask(1, 2)]
            assert [it.seed is None for it in served.engine.asked(Revise)] == [True, False]  # type: ignore[union-attr]
            await until(lambda: "\u2592" * 3 in it.frames[-1]["lines"][0]["text"], "masks")
            served.engine.steps_left = None
            await it.ended()

    play(scene())


def test_a_place_in_a_frame_that_is_past_means_what_stood_there(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            seen = it.frames[-1]["seq"]
            served.engine.steps_left = 1
            await until(lambda: it.frames[-1]["step"] == 3, "another frame")
            assert await op(it, "lock", job, 0, 2, seq=seen) == {"ok": True}
            for seq in (seen, seen + 99):
                said = await op(it, "revisePin", job, 4, 5, seq=seq, text="x")
                assert said["ok"] is False and "changed" in said["reason"]
            assert ops(served) == [Pin(0, 1, "\U0001f600")]
            now = it.frames[-1]["seq"]
            assert await op(it, "revisePin", job, 4, 6, seq=now, text="x") == {"ok": True}

    play(scene())


@pytest.mark.parametrize(
    ("name", "given", "why"),
    [
        ("revisePin", {"start": 9, "stop": 99, "text": "x"}, "last frame"),
        ("revisePin", {"start": 3, "stop": 2, "text": "x"}, "last frame"),
        ("revisePin", {"hole": 3, "text": "x"}, "no such hole"),
        ("revisePin", {"jobId": "job-77", "text": "x"}, "not running"),
        ("lock", {"start": 4, "stop": 6}, "that stands"),
        ("throwBack", {"start": 4, "stop": 6}, "thrown back"),
    ],
)
def test_ops_that_make_no_sense(
    served: Serving, name: str, given: dict[str, Any], why: str
) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            params = {"jobId": job, "hole": 0, "start": 0, "stop": 0, **given}
            said = plain(await it.ask(f"retouch/{name}", params))
            assert said["ok"] is False and why in said["reason"]
            assert not ops(served)

    play(scene())


def test_malformed_ops_are_refused(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            for given in ({"start": -1}, {"hole": "first"}, {"text": None}, {"text": "x" * 9999}):
                params = {"jobId": job, "hole": 0, "start": 0, "stop": 0, "text": "x", **given}
                with pytest.raises(JsonRpcException) as refused:
                    await it.ask("retouch/revisePin", params)
                assert refused.value.code == -32602

    play(scene())


def test_an_engine_that_can_not_is_told_of(served: Serving) -> None:
    caps = tuple(cap for cap in CAPS if not cap.startswith("revise:"))
    served.able(*caps)

    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            said = await op(it, "throwBack", job, 0, 2)
            assert said["ok"] is False and "remask" in said["reason"]

    play(scene())


def test_the_engines_refusal_is_passed_on(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            live = next(iter(served.engine.live.values()))
            del live.cells[0][1:]
            said = await op(it, "revisePin", job, 3, 4, text="x")
            assert said["ok"] is False and "not there" in said["reason"]

    play(scene())


def test_a_job_that_ends_answers_its_ops(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            job = await running(it, served)
            served.engine._revise = lambda revise: None  # type: ignore[method-assign]
            params = {"jobId": job, "hole": 0, "start": 0, "stop": 2}
            asking = asyncio.ensure_future(it.ask("retouch/lock", params))
            await until(lambda: ops(served), "the op")
            it.tell("retouch/cancel", {"jobId": job})
            said = plain(await asking)
            assert said["ok"] is False and "ended" in said["reason"]

    play(scene())


def test_a_word_that_is_taken_before_it_is_there_is_not_asked_for_again(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = old\n")
            made = await it.begin("retouch/reroll", position=it.range(4, 4)["start"])
            await until(lambda: served.engine.live, "the job")
            assert plain(await it.ask("retouch/accept", {"jobId": made["jobId"]})) == {"ok": True}
            assert (await it.ended())["reason"] == "unchanged"
            assert len(served.engine.asked(Fill)) == 1 and it.text.value == "x = old\n"

    play(scene())
