"""The status, and the registry of what may be cancelled."""

import asyncio

from lsp_server.cancels import Cancels
from lsp_server.status import Status, StatusBoard
from tests.lsp.editor import play


def test_the_status_from_start_to_rest() -> None:
    changes, warnings = list[int](), list[str]()
    board = StatusBoard(lambda: changes.append(1), warnings.append)
    assert board.status == Status("idle")
    board.link_is("starting", "")
    assert board.status == Status("starting", "The engine is starting.")
    board.job("a", 3, 12)
    board.link_is("open", "")
    assert board.status == Status("working", "", 1, 3, 12)
    assert board.status.as_json()["steps"] == 12
    board.job_over("a")
    board.job_over("a")
    assert board.status == Status("idle") and "step" not in board.status.as_json()
    board.switch(False)
    assert board.status.state == "disabled"
    assert len(changes) == 5 and not warnings


def test_failures_are_told_once_until_it_works_again() -> None:
    warnings = list[str]()
    board = StatusBoard(lambda: None, warnings.append)
    for state in ("offline", "starting", "offline", "open", "closed", "offline", "offline"):
        board.link_is(state, "why" if state == "offline" else "")
    assert warnings == ["why", "why"]
    assert board.status == Status("offline", "why")


def test_tasks_are_cancelled_by_any_of_their_names() -> None:
    async def scene() -> None:
        cancels, forever = Cancels(), asyncio.Event()
        first = cancels.start(forever.wait(), ("request", 1), ("job", "a"))
        second = cancels.start(forever.wait(), ("request", 2), ("job", "a"))
        assert cancels.has(("request", 1)) and len(cancels) == 2
        assert cancels.cancel(("request", 1))
        await asyncio.wait({first})
        assert first.cancelled() and not second.done()
        assert cancels.has(("job", "a")), "the name is the second's now"
        assert not cancels.cancel(("request", 1))
        await cancels.end()
        assert second.cancelled() and len(cancels) == 0
        assert not cancels.has(("job", "a"))

    play(scene())
