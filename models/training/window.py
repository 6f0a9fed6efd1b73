"""A window of a tokenised file with its text, and cuts on its tokens with healed boundaries."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

from models.tokenizer import Tokenizer


class Window:
    """Tokens of a file and the characters they spell (latin-1, so that characters are bytes).

    `beyond` follows them: the suffix of a hole near the end reaches into it.
    """

    def __init__(self, ids: list[int], tokenizer: Tokenizer, beyond: Sequence[int] = ()) -> None:
        self.ids, self.beyond = ids, beyond
        self._tokenizer = tokenizer
        pieces = [tokenizer.token_bytes[i] for i in ids]
        self.text = b"".join(pieces).decode("latin-1")
        self.starts = [0, *accumulate(len(piece) for piece in pieces)]

    def token_at(self, character: int) -> int:
        """Number of the token that holds `character`: a hole that starts there starts with it."""
        return bisect_right(self.starts, character) - 1

    def cut(self, start: int, stop: int) -> tuple[int, list[int], int] | None:
        """(first token, tokens of the hole, stop) for a hole from the token at `start` to `stop`.

        Where `stop` lies inside a token the hole is spelled anew, as an editor would; None where
        it would split a character.
        """
        first = self.token_at(start)
        last = bisect_left(self.starts, stop)
        if self.starts[last] == stop:
            return first, self.ids[first:last], stop
        hole = self._spell(self.starts[first], stop)
        return None if hole is None else (first, hole, stop)

    def behind(self, stop: int, limit: int) -> list[int] | None:
        """At most `limit` tokens of the text behind `stop`; None if that splits a character."""
        at = bisect_left(self.starts, stop)
        if self.starts[at] == stop:
            return [*self.ids[at:], *self.beyond][:limit]
        rest = self._spell(stop, self.starts[at])
        return None if rest is None else [*rest, *self.ids[at:], *self.beyond][:limit]

    def breaks(self, hole: list[int], stop: int) -> int | None:
        """Line breaks in the tokens of a hole, if a line ends at `stop`; else None."""
        if self.text[stop : stop + 1] != "\n":
            return None
        return sum(self._tokenizer.token_bytes[token].count(b"\n") for token in hole)

    def between(self, start: int, stop: int) -> list[int] | None:
        """Tokens of the text from `start` to `stop`."""
        return self._spell(start, stop)

    def _spell(self, start: int, stop: int) -> list[int] | None:
        try:
            return self._tokenizer.encode(self.text[start:stop].encode("latin-1").decode())
        except UnicodeDecodeError:
            return None
