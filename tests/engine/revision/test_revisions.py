"""Promises of a revision, for every method: locks, edges, no worse text, an end."""

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import Cancel, Done, Error, Fill, Lock, Sampling
from protocol.revise import MethodName
from tests.engine.revision.asking import TEXT, done, messages, request, shown

METHODS = sorted(get_args(MethodName))
WORDS = "ab(:\n =1é😀"


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    prefix=st.text(WORDS, max_size=12),
    text=st.text(WORDS, min_size=2, max_size=16).filter(lambda text: text != "\n"),
    suffix=st.text(WORDS, max_size=8),
    method=st.sampled_from(METHODS),
    span=st.tuples(st.integers(0, 15), st.integers(1, 16)),
    strength=st.sampled_from([0.3, 1.0]),
)
@example("a", "😀b", "", "posterior", (0, 1), 1.0)
def test_locked_text_never_changes_and_frames_tell_the_answer(
    tiny: Model,
    prefix: str,
    text: str,
    suffix: str,
    method: Any,
    span: tuple[int, int],
    strength: float,
) -> None:
    start, stop = min(span[0], len(text) - 1), min(max(span), len(text))
    lock = Lock(start, max(stop, start + 1))
    asked = request(
        text, prefix=prefix, suffix=suffix, method=method, strength=strength, locks=(lock,)
    )
    heard = messages(tiny, asked)
    last = heard[-1]
    assert isinstance(last, Done), last
    kept = "".join(token.text for token in last.tokens if token.locked)
    assert text[lock.start : lock.stop].removesuffix("\n" if lock.stop == len(text) else "") in kept
    tail = "\n" if text.endswith("\n") else ""
    assert "".join(token.text for token in last.tokens) + tail == last.text
    assert shown(heard) + tail == last.text
    last.text.encode("utf-8")
    if not any(token.revised_from is not None for token in last.tokens):
        assert last.text == text


@pytest.mark.parametrize("method", METHODS)
def test_nothing_better_means_the_same_bytes(tiny: Model, method: Any) -> None:
    found = done(tiny, request(method=method, guard=10_000.0, rounds=2))
    assert found.text == TEXT
    assert all(token.revised_from is None for token in found.tokens)


@pytest.mark.parametrize("method", METHODS)
def test_strength_is_the_largest_share_that_changes(tiny: Model, method: Any) -> None:
    found = done(tiny, request(method=method, strength=0.2))
    changed = sum(token.revised_from is not None for token in found.tokens)
    assert changed <= max(1, int(0.2 * len(found.tokens)))


def test_strength_zero_only_scores(tiny: Model) -> None:
    found = done(tiny, request(method="canvas", strength=0.0))
    assert found.text == TEXT
    assert all(token.now == token.confidence for token in found.tokens if not token.locked)
    assert found.stats.remasked == 0


def test_a_better_text_is_found_and_explained(tiny: Model) -> None:
    """On random weights tokens of another kind are likelier, which this method may propose."""
    found = done(tiny, request(method="causal", strength=1.0))
    changed = [token for token in found.tokens if token.revised_from is not None]
    assert changed and found.text != TEXT
    assert all(token.why.startswith("changed") for token in changed)
    old = "".join(t.text if t.revised_from is None else t.revised_from for t in found.tokens)
    assert old == TEXT.removesuffix("\n")


def test_what_is_kept_by_kind(tiny: Model) -> None:
    fields = {"method": "posterior", "strength": 1.0, "path": "x.py"}
    found = done(tiny, request(keep=("identifiers", "literals", "comments"), **fields))
    locked = "".join(token.text for token in found.tokens if token.locked)
    assert locked.replace(" ", "").replace("\n", "").startswith("ba")


def test_a_long_text_is_revised_window_by_window(tiny: Model) -> None:
    text = "".join(f"    x{n} = a + {n}\n" for n in range(12))
    found = done(tiny, request(text, method="posterior", rounds=1, strength=0.1))
    assert "".join(token.text for token in found.tokens) + "\n" == found.text
    assert len(found.tokens) > 96


