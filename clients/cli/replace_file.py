"""Putting new bytes in place of a file: all of them or none, and only if nobody else wrote it."""

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from clients.cli.errors import BadInput
from clients.cli.glyphs import safe

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_DENIED = (errno.EACCES, errno.EPERM, errno.EROFS)


def replace_file(target: Path, data: bytes, expected: bytes) -> None:
    """Atomically replace `target` by `data`, keeping mode, owner and extended attributes.

    Args:
        target: the real file, not a link to it.
        data: its new content.
        expected: the content it must still have.

    Raises:
        BadInput: it changed since it was read, no permission, disk full; it is then untouched.
    """
    try:
        _check(target)
        _replace(target, data, expected)
    except OSError as error:
        raise BadInput(_explain(target, error)) from None


def check_writable(target: Path) -> None:
    """Refuse early what `replace_file` would refuse late.

    Raises:
        BadInput: the file or its folder may not be written.
    """
    try:
        _check(target)
    except OSError as error:
        raise BadInput(_explain(target, error)) from None


def _check(target: Path) -> None:
    target.stat()
    if not (os.access(target, os.W_OK) and os.access(target.parent, os.W_OK)):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def _replace(target: Path, data: bytes, expected: bytes) -> None:
    handle, name = tempfile.mkstemp(
        prefix=f".{target.name[:64]}.", suffix=".tmp", dir=target.parent
    )
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            _copy_attributes(target, file.fileno())
            file.flush()
            os.fsync(file.fileno())
        _refuse_if_changed(target, expected)
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
    _sync_folder(target.parent)


def _refuse_if_changed(target: Path, expected: bytes) -> None:
    with target.open("rb") as file:
        if file.read(len(expected) + 1) != expected:
            raise BadInput(
                f"{safe(str(target))}: changed while retouch was at work, so it was not written; "
                "run the command again"
            )


def _copy_attributes(target: Path, handle: int) -> None:
    """Owner first: changing it clears set-user bits of the mode."""
    status = target.stat()
    if hasattr(os, "fchown"):
        with suppress(OSError):
            os.fchown(handle, status.st_uid, status.st_gid)
    if hasattr(os, "fchmod"):
        os.fchmod(handle, status.st_mode & 0o7777)
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for attribute in os.listxattr(target):
                os.setxattr(handle, attribute, os.getxattr(target, attribute))


def _sync_folder(folder: Path) -> None:
    """Make the new name durable where folders can be synced."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _explain(target: Path, error: OSError) -> str:
    shown = safe(str(target))
    if error.errno in _FULL:
        return f"{shown}: no space left on the disk; the file is unchanged"
    if error.errno in _DENIED:
        return f"{shown}: no permission to write it or its folder; the file is unchanged"
    reason = os.strerror(error.errno).lower() if error.errno else "unknown reason"
    return f"{shown}: can't be written ({reason}); the file is unchanged"
