"""Which jobs take the next step. No torch, no text; owns the queue."""

from collections.abc import Iterable
from dataclasses import dataclass

from engine.fairness import Entry, can_meet, in_order, packed, turns_before
from engine.job import Finish, StepResult, Work

QUEUE_LIMIT = 256
ROWS = 384
"""Rows of one pass, so that long contexts of some don't hold up the steps of others."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a job is not taken, and when it makes sense to try again."""

    message: str
    retry_after: float


class Scheduler:
    """At most `batch_jobs` take a step together, chosen as engine.fairness has it."""

    def __init__(self, batch_jobs: int) -> None:
        self._batch_jobs = batch_jobs
        self._entries: dict[str, Entry] = {}
        self._served: dict[str, float] = {}  # rows of each client that has live jobs
        self._ending: dict[str, Finish] = {}
        self._arrivals = 0

    def __len__(self) -> int:
        return len(self._entries)

    def add(self, job: Work, now: float = 0.0) -> None:
        """Queue a job; ValueError if one of this id is live."""
        if job.id in self._entries:
            raise ValueError(f"a job {job.id} is live already")
        if job.client not in self._served:  # who was away has no credit from then
            self._served[job.client] = min(self._served.values(), default=0.0)
        self._entries[job.id] = self._entry(job, now)

    def turns_before(self, job: Work, now: float) -> int:
        """Passes that would go by before a new job took part in one."""
        entry = self._entry(job, now)
        served = {job.client: min(self._served.values(), default=0.0), **self._served}
        ordered = in_order([*self._entries.values(), entry], served, now)
        return turns_before(ordered, entry, self._batch_jobs)

    def refusal(self, job: Work, pace: float, now: float) -> Refusal | None:
        """Why a new job can't be served; `pace` is the seconds of a pass."""
        if len(self._entries) >= QUEUE_LIMIT:
            return Refusal(f"{QUEUE_LIMIT} jobs are waiting.", max(1.0, pace))
        wait = (self.turns_before(job, now) + 1) * pace
        if can_meet(job, wait, now):
            return None
        text = f"The first step would be {wait * 1000:.0f} ms away, behind the deadline."
        return Refusal(text, wait)

    def end(self, job_id: str, finish: Finish) -> None:
        """The job ends before its next step; unknown ids are ignored (it may have just ended)."""
        if job_id in self._entries:
            self._ending.setdefault(job_id, finish)

    def drop(self, job_id: str) -> Work | None:
        """Forget a job, and tell what it was; None if the id is unknown."""
        entry = self._entries.get(job_id)
        if entry is None:
            return None
        self._end(entry.work)
        return entry.work

    def go_on(self, job_id: str) -> None:
        """Take back that the job ends, unless somebody cancelled it."""
        if self._ending.get(job_id) != "cancelled":
            self._ending.pop(job_id, None)

    def expired(self, now: float) -> list[StepResult]:
        """End the jobs that are to end and those whose deadline has passed."""
        results = []
        for entry in self._entries.values():
            job = entry.work
            if job.id in self._ending:
                results.append(StepResult(job, finish=self._ending[job.id]))
            elif job.deadline is not None and now >= job.deadline:
                results.append(StepResult(job, finish="deadline"))
        self.retire(results)
        return results

    def schedule(self, now: float = 0.0) -> list[Work]:
        """The jobs of the next step."""
        ordered = in_order(list(self._entries.values()), self._served, now)
        batch = packed(ordered, self._batch_jobs, ROWS)
        for entry in batch:
            entry.waits_since = now
        return [entry.work for entry in batch]

    def retire(self, results: Iterable[StepResult]) -> None:
        """Account for what was done; forget the jobs that these results end."""
        for result in results:
            job = result.work
            entry = self._entries[job.id]
            self._served[job.client] += result.prefilled + result.rows
            entry.is_fresh = entry.is_fresh and not result.forwards
            if result.finish is not None or result.error is not None:
                self._end(job)

    def _entry(self, job: Work, now: float) -> Entry:
        self._arrivals += 1
        return Entry(job, now, self._arrivals)

    def _end(self, job: Work) -> None:
        del self._entries[job.id]
        self._ending.pop(job.id, None)
        if all(entry.work.client != job.client for entry in self._entries.values()):
            del self._served[job.client]
