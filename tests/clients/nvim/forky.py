"""Editors that are newer than what the package indexes have, from Debian's next release.

Their packages are unpacked into a folder and run with their own C library; the system stays as it
is. Works on Debian and its kin (x86-64); elsewhere `fetch` tells why not.
"""

import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

RELEASE = "forky"
PACKAGES = (
    "libc6",
    "libgcc-s1",
    "neovim",
    "neovim-runtime",
    "libluajit-5.1-2",
    "libluajit-5.1-common",
    "libtree-sitter0.26",
    "libunibilium4",
    "libutf8proc3",
    "libuv1t64",
    "lua-lpeg",
    "lua-luv",
    "hx",
)
KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg"
TIMEOUT = 120


class Unavailable(Exception):
    """These editors can't be had here; the message says why."""


@dataclass(frozen=True)
class Program:
    """How to start an editor: its command and what it needs in its environment."""

    command: list[str]
    environment: dict[str, str]


def fetch(folder: Path) -> dict[str, Program]:
    """The editors by name, unpacked below `folder`, from the network at the first call only."""
    root = folder / "root"
    if not (folder / "complete").exists():
        _unpack(folder, root)
        (folder / "complete").touch()
    libraries = root / "usr/lib/x86_64-linux-gnu"
    loader = [str(libraries / "ld-linux-x86-64.so.2"), "--library-path", str(libraries)]
    return {
        "neovim": Program(
            [*loader, str(root / "usr/bin/nvim")],
            {"VIMRUNTIME": str(root / "usr/share/nvim/runtime")},
        ),
        "helix": Program(
            [*loader, str(root / "usr/bin/hx")],
            {"HELIX_RUNTIME": str(root / "usr/lib/hx/runtime")},
        ),
    }


def _unpack(folder: Path, root: Path) -> None:
    for tool in ("apt-get", "dpkg"):
        if not shutil.which(tool):
            raise Unavailable(f"there is no {tool} here")
    if platform.machine() != "x86_64":
        raise Unavailable("only for x86-64")
    for part in ("lists/partial", "cache/archives/partial", "packages"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    sources = folder / "sources.list"
    sources.write_text(f"deb [signed-by={KEYS}] {_mirror()} {RELEASE} main\n")
    places = {
        "Dir::Etc::sourcelist": sources,
        "Dir::Etc::sourceparts": "/dev/null",
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
    }
    options = [word for name, value in places.items() for word in ("-o", f"{name}={value}")]
    _run(["apt-get", *options, "update"], folder)
    wanted = [f"{name}/{RELEASE}" for name in PACKAGES]
    _run(["apt-get", *options, "download", *wanted], folder / "packages")
    for package in (folder / "packages").glob("*.deb"):
        _run(["dpkg", "-x", str(package), str(root)], folder)


def _mirror() -> str:
    """The Debian archive that this machine itself uses."""
    places = [Path("/etc/apt/sources.list"), *Path("/etc/apt/sources.list.d").glob("*.*")]
    for place in places:
        text = place.read_text(errors="replace") if place.is_file() else ""
        found = re.search(r"^(?:deb\s|URIs:).*?(\S+://\S+/debian)/?(?:\s|$)", text, re.MULTILINE)
        if found:
            return found[1]
    raise Unavailable("no Debian archive in the apt sources")


def _run(command: list[str], folder: Path) -> None:
    try:
        subprocess.run(command, cwd=folder, capture_output=True, check=True, timeout=TIMEOUT)
    except (OSError, subprocess.SubprocessError) as error:
        said = getattr(error, "stderr", None) or b""
        detail = said.decode(errors="replace").strip().splitlines()[-1:]
        raise Unavailable(f"{command[0]} failed: {detail or error}") from error
