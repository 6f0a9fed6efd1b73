"""The program of an engine process with the fake engine."""

import sys

from engine.worker import main
from tests.engine.server.fake_engine import open_fake

if __name__ == "__main__":
    sys.exit(main(open_fake))
