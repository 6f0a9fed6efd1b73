"""Text that was accepted or edited beside a hole: the canvas stays warm, and nothing is doubled."""

from typing import Any

import pytest

from engine.canvas import SlotState
from engine.client import stream
from engine.config import EngineConfig
from engine.local import LocalEngine
from models.loader import Model
from protocol.messages import (
    Advance,
    CanvasSpec,
    ContextChange,
    Done,
    Fill,
    PolicyName,
    Revise,
    Sampling,
)
from tests.engine.amending.watched import POLICIES, Watched, fill

PINNED = CanvasSpec(tokens=12, pinned=True)
PREFIXES = ["a = ", "(", "value\n    ", "re", "\u00e9"]


def document(tiny: Model, watched: Watched) -> str:
    """What the engine takes for the text left of the hole's first mask."""
    live = watched.engine._session._session._live["a"]
    job, spell = live.search.lead, tiny.tokenizer.bytes_of
    ids = list(job.context.prefix[1:])
    past = 0 if job.past is None else len(job.past)
    whole = job.whole
    ids = ids[: len(ids) - past]
    return (spell(ids) + spell(whole.tokens[: whole.settled].tolist())).decode("utf-8", "replace")


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_accepted_text_is_prefix_from_then_on(tiny: Model, policy: PolicyName, prefix: str) -> None:
    watched = Watched(tiny, fill(policy, prefix=prefix, canvas=PINNED))
    accepted, taken = "", 0
    while watched.engine.busy and taken < 3:
        shown = watched.text
        if shown and "\ufffd" not in shown:
            watched.revise(Advance(1))
            accepted, taken = accepted + shown[:1], taken + 1
            assert document(tiny, watched) == prefix + accepted + shown[1:]
            watched.listen()
            assert watched.text == shown[1:]
        watched.hear()
    done = watched.done()
    assert not watched.errors()
    assert done.text in "".join(cell or "" for cell in watched.mirror.cells)
    assert taken or policy in ("fixed", "threshold")


def test_more_than_has_settled_is_refused(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="(", canvas=PINNED))
    watched.steps(2)
    watched.revise(Advance(12))
    watched.done()
    assert watched.errors() == ["stale_base"]


def test_a_text_that_was_accepted_whole_ends_the_fill(tiny: Model) -> None:
    watched = Watched(tiny, fill("causal", prefix="(", canvas=CanvasSpec(tokens=3, pinned=True)))
    watched.steps(1)
    while watched.engine.busy and None in watched.mirror.cells[:2]:
        watched.hear()
    shown = watched.text
    if "\ufffd" in shown or not shown:
        pytest.skip("the tiny model wrote no characters")
    watched.revise(Advance(len(shown)))
    done = watched.done()
    assert not done.text.startswith(shown)


@pytest.mark.parametrize("policy", POLICIES)
@pytest.mark.parametrize(
    "change",
    [
        ContextChange(prefix_add="x"),
        ContextChange(prefix_drop=1),
        ContextChange(prefix_drop=2, prefix_add="bc = "),
        ContextChange(prefix_add="\n    "),
        ContextChange(suffix_drop=3, suffix_add=")"),
        ContextChange(prefix_drop=4, suffix_drop=5),
    ],
)
def test_the_fill_goes_on_in_the_changed_text(
    tiny: Model, policy: PolicyName, change: ContextChange
) -> None:
    watched = Watched(tiny, fill(policy, canvas=PINNED))
    watched.steps(4)
    watched.revise(change)
    live = watched.engine._session._session._live["a"]
    old = "a = "
    prefix = old[: len(old) - change.prefix_drop] + change.prefix_add
    assert live.fill.prefix == prefix
    assert live.fill.suffix == change.suffix_add + " + b\n"[change.suffix_drop :]
    spelled = tiny.tokenizer.bytes_of(list(live.search.lead.context.prefix[1:]))
    assert spelled + live.prompt.required == prefix.encode()
    if policy in ("causal", "speculate") and prefix != old:
        assert (live.search.lead.canvas.states != SlotState.REVEALED).all()
    done = watched.done()
    assert not watched.errors()
    assert done.text.rstrip("\n") in "".join(cell or "" for cell in watched.mirror.cells)


