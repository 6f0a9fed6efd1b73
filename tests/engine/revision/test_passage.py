"""Passages: windows whose contexts stay within the positions a model has."""

from itertools import pairwise

from engine.constraints.prefix_index import PrefixIndex
from engine.prompt import Prompter
from engine.revision.opening import open_passage
from models.loader import Model
from tests.engine.revision.asking import request

TEXT = "x = 1\n" * 600


def test_no_window_of_a_long_text_lies_beyond_the_positions(tiny: Model) -> None:
    """Behind them the model reads noise; what was left out moves in blocks, so caches serve."""
    index = PrefixIndex(tiny.tokenizer.token_bytes)
    prompter = Prompter(tiny.config, tiny.tokenizer, index, 2048)
    asked = request(TEXT, prefix="a = (\n" * 400)
    passage = open_passage(asked, prompter, tiny, limit=4096).passage
    windows = [passage.window(number, 1) for number in range(len(passage.windows))]
    ends = [
        tiny.config.layout.canvas(len(window.context.prefix), len(window.ids)).stop
        for window in windows
    ]
    assert max(ends) <= tiny.config.positions
    assert {window.context.prefix[0] for window in windows} == {tiny.config.separator_id}
    before = [window.context.prefix for window in windows]
    last = [window.ids[-1] for window in windows]
    assert [prefix[-1] for prefix in before[1:]] == last[:-1]
    begun = [later[: len(earlier)] == earlier for earlier, later in pairwise(before)]
    assert begun.count(False) <= 1 + len(TEXT) // 256
