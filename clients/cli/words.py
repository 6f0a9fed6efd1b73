"""Options that take one of a few words."""

from typing import Any

from clients.cli.errors import BadInput
from clients.cli.glyphs import safe


def one_of(flag: str, word: str | None, known: tuple[Any, ...]) -> Any:
    """`word` if it is one of the `known` ones of a Literal; None stays None.

    Raises:
        BadInput: it is another; the message names them.
    """
    if word is None or word in known:
        return word
    raise BadInput(f"{flag} {safe(word)}: choose one of {', '.join(known)}")
