"""The data card: what the shards were made from, by language, licence and package."""

from collections import Counter
from pathlib import Path
from typing import Protocol

from models.training.archives import Package
from models.training.shards import Manifest


class Counts(Protocol):
    """The counts the card shows; keys are (split, language, licence)."""

    refused: list[Package]
    dropped: Counter[str]
    files: Counter[tuple[str, str, str]]
    characters: Counter[tuple[str, str, str]]


def write_card(
    path: Path, packages: dict[str, Package], counts: Counts, shards: dict[str, Manifest]
) -> None:
    """Write the card as Markdown."""
    lines = ["# Training data", "", "Text files of published packages under permissive licences."]
    lines += ["Split by package; benchmark data excluded by 50-character windows.", ""]
    lines += [_shard(split, manifest, counts) for split, manifest in sorted(shards.items())]
    lines += ["", "Versions are the newest of the day they were fetched: no list pins them."]
    lines += ["", "| split | language | files | characters |", "|---|---|---|---|"]
    lines += [f"| {s} | {n} | {f:,} | {c:,} |" for (s, n), f, c in _sums(counts, (0, 1))]
    lines += ["", "| licence | files | characters |", "|---|---|---|"]
    lines += [f"| {names[0]} | {f:,} | {c:,} |" for names, f, c in _sums(counts, (2,))]
    lines += ["", "Dropped: " + ", ".join(f"{n:,} {r}" for r, n in counts.dropped.most_common())]
    lines += ["", "| package | version | licence as stated |", "|---|---|---|"]
    lines += [f"| {p.name} | {p.version} | {_short(p.licence)} |" for p in packages.values()]
    if counts.refused:
        lines += ["", "Not used, for their licence: " + ", ".join(p.name for p in counts.refused)]
    path.write_text("\n".join(lines) + "\n")


def _shard(split: str, manifest: Manifest, counts: Counts) -> str:
    """A split's size; what the tables count more are files with too few tokens to learn from."""
    kept = len(manifest.paths)
    short = sum(n for (name, *_), n in counts.files.items() if name == split) - kept
    left = f" (the tables count {short:,} more, too short for a shard)" if short else ""
    sizes = f"{manifest.tokens:,} tokens, {kept:,} files{left}"
    return f"- `{split}`: {sizes}, sha256 `{manifest.sha256}`"


def _sums(counts: Counts, parts: tuple[int, ...]) -> list[tuple[tuple[str, ...], int, int]]:
    files: Counter[tuple[str, ...]] = Counter()
    characters: Counter[tuple[str, ...]] = Counter()
    for key, number in counts.files.items():
        short = tuple(key[p] for p in parts)
        files[short] += number
        characters[short] += counts.characters[key]
    return [(key, files[key], characters[key]) for key in sorted(files)]


def _short(licence: str) -> str:
    return licence.replace("|", "/")[:80]
