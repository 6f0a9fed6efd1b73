"""Revising, filling holes, rerolling and heat over stdio."""

import re
from typing import Any

import pytest
from pygls.exceptions import JsonRpcException

from protocol.constraint import Regex
from protocol.messages import Fill, ReviseText, Score
from tests.lsp.editor import play, until
from tests.lsp.jobs.desk import desk
from tests.lsp.jobs.engine import CAPS, Serving

HOLES = "def f(a):\n    ...\n\n\nx = ___\ny = g(<fill>, 1)\n"


def test_a_revision_keeps_the_span(served: Serving) -> None:
    served.engine.revised = lambda task: task.text.replace("lst", "items")

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "for i in lst:\n    pass\n")
            await it.begin(
                "retouch/revise",
                range=it.range_of("for i in lst:"),
                strength=0.5,
                instruction="better names",
                keep=["literals"],
            )
            assert (await it.ended())["reason"] == "done"
            assert it.text.value == "for i in items:\n    pass\n"
            (task,) = served.engine.asked(ReviseText)
            assert isinstance(task, ReviseText)
            assert (task.text, task.strength, task.keep) == ("for i in lst:", 0.5, ("literals",))
            assert (task.instruction, task.suffix) == ("better names", "\n    pass\n")

    play(scene())


@pytest.mark.parametrize("wrong", [{"strength": 2}, {"keep": ["all"]}, {"strength": "much"}])
def test_bad_revisions_are_refused(served: Serving, wrong: dict[str, Any]) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = 1\n\n")
            with pytest.raises(JsonRpcException) as refused:
                await it.begin("retouch/revise", range=it.range_of("x = 1"), **wrong)
            assert refused.value.code == -32602
            with pytest.raises(JsonRpcException, match="Select the text"):
                await it.begin("retouch/revise", range=it.range(6, 7))

    play(scene())


def test_holes_are_filled_together(served: Serving) -> None:
    served.engine.answer = lambda fill: ["return a\n    # done", "5", "2"]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", HOLES)
            made = await it.begin("retouch/fillHoles")
            assert made["holes"] == [it.range_of(part) for part in ("...", "___", "<fill>")]
            assert (await it.ended())["reason"] == "done"
            (commit,) = it.commits
            assert len(commit["edits"]) == 3
            assert it.text.value == (
                "def f(a):\n    return a\n    # done\n\n\nx = 5\ny = g(2, 1)\n"
            )
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill)
            assert (fill.prefix, fill.shape) == ("def f(a):\n    ", "block")
            told = [(hole.before, hole.shape) for hole in fill.holes]
            assert told == [("\n\n\nx = ", "line"), ("\ny = g(", "span")]
            assert fill.suffix == ", 1)\n"

    play(scene())


def test_every_hole_has_frames_of_its_own(served: Serving) -> None:
    served.engine.answer = lambda fill: ["a a", "b b", "c c"]
    served.engine.steps_left = 1

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", HOLES)
            await it.begin("retouch/fillHoles")
            await until(lambda: {frame["hole"] for frame in it.frames} == {0, 1, 2}, "frames")
            frame = next(frame for frame in it.frames if frame["hole"] == 2)
            assert frame["range"] == it.range_of("<fill>")
            served.engine.steps_left = None
            await it.ended()

    play(scene())


def test_a_hole_without_an_answer_stays(served: Serving) -> None:
    served.engine.answer = lambda fill: ["pass", "", "2"]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", HOLES)
            await it.begin("retouch/fillHoles")
            await it.ended()
            assert it.text.value == "def f(a):\n    pass\n\n\nx = ___\ny = g(2, 1)\n"

    play(scene())


@pytest.mark.parametrize(("answer", "line"), [("return 1", "    return 1\r\n"), ("", "")])
def test_a_comment_that_is_a_body_stays_above_its_code(
    served: Serving, answer: str, line: str
) -> None:
    served.engine.answer = lambda fill: [answer]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "def f():\r\n    # TODO: one\r\n")
            await it.begin("retouch/fillHoles")
            await it.ended()
            assert it.text.value == "def f():\r\n    # TODO: one\r\n" + line
            (fill,) = served.engine.asked(Fill)
            assert isinstance(fill, Fill) and fill.prefix.endswith("# TODO: one\n    ")

    play(scene())


