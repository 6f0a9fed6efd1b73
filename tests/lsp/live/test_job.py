"""A job's holes while the document is edited, and our own edits among the others."""

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.documents import Document
from lsp_server.live.job import Ending, Hole, Job
from lsp_server.reading.spans import Change, Span
from lsp_server.text import Text
from protocol.messages import Accepted, Delta, Stats

TEXT = "one two three\n"


def state(text: str, version: int = 1) -> Document:
    return Document("file:///a.py", version, "python", Text.of(text), "utf-16")


def job_at(*spans: Span, text: str = TEXT) -> Job:
    return Job("job-1", "rewrite", state(text), [Hole(span) for span in spans])


def places(job: Job) -> list[tuple[int, int]]:
    return [(hole.span.start, hole.span.stop) for hole in job.holes]


def test_edits_elsewhere_move_the_holes() -> None:
    job = job_at(Span(4, 7), Span(8, 13))
    assert job.edited(state("# \none two three\n", 2))
    assert places(job) == [(7, 10), (11, 16)]
    assert job.document.version == 2 and job.foreign == 1


def test_an_edit_inside_a_hole_is_told() -> None:
    assert not job_at(Span(4, 7)).edited(state("one tXo three\n"))


def test_changes_are_small_and_of_the_document() -> None:
    job = job_at(Span(4, 7), Span(8, 13))
    assert job.changes(["two", None]) == []
    assert job.changes(["tow", "throw"]) == [Change(5, 7, "ow"), Change(11, 13, "ow")]


def test_our_edit_lands_in_parts() -> None:
    job = job_at(Span(4, 7), Span(8, 13))
    flight = job.depart(job.changes(["2", "3"]))
    assert flight.expected == "one 2 3\n"
    assert job.edited(state("one two 3\n")) and not flight.landed
    assert job.edited(state("one 2 3\n")) and flight.landed
    assert places(job) == [(4, 5), (6, 7)] and job.foreign == 0
    assert job.edited(state("# one 2 3\n"))
    assert places(job) == [(6, 7), (8, 9)] and job.foreign == 1


def test_what_came_instead_of_our_edit_was_the_users() -> None:
    job = job_at(Span(4, 7))
    flight = job.depart(job.changes(["2"]))
    assert job.edited(state("# one two three\n"))
    assert job.crashed(flight)
    assert places(job) == [(6, 9)] and job.foreign == 1
    flight = job.depart(job.changes(["2"]))
    assert job.edited(state("# one t three\n"))
    assert not job.crashed(flight)


def test_a_lead_comes_before_the_answer() -> None:
    job = job_at(Span(3, 3))
    job.holes[0].lead = "\n    "
    assert job.changes(["x"]) == [Change(3, 3, "\n    x")]


@given(st.lists(st.text(alphabet="ab\n", max_size=5), min_size=2, max_size=2))
def test_after_landing_the_holes_hold_the_answers(texts: list[str]) -> None:
    job = job_at(Span(0, 3), Span(8, 13))
    changes = job.changes([*texts])
    flight = job.depart(changes)
    if changes:
        assert job.edited(state(flight.expected)) and flight.landed
    text = job.document.text.value
    assert [text[start:stop] for start, stop in places(job)] == texts


def test_canvases_are_kept_and_others_are_not_ours() -> None:
    news: list[int] = []
    job = job_at(Span(0, 3))
    job.news = news.append
    job.hear(Accepted("x", "m", 0, 3, "causal"))
    job.hear(Delta("x", 2, 3, (0,), ("a",), (0.9,), 1))
    job.hear(Delta("x", 3, 3, (0,), ("b",), (0.9,), 2, canvas=1))
    assert job.holes[0].canvas.mirror.cells == ["a", None, None]
    assert (job.slots, job.step, news) == ((1, 3), 2, [0, 0])


def test_a_text_that_stands_is_not_shown_as_masks() -> None:
    job = job_at(Span(0, 3))
    job.standing = True
    job.hear(Accepted("x", "m", 0, 3, "posterior"))
    assert job.slots == (0, 0)


def test_the_last_word() -> None:
    ending = Ending("done", "", Stats(steps=3, forwards=4, tokens=5, wall_ms=6.04))
    stats = {"steps": 3, "forwards": 4, "tokens": 5, "ms": 6.0}
    assert ending.as_json("j") == {"jobId": "j", "reason": "done", "stats": stats}
    assert Ending("failed", "why").as_json("j")["message"] == "why"
