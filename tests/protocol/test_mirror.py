"""Mirror: frames are applied as they are meant, and refused where they don't fit."""

import pytest

from protocol.errors import ProtocolError
from protocol.messages import Accepted, Delta, Snap, Splice
from protocol.mirror import Mirror


def delta(size: int, slots: tuple[int, ...], cells: tuple[str | None, ...]) -> Delta:
    return Delta("a", 1, size, slots, cells, (0.5,) * len(slots))


def test_frames_change_the_picture() -> None:
    mirror = Mirror()
    mirror.apply(delta(4, (0, 2), ("a", "c")))
    assert mirror.cells == ["a", None, "c", None]
    assert (mirror.settled, mirror.settled_text) == (1, "a")
    mirror.apply(Splice("a", 1, 1, 2))
    assert mirror.cells == ["a", None, None, "c", None]
    mirror.apply(delta(2, (1,), ("b",)))
    assert mirror.cells == ["a", "b"]
    assert mirror.settled_text == "ab"
    mirror.apply(Snap("a", 7, ("x", None), ()))
    assert (mirror.cells, mirror.confidence, mirror.step) == (["x", None], [0.0, 0.0], 7)


def test_an_accepted_fill_is_all_masks() -> None:
    mirror = Mirror(["x"], [1.0])
    mirror.apply(Accepted("a", "m", 0, 2, "fixed"))
    assert (mirror.cells, mirror.confidence) == ([None, None], [0.0, 0.0])


@pytest.mark.parametrize(
    "frame",
    [
        delta(2, (2,), ("x",)),
        delta(2, (-1,), ("x",)),
        Splice("a", 3, 0, 1),
        Splice("a", 0, 3, 1),
        Splice("a", -1, 0, 1),
        Splice("a", 0, 0, -1),
    ],
)
def test_frames_outside_the_canvas_are_refused(frame: Delta | Splice) -> None:
    mirror = Mirror(["a", "b"], [1.0, 1.0])
    with pytest.raises(ProtocolError):
        mirror.apply(frame)
