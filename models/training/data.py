"""Make the training shards: `python -m models.training.data fetch|build OUT ...`.

`fetch` downloads the stated packages by name; `build` filters, deduplicates, splits by package,
tokenises and writes the data card. Held-out packages and everything that overlaps the benchmark
data never reach the train split.
"""

import gzip
import hashlib
import json
import random
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from models.loader import DEFAULT_MODEL, read_config
from models.tokenizer import Tokenizer, read_tokenizer
from models.training.archives import Package, SourceFile, read_archive
from models.training.card import write_card
from models.training.filters import language_of, refusal
from models.training.near import NearDuplicates
from models.training.overlap import Overlap, normalised
from models.training.shards import Document, tokenizer_digest, write_shard

PACKAGES = Path(__file__).parent / "packages.txt"
PIP = [sys.executable, "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest"]
NPM = ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination"]
PER_PACKAGE = 3_000_000
PER_LANGUAGE = {"Markdown": 300_000, "JSON": 100_000, "YAML": 100_000}
"""Characters a package gives at most, and of some languages at most."""


@dataclass(slots=True)
class Tally:
    """What became of the files."""

    packages: dict[str, Package] = field(default_factory=dict)
    refused: list[Package] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)
    files: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    characters: Counter[tuple[str, str, str]] = field(default_factory=Counter)


def stated_packages(path: Path = PACKAGES) -> list[tuple[str, str, bool]]:
    """(registry, name, held out) of every line `pip NAME` or `npm NAME held`."""
    lines = [line.split() for line in path.read_text().splitlines() if line and line[0] != "#"]
    return [(line[0], line[1], line[2:] == ["held"]) for line in lines]


def fetch(out: Path) -> None:
    """Download each stated package once, without its dependencies."""
    out.mkdir(parents=True, exist_ok=True)
    for registry, name, _ in stated_packages():
        command = PIP if registry == "pip" else NPM
        done = subprocess.run([*command, str(out), name], check=False, capture_output=True)
        print(registry, name, "ok" if done.returncode == 0 else "failed", flush=True)


def benchmark_texts(folder: Path) -> Iterator[str]:
    """Every text in `folder`: whole files, and the decoded strings inside JSON."""
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        text = data.decode("utf-8", "replace")
        yield text
        if ".json" in path.name:
            for line in text.split("\n") if ".jsonl" in path.name else [text]:
                yield from _strings(line)


def _strings(line: str) -> list[str]:
    try:
        pending, found = [json.loads(line)], []
    except ValueError:
        return []
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, dict):
            pending += value.values()
        elif isinstance(value, list):
            pending += value
    return found


def kept_files(archives: Path, overlap: Overlap, tally: Tally) -> list[SourceFile]:
    """The files that pass every filter, in a fixed order, capped by package and language."""
    seen: set[bytes] = set()
    near, kept = NearDuplicates(), []
    for path in sorted([*archives.glob("*.whl"), *archives.glob("*.tgz")]):
        package, files = read_archive(path)
        if not package.permissive:
            tally.refused.append(package)
            continue
        tally.packages[package.name] = package
        chosen = sorted(files, key=lambda f: hashlib.sha256(f.path.encode()).digest())
        sizes: Counter[str] = Counter()
        for file in chosen:
            language = language_of(file.path)
            if language is None or sum(sizes.values()) > PER_PACKAGE:
                continue
            if sizes[language] > PER_LANGUAGE.get(language, PER_PACKAGE):
                continue
            reason = refusal(file.text) or _repeated(file.text, seen, near)
            if reason is None and overlap.touches(file.text):
                reason = "overlap"
            if reason is not None:
                tally.dropped[reason] += 1
                continue
            sizes[language] += len(file.text)
            kept.append(file)
    return kept


def _repeated(text: str, seen: set[bytes], near: NearDuplicates) -> str | None:
    digest = hashlib.sha256(normalised(text).encode()).digest()
    if digest in seen:
        return "duplicate"
    seen.add(digest)
    return "near-duplicate" if near.add(text) else None


def build(archives: Path, out: Path, benchmarks: Path) -> Tally:
    """Shards `train` and `held` in `out`, and the data card."""
    folder = DEFAULT_MODEL
    tokenizer = read_tokenizer(folder, read_config(folder))
    tally, overlap = Tally(), Overlap(benchmark_texts(benchmarks))
    held = {name.lower().replace("-", "_") for _, name, aside in stated_packages() if aside}
    splits: dict[str, list[SourceFile]] = defaultdict(list)
    for file in kept_files(archives, overlap, tally):
        split = "held" if file.package.name.replace("-", "_") in held else "train"
        splits[split].append(file)
        key = (split, language_of(file.path) or "?", file.package.family)
        tally.files[key] += 1
        tally.characters[key] += len(file.text)
    hashes, spelled = {}, tokenizer_digest(folder)
    for split, files in splits.items():
        files.sort(key=lambda f: (f.package.name, f.path))
        hashes[split] = write_shard(out / split, _documents(files, tokenizer), spelled)
    write_card(out / "DATA.md", tally.packages, tally, hashes)
    return tally


def _documents(files: list[SourceFile], tokenizer: Tokenizer) -> Iterator[Document]:
    for file in files:
        ids = tokenizer.encode(file.text)
        if len(ids) >= 64:
            yield Document(ids, file.package.name, language_of(file.path) or "?", file.path)


def main(arguments: list[str]) -> None:
    """`fetch ARCHIVES` or `build ARCHIVES OUT BENCHMARKS`."""
    random.seed(0)
    if arguments[:1] == ["fetch"] and len(arguments) == 2:
        fetch(Path(arguments[1]))
    elif arguments[:1] == ["build"] and len(arguments) == 4:
        tally = build(*(Path(a) for a in arguments[1:]))
        print(dict(tally.dropped), sum(tally.files.values()), "files kept")
    else:
        raise SystemExit(main.__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
