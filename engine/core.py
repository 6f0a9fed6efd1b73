"""The engine: jobs in, step results out. `Engine.step` is the map of the program."""

import logging
import time
from collections.abc import Callable

from engine.errors import kind_and_place
from engine.job import Finish, Job, JointJob, StepResult, Work, gravest
from engine.query import Query
from engine.runner import Runner
from engine.scheduler import Refusal, Scheduler

GROWTH = 16
PACE = 0.7

logger = logging.getLogger(__name__)


class Engine:
    """Owns a scheduler and a runner. While a job is live, a step changes it.

    Between two steps its session may do so too, and says it by `changed`. Before it is added, and
    once it has ended, a job belongs to those who made it.
    """

    def __init__(
        self, runner: Runner, scheduler: Scheduler, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._runner = runner
        self._scheduler = scheduler
        self._clock = clock
        self._pace = 0.0  # seconds of a pass, a running mean

    @property
    def busy(self) -> bool:
        """Whether a job is live."""
        return len(self._scheduler) > 0

    def add(self, job: Work) -> None:
        """Queue a job."""
        self._scheduler.add(job, self._clock())

    def refusal(self, job: Work) -> Refusal | None:
        """Why a new job can't be served in time, at the present pace."""
        return self._scheduler.refusal(job, self._pace, self._clock())

    def wait(self, job: Work) -> tuple[int, float]:
        """Passes and seconds until a new job would take part in one."""
        turns = self._scheduler.turns_before(job, self._clock())
        return turns, turns * self._pace

    def cancel(self, job_id: str) -> None:
        """End a job before its next step, which tells of it."""
        self._scheduler.end(job_id, "cancelled")

    def drop(self, job_id: str) -> None:
        """End a job at once, of which nobody wants to hear any more; its id is free."""
        work = self._scheduler.drop(job_id)
        if work is not None:
            self._runner.forget(work)

    def changed(self, job: Job) -> None:
        """The canvas of a live job was changed from outside: what was computed of it is void."""
        self._runner.forget(job)
        self._scheduler.go_on(job.id)
        finish = self._finish(job)
        if finish is not None:
            self._scheduler.end(job.id, finish)

    def step(self) -> list[StepResult]:
        """One turn: at most one forward pass for every job that is up."""
        now = self._clock()
        results = self._scheduler.expired(now)
        stepped = [self._settle(result) for result in self._run(self._scheduler.schedule(now))]
        self._scheduler.retire(stepped)
        results += stepped
        for result in results:
            if result.finish is not None or result.error is not None:
                self._runner.forget(result.work)
        return results

    def _run(self, jobs: list[Work]) -> list[StepResult]:
        """The job boundary: whatever goes wrong in a pass ends its jobs, never the engine."""
        if not jobs:  # a turn that only ended some tells nothing of the pace
            return []
        began = self._clock()
        self._tell_time(jobs, began)
        try:
            results = self._runner.run(jobs)
        except Exception as error:
            logger.exception("a step failed")
            return [StepResult(job, error=f"{type(error).__name__}: {error}") for job in jobs]
        seconds = self._clock() - began
        self._pace = PACE * self._pace + (1 - PACE) * seconds if self._pace else seconds
        for result in results:
            result.seconds = seconds
        return results

    def _tell_time(self, jobs: list[Work], now: float) -> None:
        """How many steps each job's deadline still allows at the present pace."""
        for job in jobs:
            if isinstance(job, Query) or job.deadline is None or not self._pace:
                continue
            for each in job.holes if isinstance(job, JointJob) else (job,):
                each.steps_left = max(1, int((job.deadline - now) / self._pace))

    def _settle(self, result: StepResult) -> StepResult:
        """Decide whether the job is over, or its full canvas grows; if that fails, it is over."""
        if result.error is None:
            try:
                result.finish = self._finish(result.work)
            except Exception as error:  # noqa: BLE001  # the rules are the job's own
                logger.error("a job's rules failed: %s", kind_and_place(error))
                result.error = f"{type(error).__name__}: {error}"
        return result

    def _finish(self, job: Work) -> Finish | None:
        if isinstance(job, Query):
            return "converged" if len(job.answers) == len(job.parts) else None
        if isinstance(job, JointJob):
            return self._finish_holes(job)
        canvas, whole = job.canvas, job.whole
        if job.stop is not None and job.stop(whole.tokens[: whole.settled].tolist()):
            return "stop"
        if len(canvas.masked):
            return None
        room = job.limit - len(whole)
        if room <= 0 and job.further is not None:
            job.limit, job.further = job.further(whole.tokens.tolist()), None
            room = job.limit - len(whole)
        if room <= 0 and job.reviews:
            return None
        if room <= 0:
            return "length" if job.limit else "converged"
        if len(canvas) < job.block:
            canvas.grow(min(GROWTH, room, job.block - len(canvas)))
        else:
            job.next_block(min(job.block, room))
            self._runner.forget(job)  # its next turn finds the longer prefix in the cache
        return None

    def _finish_holes(self, job: JointJob) -> Finish | None:
        """End the holes that are done; the job is over when all are."""
        for number in job.open_holes:
            job.finishes[number] = self._finish(job.holes[number])
        ended = [finish for finish in job.finishes if finish is not None]
        return gravest(ended) if len(ended) == len(job.holes) else None
