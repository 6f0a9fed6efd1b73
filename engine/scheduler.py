"""Which jobs take the next step. No torch, no text; owns the queue and each job's status."""

from collections.abc import Iterable

from engine.job import Status, StepResult, Work


class Scheduler:
    """Jobs in order of arrival; at most `batch_jobs` take a step together, the others wait."""

    def __init__(self, batch_jobs: int) -> None:
        self._batch_jobs = batch_jobs
        self._jobs: dict[str, Work] = {}
        self._cancelled: set[str] = set()

    def __len__(self) -> int:
        return len(self._jobs)

    def add(self, job: Work) -> None:
        """Queue a job; ValueError if one of this id is live."""
        if job.id in self._jobs:
            raise ValueError(f"a job {job.id} is live already")
        self._jobs[job.id] = job

    def cancel(self, job_id: str) -> None:
        """The job ends before its next step; unknown ids are ignored (it may have just ended)."""
        if job_id in self._jobs:
            self._cancelled.add(job_id)

    def expired(self, now: float) -> list[StepResult]:
        """End cancelled jobs and those whose deadline has passed."""
        results = []
        for job in list(self._jobs.values()):
            if job.id in self._cancelled:
                results.append(StepResult(job, finish="cancelled"))
            elif job.deadline is not None and now >= job.deadline:
                results.append(StepResult(job, finish="deadline"))
        self.retire(results)
        return results

    def schedule(self) -> list[Work]:
        """The jobs of the next step, oldest first."""
        batch = list(self._jobs.values())[: self._batch_jobs]
        for job in batch:
            job.status = Status.RUNNING
        return batch

    def retire(self, results: Iterable[StepResult]) -> None:
        """Forget the jobs that these results end; the others go behind those that wait."""
        for result in results:
            job = self._jobs.pop(result.work.id)
            if result.finish is None and result.error is None:
                self._jobs[job.id] = job
            else:
                job.status = Status.DONE
                self._cancelled.discard(job.id)
