"""Tokens of the true text of a hole, counted as in training: on the tokens of the whole file."""

from engine.constraints.prefix_index import PrefixIndex
from engine.prompt import Prompter
from models.config import ModelConfig
from models.tokenizer import Tokenizer


class OracleLength:
    """Counts the slots that the engine needs to spell a true text."""

    def __init__(
        self, config: ModelConfig, tokenizer: Tokenizer, prefix_tokens: int = 2048
    ) -> None:
        self._tokenizer = tokenizer
        index = PrefixIndex(tokenizer.token_bytes)
        self._prompter = Prompter(config, tokenizer, index, prefix_tokens)

    def tokens(self, prefix: str, gold: str, suffix: str) -> int:
        """Tokens of prefix + gold + suffix that overlap `gold` or what moves into the hole.

        The engine moves the prefix' last white space (or unfinished token) into the hole, and
        leaves the closing newline of whole lines to the suffix.
        """
        moved = len(self._prompter.prompt(prefix, suffix).required.decode("utf-8"))
        whole_lines = (not prefix or prefix.endswith("\n")) and not suffix.startswith("\n")
        text = gold.rstrip("\n") if whole_lines else gold
        begin, end = len(prefix) - moved, len(prefix) + len(text)
        _, offsets = self._tokenizer.encode_with_offsets(prefix + gold + suffix)
        return max(1, sum(start < end and stop > begin for start, stop in offsets))
