"""`python3 -m clients.start`: set up this checkout on first use, then run `retouch` in it."""

import subprocess
import sys

from clients.environment import ready


def main(arguments: list[str]) -> int:
    """Run `retouch` with these arguments, `demo` if there are none."""
    command = [str(ready()), "-m", "clients.cli", *(arguments or ["demo"])]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
