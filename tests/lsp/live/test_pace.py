"""When pictures leave."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from lsp_server.live.pace import FIRST_SECONDS, Pace


def test_nothing_is_sent_before_it_can_be_seen() -> None:
    pace = Pace(10, opened=5.0)
    assert pace.wake_at is None
    pace.news(0)
    assert pace.wake_at == 5.0 + FIRST_SECONDS
    assert pace.take(5.1) == []
    assert pace.take(5.12) == [0]
    assert pace.wake_at is None


def test_holes_with_news_are_drawn_once() -> None:
    pace = Pace(10, opened=0.0)
    for hole in (2, 0, 2):
        pace.news(hole)
    assert pace.take(1.0) == [0, 2]
    assert pace.take(2.0) == []


@given(st.lists(st.floats(0.0, 0.2), max_size=60), st.integers(1, 60))
def test_never_faster_than_asked(gaps: list[float], fps: int) -> None:
    pace, now, sent = Pace(fps, opened=0.0), 0.0, []
    for gap in gaps:
        now += gap
        pace.news(0)
        if pace.take(now):
            sent.append(now)
    assert all(moment >= FIRST_SECONDS for moment in sent)
    assert all(b - a >= 1 / fps - 1e-9 for a, b in pairwise(sent))
    assert pace.wake_at is None or pace.take(pace.wake_at) == [0]
