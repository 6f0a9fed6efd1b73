"""The language server spoken to byte by byte: for messages that no proper client would send."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Wire:
    """Frames in and out of the process."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdin is not None and process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self.said: list[dict[str, Any]] = []

    def send(self, message: Any) -> None:
        """Send a message, or bytes as they are."""
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self._in.flush()

    def request(self, number: int, method: str, params: Any = None) -> dict[str, Any]:
        """A request and its answer."""
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        return self.answer(number)

    def notify(self, method: str, params: Any = None) -> None:
        """A notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def answer(self, number: int) -> dict[str, Any]:
        """The answer to a request; what comes before it is kept in `said`."""
        while True:
            message = self.hear()
            if message.get("id") == number and "method" not in message:
                return message

    def hear(self) -> dict[str, Any]:
        """The next message."""
        length = 0
        while (line := self._out.readline()) != b"\r\n":
            assert line, "the server has ended"
            if line.lower().startswith(b"content-length:"):
                length = int(line.partition(b":")[2])
        message: dict[str, Any] = json.loads(self._out.read(length))
        self.said.append(message)
        return message

    @property
    def popups(self) -> list[str]:
        """What popped up so far."""
        shown = [m for m in self.said if m.get("method") == "window/showMessage"]
        return [message["params"]["message"] for message in shown]


@contextmanager
def wire(
    folder: Path,
    options: Any = None,
    *,
    arguments: tuple[str, ...] = ("-m", "lsp_server"),
    flag: str = "--folder",
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
) -> Iterator[Wire]:
    """The process, initialized; at the end it must go by itself."""
    command = [sys.executable, *arguments, flag, str(folder)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(command, stdin=pipe, stdout=pipe, cwd=cwd, env=environment)
    try:
        line = Wire(process)
        start = {"processId": None, "rootUri": None, "capabilities": {}}
        line.request(0, "initialize", {**start, "initializationOptions": options})
        line.notify("initialized", {})
        yield line
        line.request(-1, "shutdown")
        line.notify("exit")
        assert process.wait(20) == 0
    finally:
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
