"""The program of the engine process: a worker around the engine with the model."""

import sys

from engine.local import open_engine
from engine.worker import main

if __name__ == "__main__":
    sys.exit(main(open_engine))
