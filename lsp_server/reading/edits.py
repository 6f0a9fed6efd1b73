"""The smallest edit that turns a span's old text into its new one. Pure."""

from lsp_server.reading.spans import Change, changed


def newline_of(text: str) -> str:
    """The line end of a document; the first one speaks for all."""
    at = text.find("\n")
    if at < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if text[at - 1 : at] == "\r" else "\n"


def as_lines(text: str) -> str:
    """`text` with every line end as a line feed, as editors are sent it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def smallest(old: str, new: str, newline: str) -> Change | None:
    """The change of `old` that makes `new` of it; None if only line ends differ.

    Its text has the document's line ends. It never begins or ends between a carriage return and
    its line feed, nor between the halves of a surrogate pair that came as two characters.
    """
    old_lines, new_lines = as_lines(old), as_lines(new)
    if old_lines == new_lines:
        return None
    wanted = new_lines.replace("\n", newline)
    change = changed(old, wanted)
    if change is None:
        return None
    start, stop, kept = change.start, change.stop, len(wanted) - len(change.text) - change.start
    while start and (_splits(old, start) or _splits(wanted, start)):
        start -= 1
    while kept and (_splits(old, len(old) - kept) or _splits(wanted, len(wanted) - kept)):
        kept -= 1
    stop = len(old) - kept
    return Change(start, stop, wanted[start : len(wanted) - kept])


def _splits(text: str, at: int) -> bool:
    """Whether offset `at` lies inside what belongs together."""
    if not 0 < at < len(text):
        return False
    pair = text[at - 1], text[at]
    halves = "\ud800" <= pair[0] <= "\udbff" and "\udc00" <= pair[1] <= "\udfff"
    return halves or pair == ("\r", "\n")