def test_no_holes_is_told(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", HOLES)
            with pytest.raises(JsonRpcException, match="nothing to fill"):
                await it.begin("retouch/fillHoles", range=it.range(0, 5))

    play(scene())


def test_more_holes_than_a_request_takes(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = ___\n" * 20)
            made = await it.begin("retouch/fillHoles")
            assert len(made["holes"]) == 16
            await it.ended()
            assert it.text.value.count("___") == 4

    play(scene())


def test_a_word_is_thrown_back_for_another(served: Serving) -> None:
    served.engine.answer = lambda fill: ["first"]
    served.engine.others = lambda fill: ("second * 2", " second", "third")

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = first + 1\n")
            seen = []
            for count in (1, 2):
                made = await it.begin("retouch/reroll", position=it.range(6, 6)["start"])
                assert made["range"]["start"] == {"line": 0, "character": 4}
                assert (await it.ended(count))["reason"] == "done"
                seen.append(it.text.value)
            assert seen == ["x = second + 1\n", "x = third + 1\n"]
            fill = served.engine.asked(Fill)[0]
            assert isinstance(fill, Fill)
            assert (fill.prefix, fill.suffix, fill.shape) == ("x = ", " + 1\n", "span")
            assert fill.alternatives == 4

    play(scene())


def test_signs_are_thrown_back_for_signs(served: Serving) -> None:
    served.engine.answer = lambda fill: ["plus"]
    served.engine.others = lambda fill: ("+", "-")

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = a + 1\n")
            await it.begin("retouch/reroll", position=it.range(6, 6)["start"])
            await it.ended()
            assert it.text.value == "x = a - 1\n"

    play(scene())


@pytest.mark.parametrize(
    ("old", "held", "beyond"),
    [
        ("name", "other_1", "gr\u00f6\u00dfe"),
        ("42", "7", "x7"),
        ("007", None, None),
        ("\u0441\u043b\u043e\u0432\u043e", None, None),
        ("+", None, None),
    ],
)
def test_an_engine_that_can_is_held_to_what_the_word_is(
    served: Serving, old: str, held: str | None, beyond: str | None
) -> None:
    served.able(*CAPS, "constraint:regex")

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", f"x = {old}\n")
            await it.begin("retouch/reroll", position=it.range(4, 4)["start"])
            await it.ended()
            fill = served.engine.asked(Fill)[0]
            assert isinstance(fill, Fill)
            if held is None or beyond is None:
                assert not isinstance(fill.constraint, Regex)
            else:
                assert isinstance(fill.constraint, Regex)
                assert re.fullmatch(fill.constraint.pattern, held)
                assert not re.fullmatch(fill.constraint.pattern, beyond)

    play(scene())


@pytest.mark.parametrize(
    ("old", "others", "new"),
    [
        ("42", ("name", "-", "43"), "43"),
        ("name", ("43", "+", "other"), "other"),
        (
            "\u0939\u093f\u0928\u094d\u0926\u0940",
            ("!", "\u092d\u093e\u0937\u093e"),
            "\u092d\u093e\u0937\u093e",
        ),
    ],
)
def test_a_word_is_thrown_back_for_one_of_its_kind(
    served: Serving, old: str, others: tuple[str, ...], new: str
) -> None:
    served.engine.answer = lambda fill: ["("]
    served.engine.others = lambda fill: others

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", f"x = {old}\n")
            await it.begin("retouch/reroll", position=it.range(4, 4)["start"])
            await it.ended()
            assert it.text.value == f"x = {new}\n"

    play(scene())


def test_a_word_without_another_is_unchanged(served: Serving) -> None:
    served.engine.answer = lambda fill: ["only"]

    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x = only\n")
            await it.begin("retouch/reroll", position=it.range(5, 5)["start"])
            ended = await it.ended()
            assert ended["reason"] == "unchanged" and "Nothing else" in ended["message"]
            fills = [fill for fill in served.engine.asked(Fill) if isinstance(fill, Fill)]
            assert [fill.sampling.temperature for fill in fills] == [0.0, 0.7, 1.0]
            assert len({fill.sampling.seed for fill in fills}) == 3

    play(scene())


def test_there_must_be_a_word(served: Serving) -> None:
    async def scene() -> None:
        async with desk(served.folder) as it:
            it.open("/w/a.py", "x =  1\n")
            with pytest.raises(JsonRpcException, match="no word"):
                await it.begin("retouch/reroll", position=it.range(4, 4)["start"])

    play(scene())


@pytest.mark.parametrize(("caps", "sure"), [(CAPS, 0.5), (("revise_text",), 0.25)])
def test_heat_of_a_text(served: Serving, caps: tuple[str, ...], sure: float) -> None:
    served.able(*caps)

    async def scene() -> None:
        async with desk(served.folder, encoding="utf-8") as it:
            it.open("/w/a.py", "\u00e9 = b\r\nc\r\n")
            said = await it.begin("retouch/heat", range=it.range(0, 8))
            assert said["version"] == 1
            ranges = [token["range"] for token in said["tokens"]]
            parts = ((0, 1), (1, 3), (3, 5), (5, 7), (7, 8))
            assert ranges == [it.range(start, stop) for start, stop in parts]
            assert {token["confidence"] for token in said["tokens"]} == {sure}
            rather = {token.get("best") for token in said["tokens"]}
            assert rather == ({"other"} if "score" in caps else {None})
            kind = Score if "score" in caps else ReviseText
            (asked,) = served.engine.asked(kind)
            assert isinstance(asked, Score | ReviseText) and asked.text == "\u00e9 = b\nc"

    play(scene())
