"""What the status bar shows: made of the connection, the jobs that run and the switch."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

State = Literal["idle", "working", "offline", "disabled", "starting"]
_OF_LINK: dict[str, State] = {"starting": "starting", "offline": "offline"}


@dataclass(frozen=True, slots=True)
class Status:
    """As `retouch/status` answers it."""

    state: State
    message: str = ""
    jobs: int = 0
    step: int | None = None
    steps: int | None = None

    def as_json(self) -> dict[str, Any]:
        """The object that is sent."""
        sent: dict[str, Any] = {"state": self.state, "message": self.message, "jobs": self.jobs}
        if self.step is not None:
            sent |= {"step": self.step, "steps": self.steps}
        return sent


class StatusBoard:
    """Keeps the status and says when it changes.

    Args:
        changed: called after a change that the editor may be told of.
        warn: called with the first failure's message; not again until a connection was open.
    """

    def __init__(self, changed: Callable[[], None], warn: Callable[[str], None]) -> None:
        self.enabled = True
        self._changed = changed
        self._warn = warn
        self._link, self._why = "closed", ""
        self._warned = False
        self._jobs: dict[str, tuple[int | None, int | None]] = {}

    @property
    def status(self) -> Status:
        """What there is to show now."""
        jobs = len(self._jobs)
        if not self.enabled:
            return Status("disabled", "Retouch is switched off.", jobs)
        if (state := _OF_LINK.get(self._link)) is not None:
            return Status(state, self._why or "The engine is starting.", jobs)
        if not jobs:
            return Status("idle")
        step, steps = next(reversed(self._jobs.values()))
        return Status("working", "", jobs, step, steps)

    def link_is(self, state: str, why: str) -> None:
        """The connection is starting, open, closed or offline."""
        self._link, self._why = state, why
        if state == "open":
            self._warned = False
        elif state == "offline" and not self._warned:
            self._warned = True
            self._warn(why)
        self._changed()

    def job(self, job_id: str, step: int | None = None, steps: int | None = None) -> None:
        """A job runs, and has come as far as `step`."""
        self._jobs[job_id] = (step, steps)
        self._changed()

    def job_over(self, job_id: str) -> None:
        """A job has ended."""
        if self._jobs.pop(job_id, None) is not None:
            self._changed()

    def switch(self, enabled: bool) -> None:
        """Retouch was switched on or off."""
        self.enabled = enabled
        self._changed()
