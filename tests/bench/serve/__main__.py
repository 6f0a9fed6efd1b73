"""`python -m tests.bench.serve [SECTION ...]`: the server's numbers, as JSON and as a table."""

import argparse
import json
import signal
import sys
from pathlib import Path
from typing import Any

from tests.bench.common.pause import paused
from tests.bench.common.provenance import ROOT, commit, load, provenance
from tests.bench.common.records import read_json, write_bytes, write_json
from tests.bench.serve.report import markdown
from tests.bench.serve.sections import SECTIONS, Options

OUT = ROOT / "build" / "bench-serve"


def main(words: list[str]) -> int:
    """Measure the sections that this commit has no numbers of yet, and print them."""
    given = _parser().parse_args(words)
    options = Options(given.quick, given.threads)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is paused goes on
    print(f"load {load()}, {options.threads} threads, results in {given.out}", flush=True)
    with paused(given.pause):
        for name in given.sections or SECTIONS:
            path = given.out / f"{name}.json"
            found = None if given.again else _finished(read_json(path), options)
            if found is None:
                found = _measured(name, options)
                write_json(path, found)
            print(f"{name} {json.dumps(found, indent=1)}", flush=True)
    results = {name: read_json(given.out / f"{name}.json") for name in SECTIONS}
    write_bytes(given.out / "table.md", markdown(results).encode())
    print(f"load {load()}; see {given.out / 'table.md'}")
    return 0


def _measured(name: str, options: Options) -> dict[str, Any]:
    record = provenance(options.threads)
    result = SECTIONS[name](options)
    return {
        "result": result,
        "quick": options.quick,
        "provenance": {**record, "load_after": load()},
    }


def _finished(found: Any, options: Options) -> dict[str, Any] | None:
    """A section's numbers, if they are of this commit, of as many threads and as thorough."""
    if found is None or found["provenance"]["commit"] != commit():
        return None
    same = found["quick"] is options.quick
    return found if same and found["provenance"]["threads"] == options.threads else None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.serve", description=__doc__)
    add = parser.add_argument
    add("sections", nargs="*", type=_section, help=f"of {', '.join(SECTIONS)}; all by default")
    add("--quick", action="store_true", help="a few rounds, to see that it works")
    add("--again", action="store_true", help="measure anew what is there")
    add("--threads", type=int, default=2, help="threads of the real engine")
    add("--out", type=Path, default=OUT, help="folder of results; a second run goes on from there")
    add("--pause", metavar="PID", help="process (or file of pids) whose group is stopped meanwhile")
    return parser


def _section(name: str) -> str:
    if name not in SECTIONS:
        raise argparse.ArgumentTypeError(f"{name!r} is not one of {', '.join(SECTIONS)}")
    return name


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
