"""Text <-> token ids <-> bytes. Text that spells a special token stays text."""

from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec
import tokenizers

from models.config import ModelConfig, read_object
from models.errors import ModelError

NAME = "tokenizer.json"
TOKENIZER_LIMIT = 64 << 20
REFUSED = ("dropout", "continuing_subword_prefix", "end_of_word_suffix")
"""By chance one text would have many spellings; of affixes the library panics on some."""
SAMPLE = "if (x):\n\t  y = 'e\u0301 \u00e5'  \n"
"""A text that other kinds of tokenizers strip, join or normalise."""


class Tokenizer:
    """A byte-level BPE tokenizer; every id has bytes, special ids have none.

    Not every byte needs to have an id: a vocabulary may lack a few control characters.
    """

    def __init__(self, inner: tokenizers.Tokenizer, vocabulary: int) -> None:
        inner.encode_special_tokens = True
        inner.no_padding()
        inner.no_truncation()
        inner.normalizer = None  # text has to come back as it was
        self._inner = inner
        self._vocabulary = vocabulary

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`: `bytes_of` gives it back, but for what has no token (`unspelt`)."""
        return self._inner.encode(text, add_special_tokens=False).ids

    def encode_with_offsets(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Token ids and their [start, stop) in characters of `text`."""
        encoding = self._inner.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets

    def unspelt(self, text: str) -> str | None:
        """The first character of `text` that the vocabulary can't spell, None if there is none."""
        if self.bytes_of(self.encode(text)) == text.encode():
            return None
        each = dict.fromkeys(text)
        lost = (one for one in each if self.bytes_of(self.encode(one)) != one.encode())
        return next(lost, text[0])

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """Ids of special tokens; they spell no text."""
        added = self._inner.get_added_tokens_decoder()
        return frozenset(i for i, token in added.items() if token.special)

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """The bytes of every id of the model, by id; b"" for ids that spell nothing."""
        alphabet = _byte_alphabet()
        added = self._inner.get_added_tokens_decoder()
        table = [b""] * self._vocabulary
        for token, index in self._inner.get_vocab(with_added_tokens=True).items():
            if index not in added:
                table[index] = bytes(alphabet[character] for character in token)
            elif not added[index].special:
                table[index] = token.encode()
        return table

    @cached_property
    def silent_ids(self) -> frozenset[int]:
        """Ids that spell nothing: special tokens, and ids the model has but the tokenizer not."""
        return frozenset(i for i, data in enumerate(self.token_bytes) if not data)

    def bytes_of(self, ids: list[int]) -> bytes:
        """The bytes these ids spell."""
        return b"".join(self.token_bytes[i] for i in ids)


def read_tokenizer(folder: Path, config: ModelConfig) -> Tokenizer:
    """The tokenizer in `folder`, checked against the model's vocabulary."""
    inner = _read(folder / NAME)
    if _size(inner) > config.vocabulary:
        raise ModelError(f"{folder / NAME} has more tokens than the model's {config.vocabulary}.")
    return _checked(Tokenizer(inner, config.vocabulary), folder / NAME)


def tokenizer_in(folder: Path) -> Tokenizer:
    """The tokenizer in `folder` by itself, without the model."""
    inner = _read(folder / NAME)
    return _checked(Tokenizer(inner, _size(inner)), folder / NAME)


def _size(inner: tokenizers.Tokenizer) -> int:
    """How many ids a table of them needs; some may be left out."""
    return 1 + max(inner.get_vocab(with_added_tokens=True).values(), default=-1)


def _checked(tokenizer: Tokenizer, path: Path) -> Tokenizer:
    """The tokenizer, if its tokens are bytes and a text comes back as it was."""
    try:
        _ = tokenizer.token_bytes
    except KeyError as error:
        raise ModelError(f"{path} is not byte-level: a token holds {error}.") from error
    if tokenizer.unspelt(SAMPLE) is not None:
        raise ModelError(f"{path} changes text: {SAMPLE!r} does not come back as it was.")
    return tokenizer


class _Model(msgspec.Struct):
    """What is looked at before the library reads the file; vocabulary and merges are skipped."""

    type: Any = "BPE"
    dropout: Any = None
    continuing_subword_prefix: Any = None
    end_of_word_suffix: Any = None


class _File(msgspec.Struct):
    model: _Model | None = None


def _read(path: Path) -> tokenizers.Tokenizer:
    model = read_object(path, TOKENIZER_LIMIT, _File).model
    if model is None or model.type != "BPE":
        raise ModelError(f"{path} is not a tokenizer file of byte-level BPE.")
    if found := [name for name in REFUSED if getattr(model, name)]:
        raise ModelError(f"{path} is not plain byte-level BPE: it sets {', '.join(found)}.")
    try:
        return tokenizers.Tokenizer.from_str(path.read_text("utf-8"))
    except OSError as error:
        raise ModelError(f"Can't read {path}: {error.strerror}.") from error
    except Exception as error:
        raise ModelError(f"{path} is not a tokenizer file: {error}.") from error


def _byte_alphabet() -> dict[str, int]:
    """The printable characters byte-level BPE writes bytes with (GPT-2's table)."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    table = {chr(byte): byte for byte in printable}
    return table | {chr(256 + n): byte for n, byte in enumerate(others)}
