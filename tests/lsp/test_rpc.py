"""JSON-RPC as editors get it wrong: every request is answered, nothing pops up, nothing ends."""

from tests.lsp.engine import FakeServer
from tests.lsp.wire import Wire, wire

INLINE = "textDocument/inlineCompletion"
PLACE = {"textDocument": {"uri": "file:///a.py"}, "position": {"line": 0, "character": 0}}
INVALID, UNKNOWN = -32602, -32601
BAD = (
    b"{",
    b"[]",
    b"null",
    b'"a"',
    b"{}",
    b'{"jsonrpc": "1.0"}',
    b'{"jsonrpc": "2.0", "id": [1], "method": "retouch/status"}',
    b'{"jsonrpc": "2.0", "id": 7, "result": 1}',
    b'{"jsonrpc": "2.0", "id": 7, "error": 1}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {}}',
    b'{"jsonrpc": "2.0", "method": "textDocument/didChange", "params": null}',
    b'{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 99}}',
    b'{"jsonrpc": "2.0", "method": "retouch/toggle", "params": {"enable": "x"}}',
    b'{"jsonrpc": "2.0", "method": "retouch/didAccept"}',
    b"[" * 100_000,
    b"\xff\xfe",
)


def code(answer: dict[str, object]) -> object:
    error = answer["error"]
    assert isinstance(error, dict)
    return error["code"]


def test_malformed_params_are_answered(fake: FakeServer) -> None:
    with wire(fake.folder) as line:
        old = {**PLACE, "context": {"triggerKind": 0}}
        assert code(line.request(1, INLINE, old)) == INVALID
        assert code(line.request(2, INLINE, PLACE)) == INVALID
        assert code(line.request(3, INLINE)) == INVALID
        assert code(line.request(4, "retouch/nothing", {})) == UNKNOWN
        assert line.request(5, INLINE, {**PLACE, "context": {"triggerKind": 2}})["result"] is None
        assert not line.popups


def test_bad_frames_are_passed_over(fake: FakeServer) -> None:
    with wire(fake.folder) as line:
        for number, frame in enumerate(BAD, 100):
            line.send(frame)
            state = line.request(number, "retouch/status", {})["result"]["state"]
            assert state in ("idle", "starting"), frame[:80]
        assert not line.popups


def test_params_of_our_own_methods_are_checked(fake: FakeServer) -> None:
    with wire(fake.folder) as line:
        assert "result" in line.request(1, "retouch/status")
        assert code(line.request(2, "retouch/status", [1])) == INVALID
        assert code(command(line, 3, "retouch.accepted", [])) == INVALID
        assert code(command(line, 4, "retouch.accepted", [1])) == INVALID
        assert code(command(line, 5, "retouch.accepted", ["a", "b"])) == INVALID
        assert command(line, 6, "retouch.accepted", ["unknown"])["result"] is None
        assert code(command(line, 7, "retouch.nothing", [])) == INVALID
        assert not line.popups


def test_what_is_offered_is_told(fake: FakeServer) -> None:
    with wire(fake.folder) as line:
        capabilities = line.said[0]["result"]["capabilities"]
        assert capabilities["inlineCompletionProvider"] == {}
        assert capabilities["experimental"]["retouch"]["version"] == 1
        assert "completionProvider" not in capabilities
        assert capabilities["textDocumentSync"]["change"] == 2


def test_unknown_settings_are_told_once_in_the_log(fake: FakeServer) -> None:
    with wire(fake.folder, {"speed": 1}) as line:
        line.notify("workspace/didChangeConfiguration", {"settings": {"retouch": {"speed": 1}}})
        line.notify("workspace/didChangeConfiguration", {"settings": {"retouch": {"fps": "x"}}})
        line.request(1, "retouch/status")
        logs = [m["params"]["message"] for m in line.said if m.get("method") == "window/logMessage"]
        assert len(logs) == 2
        assert "speed" in logs[0] and "fps" in logs[1]
        assert not line.popups


def test_the_switch(fake: FakeServer) -> None:
    with wire(fake.folder) as line:
        assert command(line, 1, "retouch.toggle", [])["result"]["state"] == "disabled"
        assert command(line, 2, "retouch.toggle", [False])["result"]["state"] == "disabled"
        line.notify("retouch/toggle", {"enable": True})
        assert line.request(3, "retouch/status")["result"]["state"] != "disabled"


def command(line: Wire, number: int, name: str, arguments: list[object]) -> dict[str, object]:
    params = {"command": name, "arguments": arguments}
    return line.request(number, "workspace/executeCommand", params)
