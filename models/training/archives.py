"""Package archives (wheels, npm tarballs) as names, licences, text files; not unpacked."""

import json
import re
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FILE_LIMIT = 150_000
PERMISSIVE = re.compile(
    r"\b(MIT|MIT-0|BSD|0BSD|Apache|ISC|PSF|Python Software Foundation|Unlicense|Zlib)\b", re.I
)
STATED = re.compile(
    r"^(?:License-Expression|License|Classifier: License ::)(?!-File)[: ]*(.{0,120})", re.M
)
OTHER = re.compile(r"GPL|GNU|MPL|Mozilla|EUPL|Proprietary|Commercial|SSPL|BUSL|CC-BY-NC", re.I)


@dataclass(frozen=True, slots=True)
class Package:
    """One archive's name, version and the licence its metadata states."""

    name: str
    version: str
    licence: str

    @property
    def permissive(self) -> bool:
        """Whether the stated licence is one of the permissive ones, and nothing else besides."""
        return bool(PERMISSIVE.search(self.licence)) and not OTHER.search(self.licence)

    @property
    def family(self) -> str:
        """The licence by its first permissive name, for counting."""
        match = PERMISSIVE.search(self.licence)
        return match.group(1).upper().replace("PYTHON SOFTWARE FOUNDATION", "PSF") if match else "?"


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A text file of a package."""

    package: Package
    path: str
    text: str


def read_archive(path: Path) -> tuple[Package, Iterator[SourceFile]]:
    """The package in `path` and its text files; ValueError for any other kind of file."""
    if path.suffix == ".whl":
        return _wheel(path)
    if path.suffix == ".tgz":
        return _tarball(path)
    raise ValueError(f"{path} is neither a wheel nor an npm tarball.")


def _wheel(path: Path) -> tuple[Package, Iterator[SourceFile]]:
    with zipfile.ZipFile(path) as archive:
        names = [n for n in archive.namelist() if n.endswith(".dist-info/METADATA")]
        metadata = archive.read(names[0]).decode("utf-8", "replace") if names else ""
    head = metadata.split("\n\n", 1)[0]
    stated = STATED.findall(head)
    name, version = path.name.split("-")[:2]
    package = Package(name.lower(), version, "; ".join(s.strip() for s in stated))
    return package, _zip_files(path, package)


def _zip_files(path: Path, package: Package) -> Iterator[SourceFile]:
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            if not entry.is_dir() and 0 < entry.file_size <= FILE_LIMIT:
                yield from _decoded(package, entry.filename, archive.read(entry))


def _tarball(path: Path) -> tuple[Package, Iterator[SourceFile]]:
    with tarfile.open(path) as archive:
        member = archive.extractfile("package/package.json")
        if member is None:
            raise ValueError(f"{path} has no package.json.")
        raw = json.load(member)
    licence = raw.get("license", "")
    package = Package(
        str(raw["name"]), str(raw["version"]), licence if isinstance(licence, str) else ""
    )
    return package, _tar_files(path, package)


def _tar_files(path: Path, package: Package) -> Iterator[SourceFile]:
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.isfile() else None
            if file is not None and 0 < member.size <= FILE_LIMIT:
                name = member.name.removeprefix("package/")
                yield from _decoded(package, f"{package.name}/{name}", file.read())


def _decoded(package: Package, path: str, data: bytes) -> Iterator[SourceFile]:
    try:
        yield SourceFile(package, path, data.decode().replace("\r\n", "\n"))
    except UnicodeDecodeError:
        return