def test_a_canvas_stays_warm_where_its_reading_allows(tiny: Model) -> None:
    watched = Watched(tiny, fill("fixed", prefix="f(", canvas=PINNED))
    watched.steps(7)
    before = [cell for cell in watched.mirror.cells if cell]
    watched.revise(ContextChange(prefix_drop=1, prefix_add="["))
    watched.revise(ContextChange(suffix_add="]"))
    live = watched.engine._session._session._live["a"]
    assert [cell for cell in live.cells if cell] == before
    watched.done()


@pytest.mark.parametrize(
    "change",
    [ContextChange(prefix_drop=99), ContextChange(suffix_drop=99), ContextChange(prefix_drop=5)],
)
def test_no_more_than_there_is_can_be_dropped(tiny: Model, change: ContextChange) -> None:
    watched = Watched(tiny, fill("fixed", canvas=PINNED))
    watched.revise(change)
    watched.done()
    assert watched.errors() == ["invalid_message"]


def test_lengths_are_counted_as_the_client_counts(tiny: Model) -> None:
    for encoding, units in (("utf-8", 4), ("utf-16", 2), ("utf-32", 1)):
        watched = Watched(tiny, fill("fixed", prefix="x\U0001f600", canvas=PINNED))
        watched.revise(ContextChange(prefix_drop=units, prefix_add="y"), encoding=encoding)
        assert watched.engine._session._session._live["a"].fill.prefix == "xy"
    watched = Watched(tiny, fill("fixed", prefix="x\U0001f600", canvas=PINNED))
    watched.revise(ContextChange(prefix_drop=1), encoding="utf-16")
    watched.hear()
    assert watched.errors() == ["invalid_message"], "half a character"


def test_a_long_text_is_accepted_across_its_blocks(tiny: Model) -> None:
    """Canvas policies go block by block; finished blocks stand in the prefix already."""
    request = fill("fixed", prefix="(", shape="block", lines=9, canvas=CanvasSpec(tokens=120))
    watched = Watched(tiny, request)
    lead = watched.engine._session._session._live["a"].search.lead
    lead.stop = None
    for _ in range(400):
        if lead.past is not None:
            break
        watched.hear()
    assert lead.past is not None
    watched.steps(1)
    shown = watched.text
    chars = 0
    while chars < len(shown) and "\ufffd" not in shown[: chars + 1] and chars < 10:
        chars += 1
    if not chars:
        pytest.skip("the tiny model wrote no characters")
    watched.revise(Advance(chars))
    assert document(tiny, watched).startswith("(" + shown[:chars])
    watched.done()
    assert not watched.errors()


CODE = "def mean(values):\n    total = sum(values)\n    count = len(values)\n    return "


def answer(model: Model, chars: int | None) -> str:
    """A line by the default policy, with its first characters accepted on the way."""
    engine = LocalEngine(model, EngineConfig(threads=1))
    request = Fill("a", CODE, "\n\nprint(mean([1, 2]))\n", sampling=Sampling(policy="causal"))
    if chars is None:
        *_, done = stream(engine, request)
        assert isinstance(done, Done)
        return done.text
    engine.send(request)
    taken, heard = False, []
    while engine.busy:
        heard += engine.step()
        live: Any = engine._session._session._live.get("a")
        if live and not taken and len("".join(c or "" for c in live.cells)) >= chars:
            engine.send(Revise(id="a", base_seq=live.seq, ops=(Advance(chars),)))
            taken = True
    heard += engine.step()
    done = heard[-1]
    assert taken
    assert isinstance(done, Done), done
    return done.text


@pytest.mark.model
def test_typing_through_an_answer_does_not_change_it(default_model: Model) -> None:
    whole = answer(default_model, None)
    assert len(whole) > 8
    for chars in (1, 5, 6, 8):
        assert whole[:chars] + answer(default_model, chars) == whole
