"""`python -m tests.bench.editor [--quick]`: from key to ghost text with the default model, as JSON.

A language server and an engine of their own, over standard input and a real socket. At each place
a key is typed and ghost text waited for; then a key of that text, and two that are not. Every place
is in a file of its own and each debounce has a new engine, so that the first key at a place finds
one that has seen nothing of the document around it.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lsprotocol import types

from lsp_server.link.finding import find_endpoint
from tests.bench.common.provenance import ROOT, load, provenance
from tests.bench.editor.places import Place, places
from tests.bench.fill.heldout import files, wheels
from tests.lsp.editor import Editor, editor, until

OUT = ROOT / "build" / "bench-fill" / "downloads"
DEBOUNCE = 75
FIRST, ALONG, OTHER = "first key at a place", "key of the text shown", "another key there"
PATIENCE = 120
PAUSE = 0.2


def main(words: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.editor", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few places, to see that it works")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help="folder of the held-out wheels")
    given = parser.parse_args(words)
    count = 4 if given.quick else 40
    facts = provenance(given.threads)
    chosen = places(files(wheels(given.out)), count)
    rows = {}
    for wait in (DEBOUNCE, 0):
        with tempfile.TemporaryDirectory() as folder, engine(Path(folder), given.threads):
            rows[f"debounce {wait} ms"] = asyncio.run(typing(Path(folder), chosen, wait))
            weights = asyncio.run(weight(Path(folder), 10 if given.quick else 100))
    facts["load_after"] = load()
    print(json.dumps({"places": count, **rows, "memory": weights, "run": facts}, indent=1))
    return 0


@contextmanager
def engine(folder: Path, threads: int) -> Iterator[None]:
    """The engine's server with the default model."""
    folder.chmod(0o700)
    command = [sys.executable, "-m", "engine", "--folder", str(folder), "--threads", str(threads)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        began = time.monotonic()
        while find_endpoint(folder) is None:
            if process.poll() is not None or time.monotonic() - began > PATIENCE:
                raise SystemExit("the engine did not start")
            time.sleep(0.1)
        yield
    finally:
        process.terminate()
        process.wait(30)


async def typing(folder: Path, chosen: list[Place], debounce: int) -> dict[str, Any]:
    """Milliseconds from key to answer, for each kind of key, and how often there was a text."""
    found: dict[str, list[float]] = {FIRST: [], ALONG: [], OTHER: []}
    shown = dict.fromkeys(found, 0)
    async with editor(folder, options={"debounceMs": debounce, "timeoutMs": 10_000}) as it:
        await until(lambda: it.states, "the connection")
        for number, place in enumerate(chosen):
            name = f"/w/{debounce}/{number}/{Path(place.name).name}"
            it.open(name, place.text, "python", place.cursor)
            text = ""
            for group in (FIRST, ALONG, OTHER, OTHER):
                key = next_key(group, place.keys, text)
                text = await press(it, key, found[group]) if key else text
                shown[group] += bool(key and text)
                await asyncio.sleep(PAUSE)
            closing = types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(it.uri))
            it.client.text_document_did_close(closing)
    return {group: {**percentiles(found[group]), "shown": shown[group]} for group in found}


def next_key(group: str, keys: str, text: str) -> str:
    """The key to type, none if there is no text to type along."""
    if group == ALONG:
        return text[:1]
    return next(key for key in (*keys, "x", "y") if group == FIRST or key != text[:1])


async def press(it: Editor, key: str, times: list[float]) -> str:
    """Type a key and wait for the answer; the text that is offered."""
    began = time.perf_counter()
    it.type(key)
    items = await it.ghost()
    times.append((time.perf_counter() - began) * 1000)
    return str(items[0].insert_text) if items else ""


async def weight(folder: Path, documents: int) -> dict[str, float]:
    """MiB of the language server: started, with an engine, with documents open and used."""
    async with editor(folder, options={"debounceMs": 0}) as it:
        assert it.client._server is not None
        pid = it.client._server.pid
        marks = {"started": resident_mib(pid)}
        text = "def f(x):\n    return x + 1\n\n\n" * 3000
        for number in range(documents):
            it.open(f"/w/m{number}.py", text, "python", 10 + number)
            for char in "ab":
                it.type(char)
            await it.ghost()
        marks[f"{documents} documents of {len(text) // 1024} KiB, used"] = resident_mib(pid)
        return marks


def resident_mib(pid: int) -> float:
    """Resident memory of a process, where the system tells."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return round(pages * os.sysconf("SC_PAGE_SIZE") / 2**20, 1)


def percentiles(times: list[float]) -> dict[str, float]:
    """p50 and p95 in milliseconds."""
    if not times:
        return {"keys": 0}
    ordered, last = sorted(times), len(times) - 1
    named = {f"p{p}_ms": round(ordered[round(last * p / 100)], 1) for p in (50, 95)}
    return {"keys": len(times), **named}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
