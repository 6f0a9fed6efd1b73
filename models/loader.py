"""A model folder -> a transformer that is ready to run."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch

from models.checkpoint import Tensors, read_part
from models.config import ModelConfig, read_json
from models.errors import ModelError
from models.families import FAMILIES
from models.linear import Head, LowRankLinear
from models.matrix import Matrix
from models.tokenizer import Tokenizer, read_tokenizer
from models.transformer import Transformer
from models.weights import JOINED, Ends, Layer, RawLayer, Reading, module, projection_shapes

DEFAULT_MODEL = Path(__file__).parent / "weights" / "retouch-135m"


@dataclass(frozen=True, slots=True)
class Model:
    """A loaded model: its name and folder, the transformer, the tokenizer that belongs to it."""

    name: str
    config: ModelConfig
    transformer: Transformer
    tokenizer: Tokenizer
    folder: Path


def load(folder: Path, dtype: torch.dtype, device: torch.device) -> Model:
    """Read the model in `folder`; ModelError names the file and the trouble."""
    if not _is_folder(folder):
        raise ModelError(
            f"There is no model folder {folder}. Give --model a folder with config.json."
        )
    config = read_config(folder)
    config.need_holes(folder)
    transformer = read_transformer(folder, config, dtype, device)
    return Model(folder.name, config, transformer, read_tokenizer(folder, config), folder)


def _is_folder(path: Path) -> bool:
    """Whether it is one that can be looked at; a name that is too long, say, is none."""
    try:
        return path.is_dir()
    except OSError:
        return False


def read_config(folder: Path) -> ModelConfig:
    """The configuration of the checkpoint in `folder`; ModelError for any field that can't be."""
    raw = read_json(folder / "config.json")
    if "auto_map" in raw:
        raise ModelError(f"{folder} asks to run code of its own (auto_map); that is never done.")
    name = raw.get("model_type")
    if not isinstance(name, str) or name not in FAMILIES:
        raise ModelError(f"Model type {name!r} is not one of {', '.join(FAMILIES)}.")
    try:
        return FAMILIES[name](raw)
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
        raise ModelError(f"{folder}/config.json: missing or wrong field {error}.") from error


def read_transformer(
    folder: Path, config: ModelConfig, dtype: torch.dtype, device: torch.device
) -> Transformer:
    """Base weights, and merged with the canvas adapters where the checkpoint has them."""
    part = "base" if config.adapter_rank else "model"
    tensors = read_part(folder, part)
    adapters = read_part(folder, "canvas") if config.adapter_rank else None
    embedding = tensors.matrix("model.embed_tokens.weight", config.vocabulary, config.hidden)
    norm = tensors.take("model.norm.weight", (config.hidden,)).float().to(device)
    head = embedding if config.tied_head else _head(tensors, config)
    base, canvas = [], []
    for index in range(config.layers):
        raw = RawLayer(tensors, config, index)
        base.append(raw.joined(dtype, device))
        if adapters is not None:
            canvas.append(_adapted(raw, adapters, config, index).joined(dtype, device))
    tensors.finish()
    ends = Ends(embedding.to(device), Head(head, dtype, device), dtype)
    none = torch.empty(0, dtype=torch.long, device=device)
    base_reading = Reading(tuple(base), norm, none, torch.empty(0, config.hidden, device=device))
    causal = _causal_reading(folder, config, base_reading, dtype) if config.causal_rank else None
    if adapters is None:
        return Transformer(config, ends, base_reading, base_reading, causal)
    canvas_reading = _adapted_reading(adapters, config, base_reading, canvas, "canvas")
    adapters.finish()
    return Transformer(config, ends, base_reading, canvas_reading, causal)


def _head(tensors: Tensors, config: ModelConfig) -> Matrix:
    return tensors.matrix("lm_head.weight", config.vocabulary, config.hidden)


def _causal_reading(
    folder: Path, config: ModelConfig, base: Reading, dtype: torch.dtype
) -> Reading:
    """The base with low-rank terms beside its matrices: causal rows come one or a few at a time."""
    adapters, layers = read_part(folder, "causal"), []
    for index, layer in enumerate(base.layers):

        def beside(name: str, layer: Layer = layer, index: int = index) -> LowRankLinear:
            a, b = _stacked(adapters, config, f"model.layers.{index}", name)
            device = base.norm.device
            return LowRankLinear(getattr(layer, name), a.to(device, dtype), b.to(device, dtype))

        qkv, output = beside("qkv"), beside("output")
        gate_up, down = beside("gate_up"), beside("down")
        layers.append(replace(layer, qkv=qkv, output=output, gate_up=gate_up, down=down))
    reading = _adapted_reading(adapters, config, base, layers, "causal")
    adapters.finish()
    return reading


def _stacked(
    adapters: Tensors, config: ModelConfig, layer: str, name: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """a [parts * rank, in] and block-diagonal b [out, parts * rank] of a joined matrix."""
    down, up = [], []
    for part in JOINED[name]:
        rows, columns = projection_shapes(config)[part]
        stem = f"{layer}.{module(part)}.{part}.causal"
        down.append(adapters.take(f"{stem}_a", (config.causal_rank, columns)))
        up.append(adapters.take(f"{stem}_b", (rows, config.causal_rank)))
    return torch.cat(down), torch.block_diag(*up)  # type: ignore[no-untyped-call]


def _adapted_reading(
    adapters: Tensors, config: ModelConfig, base: Reading, layers: list[Layer], name: str
) -> Reading:
    """The adapted layers with the trained special rows and the trained scale of the final norm."""
    count = len(config.special_rows)
    rows = adapters.take("special_rows", (count, config.hidden)).float().to(base.norm.device)
    scale = adapters.take(f"{name}_norm_scale", (config.hidden,)).float().to(base.norm.device)
    ids = torch.tensor(config.special_rows, device=rows.device)
    return Reading(tuple(layers), base.norm * scale, ids, rows)


def _adapted(raw: RawLayer, adapters: Tensors, config: ModelConfig, index: int) -> RawLayer:
    """Add b @ a to each matrix: canvas rows multiply by W + b a."""
    for name, (rows, columns) in projection_shapes(config).items():
        stem = f"model.layers.{index}.{module(name)}.{name}.canvas"
        a = adapters.take(f"{stem}_a", (config.adapter_rank, columns)).float()
        b = adapters.take(f"{stem}_b", (rows, config.adapter_rank)).float()
        raw.matrices[name] = Matrix(raw.matrices[name].dense().addmm_(b, a))
    return raw
