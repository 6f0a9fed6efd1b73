"""Line endings: the model sees only "\\n", the file gets back what it had.

Line ends are CRLF, LF and CR; other Unicode separators are ordinary characters here.
"""

import re
from collections import Counter

_LINE_END = re.compile(r"\r\n|\n|\r")


def line_ends(raw: str) -> list[str]:
    """Every line ending of `raw`, in order."""
    return _LINE_END.findall(raw)


def normalise(raw: str) -> str:
    """`raw` with every line ending as one "\\n"."""
    return _LINE_END.sub("\n", raw)


def dominant(raw: str) -> str:
    """The most frequent line ending of `raw`; the one seen first wins a tie, "\\n" if none."""
    counts = Counter(line_ends(raw))
    return counts.most_common(1)[0][0] if counts else "\n"


def crlf_positions(raw: str) -> tuple[int, ...]:
    """Offsets, in the normalised text, of the newlines that are CRLF in `raw`."""
    found: list[int] = []
    for match in re.finditer(r"\r\n", raw):
        found.append(match.start() - len(found))
    return tuple(found)


def restore(text: str, old: str, default: str) -> str:
    """`text` with the line endings it should have in the file.

    Args:
        text: the new text, any line endings.
        old: the raw text it replaces; its endings are kept one by one where the counts agree,
            and the closing one always.
        default: the file's dominant ending, for every other line.
    """
    parts = normalise(text).split("\n")
    known = line_ends(old)
    ends = known if len(known) == len(parts) - 1 else [default] * (len(parts) - 1)
    if known and ends and not parts[-1] and _LINE_END.fullmatch(old[-1:]):
        ends = [*ends[:-1], known[-1]]
    return "".join(part + end for part, end in zip(parts, [*ends, ""], strict=True))


def separate(new: str, before: str, after: str) -> str:
    """`new` with its outer line endings widened to CRLF where they would merge with a neighbour.

    A lone CR before a lone LF would read as one line ending; only files of mixed endings can get
    there.
    """
    if before.endswith("\r") and new.startswith("\n"):
        new = "\r" + new
    if after.startswith("\n") and new.endswith("\r"):
        new += "\n"
    return new
