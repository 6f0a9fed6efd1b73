"""`python3 -m tests.run`: set up this checkout on first use, then check everything in it.

Format, lint, types, import contracts, tests; stops at the first that fails. Arguments go to
pytest, and then only the tests run.
"""

import os
import subprocess
import sys

from clients.environment import ROOT, ready

CHECKS = (
    ("ruff", "format", "--check", "."),
    ("ruff", "check", "."),
    ("mypy",),
    ("lint-imports", "--no-logo"),
)


def main(arguments: list[str]) -> int:
    """The exit status of the first check that fails, or of pytest."""
    python = ready("dev")
    tools = python.parent
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
    for name, *rest in () if arguments else CHECKS:
        print("==", name, *rest, flush=True)
        done = subprocess.run([str(tools / name), *rest], cwd=ROOT, check=False)
        if done.returncode:
            return done.returncode
    coverage = () if arguments else ("--cov", "--cov-report=term:skip-covered")
    print("== pytest", flush=True)
    command = [str(python), "-m", "pytest", *coverage, *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
