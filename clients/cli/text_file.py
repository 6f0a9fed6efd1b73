"""Reading a source file or standard input: bytes, encoding and BOM, with clear refusals.

Nothing here writes; see replace_file.
"""

import os
import stat
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE, BOM_UTF32_BE, BOM_UTF32_LE
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from clients.cli.document import Edit
from clients.cli.errors import BadInput
from clients.cli.glyphs import safe

SIZE_LIMIT = 4 * 1024 * 1024

_BOMS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))


@dataclass(frozen=True, slots=True)
class Source:
    """Text as it was read. `path` is the real file (links followed), None for standard input."""

    name: str
    path: Path | None
    data: bytes
    bom: bytes
    encoding: str
    text: str

    def edited(self, *edits: Edit) -> bytes:
        """The file's bytes after `edits`, in order; the bytes outside are taken over untouched."""
        parts: list[bytes] = []
        byte = 0
        for edit in edits:
            start = len(self.bom) + len(self.text[: edit.start].encode(self.encoding))
            parts += [self.data[byte:start], edit.text.encode(self.encoding, "replace")]
            byte = start + len(self.text[edit.start : edit.end].encode(self.encoding))
        return b"".join([*parts, self.data[byte:]])


def read_source(name: str, stdin: BinaryIO) -> Source:
    """Read `name`, or standard input when it is "-".

    Raises:
        BadInput: missing, no regular file, too large, binary, not decodable, no permission.
    """
    if name == "-":
        return _decode("standard input", None, stdin.read(SIZE_LIMIT + 1))
    shown = safe(str(Path(name)))
    try:
        path = Path(name).resolve(strict=True)
        data = _read_regular(path, shown)
    except FileNotFoundError:
        raise BadInput(f"{shown}: no such file") from None
    except PermissionError:
        raise BadInput(f"{shown}: no permission to read it") from None
    except (OSError, RuntimeError, ValueError) as error:
        raise BadInput(f"{shown}: can't be read ({_reason(error)})") from None
    return _decode(shown, path, data)


def _read_regular(path: Path, shown: str) -> bytes:
    """The bytes of a regular file, one more than the limit at most."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise BadInput(f"{shown}: is a directory; name a file in it")
    if not stat.S_ISREG(mode):
        raise BadInput(f"{shown}: is not a regular file; use `-` to read standard input")
    with path.open("rb") as file:
        return file.read(SIZE_LIMIT + 1)


def _decode(shown: str, path: Path | None, data: bytes) -> Source:
    """Detect BOM and encoding and decode strictly."""
    if len(data) > SIZE_LIMIT:
        limit = SIZE_LIMIT // 2**20
        raise BadInput(f"{shown}: larger than {limit} MiB; retouch works on source files")
    if data.startswith((BOM_UTF32_LE, BOM_UTF32_BE)):
        raise BadInput(f"{shown}: is UTF-32; convert it to UTF-8 first")
    bom, encoding = next(((b, e) for b, e in _BOMS if data.startswith(b)), (b"", "utf-8"))
    if encoding == "utf-8" and b"\0" in data:
        raise BadInput(f"{shown}: is a binary file (a NUL byte at offset {data.index(0)})")
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        raise BadInput(_undecodable(shown, data, len(bom) + error.start, encoding)) from None
    if "\0" in text:
        raise BadInput(f"{shown}: is a binary file (it has a NUL character)")
    return Source(shown, path, data, bom, encoding, text)


def _undecodable(shown: str, data: bytes, offset: int, encoding: str) -> str:
    kind = encoding.upper().removesuffix("-LE").removesuffix("-BE")
    byte = data[offset]
    return (
        f"{shown}: byte 0x{byte:02X} at offset {offset} is not {kind}; convert the file to "
        "UTF-8 first (UTF-16 is read too when it has a byte order mark)"
    )


def _reason(error: Exception) -> str:
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return safe(str(error))
