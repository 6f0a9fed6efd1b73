"""`python3 -m clients.start`: set up this checkout on first use, then run `retouch` in it."""

import os
import subprocess
import sys

from clients.environment import ready


def main(arguments: list[str]) -> int:
    """Become `retouch` with these arguments, `demo` if there are none.

    Returns only where a process can't be replaced: signals and the exit code are to be its own.
    """
    command = [str(ready()), "-m", "clients.cli", *(arguments or ["demo"])]
    if os.name == "posix":
        os.execv(command[0], command)
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
