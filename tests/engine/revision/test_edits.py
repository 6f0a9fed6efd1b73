"""Which other tokens are tried: words keep what stands beside them, at any number of tokens."""

import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engine.query import Answer, Context
from engine.revision.edits import Vocabulary, respellings, single_swaps, words
from engine.revision.passage import Window
from engine.revision.slots import Slot
from models.loader import Model


def window(model: Model, text: str, prefix: str = "", locked: str = "") -> Window:
    ids = model.tokenizer.encode(text)
    slots = tuple(Slot(token, locked=bool(locked) and locked in text) for token in ids)
    return Window(0, "w", Context((5, *model.tokenizer.encode(prefix))), slots, b"")


def doubting(tokens: int, choices: list[int] | None = None) -> Answer:
    """The left side finds every token improbable, and others likely."""
    low = np.full(tokens, -6.0, np.float32)
    rows = np.array([choices or []] * tokens, np.int64).reshape(tokens, -1)
    return Answer(low, rows[:, 0] if choices else low, low, rows, rows * -0.01)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text("in retu(.é\n_1", min_size=1, max_size=16))
def test_a_word_and_what_stands_beside_it_are_its_tokens(tiny: Model, text: str) -> None:
    here, table = window(tiny, text), tiny.tokenizer.token_bytes
    found = list(words(here, Vocabulary(tiny.config, tiny.tokenizer)))
    for word in found:
        spelled = b"".join(table[token] for token in here.ids[word.start : word.stop])
        assert spelled.decode() == word.lead + word.text + word.trail
    assert [word.text for word in found] == re.findall(r"\w+", text)


@pytest.mark.parametrize("slip", ["retrn", "retturn", "retunr", "rturn", "retudn"])
def test_a_slip_is_respelled_whatever_its_length(tiny: Model, slip: str) -> None:
    here = window(tiny, f"    {slip} x\n", "return in\n")
    found = respellings(here, doubting(len(here.ids)), Vocabulary(tiny.config, tiny.tokenizer))
    bytes_of = tiny.tokenizer.bytes_of
    texts = {
        bytes_of([*here.ids[: s.start], *s.tokens, *here.ids[s.stop :]]).decode() for s in found
    }
    assert "    return x\n" in texts


def test_a_name_is_put_right_wherever_it_stands(tiny: Model) -> None:
    here = window(tiny, "retrn(in, retrn)", "return\n")
    (swap,) = respellings(here, doubting(len(here.ids)), Vocabulary(tiny.config, tiny.tokenizer))
    new = (*here.ids[: swap.start], *swap.tokens, *here.ids[swap.stop :])
    assert tiny.tokenizer.bytes_of(list(new)) == b"return(in, return)"
    between = tiny.tokenizer.encode("(in, ")[0]
    assert swap.narrow and here.ids.index(between) not in swap.slots


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("retrn x", "return, retrn\n"),  # it stands elsewhere, so it is meant
        ("retn x", "return\n"),  # two slips
        ("de x", "def\n"),  # too short to tell
    ],
)
def test_other_words_stay(tiny: Model, text: str, prefix: str) -> None:
    here = window(tiny, text, prefix)
    vocabulary = Vocabulary(tiny.config, tiny.tokenizer)
    assert not respellings(here, doubting(len(here.ids)), vocabulary)


def test_swaps_are_of_one_kind_and_not_in_prose(tiny: Model) -> None:
    encode = tiny.tokenizer.encode
    choices = [encode(piece)[0] for piece in ("a", "1", "(")]
    here = window(tiny, "b2)")
    vocabulary = Vocabulary(tiny.config, tiny.tokenizer)
    found = single_swaps(here, doubting(3, choices), vocabulary)
    assert sorted((swap.start, swap.tokens[0]) for swap in found) == list(enumerate(choices))
    assert [swap.narrow for swap in sorted(found, key=lambda s: s.start)] == [False, True, True]
    prose = replace(here, slots=tuple(replace(slot, prose=True) for slot in here.slots))
    assert not single_swaps(prose, doubting(3, choices), vocabulary)


def test_a_locked_word_stays(tiny: Model) -> None:
    here = window(tiny, "retrn x", "return\n", locked="retrn")
    vocabulary = Vocabulary(tiny.config, tiny.tokenizer)
    assert not respellings(here, doubting(len(here.ids)), vocabulary)
