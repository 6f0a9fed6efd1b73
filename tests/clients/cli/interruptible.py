"""A program for the terminal tests: the command line over an engine that takes its time."""

import os
import signal
import sys

from clients.cli.main import main, terminate
from clients.cli.program import Program
from tests.fakes import FakeEngine

if __name__ == "__main__":
    slow = FakeEngine("a b c d e f g h i j k l m n o p", per_step=1, delay=float(sys.argv[1]))
    signal.signal(signal.SIGTERM, terminate)
    program = Program(lambda _: slow, os.environ, sys.stdin.buffer, sys.stdout.buffer, sys.stderr)
    sys.exit(main(sys.argv[2:], program))
