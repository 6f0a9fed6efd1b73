"""Rewriting over stdio: frames, commits, cancels, and what is accepted."""

import asyncio

import pytest

from protocol.messages import Cancel, Fill
from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import desk, plain
from tests.lsp.jobs.engine import Serving

CODE = "def f(x):\n    return x + 1\n\n\ny = f(1)\n"


def test_a_span_is_rewritten_in_one_edit(served: Serving) -> None:
    served.engine.answer = lambda fill: ["    return x - 1\n"]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            made = await it.begin(
                "retouch/rewrite",
                range=it.range_of("    return x + 1\n"),
                instruction="subtract",
            )
            ended = await it.ended()
            assert ended["jobId"] == made["jobId"] and ended["reason"] == "done"
            assert ended["stats"]["ms"] == 5.0
            assert it.text.value == CODE.replace("+", "-")
            (commit,) = it.commits
            assert commit["edits"] == [{"range": it.range_of("-"), "newText": "-"}]
            assert (commit["version"], commit["diffFirst"]) == (1, False)
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill)
            assert (fill.prefix, fill.suffix) == ("def f(x):\n", "\n\ny = f(1)\n")
            assert (fill.old_text, fill.instruction) == ("    return x + 1\n", "subtract")
            assert (fill.shape, fill.lines, fill.path) == ("block", 4, "a.py")

    play(scene())


def test_frames_show_the_canvas_until_it_is_clean(served: Serving) -> None:
    served.engine.answer = lambda fill: ["\U0001f600 = x - 1"]
    served.engine.steps_left = 2

    async def scene() -> None:
        async with desk(served.folder, encoding="utf-16") as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: it.frames, "a frame")
            frame = it.frames[-1]
            assert frame["range"] == it.range_of("return x + 1")
            assert (frame["hole"], frame["version"], frame["done"]) == (0, 1, False)
            (line,) = frame["lines"]
            assert line["text"] == "\U0001f600 =\u2592\u2592\u2592"
            assert line["masks"] == [[4, 7]]
            assert it.text.value == CODE
            served.engine.steps_left = None
            assert (await it.ended())["reason"] == "done"
            assert [it["seq"] for it in it.frames] == list(range(1, len(it.frames) + 1))
            assert "\U0001f600 = x - 1" in it.text.value

    play(scene())


def test_a_cancelled_job_leaves_the_document_alone(served: Serving) -> None:
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            made = await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            it.tell("retouch/cancel", {"jobId": made["jobId"], "reason": "esc"})
            assert (await it.ended()) == {"jobId": made["jobId"], "reason": "cancelled"}
            assert it.text.value == CODE and not it.commits
            await until(lambda: served.engine.asked(Cancel), "the engine's cancel")

    play(scene())


@pytest.mark.parametrize("answer", ["return x + 1", "", "   "])
def test_nothing_new_is_unchanged(served: Serving, answer: str) -> None:
    served.engine.answer = lambda fill: [answer]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            assert (await it.ended())["reason"] == "unchanged"
            assert it.text.value == CODE and not it.commits

    play(scene())


def test_a_comment_is_the_instruction(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "# retouch: be brief\nx = long()\n")
            await it.begin("retouch/rewrite", range=it.range_of("x = long()\n"))
            await it.ended()
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill) and fill.instruction == "be brief"
            assert it.text.value == "# retouch: be brief\nnew text\n"

    play(scene())


def test_an_empty_range_is_filled(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = \n")
            await it.begin("retouch/rewrite", range=it.range(4, 4))
            await it.ended()
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill) and (fill.shape, fill.old_text) == ("auto", None)
            assert it.text.value == "x = new text\n"

    play(scene())


def test_line_ends_stay_the_documents(served: Serving) -> None:
    served.engine.answer = lambda fill: ["a = 1\nc = 3\nb = 2\n"]

    async def scene() -> None:
        async with desk(served.folder, encoding="utf-8") as it:
            it.open("/w/a.py", "# \u00e9\r\na = 1\r\nb = 2\r\n")
            await it.begin("retouch/rewrite", range=it.range_of("a = 1\r\nb = 2\r\n"))
            await it.ended()
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill) and "\r" not in fill.prefix + (fill.old_text or "")
            assert "\r" not in it.commits[0]["edits"][0]["newText"]
            assert it.text.value == "# \u00e9\r\na = 1\r\nc = 3\r\nb = 2\r\n"

    play(scene())


def test_accepting_takes_what_has_settled(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return a b c d"]
    served.engine.steps_left = 2

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            made = await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.steps_left == 0, "two steps")
            said = plain(await it.ask("retouch/accept", {"jobId": made["jobId"]}))
            assert said == {"ok": True}
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == CODE.replace("return x + 1", "return a")
            again = plain(await it.ask("retouch/accept", {"jobId": made["jobId"]}))
            assert again["ok"] is False and "not running" in again["reason"]

    play(scene())


def test_accepting_nothing_changes_nothing(served: Serving) -> None:
    served.engine.steps_left = 0

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            made = await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            await until(lambda: served.engine.live, "the job")
            await it.ask("retouch/accept", {"jobId": made["jobId"]})
            assert (await it.ended())["reason"] == "unchanged"
            assert it.text.value == CODE

    play(scene())


def test_a_job_cancelled_at_once_says_so(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            begun = asyncio.ensure_future(
                it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            )
            await asyncio.sleep(0)
            stopped = asyncio.ensure_future(it.command("retouch.cancel"))
            made = await begun
            assert await stopped is True
            ended = await it.ended()
            assert (ended["jobId"], ended["reason"]) == (made["jobId"], "cancelled")
            assert it.text.value == CODE

    play(scene())


def test_a_server_that_is_started_again_names_its_jobs_otherwise(served: Serving) -> None:
    names: list[str] = []

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", CODE)
            made = await it.begin("retouch/rewrite", range=it.range_of("return x + 1"))
            names.append(made["jobId"])
            await it.ended()

    play(scene())
    play(scene())
    assert names[0] != names[1]