def test_a_deadline_gives_the_text_as_it_is(tiny: Model) -> None:
    ticks = iter(range(10_000))
    engine = LocalEngine(tiny, EngineConfig(threads=1), clock=lambda: float(next(ticks)))
    engine.send(request(deadline_ms=2000))
    heard = []
    while (message := engine.receive()) is not None:
        heard.append(message)
    assert isinstance(heard[-1], Done)
    assert (heard[-1].text, heard[-1].finish) == (TEXT, "deadline")


def test_cancelling_ends_a_revision(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    engine.send(request())
    engine.receive()
    engine.send(Cancel("r1"))
    heard = []
    while (message := engine.receive()) is not None:
        heard.append(message)
    assert isinstance(heard[-1], Done) and heard[-1].finish == "cancelled"


def test_the_batch_makes_no_difference(tiny: Model) -> None:
    asked = [request(id=name, method=name, strength=0.5, rounds=2) for name in METHODS]
    fill = Fill("f", "def g(", "):\n", sampling=Sampling(policy="threshold", review="wino"))
    engine = LocalEngine(tiny, EngineConfig(threads=1, batch_jobs=len(METHODS) + 1))
    for message in (*asked, fill):
        engine.send(message)
    together = {}
    while (message := engine.receive()) is not None:
        if isinstance(message, Done):
            together[message.id] = message.text
    assert together == {one.id: done(tiny, one).text for one in asked} | {"f": together["f"]}


def test_the_same_id_twice_is_refused(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    engine.send(request())
    engine.send(request())
    heard = [engine.receive(), engine.receive(), engine.receive()]
    assert any(isinstance(message, Error) and message.code == "id_conflict" for message in heard)


@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"locks": (Lock(),)}, "locks[0]"),
        ({"locks": (Lock(3, 99),)}, "locks[0]"),
        ({"locks": (Lock(pattern="("),)}, "locks[0]"),
        ({"text": "\n"}, "text"),
        ({"text": "a\n" * 2000}, "text"),
    ],
)
def test_what_makes_no_sense_is_refused(tiny: Model, fields: Any, param: str) -> None:
    *_, last = messages(tiny, request(**fields))
    assert isinstance(last, Error) and last.param == param, last


def test_an_instruction_is_seen_and_cut_to_its_window(tiny: Model) -> None:
    plain, told = request(method="canvas"), request(method="canvas", instruction="x" * 99)
    before, after = done(tiny, plain), done(tiny, told)
    assert [t.confidence for t in before.tokens] != [t.confidence for t in after.tokens]
    assert "Instruction" in messages(tiny, told)[0].notes[0]  # type: ignore[union-attr]


def test_a_review_needs_a_canvas_policy(tiny: Model) -> None:
    engine = LocalEngine(tiny, EngineConfig(threads=1))
    engine.send(Fill("f", "a", "b", sampling=Sampling(policy="causal", review="p2")))
    heard = engine.receive()
    assert isinstance(heard, Error) and heard.param == "sampling.review"


@pytest.mark.parametrize("locks", [(), (Lock(4, 5),)])
def test_a_text_with_characters_without_tokens_is_refused(
    lacking: Model, locks: tuple[Lock, ...]
) -> None:
    """They would be lost."""
    [error] = messages(lacking, request("a = \x04in\n", locks=locks))
    assert isinstance(error, Error)
    assert (error.code, error.param) == ("unsupported", "text")
    assert "U+0004" in error.message


def test_a_text_that_is_too_long_is_refused_before_it_is_searched(
    tiny: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    def explode(*_: object) -> None:
        raise KeyError("searched")

    for name in ("locked_characters", "prose_characters"):
        monkeypatch.setattr(f"engine.revision.opening.{name}", explode)
    [error] = messages(tiny, request("?!" * 8000))
    assert isinstance(error, Error) and error.code == "too_large"
