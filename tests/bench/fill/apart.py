"""A peer in a process of its own, so that what it loads can't slow the other contestants.

llama.cpp in the same process, even idle, made a step of two torch threads twice as long.
"""

import multiprocessing
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import torch

from models.loader import DEFAULT_MODEL
from tests.bench.fill.data import MissingData
from tests.bench.fill.peers import Line, LlamaCppPeer, Peer, TransformersPeer, base_gguf

PATIENCE = 300.0


def _run(make: Callable[[], Peer], line: Connection) -> None:
    try:
        peer = make()
    except (MissingData, ImportError) as error:
        line.send(error)
        return
    line.send((peer.name, peer.precision))
    with suppress(EOFError):  # the bench has ended
        while True:
            prefix = line.recv()
            line.send(peer.forget() if prefix is None else peer.complete(prefix))


class Apart:
    """See Peer; `make` must be picklable. Times are taken where the peer runs.

    Raises:
        MissingData: what the peer needs is not here.
    """

    def __init__(self, make: Callable[[], Peer]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self._line, theirs = spawn.Pipe()
        spawn.Process(target=_run, args=(make, theirs), daemon=True).start()
        theirs.close()
        hello = self._answer()
        if isinstance(hello, Exception):
            raise hello
        assert isinstance(hello, tuple)
        self.name, self.precision = hello

    def forget(self) -> None:
        """See Peer."""
        self._line.send(None)
        self._answer()

    def complete(self, prefix: str) -> Line:
        """See Peer."""
        self._line.send(prefix)
        line = self._answer()
        assert isinstance(line, Line)
        return line

    def _answer(self) -> object:
        if not self._line.poll(PATIENCE):
            raise TimeoutError("the peer says nothing any more")
        return self._line.recv()


def peers(
    folder: Path | None, threads: int, downloads: Path, gguf: Path | None
) -> tuple[list[Peer], list[str]]:
    """Every peer that can be had here, and why the others can't."""
    makers: list[Callable[[], Peer]] = [
        lambda: TransformersPeer(folder or DEFAULT_MODEL, torch.bfloat16),
        lambda: TransformersPeer(folder or DEFAULT_MODEL, torch.float32),
        lambda: Apart(partial(LlamaCppPeer, gguf or base_gguf(downloads), threads)),
    ]
    found: list[Peer] = []
    missing = []
    for make in makers:
        try:
            found.append(make())
        except (MissingData, ImportError) as error:
            missing.append(str(error))
    return found, missing
