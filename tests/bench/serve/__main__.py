"""`python -m tests.bench.serve [--quick] [SECTION ...]`: the server's numbers as JSON."""

import argparse
import json
import os
import sys
from collections.abc import Callable
from typing import Any

from tests.bench.serve import loopback, memory, real

NAMES = ("loopback", "memory", "throughput", "fairness", "cancel")


def main(words: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.serve", description=__doc__)
    parser.add_argument(
        "sections", nargs="*", metavar="SECTION", help=f"of {', '.join(NAMES)}; all by default"
    )
    parser.add_argument("--quick", action="store_true", help="a few rounds, to see that it works")
    parser.add_argument("--threads", type=int, default=2)
    given = parser.parse_args(words)
    if unknown := set(given.sections) - set(NAMES):
        parser.error(f"unknown sections: {', '.join(sorted(unknown))}")
    result: dict[str, Any] = {"load": round(os.getloadavg()[0], 1), "threads": given.threads}
    for name in given.sections or NAMES:
        result[name] = section(name, given.quick, given.threads)()
        print(json.dumps({name: result[name]}, indent=1), flush=True)
    print(json.dumps({"load at start": result["load"], "at end": round(os.getloadavg()[0], 1)}))
    return 0


def section(name: str, quick: bool, threads: int) -> Callable[[], Any]:
    """What measures a section."""
    if name == "loopback":
        return lambda: loopback.measure(quick)
    if name == "memory":
        return lambda: memory.measure(quick)

    def measured() -> Any:
        from engine.backend import open_model
        from engine.config import EngineConfig

        model = open_model(EngineConfig(threads=threads))
        if name == "throughput":
            return real.throughput(model, threads, 1 if quick else 5)
        if name == "fairness":
            return real.fairness(model, threads, 3 if quick else 40)
        return real.cancels(model, threads, 10 if quick else 200)

    return measured


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
