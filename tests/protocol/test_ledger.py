"""Ledger: one id is one fill, newer automatic requests win, ends are remembered for a while."""

import pytest

from protocol.errors import ProtocolError
from protocol.ledger import REMEMBERED, REPLAY_SECONDS, Ledger
from protocol.messages import Accepted, Done, Error, Fill, Score
from protocol.values import DocumentRef


def fill(fill_id: str, **fields: object) -> Fill:
    return Fill(id=fill_id, prefix="", suffix="", **fields)  # type: ignore[arg-type]


def auto(fill_id: str, version: int, key: str = "doc") -> Fill:
    return fill(fill_id, priority="auto", doc=DocumentRef(key, version))


def ledger() -> Ledger:
    return Ledger("s")


def end(book: Ledger, fill_id: str, now: float = 0.0) -> None:
    book.hear(Done(fill_id, "text", "converged"))
    book.flows[fill_id].take(now)
    book.settle(fill_id, now)


def test_the_same_request_twice_runs_once() -> None:
    book = ledger()
    assert book.begin(fill("a"), 0.0).flow is not None
    again = book.begin(fill("a"), 0.0)
    assert (again.flow, again.replay) == (None, None)
    end(book, "a")
    assert book.begin(fill("a"), REPLAY_SECONDS - 1).replay == Done("a", "text", "converged")
    assert book.begin(fill("a"), REPLAY_SECONDS).flow is not None


def test_an_attached_request_hears_accepted_again() -> None:
    book = ledger()
    book.begin(fill("a"), 0.0)
    accepted = Accepted("a", "fake", 0, 4, "fixed")
    book.hear(accepted)
    assert book.flows["a"].take(0.0) == [accepted]
    book.begin(fill("a"), 0.0)
    assert book.flows["a"].take(0.0) == [accepted]


def test_a_request_that_may_be_tried_again_runs_again() -> None:
    book = ledger()
    book.begin(fill("a"), 0.0)
    refusal = Error("overloaded", "", "a", retry_after_ms=1000)
    book.hear(refusal)
    book.flows["a"].take(0.0)
    book.settle("a", 0.0)
    assert book.recall("a") == refusal
    assert book.begin(fill("a"), 1.0).flow is not None
    end(book, "a")
    assert book.recall("a") == Done("a", "text", "converged")


@pytest.mark.parametrize("over", [False, True])
def test_one_id_for_two_requests_is_a_conflict(over: bool) -> None:
    book = ledger()
    book.begin(fill("a"), 0.0)
    if over:
        end(book, "a")
    with pytest.raises(ProtocolError) as caught:
        book.begin(fill("a", shape="line"), 0.0)
    assert caught.value.code == "id_conflict"
    with pytest.raises(ProtocolError):
        book.begin(Score(id="a", prefix="", text="x", suffix=""), 0.0)


def test_a_newer_automatic_request_replaces_the_older() -> None:
    book = ledger()
    book.begin(auto("old", 1), 0.0)
    book.begin(auto("other", 1, "elsewhere"), 0.0)
    book.begin(fill("manual", doc=DocumentRef("doc", 1)), 0.0)
    assert book.begin(auto("new", 2), 0.0).cancel == ("old",)
    flow = book.hear(Done("old", "", "cancelled"))
    assert flow is not None
    assert flow.final == Done("old", "", "superseded")


def test_an_older_automatic_request_that_comes_late_is_stale() -> None:
    book = ledger()
    book.begin(auto("new", 2), 0.0)
    assert book.begin(auto("late", 1), 0.0).replay == Done("late", "", "superseded")


def test_a_named_fill_is_superseded_whatever_its_priority() -> None:
    book = ledger()
    book.begin(fill("a"), 0.0)
    assert book.begin(fill("b", supersedes="a"), 0.0).cancel == ("a",)
    assert book.begin(fill("c", supersedes="a"), 0.0).cancel == (), "it was cancelled before"


def test_a_cancel_of_ones_own_stays_a_cancel() -> None:
    book = ledger()
    book.begin(fill("a"), 0.0)
    flow = book.hear(Done("a", "", "cancelled"))
    assert flow is not None
    assert flow.final == Done("a", "", "cancelled")


def test_live_fills_are_bounded_but_a_replacement_fits() -> None:
    book = Ledger("s", live_limit=2)
    book.begin(fill("a"), 0.0)
    book.begin(fill("b"), 0.0)
    with pytest.raises(ProtocolError) as caught:
        book.begin(fill("c"), 0.0)
    assert caught.value.code == "overloaded"
    assert book.begin(fill("c", supersedes="a"), 0.0).flow is not None


def test_what_the_engine_says_of_ended_or_unknown_fills_is_dropped() -> None:
    book = ledger()
    assert book.hear(Done("nobody", "", "stop")) is None
    book.begin(fill("a"), 0.0)
    book.hear(Error("engine_failed", "", "a"))
    assert book.hear(Done("a", "", "stop")) is None


def test_what_is_remembered_is_bounded() -> None:
    book = ledger()
    for number in range(3 * REMEMBERED):
        book.begin(auto(f"f{number}", number, f"doc{number}"), 0.0)
        end(book, f"f{number}")
    assert not book.flows
    assert book.recall("f0") is None
    assert book.recall(f"f{3 * REMEMBERED - 1}") is not None
    assert len(book._ended) == len(book._newest) == REMEMBERED
    assert not book._digests
