"""Owns the compile process, both ends: it may hang, run out of memory or crash, the engine not.

Messages are 8 bytes of length and msgpack: a job down, a packed automaton or an error up.
"""

import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO

import msgspec

from engine.constraints import errors
from engine.constraints.cache import packed
from engine.constraints.compiling import compile_here
from engine.constraints.errors import ConstraintError, NotWantedError, TooLargeError
from engine.constraints.limits import Limits
from engine.constraints.spec import ConstraintSpec
from engine.constraints.vocabulary import Vocabulary

_START_SECONDS = 30.0
_GRACE_SECONDS = 2.0  # above the compiler's own clock, before the process is killed
_RECURSION = 20_000
_MOST_MESSAGE = 1 << 28
_BOOT = (
    "import sys; sys.path.insert(0, sys.argv[1]); "
    "from engine.constraints.worker import serve; serve()"
)


class _Setup(msgspec.Struct):
    tokens: Sequence[bytes | None]
    limits: Limits


class _Answer(msgspec.Struct):
    """`error` is the name of an exception in `errors`, "" where there is none."""

    error: str = ""
    message: str = ""
    content: bytes = b""


class CompileWorker:
    """A child process that compiles one constraint at a time; restarted after it was lost."""

    def __init__(self, vocabulary: Vocabulary, limits: Limits) -> None:
        self._vocabulary = vocabulary
        self._limits = limits
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._closed = False

    def compile(self, spec: ConstraintSpec, wanted: Callable[[], bool] = lambda: True) -> bytes:
        """The packed automaton. Raises a ConstraintError, also for time, memory and crashes, and
        where it is not `wanted` any more when the process is free."""
        with self._lock:
            if self._closed:
                raise TooLargeError("the engine is stopping")
            if not wanted():
                raise NotWantedError("nobody waits for the constraint any more")
            try:
                if self._child is None:
                    self._child = _Child(self._vocabulary, self._limits)
                return self._child.ask(spec, self._limits.seconds + _GRACE_SECONDS)
            except _LostError as lost:
                if self._child is not None:
                    self._child.kill()
                    self._child = None
                raise TooLargeError(str(lost)) from lost

    def close(self) -> None:
        """End the process for good; what it is compiling is lost."""
        self._closed = True
        child = self._child
        if child is not None:
            child.kill()
        with self._lock:
            if self._child is not None:
                self._child.kill()
                self._child = None


class _LostError(Exception):
    """The process gave no answer."""


class _Child:
    def __init__(self, vocabulary: Vocabulary, limits: Limits) -> None:
        root = str(Path(__file__).resolve().parents[2])
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-c", _BOOT, root],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        assert self._process.stdin and self._process.stdout
        self._down, self._up = self._process.stdin, self._process.stdout
        self._answers: queue.Queue[bytes | None] = queue.Queue()
        threading.Thread(target=self._listen, daemon=True).start()
        try:
            self._send(msgspec.msgpack.encode(_Setup(vocabulary.token_bytes, limits)))
            self._wait(_START_SECONDS, "the compile process did not start")
        except _LostError:
            self.kill()
            raise

    def ask(self, spec: ConstraintSpec, seconds: float) -> bytes:
        self._send(msgspec.msgpack.encode(spec))
        reply = self._wait(seconds, f"compiling the constraint took longer than {seconds:g} s")
        answer = msgspec.msgpack.decode(reply, type=_Answer)
        if answer.error:
            kind = getattr(errors, answer.error, ConstraintError)
            raise kind(answer.message)
        return answer.content

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()
        with suppress(OSError):  # what was not sent has nowhere to go
            self._down.close()

    def _send(self, content: bytes) -> None:
        try:
            _write(self._down, content)
        except OSError as error:
            raise _LostError("the compile process is gone") from error

    def _wait(self, seconds: float, late: str) -> bytes:
        try:
            reply = self._answers.get(timeout=seconds)
        except queue.Empty:
            raise _LostError(late) from None
        if reply is None:
            raise _LostError("the compile process ran out of memory or crashed")
        return reply

    def _listen(self) -> None:
        with self._up:
            while (content := _read(self._up)) is not None:
                self._answers.put(content)
        self._answers.put(None)


def _write(stream: IO[bytes], content: bytes) -> None:
    stream.write(len(content).to_bytes(8, "big") + content)
    stream.flush()


def _read(stream: IO[bytes]) -> bytes | None:
    head = stream.read(8)
    size = int.from_bytes(head, "big")
    if len(head) < 8 or size > _MOST_MESSAGE:
        return None
    content = stream.read(size)
    return content if len(content) == size else None


def serve() -> None:
    """The child's side: set up once, then compile until the pipe is closed."""
    source, target = sys.stdin.buffer, sys.stdout.buffer
    sys.setrecursionlimit(_RECURSION)
    first = _read(source)
    if first is None:
        return
    setup = msgspec.msgpack.decode(first, type=_Setup)
    _limit_memory(setup.limits)
    vocabulary = Vocabulary(setup.tokens)
    _write(target, b"ready")
    while (content := _read(source)) is not None:
        _write(target, msgspec.msgpack.encode(_answer(content, vocabulary, setup.limits)))


def _answer(content: bytes, vocabulary: Vocabulary, limits: Limits) -> _Answer:
    try:
        spec = msgspec.msgpack.decode(content, type=ConstraintSpec)
        return _Answer(content=packed(compile_here(spec, vocabulary, limits)))
    except ConstraintError as error:
        return _Answer(type(error).__name__, str(error))
    except (MemoryError, RecursionError):
        return _Answer("TooLargeError", "the constraint needs too much memory")
    except Exception as error:  # noqa: BLE001  # whatever it is, the process can go on
        return _Answer("UnsupportedError", f"the compiler failed: {type(error).__name__}")


def _limit_memory(limits: Limits) -> None:
    """Cap the address space where the system can."""
    if sys.platform == "win32":
        return
    import resource

    size = limits.memory_mb * 1024 * 1024
    resource.setrlimit(resource.RLIMIT_AS, (size, size))
