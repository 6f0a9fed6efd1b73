"""A token bucket: how many messages a client may send, told by the caller's clock."""


class Bucket:
    """Fills at `rate` a second up to `burst`."""

    def __init__(self, rate: float, burst: float, now: float) -> None:
        self._rate, self._burst = rate, burst
        self._level, self._at = burst, now

    def take(self, now: float) -> bool:
        """Take one, if there is one; a clock that went back counts as no time."""
        self._level = min(self._burst, self._level + self._rate * max(0.0, now - self._at))
        self._at = now
        if self._level < 1.0:
            return False
        self._level -= 1.0
        return True
