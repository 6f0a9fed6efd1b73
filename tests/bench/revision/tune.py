"""`python -m tests.bench.revision.tune`: which guard keeps harm low, on held-out package files.

Nothing is accepted while proposals are collected; each guard is then replayed over their gains.
An item counts as fixed if the best text passes the guard and is the gold one, as harmed if a
clean span would have been changed at all (an upper bound: nobody runs tests here).
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import torch

from engine.backend import open_model
from engine.config import EngineConfig
from engine.constraints.prefix_index import PrefixIndex
from engine.core import Engine
from engine.job import Draw
from engine.prompt import Prompter
from engine.revision.edits import Vocabulary
from engine.revision.live import plan_of
from engine.revision.opening import open_passage
from engine.revision.program import Program as Work
from engine.revision.proposers import Tools
from engine.revision.refine import Refiner, Verdict
from engine.runner import Runner
from engine.scheduler import Scheduler
from models.loader import Model
from protocol.messages import ReviseText
from protocol.revise import MethodName
from tests.bench.common.provenance import stamp
from tests.bench.common.records import Stamped, key_of
from tests.bench.revision.__main__ import OUT, heldout_items
from tests.bench.revision.data import packages
from tests.bench.revision.items import BUGS, Item

PREFIX_TOKENS = 256  # less than an engine sees: long files would cost more than what is measured
GUARDS = (0.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 9.0, 10.0, 11.0, 12.0, 14.0, 16.0, 24.0)


class Proposals:
    """Collects what a method proposes for one item."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._index = PrefixIndex(model.tokenizer.token_bytes)
        self._prompter = Prompter(model.config, model.tokenizer, self._index, PREFIX_TOKENS)
        banned = model.tokenizer.silent_ids - {model.config.eos_id}
        self._engine = Engine(Runner(model.transformer, 256 << 20, banned), Scheduler(8))

    def of(self, item: Item, method: MethodName) -> tuple[list[Verdict], int, int]:
        """Verdicts, the bytes moved in front of the text, and the forwards they cost."""
        request = ReviseText(
            "tune", item.prefix, item.text, item.suffix, method=method, guard=10_000.0, rounds=1
        )
        opened = open_passage(request, self._prompter, self._model)
        words = Vocabulary(self._model.config, self._model.tokenizer)
        tools = Tools(words, self._index, Draw(), request.strength, lambda *_: None)
        refiner = Refiner(opened.passage, plan_of(request), tools)
        program, forwards = Work(refiner.steps()), 0
        for work in program.start():
            self._engine.add(work)
        while self._engine.busy:
            for result in self._engine.step():
                forwards += result.forwards
                for work in program.advance(result):
                    self._engine.add(work)
        if program.error is not None:
            raise RuntimeError(program.error)
        return refiner.verdicts, len(opened.required), forwards


def main(arguments: list[str]) -> int:
    """Collect proposals and print fix and harm for every guard."""
    options = _parser().parse_args(arguments)
    torch.set_num_threads(options.threads)
    model = open_model(EngineConfig(options.model, threads=options.threads))
    wheels = options.wheels or options.out / "wheels"
    bugs, clean = heldout_items(packages(wheels), model, options)
    proposals, records = Proposals(model), Stamped(options.out / "tune.jsonl", stamp(model))
    order = sorted((*bugs, *clean), key=lambda item: key_of(item.name))  # a part says something
    for method in options.methods.split(","):
        for item in order:
            _collected(proposals, records, item, method)
        found = [_collected(proposals, records, item, method) for item in (*bugs, *clean)]
        print(f"{method}: {sum(one['forwards'] for one in found) / len(found):.1f} NFE")
        for guard in GUARDS:
            narrow = guard if options.narrow_guard is None else options.narrow_guard
            fixed = replay(found[: len(bugs)], guard, narrow)
            harmed = replay(found[len(bugs) :], guard, narrow)
            right = sum(text == one["gold"] for text, one in zip(fixed, found, strict=False))
            changed = sum(text is not None for text in harmed)
            print(
                f"  guard {guard:5.2f}: fixed {right}/{len(bugs)}, "
                f"changed clean {changed}/{len(clean)}",
                flush=True,
            )
    return 0


def replay(found: Sequence[dict[str, Any]], guard: float, narrow_guard: float) -> list[str | None]:
    """The text of each item that is furthest ahead of its guard; None if none is."""
    texts = []
    for item in found:
        ahead = [
            (one["gain"] - (narrow_guard if one["narrow"] else guard), one["text"])
            for one in item["verdicts"]
        ]
        best = max(ahead, default=None)
        texts.append(best[1] if best and best[0] > 0 else None)
    return texts


def _collected(
    proposals: Proposals, records: Stamped, item: Item, method: MethodName
) -> dict[str, Any]:
    key = records.key(method, item.prefix, item.text, item.suffix)
    if (known := records.get(key)) is not None:
        return known
    verdicts, moved, forwards = proposals.of(item, method)
    shown = [
        {
            "window": verdict.window,
            "gain": verdict.gain,
            "text": verdict.text[moved:].decode("utf-8", "replace"),
            "narrow": verdict.narrow,
        }
        for verdict in verdicts
    ]
    gold = item.gold.removesuffix("\n")
    return records.add(
        key, gold=gold, text=item.text, verdicts=shown, forwards=forwards, method=method
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.revision.tune")
    add = parser.add_argument
    add("--out", type=Path, default=OUT, help="folder of results and downloads")
    add("--wheels", type=Path, help="folder of the held-out wheels")
    add("--bugs", type=int, default=100)
    add("--kind", choices=sorted(BUGS), default="substitutions")
    add("--clean", type=int, default=200)
    add("--narrow-guard", type=float, help="where little else could be meant")
    add("--methods", default=",".join(get_args(MethodName)[:3]))
    add("--model", type=Path)
    add("--threads", type=int, default=1)
    add("--seed", type=int, default=7)
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
