"""Where the tokens of a text stand in the document it was taken from. Pure."""

from collections.abc import Iterable

from lsp_server.reading.spans import Span


def token_spans(tokens: Iterable[str], original: str) -> list[Span] | None:
    """The span of each token in `original`, whose line ends the tokens have as line feeds.

    None if the tokens don't spell the text, or its beginning.
    """
    spans, at = [], 0
    for token in tokens:
        start = at
        for character in token:
            found = original[at : at + 1]
            if found == "\r" and character == "\n":
                at += 2 if original[at + 1 : at + 2] == "\n" else 1
            elif found == character or (found and "\ud800" <= found <= "\udfff"):
                at += 1
            else:
                return None
        spans.append(Span(start, at))
    return spans
