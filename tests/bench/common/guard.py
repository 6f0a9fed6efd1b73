"""Runs one untrusted Python program: locks this process up, executes the file, reports on a pipe.

Started by `sandbox.py` in a process of its own (`python -I -S guard.py ...`); must import nothing
but the standard library. The lock-up is one way: nothing after `enter` can undo it.
"""

import ctypes
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path

CLONE_NEWNS, CLONE_NEWIPC, CLONE_NEWUSER = 0x00020000, 0x08000000, 0x10000000
CLONE_NEWPID, CLONE_NEWNET = 0x20000000, 0x40000000
MS_NOSUID, MS_NODEV, MS_BIND, MS_REC, MS_PRIVATE = 2, 4, 4096, 16384, 1 << 18
SYS_MOUNT_SETATTR, AT_FDCWD, AT_RECURSIVE = 442, -100, 0x8000
MOUNT_ATTR_RDONLY, MOUNT_ATTR_NOSUID = 1, 2
PR_SET_PDEATHSIG, PR_CAPBSET_DROP, PR_SET_NO_NEW_PRIVS = 1, 24, 38
LAST_CAPABILITY = 63
FIRST_UID, UIDS = 700_000, 100_000

DENIED = ("socket.", "subprocess.", "os.fork", "os.exec", "os.posix_spawn", "os.system", "ctypes.")
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGING = ("os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.chmod")


def main(program: str, isolation: str, report_fd: int, limits: tuple[int, int, int]) -> int:
    """Execute `program`; writes what became of it to `report_fd`."""
    source = Path(program).read_text("utf-8")
    box = str(Path(program).parent)
    with os.fdopen(report_fd, "w", encoding="utf-8") as report:
        if isolation == "namespaces" and (child := enter_namespaces(box)):
            _, status = os.waitpid(child, 0)
            os._exit(os.waitstatus_to_exitcode(status) & 0xFF)
        os.chdir(box)
        limit(*limits)
        if isolation == "python":
            sys.addaudithook(refuse_outside(box))
        report.write(execute(source))
    return 0


def execute(source: str) -> str:
    """ "passed", or what the program ended with; an early exit is not a pass."""
    try:
        exec(compile(source, "program.py", "exec"), {"__name__": "__main__"})
    except BaseException as error:  # noqa: BLE001 - whatever a program does is its result
        return f"{type(error).__name__}: {error}"[:500]
    return "passed"


def limit(memory: int, seconds: int, processes: int) -> None:
    """Resource limits; `memory` in bytes of address space, `seconds` of CPU time."""
    for which, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_NPROC, processes),
        (resource.RLIMIT_FSIZE, 1 << 24),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(which, (value, value))


def enter_namespaces(box: str) -> int:
    """Namespaces without network and with everything read-only but an empty `box` in memory.

    Returns the child's pid in the process outside and 0 inside, where this process is the first
    of its own process namespace: when it ends, all it started ends.
    """
    uid = os.getuid()
    flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWPID | CLONE_NEWNET
    _call("unshare", flags | (CLONE_NEWUSER if uid else 0))
    if uid:
        _map_user(uid, os.getgid())
    if child := os.fork():
        return child
    _seal_files(box, uid == 0)
    _drop_privileges(uid == 0)
    return 0


def _seal_files(box: str, root: bool) -> None:
    """Everything read-only; as root the standard library stays readable to a plain user."""
    _mount(None, "/", None, MS_REC | MS_PRIVATE, None)
    library = str(Path(os.__file__).parent)
    held = os.open(library, os.O_RDONLY | os.O_DIRECTORY)
    owner = f",uid={_box_uid()}" if root else ""
    _mount("tmpfs", box, "tmpfs", MS_NOSUID | MS_NODEV, f"size=16m,mode=700{owner}")
    if root:
        Path(box, "lib").mkdir(0o755)
        _mount(f"/proc/self/fd/{held}", f"{box}/lib", None, MS_BIND, None)
        _move_imports(library, f"{box}/lib")
    os.close(held)
    _read_only("/")
    _read_only(box, clear=True, recursive=False)


def _move_imports(old: str, new: str) -> None:
    """Import from `new` what would be imported from `old`, submodules of loaded packages too."""
    sys.path[:] = [path.replace(old, new) for path in sys.path]
    for module in list(sys.modules.values()):
        if isinstance(paths := getattr(module, "__path__", None), list):
            paths[:] = [path.replace(old, new) for path in paths]
    sys.path_importer_cache.clear()


def _drop_privileges(root: bool) -> None:
    """No capability is left, none can be had again, and this process dies with its parent."""
    for capability in range(LAST_CAPABILITY + 1):
        _libc().prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # fails past the last one
    if root:
        os.setgroups([])
        os.setresgid(_box_uid(), _box_uid(), _box_uid())
        os.setresuid(_box_uid(), _box_uid(), _box_uid())
    else:
        header, data = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
        _call("capset", header, data)
    _call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    _call("prctl", PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _box_uid() -> int:
    """A user id that nobody else has, so that the process limit counts this program alone."""
    return FIRST_UID + Path("/proc/self/ns/pid").stat().st_ino % UIDS


def _map_user(uid: int, gid: int) -> None:
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{uid} {uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {gid} 1")


def _read_only(path: str, clear: bool = False, recursive: bool = True) -> None:
    """Set (or clear) the read-only attribute of a mount and those below it."""
    on, off = (0, MOUNT_ATTR_RDONLY) if clear else (MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID, 0)
    attributes = (ctypes.c_uint64 * 4)(on, off, 0, 0)
    flags = AT_RECURSIVE if recursive else 0
    _call("syscall", SYS_MOUNT_SETATTR, AT_FDCWD, path.encode(), flags, attributes, 32)


def _mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None
) -> None:
    texts = [None if text is None else text.encode() for text in (source, target, kind, options)]
    _call("mount", *texts[:3], ctypes.c_ulong(flags), texts[3])


def _call(name: str, *arguments: object) -> None:
    if getattr(_libc(), name)(*arguments) != 0:
        code = ctypes.get_errno()
        raise OSError(code, f"{name}: {os.strerror(code)}")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def refuse_outside(box: str) -> Callable[[str, tuple[object, ...]], None]:
    """The weaker fence where the kernel gives no namespaces: an audit hook in this interpreter.

    It stops programs that mean no harm (models' mistakes), not a determined attacker.
    """

    def inside(path: object) -> bool:
        return isinstance(path, str) and os.path.realpath(path).startswith(box + os.sep)

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        if event.startswith(DENIED):
            raise PermissionError(f"{event} is not allowed here")
        if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
            if not inside(arguments[0]):
                raise PermissionError("files outside can't be written")
        elif event.startswith(CHANGING) and not (inside(arguments[0]) and arguments[-1] == -1):
            raise PermissionError("files outside can't be changed")

    return hook


if __name__ == "__main__":
    fd, memory, seconds, processes = map(int, sys.argv[3:])
    sys.exit(main(sys.argv[1], sys.argv[2], fd, (memory, seconds, processes)))
