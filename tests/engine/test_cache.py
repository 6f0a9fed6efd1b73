"""The segment cache: reuse by content, leases that never disturb each other, bounded bytes."""

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.cache import Lease, SegmentCache, common_prefix
from models.loader import Model

IDS = st.lists(st.integers(1, 3), min_size=1, max_size=30).map(tuple)


def fill(lease: Lease, marks: dict[int, tuple[int, ...]]) -> None:
    """Stand in for the runner: 'compute' the pending tokens, marking each row with its prefix."""
    store = lease.entry.key_values
    store.reserve(len(lease.ids))
    for row in range(lease.done, len(lease.ids)):
        mark = hash(lease.ids[: row + 1]) % 9973
        marks[mark] = lease.ids[: row + 1]
        store.keys[:, :, row] = float(mark)
    lease.advance(lease.pending)


def rows_are_right(lease: Lease) -> bool:
    keys = lease.entry.key_values.keys
    return all(
        keys[0, 0, row, 0].item() == hash(lease.ids[: row + 1]) % 9973
        for row in range(len(lease.ids))
    )


@settings(
    max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(asks=st.lists(st.tuples(IDS, st.sampled_from([0, 64]), st.booleans()), max_size=12))
def test_live_leases_always_read_their_own_segment(
    tiny: Model, asks: list[tuple[tuple[int, ...], int, bool]]
) -> None:
    """Whatever is leased, cut, copied, extended and evicted beside it."""
    cache, live = SegmentCache(tiny.transformer, 40_000), []
    marks: dict[int, tuple[int, ...]] = {}
    for ids, origin, keep in asks:
        lease = cache.lease(origin, ids)
        assert lease.done == lease.cached <= len(ids)
        fill(lease, marks)
        live.append(lease)
        assert all(rows_are_right(other) for other in live)
        if not keep:
            cache.release(live.pop(0))


def test_a_segment_is_found_again_and_extended_in_place(tiny: Model) -> None:
    cache = SegmentCache(tiny.transformer, 1 << 20)
    first = cache.lease(0, tuple(range(20)))
    fill(first, {})
    cache.release(first)
    again = cache.lease(0, tuple(range(25)))
    assert again.cached == 20 and again.entry is first.entry
    assert cache.lease(64, tuple(range(20))).cached == 0, "another place is another segment"


def test_the_least_recently_used_segments_go_first(tiny: Model) -> None:
    cache = SegmentCache(tiny.transformer, 1 << 30)
    for start in (100, 200, 300):
        lease = cache.lease(0, tuple(range(start, start + 40)))
        fill(lease, {})
        cache.release(lease)
    one = cache.nbytes // 3
    cache.limit = 2 * one
    cache.release(cache.lease(0, tuple(range(100, 140))))
    assert cache.nbytes == 2 * one
    assert cache.lease(0, tuple(range(200, 240))).cached == 0
    assert cache.lease(0, tuple(range(100, 140))).cached == 40


def test_a_new_segment_does_not_go_before_the_old_ones(tiny: Model) -> None:
    """Not even one whose copied beginning passes the limit."""
    cache = SegmentCache(tiny.transformer, 1 << 30)
    for _ in range(2):
        old = cache.lease(0, tuple(range(200)))
        fill(old, {})
        cache.release(old)
    cache.limit = cache.nbytes
    fresh = cache.lease(0, (*range(20), 999))
    assert cache.nbytes <= cache.limit, "what nobody reads went"
    fill(fresh, {})
    cache.release(fresh)
    assert cache.lease(0, (*range(20), 999)).cached == 21


def test_a_long_tail_is_not_thrown_away_for_a_short_common_prefix(tiny: Model) -> None:
    cache = SegmentCache(tiny.transformer, 1 << 30)
    long = cache.lease(0, tuple(range(200)))
    fill(long, {})
    cache.release(long)
    other = cache.lease(0, (*range(20), 999))
    assert other.cached == 20 and other.entry is not long.entry
    assert cache.lease(0, tuple(range(200))).cached == 200


def test_common_prefix() -> None:
    assert common_prefix([1, 2, 3], (1, 2, 4)) == 2
    assert common_prefix([1, 2], (1, 2, 3)) == 2
    assert common_prefix([], (1,)) == 0


def test_nothing_is_kept_of_a_segment_that_was_never_begun(tiny: Model) -> None:
    cache = SegmentCache(tiny.transformer, 1 << 30)
    for start in range(5):
        cache.release(cache.lease(0, (start, 1, 2)))
    assert not cache._entries
