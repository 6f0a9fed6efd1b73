"""The real vocabulary for tests, from the model's tokenizer file where there is one."""

import json
from functools import lru_cache
from pathlib import Path

import pytest

from engine.constraints.canvas import Specials
from engine.constraints.vocabulary import Vocabulary

_ROOT = Path(__file__).resolve().parents[3]
_PLACES = (
    _ROOT / "models" / "weights" / "retouch-135m" / "tokenizer.json",
    _ROOT.parent / "shared" / "weights" / "tokenizer.json",
)
SPECIALS = Specials(end=(0,), pad=(15,))


@lru_cache(maxsize=1)
def real_vocabulary() -> Vocabulary:
    """The default model's vocabulary; skips the test if its file is missing."""
    path = next((path for path in _PLACES if path.exists()), None)
    if path is None:
        pytest.skip("the tokenizer of the default model is not here")
    return Vocabulary(byte_level_tokens(path))


def byte_level_tokens(path: Path) -> list[bytes | None]:
    """Bytes of each token of a byte-level BPE tokenizer file, None for added tokens."""
    content = json.loads(path.read_text())
    letters = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in letters]
    byte_of = {chr(byte): byte for byte in letters}
    byte_of |= {chr(256 + i): byte for i, byte in enumerate(others)}
    special = {token["id"] for token in content["added_tokens"]}
    vocabulary = content["model"]["vocab"]
    tokens: list[bytes | None] = [None] * (max(vocabulary.values()) + 1)
    for text, number in vocabulary.items():
        if number not in special:
            tokens[number] = bytes(byte_of[char] for char in text)
    return tokens
