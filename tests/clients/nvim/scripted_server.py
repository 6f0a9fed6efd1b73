"""A language server that does what a test tells it, through the editor's own connection.

Started as a script: `python -I scripted_server.py utf-16 [script.json]`. It speaks raw JSON-RPC, so
that tests see exactly what went over the wire. The script file, for editors that tests can't reach
into, has `answers` (the result of a method) and `after` (messages that follow an answer). Where
they can, a test sends it these by the editor's client:

    test/answer  {method, result | error | hold}  how to answer that method from now on
    test/release {method, result}                 answer what was held
    test/send    {method, params}                 send this notification
    test/ask     {method, params}                 send this request; its answer goes to the record
    test/record  (request)                        every message received, and every document's text
"""

import json
import sys
from itertools import count
from pathlib import Path
from typing import Any, BinaryIO

Message = dict[str, Any]

METHODS = ("rewrite", "revise", "fillHoles", "reroll", "heat", "lock", "throwBack", "revisePin")


class Documents:
    """Mirrors of the open documents, with line breaks as they came."""

    def __init__(self, encoding: str) -> None:
        self._encoding = encoding
        self.texts: dict[str, str] = {}

    def _offset(self, text: str, position: dict[str, int]) -> int:
        start = 0
        for _ in range(position["line"]):
            start = text.index("\n", start) + 1
        end = text.find("\n", start)
        line = text[start : len(text) if end < 0 else end]
        codec, width = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2)}.get(
            self._encoding, ("utf-32-le", 4)
        )
        head = line.encode(codec)[: position["character"] * width]
        return start + len(head.decode(codec))

    def change(self, uri: str, changes: list[Any]) -> None:
        for change in changes:
            text = self.texts[uri]
            if "range" in change:
                start = self._offset(text, change["range"]["start"])
                end = self._offset(text, change["range"]["end"])
                self.texts[uri] = text[:start] + change["text"] + text[end:]
            else:
                self.texts[uri] = change["text"]


class Server:
    """One connection over standard input and output."""

    def __init__(self, encoding: str, script: Message, reader: BinaryIO, writer: BinaryIO) -> None:
        self._encoding = encoding
        self._after: dict[str, list[Message]] = script.get("after", {})
        self._reader = reader
        self._writer = writer
        self._documents = Documents(encoding)
        self._record: list[Message] = []
        self._answers: dict[str, Message] = {
            method: {"result": result} for method, result in script.get("answers", {}).items()
        }
        self._held: dict[str, list[Any]] = {}
        self._ids = count(1)
        self._jobs = count(1)

    def run(self) -> None:
        """Serve until the connection ends or `exit` comes."""
        while (message := self._read()) is not None and message.get("method") != "exit":
            self._handle(message)

    def _read(self) -> Message | None:
        length = 0
        while (line := self._reader.readline()) not in (b"", b"\r\n"):
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        return json.loads(self._reader.read(length)) if length else None

    def _write(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._writer.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._writer.flush()

    def _handle(self, message: Message) -> None:
        method = message.get("method", "")
        params = message.get("params") or {}
        if method.startswith("test/"):
            self._control(method, params, message.get("id"))
            return
        self._record.append(message)
        if method == "textDocument/didOpen":
            document = params["textDocument"]
            self._documents.texts[document["uri"]] = document["text"]
        elif method == "textDocument/didChange":
            self._documents.change(params["textDocument"]["uri"], params["contentChanges"])
        elif method and "id" in message:
            self._answer(method, message["id"])

    def _answer(self, method: str, id_: Any) -> None:
        told = self._answers.get(method)
        if told is None:
            self._write(id=id_, result=self._usual(method))
        elif told.get("hold"):
            self._held.setdefault(method, []).append(id_)
        elif "error" in told:
            self._write(id=id_, error=told["error"])
        else:
            self._write(id=id_, result=told.get("result"))
        for message in self._after.get(method, ()):
            self._write(**message)

    def _usual(self, method: str) -> Any:
        if method == "initialize":
            return {"capabilities": self._capabilities(), "serverInfo": {"name": "scripted"}}
        if method in ("retouch/rewrite", "retouch/revise", "retouch/fillHoles", "retouch/reroll"):
            return {"jobId": f"job-{next(self._jobs)}"}
        if method in ("retouch/lock", "retouch/throwBack", "retouch/revisePin", "retouch/accept"):
            return {"ok": True}
        if method == "retouch/status":
            return {"state": "idle", "message": "model loaded", "jobs": 0}
        return None

    def _capabilities(self) -> Message:
        return {
            "positionEncoding": self._encoding,
            "textDocumentSync": {"openClose": True, "change": 2},
            "inlineCompletionProvider": True,
            "executeCommandProvider": {"commands": ["retouch.accepted", "retouch.rewrite"]},
            "codeActionProvider": True,
            "experimental": {"retouch": {"version": 1} | dict.fromkeys(METHODS, 1)},
        }

    def _control(self, method: str, params: Message, id_: Any) -> None:
        if method == "test/record":
            record = {"messages": self._record, "texts": self._documents.texts}
            self._write(id=id_, result=record)
        elif method == "test/answer":
            self._answers[params["method"]] = params
        elif method == "test/release":
            for held in self._held.pop(params["method"], []):
                self._write(id=held, result=params.get("result"))
        elif method == "test/send":
            self._write(method=params["method"], params=params["params"])
        elif method == "test/ask":
            id_ = f"ask-{next(self._ids)}"
            self._write(id=id_, method=params["method"], params=params["params"])


if __name__ == "__main__":
    script = json.loads(Path(sys.argv[2]).read_text()) if len(sys.argv) > 2 else {}
    Server(sys.argv[1], script, sys.stdin.buffer, sys.stdout.buffer).run()
