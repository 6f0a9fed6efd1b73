"""Are heads worth having? `python -m models.training.heads MODEL SHARDS OUT [HOLES]`.

A length head and a head for the quality of tokens, linear on the frozen model's hidden states, are
fitted on holes of the training packages and compared with the rules that need no training on holes
of the held-out ones. A head is `kept` only if it beats the best rule of its cost (one pass) by more
than chance. Examples are stored in OUT in parts under the weights and the shard they are of, and
not made again; figures go to OUT/heads.json.
"""

import random
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch
from rich.progress import track
from safetensors.torch import load_file, save_file

from models.checkpoint import fingerprint
from models.loader import read_config
from models.tokenizer import read_tokenizer
from models.training.adapters import read_network
from models.training.compare import compare_length, compare_quality
from models.training.examples import Examples, Looker, joined
from models.training.samples import Mix, Sampler
from models.training.shards import open_shard

MIX = Mix(edits=0.0, joint=0.0, nothing=0.0, windows=((256, 1.0),), suffixes=((72, 0.9), (0, 0.1)))
PART = 64
SHARES = {"train": 0.7, "choose": 0.1, "held": 0.2}


@dataclass(frozen=True, slots=True)
class Source:
    """Where holes are drawn, and who looks at them; `mark` changes with either."""

    sampler: Sampler
    looker: Looker
    mark: str

    def part(self, name: str, number: int) -> Examples:
        """Examples of at least PART holes; the same name and number give the same ones."""
        rng = random.Random(f"{name}-{number}")
        found: list[Examples] = []
        while sum(len(examples.lengths) for examples in found) < PART:
            examples = self.looker.examples(self.sampler.item(rng), rng)
            found += [] if examples is None else [examples]
        return joined(found)


def heads(model: Path, shards: Path, out: Path, holes: int) -> dict[str, Any]:
    """All figures, also written to OUT/heads.json."""
    out.mkdir(parents=True, exist_ok=True)
    source = _sources(model, shards)
    parts = {name: max(1, round(holes * share / PART)) for name, share in SHARES.items()}
    made: dict[str, list[Examples]] = {name: [] for name in parts}
    wanted = [(name, number) for name, count in parts.items() for number in range(count)]
    for name, number in track(wanted, "Looking at holes"):
        made[name].append(_stored(out, name, number, source[name]))
    sets = {name: joined(examples) for name, examples in made.items()}
    figures = {
        "holes": {name: len(examples.lengths) for name, examples in sets.items()},
        "length": compare_length(sets),
        "quality": compare_quality(sets),
    }
    (out / "heads.json").write_bytes(msgspec.json.format(msgspec.json.encode(figures)))
    return figures


def _sources(model: Path, shards: Path) -> dict[str, Source]:
    """Training packages to fit and to choose on, held-out ones to compare on."""
    config = read_config(model)
    tokenizer, weights = read_tokenizer(model, config), fingerprint(model)
    looker = Looker(read_network(model, config), config)

    def source(split: str) -> Source:
        shard = open_shard(shards / split, model)
        mark = f"{weights}-{shard.manifest.sha256[:12]}"
        return Source(Sampler(shard, tokenizer, config, MIX), looker, mark)

    sources = {split: source(split) for split in ("train", "held")}
    return {name: sources["held" if name == "held" else "train"] for name in SHARES}


def _stored(out: Path, name: str, number: int, source: Source) -> Examples:
    """A part from its file, or made and stored."""
    path = out / f"{name}-{number:03d}-{source.mark}.safetensors"
    if not path.exists():
        partial = path.with_suffix(".partial")
        save_file(source.part(name, number).tensors(), partial)
        partial.replace(path)
    return Examples(**load_file(path))


if __name__ == "__main__":
    if len(sys.argv) not in (4, 5):
        raise SystemExit(__doc__)
    torch.set_num_threads(1)
    checkpoint, data, target = (Path(argument) for argument in sys.argv[1:4])
    count = int(sys.argv[4]) if len(sys.argv) == 5 else 4000
    result = heads(checkpoint, data, target, count)
    print(msgspec.json.format(msgspec.json.encode(result)).decode())
