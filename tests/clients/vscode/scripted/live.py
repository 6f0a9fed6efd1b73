"""What acts on a running job, and the status."""

from typing import Any

from tests.clients.vscode.scripted.state import Server


def add(server: Server) -> None:
    @server.feature("retouch/status")
    def status(params: Any) -> dict[str, Any]:
        return {"state": "idle", "message": "Scripted", "jobs": len(server.jobs)}

    @server.feature("retouch/cancel")
    def cancel(params: Any) -> None:
        server.note("retouch/cancel", params)
        if job := server.jobs.get(params.jobId):
            job.reason = "cancelled"

    @server.feature("retouch/accept")
    def accept(params: Any) -> dict[str, bool]:
        server.note("retouch/accept", params)
        job = server.jobs.get(params.jobId)
        if job:
            job.reason = "accepted"
        return {"ok": job is not None}

    @server.feature("retouch/revisePin")
    def revise_pin(params: Any) -> dict[str, Any]:
        server.note("retouch/revisePin", params)
        job = server.jobs.get(params.jobId)
        if job:
            hole = job.holes[params.hole]
            hole.text = hole.text[: params.start] + params.text + hole.text[params.stop :]
            job.hold = False
        return {"ok": job is not None}
