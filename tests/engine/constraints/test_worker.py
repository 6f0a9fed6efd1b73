"""The compile process: answers, refusals, and what happens when it is lost."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from engine.constraints.cache import unpacked
from engine.constraints.compiler import ConstraintCompiler
from engine.constraints.errors import (
    InvalidConstraintError,
    TooLargeError,
    UnsatisfiableError,
    UnsupportedError,
)
from engine.constraints.limits import Limits
from engine.constraints.spec import Choices, JsonSchema, Regex
from engine.constraints.worker import CompileWorker
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
