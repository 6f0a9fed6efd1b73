"""Flow: merged frames lose nothing, the window holds, the end comes last and once."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from protocol.flow import Flow, Frame
from protocol.limits import WINDOW
from protocol.messages import Accepted, Delta, Done, Error, Fill, Mode, Score, Snap, Splice
from protocol.mirror import Mirror
from protocol.states import IllegalOrder

SIZE = 6
ACCEPTED = Accepted("a", "fake", 0, SIZE, "fixed")
DONE = Done("a", "text", "converged")


def flow(mode: Mode = "delta") -> Flow:
    return Flow(Fill(id="a", prefix="", suffix="", mode=mode), 1)


def running(mode: Mode = "delta") -> Flow:
    it = flow(mode)
    it.hear(ACCEPTED)
    it.take(0.0)
    return it


def delta(slot: int, cell: str | None, size: int = SIZE, step: int = 1) -> Delta:
    return Delta("a", step, size, (slot,), (cell,), (0.5,))


@dataclass
class Pair:
    """A flow with the engine's canvas on one side and the client's on the other."""

    flow: Flow
    engine: Mirror = field(default_factory=lambda: Mirror([None] * SIZE, [0.0] * SIZE))
    client: Mirror = field(default_factory=lambda: Mirror([None] * SIZE, [0.0] * SIZE))
    seqs: list[int] = field(default_factory=list)
    on_the_way: int = 0

    def engine_says(self, frame: Frame) -> None:
        self.engine.apply(frame)
        self.flow.hear(frame)

    def deliver(self) -> None:
        for message in self.flow.take(0.0):
            if isinstance(message, Delta | Splice | Snap):
                self.client.apply(message)
                self.seqs.append(message.seq)
                self.on_the_way += 1
        assert self.on_the_way <= WINDOW
        assert self.seqs == sorted(set(self.seqs))

    def ack(self) -> None:
        assert self.flow.ack(self.flow.seq)
        self.on_the_way = 0


ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("cell"), st.integers(0, 5), st.sampled_from([None, "", "x", "y"])),
        st.tuples(st.just("grow"), st.integers(1, 2), st.none()),
        st.tuples(st.just("splice"), st.integers(0, 5), st.integers(0, 2)),
        st.tuples(st.just("snap"), st.none(), st.none()),
        st.tuples(st.just("take"), st.none(), st.none()),
        st.tuples(st.just("ack"), st.none(), st.none()),
        st.tuples(st.just("reconnect"), st.none(), st.none()),
    ),
    max_size=60,
)


def act(pair: Pair, action: tuple[str, int, object]) -> None:
    """One thing that may happen to a fill."""
    cells = pair.engine.cells
    match action:
        case ("cell", slot, cell) if slot < len(cells):
            pair.engine_says(delta(slot, cell, len(cells)))  # type: ignore[arg-type]
        case ("grow", more, _):
            pair.engine_says(delta(0, cells[0] if cells else "x", len(cells) + more))
        case ("splice", at, count) if at < len(cells):
            pair.engine_says(Splice("a", at, 1, count))  # type: ignore[arg-type]
        case ("snap", _, _):
            pair.engine_says(Snap("a", 1, tuple(cells), tuple(pair.engine.confidence)))
        case ("take", _, _):
            pair.deliver()
        case ("ack", _, _):
            pair.ack()
        case ("reconnect", _, _):
            pair.flow.restart()
            pair.on_the_way = 0


@given(actions=ACTIONS)
def test_the_clients_canvas_is_the_engines_once_it_is_caught_up(
    actions: list[tuple[str, int, object]],
) -> None:
    pair = Pair(running())
    for action in actions:
        act(pair, action)
    for _ in range(3):
        pair.deliver()
        pair.ack()
    assert pair.client.cells == pair.engine.cells
    assert pair.client.confidence == pair.engine.confidence


@given(actions=ACTIONS)
def test_prefix_mode_shows_settled_cells_alone(actions: list[tuple[str, int, object]]) -> None:
    pair = Pair(running("prefix"))
    for action in actions:
        act(pair, action)
    for _ in range(3):
        pair.deliver()
        pair.ack()
    settled = pair.engine.settled
    assert pair.client.cells[:settled] == pair.engine.cells[:settled]
    assert set(pair.client.cells[settled:]) <= {None}


def test_eight_frames_leave_without_an_ack_and_the_rest_is_merged() -> None:
    it = running()
    for number in range(50):
        it.hear(delta(number % SIZE, str(number)))
        it.take(float(number))
    assert it.seq == WINDOW
    assert it.waits_since() == 0.0
    assert it.merged == 50 - WINDOW - SIZE
    assert it.ack(WINDOW)
    (merged,) = it.take(99.0)
    assert isinstance(merged, Delta)
    assert merged.cells == ("48", "49", "44", "45", "46", "47")
    assert it.waits_since() == 99.0


def test_the_end_leaves_even_when_the_window_is_closed() -> None:
    it = running()
    for number in range(WINDOW + 1):
        it.hear(delta(0, str(number)))
        it.take(0.0)
    it.hear(DONE)
    assert it.take(0.0) == [DONE]


def test_the_last_frame_leaves_before_the_end_when_the_window_is_open() -> None:
    it = running()
    it.hear(delta(0, "x"))
    it.hear(DONE)
    assert [type(message) for message in it.take(0.0)] == [Delta, Done]


def test_an_ack_of_a_frame_that_was_never_sent_is_refused() -> None:
    it = running()
    it.hear(delta(0, "x"))
    it.take(0.0)
    assert it.ack(1)
    assert it.ack(0), "an old ack is harmless"
    assert not it.ack(2)
    assert it.acked == 1


def test_final_mode_sends_the_end_alone() -> None:
    for it in (running("final"), running()):
        it.mute()
        it.hear(delta(0, "x"))
        it.hear(Splice("a", 0, 1, 1))
        it.hear(Snap("a", 1, ("x",), (1.0,)))
        assert it.take(0.0) == []
        it.hear(DONE)
        assert it.take(0.0) == [DONE]
    assert Flow(Score(id="a", prefix="", text="x", suffix=""), 1).mode == "final"


def test_a_splice_travels_as_itself_where_nothing_waits() -> None:
    it = running()
    it.hear(Splice("a", 1, 1, 2))
    it.hear(delta(0, "x", SIZE + 1))
    splice, frame = it.take(0.0)
    assert splice == Splice("a", 1, 1, 2, seq=1)
    assert isinstance(frame, Delta)
    assert frame.seq == 2


def test_a_refusal_leaves_without_ending_the_fill() -> None:
    it = running()
    notice = Error("stale_base", "", "a", ends=False)
    it.hear(notice)
    it.hear(delta(0, "x"))
    assert [type(message) for message in it.take(0.0)] == [Error, Delta]


def test_illegal_orders_from_the_engine_are_refused() -> None:
    with pytest.raises(IllegalOrder):
        flow().hear(delta(0, "x"))
    it = running()
    with pytest.raises(IllegalOrder):
        it.hear(ACCEPTED)
    it.hear(DONE)
    with pytest.raises(IllegalOrder):
        it.hear(delta(0, "x"))


def test_slots_are_stale_once_they_have_moved() -> None:
    it = running()
    it.hear(delta(0, "x"))
    it.take(0.0)
    assert not it.is_stale(0)
    assert not it.is_stale(1)
    assert it.is_stale(2), "there is no such frame yet"
    it.hear(Splice("a", 1, 1, 2))
    assert it.is_stale(1), "the splice is on the way"
    it.take(0.0)
    assert it.is_stale(1)
    assert not it.is_stale(2)


def test_slots_are_stale_until_the_last_of_their_moves_is_shown() -> None:
    it = running()
    it.hear(Splice("a", 1, 1, 2))
    it.hear(Splice("a", 0, 1, 2))
    one, two = it.take(0.0)
    assert isinstance(one, Splice)
    assert isinstance(two, Splice)
    assert it.is_stale(one.seq)
    assert not it.is_stale(two.seq)


def test_each_canvas_has_slots_of_its_own() -> None:
    it = running()
    it.hear(replace(delta(0, "x"), canvas=1))
    it.take(0.0)
    it.hear(Splice("a", 0, 1, 2, canvas=1))
    assert it.is_stale(1, canvas=1)
    assert not it.is_stale(1, canvas=0)


def test_who_is_shown_nothing_knows_no_moved_slots() -> None:
    it = running("final")
    assert not it.is_stale(0)
    it.hear(Splice("a", 0, 1, 2))
    assert it.is_stale(0)


def test_a_picture_shows_how_slots_are_numbered_now() -> None:
    it = running()
    it.hear(delta(0, "x"))
    it.hear(Splice("a", 1, 1, 2))  # what waits makes it a picture
    (snap,) = it.take(0.0)
    assert isinstance(snap, Snap)
    assert it.is_stale(snap.seq - 1)
    assert not it.is_stale(snap.seq)


MOVES = st.lists(
    st.one_of(
        st.tuples(st.just("cell"), st.integers(0, 5), st.just(0)),
        st.tuples(st.just("splice"), st.integers(0, 4), st.integers(0, 2)),
        st.tuples(st.just("take"), st.just(0), st.just(0)),
        st.tuples(st.just("ack"), st.just(0), st.just(0)),
    ),
    max_size=30,
)


@given(actions=MOVES, mode=st.sampled_from(["delta", "prefix"]))
def test_a_slot_that_is_not_stale_is_the_same_slot_on_both_sides(
    actions: list[tuple[str, int, int]], mode: Mode
) -> None:
    """Every slot has a name that its cells carry; frames may be merged, skipped or be pictures."""
    pair, names, count = Pair(running(mode)), list(range(SIZE)), SIZE
    for kind, at, insert in actions:
        if kind == "cell":
            pair.engine_says(delta(at % len(names), f"{names[at % len(names)]}:", len(names)))
        elif kind == "splice" and len(names) + insert > 1:
            names[at : at + 1], deleted = range(count, count + insert), int(at < len(names))
            count += insert
            pair.engine_says(Splice("a", min(at, len(pair.engine.cells)), deleted, insert))
        elif kind == "take":
            pair.deliver()
        elif kind == "ack":
            pair.ack()
        seen = pair.seqs[-1] if pair.seqs else 0
        if not pair.flow.is_stale(seen):
            for slot, cell in enumerate(pair.client.cells):
                assert cell is None or cell == f"{names[slot]}:"
