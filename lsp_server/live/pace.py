"""When a job's pictures are sent: not before they can be seen, not faster than asked. Pure."""

FIRST_SECONDS = 0.12
"""What ends sooner is never drawn, so that quick answers don't flash."""


class Pace:
    """Which holes have news, and when it may leave. Times are seconds of the caller's clock.

    News is not kept, only that there is some: whoever is told to send draws the newest picture.
    """

    def __init__(self, fps: float, opened: float) -> None:
        self._interval = 1.0 / fps
        self._next = opened + FIRST_SECONDS
        self._due: set[int] = set()

    @property
    def wake_at(self) -> float | None:
        """When there is something to send; None while there is no news."""
        return self._next if self._due else None

    def news(self, hole: int) -> None:
        """A hole's canvas changed."""
        self._due.add(hole)

    def take(self, now: float) -> list[int]:
        """The holes to draw now."""
        if now < self._next or not self._due:
            return []
        due, self._due = sorted(self._due), set()
        self._next = now + self._interval
        return due
