"""Where ghost text comes by itself."""

from lsp_server.ghost.spot import Spot
from lsp_server.settings import Settings

LONGEST_LINE = 10_000


def comes_unasked(spot: Spot, settings: Settings) -> bool:
    """Whether somebody who has not asked for it wants ghost text here."""
    text = spot.document.text
    line = text.line_of(spot.start)
    if settings.trigger == "manual" or text.line_end(line) - text.starts[line] > LONGEST_LINE:
        return False
    if not spot.line and spot.rest.strip():
        return False  # in front of a line: what belongs there is anybody's guess
    return bool(text.value.strip())
