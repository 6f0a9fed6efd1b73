"""The jobs that run, by name; they hear of every edit of their document."""

from secrets import token_hex

from lsp_server.documents import Document
from lsp_server.live.job import Ending, Job
from lsp_server.server import RetouchServer

MOST_JOBS = 32


class Registry:
    """See the module; one of each server: `server.part(Registry)`."""

    def __init__(self, server: RetouchServer) -> None:
        self._jobs: dict[str, Job] = {}
        self._prefix = f"job-{token_hex(4)}"
        self._count = 0
        server.watchers.append(self._edited)
        server.closing.append(self._closed)

    def __len__(self) -> int:
        return len(self._jobs)

    @property
    def is_full(self) -> bool:
        """Whether another job must wait."""
        return len(self._jobs) >= MOST_JOBS

    def name(self) -> str:
        """A name for a new job: no server before this one has used it for one of its own."""
        self._count += 1
        return f"{self._prefix}-{self._count}"

    def add(self, job: Job) -> None:
        """A job begins."""
        self._jobs[job.id] = job

    def remove(self, job: Job) -> None:
        """A job is over."""
        self._jobs.pop(job.id, None)

    def get(self, job_id: str) -> Job | None:
        """A job that runs."""
        return self._jobs.get(job_id)

    def stop(self, job_id: str | None = None) -> bool:
        """Stop a job, or all of them; False if none could be stopped."""
        jobs = [job for job in self._jobs.values() if job_id in (None, job.id)]
        return any([job.stop(Ending("cancelled")) for job in jobs])

    def _edited(self, old: Document, new: Document) -> None:
        """A document was edited; jobs at work in that place end."""
        for job in list(self._jobs.values()):
            if job.document.uri != new.uri:
                continue
            job.edited(new)
            if job.lost is not None:
                job.stop(job.lost)
            job.edited_by()

    def _closed(self, uri: str) -> None:
        """A document was closed: nothing can be done to it."""
        for job in list(self._jobs.values()):
            if job.document.uri == uri:
                job.lost = Ending("cancelled", "The document was closed.")
                job.stop(job.lost)
