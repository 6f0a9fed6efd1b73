"""Text <-> token ids <-> bytes. Text that spells a special token stays text."""

from functools import cached_property
from pathlib import Path

import tokenizers

from models.config import ModelConfig
from models.errors import ModelError

NAME = "tokenizer.json"
TOKENIZER_LIMIT = 64 << 20


class Tokenizer:
    """A byte-level BPE tokenizer; every id has bytes, special ids have none."""

    def __init__(self, inner: tokenizers.Tokenizer, vocabulary: int) -> None:
        inner.encode_special_tokens = True
        inner.no_padding()
        inner.no_truncation()
        self._inner = inner
        self._vocabulary = vocabulary

    def encode(self, text: str) -> list[int]:
        """Token ids of `text`; the same bytes come back from `decode`."""
        return self._inner.encode(text, add_special_tokens=False).ids

    def encode_with_offsets(self, text: str) -> tuple[list[int], list[tuple[int, int]]]:
        """Token ids and their [start, stop) in characters of `text`."""
        encoding = self._inner.encode(text, add_special_tokens=False)
        return encoding.ids, encoding.offsets

    @cached_property
    def special_ids(self) -> frozenset[int]:
        """Ids of special tokens; they spell no text."""
        added = self._inner.get_added_tokens_decoder()
        return frozenset(i for i, token in added.items() if token.special)

    @cached_property
    def token_bytes(self) -> list[bytes]:
        """The bytes of every id of the model, by id; b"" for ids that spell nothing."""
        alphabet = _byte_alphabet()
        vocabulary = self._inner.get_vocab(with_added_tokens=True)
        table = [b""] * self._vocabulary
        for token, index in vocabulary.items():
            if index not in self.special_ids:
                table[index] = bytes(alphabet[character] for character in token)
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
    if inner.get_vocab_size() > config.vocabulary:
        raise ModelError(f"{folder / NAME} has more tokens than the model's {config.vocabulary}.")
    return Tokenizer(inner, config.vocabulary)


def tokenizer_in(folder: Path) -> Tokenizer:
    """The tokenizer in `folder` by itself, without the model."""
    inner = _read(folder / NAME)
    return Tokenizer(inner, inner.get_vocab_size())


def _read(path: Path) -> tokenizers.Tokenizer:
    try:
        if path.stat().st_size > TOKENIZER_LIMIT:
            raise ModelError(f"{path} is too large for a tokenizer.")
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
