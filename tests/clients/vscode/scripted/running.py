"""A job from start to end: frames, held at half of the steps while it is told to, then a commit."""

import asyncio
from typing import Any

from tests.clients.vscode.script import STEPS, Frame, frames
from tests.clients.vscode.scripted.state import Hole, Job, Server, plain

PAUSE_S = 0.08


def start(server: Server, uri: str, holes: list[Hole], **more: Any) -> str:
    """Starts a job; its id."""
    server.count += 1
    job = Job(f"job-{server.count}", uri, holes, **more)
    server.jobs[job.id] = job
    task = asyncio.get_running_loop().create_task(run(server, job))
    server.tasks.add(task)
    task.add_done_callback(server.tasks.discard)
    return job.id


async def run(server: Server, job: Job) -> None:
    """Shows the job's frames, then commits, then says how it ended."""
    for step in range(STEPS):
        while job.hold and step == STEPS // 2 and job.reason is None:
            await asyncio.sleep(PAUSE_S)
        if job.reason is not None:
            break
        show(server, job, step)
        await asyncio.sleep(PAUSE_S)
    if job.reason in (None, "accepted"):
        job.reason = await commit(server, job)
    del server.jobs[job.id]
    server.tell("ended", {"jobId": job.id, "reason": job.reason})
    server.status("idle", "Ready")


def show(server: Server, job: Job, step: int) -> None:
    """One frame of every hole."""
    server.status("working", "Writing", step=step + 1, steps=STEPS)
    for number, hole in enumerate(job.holes):
        job.shown += 1
        frame: Frame = frames(hole.text, hole.keep)[step]
        server.tell(
            "denoise",
            {
                "jobId": job.id,
                "seq": job.shown,
                "step": frame.step,
                "steps": STEPS,
                "uri": job.uri,
                "version": server.workspace.get_text_document(job.uri).version,
                "hole": number,
                "range": plain(hole.span),
                "lines": frame.lines,
                "done": False,
            },
        )


async def commit(server: Server, job: Job) -> str:
    """Asks the client to take the texts; why the job ended."""
    version = server.workspace.get_text_document(job.uri).version
    edits = [{"range": plain(hole.span), "newText": hole.text} for hole in job.holes]
    params = {
        "jobId": job.id,
        "uri": job.uri,
        "version": version,
        "edits": edits,
        "label": "rewrite",
        "diffFirst": job.diff_first,
    }
    answer = await server.protocol.send_request_async("retouch/commit", params)
    server.note("answer to retouch/commit", answer)
    return "done" if answer.applied else "cancelled"
