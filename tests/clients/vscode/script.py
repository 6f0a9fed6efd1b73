"""What the scripted language server says: texts and frames, without a model or a protocol."""

import re
from dataclasses import dataclass

MASK = "▒"
STEPS = 8
_TOKEN = re.compile(r"\w+|[^\w\s]+|\s+")

GHOSTS = {
    "    return ": ("a + b", "b + a", "sum((a, b))"),
    "def mean(values):": ("\n    total = sum(values)\n    return total / len(values)",),
    "    count = ": ("len(values)",),
}

REWRITES = {
    "guard": (
        "    if not values:\n"
        "        return 0.0\n"
        "    total = sum(values)\n"
        "    return total / len(values)"
    ),
    "short": "    return sum(values) / len(values)",
    "emoji": '    return "🙂" + name',
}


@dataclass(frozen=True)
class Frame:
    """One picture of a canvas: its lines, and of each line the masked, new and weak columns."""

    step: int
    lines: list[dict[str, object]]


@dataclass(frozen=True)
class Looks:
    """The places in a text of what is masked, just revealed, and revealed in doubt."""

    masks: set[tuple[int, int]]
    fresh: set[tuple[int, int]]
    weak: set[tuple[int, int]]


def rewritten(old: str, instruction: str | None) -> str:
    """The text that a job puts in place of `old`."""
    for word, text in REWRITES.items():
        if instruction and word in instruction:
            return text
    return old.upper() if old.strip() else "pass"


def frames(text: str, keep: frozenset[int] = frozenset()) -> list[Frame]:
    """`text` from masked to clear in `STEPS` steps; tokens in `keep` are clear from the start."""
    tokens = [(match.start(), match.end()) for match in _TOKEN.finditer(text)]
    words = [at for at, (start, end) in enumerate(tokens) if text[start:end].strip()]
    hidden = [at for at in words if at not in keep]
    order = sorted(hidden, key=lambda at: (at * 7) % (len(tokens) + 1))
    made = []
    for step in range(STEPS):
        shown = len(order) * step // (STEPS - 1)
        new = len(order) * max(0, step - 1) // (STEPS - 1)
        looks = Looks(
            masks={tokens[at] for at in order[shown:]},
            fresh={tokens[at] for at in order[new:shown]},
            weak={tokens[at] for at in order[:new:4]},
        )
        made.append(Frame(step + 1, _lines(text, looks)))
    return made


def _lines(text: str, looks: Looks) -> list[dict[str, object]]:
    lines: list[dict[str, object]] = []
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        masked = _columns(start, stop, looks.masks)
        shown = line
        for begin, end in masked:
            shown = shown[:begin] + MASK * (end - begin) + shown[end:]
        new = _columns(start, stop, looks.fresh)
        weak = [[*pair, 0.41] for pair in _columns(start, stop, looks.weak)]
        lines.append({"text": shown, "masks": masked, "new": new, "weak": weak})
        start = stop + 1
    return lines


def _columns(start: int, stop: int, spans: set[tuple[int, int]]) -> list[list[int]]:
    inside = sorted(span for span in spans if start <= span[0] and span[1] <= stop)
    return [[begin - start, end - start] for begin, end in inside]
