"""The compile process: answers, refusals, and what happens when it is lost."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.constraints import worker as worker_module
from engine.constraints.cache import unpacked
from engine.constraints.compiler import ConstraintCompiler
from engine.constraints.errors import (
    InvalidConstraintError,
    NotWantedError,
    TooLargeError,
    UnsatisfiableError,
    UnsupportedError,
)
from engine.constraints.limits import Limits
from engine.constraints.spec import Choices, JsonSchema, Regex
from engine.constraints.worker import CompileWorker, _answer
from tests.engine.constraints.toys import VOCABULARY

# Every rung of the ladder stays far above what a second allows.
BOMB = JsonSchema(
    schema=json.dumps(
        {
            "$ref": "#/$defs/a0",
            "$defs": {
                **{
                    f"a{i}": {
                        "type": "array",
                        "prefixItems": [{"$ref": f"#/$defs/a{i + 1}"}] * 10,
                        "minItems": 10,
                    }
                    for i in range(12)
                },
                "a12": {"type": "string"},
            },
        }
    )
)


@pytest.fixture(scope="module")
def worker() -> Iterator[CompileWorker]:
    found = CompileWorker(VOCABULARY, Limits(seconds=1.0))
    yield found
    found.close()


def test_compiling_and_every_kind_of_refusal(worker: CompileWorker) -> None:
    assert unpacked(worker.compile(Regex(pattern="(ab)*"))).dfa.accepts(b"abab")
    for spec, error in [
        (Regex(pattern="(a"), InvalidConstraintError),
        (Regex(pattern="(?=a)"), UnsupportedError),
        (JsonSchema(schema="false"), UnsatisfiableError),
        (BOMB, TooLargeError),
    ]:
        with pytest.raises(error):
            worker.compile(spec)
    assert unpacked(worker.compile(Choices(texts=("a",)))).dfa.accepts(b"a")


def test_a_killed_process_is_replaced(worker: CompileWorker) -> None:
    worker.compile(Regex(pattern="a"))
    assert worker._child is not None
    worker._child._process.kill()
    with pytest.raises(TooLargeError, match=r"crashed|gone"):
        worker.compile(Regex(pattern="b"))
    assert unpacked(worker.compile(Regex(pattern="b"))).dfa.accepts(b"b")


def test_a_process_out_of_memory_is_refused_or_killed() -> None:
    limits = Limits(seconds=3.0, memory_mb=256, nfa_states=50_000_000)
    worker = CompileWorker(VOCABULARY, limits)
    try:
        with pytest.raises(TooLargeError, match=r"memory|longer than|takes over"):
            worker.compile(Regex(pattern="(a{4000}){4000}"))
        assert unpacked(worker.compile(Regex(pattern="b"))).dfa.accepts(b"b")
    finally:
        worker.close()


def test_whatever_goes_wrong_is_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(worker_module, "compile_here", fail)
    content = msgspec.msgpack.encode(Regex(pattern="a"))
    answer = _answer(content, VOCABULARY, Limits())
    assert (answer.error, answer.message) == (
        "UnsupportedError",
        "the compiler failed: ZeroDivisionError",
    )


def test_what_is_not_wanted_any_more_is_not_compiled(worker: CompileWorker) -> None:
    with pytest.raises(NotWantedError):
        worker.compile(Regex(pattern="a"), lambda: False)


def test_two_who_ask_for_the_same_at_once_have_it_compiled_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compiler = ConstraintCompiler(VOCABULARY)
    known, compile_once = compiler.known, compiler._worker.compile
    looked, compiled = threading.Semaphore(0), []

    def known_told(spec: Regex) -> object:
        found = known(spec)
        looked.release()
        return found

    def compile_late(spec: Regex, *words: Any) -> bytes:
        compiled.append(spec)
        for _ in range(2):  # by the other too, unless it waits before it looks
            looked.acquire(timeout=0.3)
        return compile_once(spec, *words)

    monkeypatch.setattr(compiler, "known", known_told)
    monkeypatch.setattr(compiler._worker, "compile", compile_late)
    with ThreadPoolExecutor(2) as threads:
        one, other = threads.map(compiler.compile, [Regex(pattern="ab?")] * 2)
    compiler.close()
    assert one is other
    assert len(compiled) == 1


def test_the_compiler_keeps_what_it_compiled(tmp_path: Path) -> None:
    compiler = ConstraintCompiler(VOCABULARY, tmp_path, Limits(seconds=2.0))
    first = compiler.compile(Regex(pattern="ab?"))
    assert compiler.compile(Regex(pattern="ab?")) is first
    assert first.check(b"ab") is None
    assert first.check(b"b") is not None
    compiler.close()
    again = ConstraintCompiler(VOCABULARY, tmp_path)
    assert again.compile(Regex(pattern="ab?")).dfa.dfa.accepts(b"a")
    assert again._worker._child is None  # it came from the disk
    with pytest.raises(InvalidConstraintError):
        again.compile(Choices(texts=()))
