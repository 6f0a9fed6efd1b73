"""Token shards on disk: ids of whole files, memory-mapped, with package, language and path."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from models.tokenizer import NAME

DOCUMENT = np.dtype([("start", "<i8"), ("length", "<i4"), ("package", "<i4"), ("language", "<i2")])


class Manifest(msgspec.Struct, frozen=True):
    """Names behind the numbers of a shard, and the hash of its token file."""

    packages: list[str]
    languages: list[str]
    paths: list[str]
    tokens: int
    sha256: str
    tokenizer: str = ""
    """SHA-256 of the tokenizer's file; "" in a shard that doesn't say whose tokens it holds."""


@dataclass(frozen=True, slots=True)
class Document:
    """One file's tokens and where it comes from."""

    ids: list[int]
    package: str
    language: str
    path: str


class Shard:
    """Read access to one split; documents of a package are neighbours."""

    def __init__(self, folder: Path) -> None:
        self.manifest = msgspec.json.decode((folder / "manifest.json").read_bytes(), type=Manifest)
        self.documents: NDArray[np.void] = np.load(folder / "documents.npy", allow_pickle=False)
        self.tokens: NDArray[np.uint16] = np.memmap(folder / "tokens.bin", np.uint16, "r")
        if len(self.tokens) != self.manifest.tokens or len(self.documents) != len(
            self.manifest.paths
        ):
            raise ValueError(f"{folder} is incomplete; build the shards again.")

    def __len__(self) -> int:
        return len(self.documents)

    def language(self, number: int) -> str:
        """Language of document `number`."""
        return self.manifest.languages[int(self.documents[number]["language"])]

    def path(self, number: int) -> str:
        """Path of document `number` inside its package."""
        return self.manifest.paths[number]

    def ids(self, number: int, start: int = 0, stop: int | None = None) -> list[int]:
        """Tokens start..stop of document `number`."""
        first, length = (int(self.documents[number][name]) for name in ("start", "length"))
        stop = length if stop is None else min(stop, length)
        ids: list[int] = self.tokens[first + start : first + stop].tolist()
        return ids

    def neighbour(self, number: int, step: int) -> int | None:
        """The document `step` places away if it is of the same package."""
        other = number + step
        if not 0 <= other < len(self) or step == 0:
            return None
        same = self.documents[other]["package"] == self.documents[number]["package"]
        return other if same else None


def open_shard(folder: Path, model: Path) -> Shard:
    """The split in `folder`; ValueError if its tokens are not those of the checkpoint `model`."""
    shard = Shard(folder)
    if shard.manifest.tokenizer not in ("", tokenizer_digest(model)):
        raise ValueError(f"{folder} holds tokens of another tokenizer than {model / NAME}.")
    return shard


def tokenizer_digest(model: Path) -> str:
    """SHA-256 of the tokenizer's file in the checkpoint `model`."""
    return hashlib.sha256((model / NAME).read_bytes()).hexdigest()


def write_shard(folder: Path, documents: Iterable[Document], tokenizer: str = "") -> Manifest:
    """Write one split; the manifest comes last, so that a half-written shard is not readable."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "manifest.json").unlink(missing_ok=True)
    packages: dict[str, int] = {}
    languages: dict[str, int] = {}
    rows, paths, digest, at = [], [], hashlib.sha256(), 0
    with (folder / "tokens.bin").open("wb") as file:
        for document in documents:
            data = np.asarray(document.ids, np.uint16).tobytes()
            file.write(data)
            digest.update(data)
            package = packages.setdefault(document.package, len(packages))
            language = languages.setdefault(document.language, len(languages))
            rows.append((at, len(document.ids), package, language))
            paths.append(document.path)
            at += len(document.ids)
    np.save(folder / "documents.npy", np.array(rows, DOCUMENT), allow_pickle=False)
    names = list(packages), list(languages), paths
    manifest = Manifest(*names, at, digest.hexdigest(), tokenizer)
    (folder / "manifest.json").write_bytes(msgspec.json.encode(manifest))
    return manifest
