"""The trainer's forward is the engine's, and its hand-written backward is the true gradient."""

from pathlib import Path

import pytest
import torch

from models.layout import Layout
from models.loader import Model, load
from models.rotary import angles, rotate
from models.training.adapters import load_adapters
from models.training.evaluate import causal_figures
from models.training.head import HeadLoss
from models.training.held import HeldSpan, causal_nll
from models.training.kernels import applied
from models.training.network import Network
from models.training.pack import Hole, Item, Segment, Slot, _context, needed, pack
from models.transformer import Pass, RowGroup, RowKind
from tests.models.training.conftest import make_network
from tests.tiny import tiny_model


def item(layout: Layout) -> Item:
    """Two holes over one text, one with a suffix and a reference; and a joint hole."""
    text = [5, 40, 41, 42, 43, 44, 45, 46, 47]
    between = [5, 40, 41, 60, 61, 62]
    gap = range(layout.anchor(3) + 5, layout.anchor(3) + 8)
    segments = [
        Segment(text, list(layout.prefix(9))),
        Segment([50, 51, 52], list(layout.suffix(3))),
        Segment([70, 71, 72, 73], list(layout.reference(4))),
        Segment(between, [*layout.prefix(3), *gap]),
    ]
    shown = Slot([44, 16, 80, 0, 15], [(0, 81, 1.0, 0), (2, 82, 0.5, 2)])
    other = Slot([44, 81, 16, 16, 15], [(1, 80, 1.0, 0), (2, 0, 1.0, 1)])
    empty = Slot([5, 16, 16, 15], [(0, 90, 1.0, 0), (1, 91, 1.0, 0)])
    joint = Slot([41, 16, 16, 16, 0, 62, 16, 16, 0], [(0, 91, 1.0, 0), (6, 93, 1.0, 0)])
    rows = [*layout.canvas(3, 4), *range(gap[-1], gap[-1] + 4)]
    return Item(
        segments,
        [
            Hole([(1, 0, 3), (2, 0, 4), (0, 0, 6)], list(layout.canvas(6, 4)), [0], [shown, other]),
            Hole([(0, 0, 1)], list(layout.canvas(1, 3)), [0], [empty, empty]),
            Hole([(1, 0, 2), (3, 0, 6)], rows, [0, 5], [joint]),
        ],
    )


def trainer_hidden(network: Network, items: list[Item]) -> tuple[torch.Tensor, list[int]]:
    packed = pack(items).to(torch.device("cpu"), torch.float32)
    hidden = network.canvas(packed, network.context(packed))
    return hidden, packed.targets.tolist()


def engine_logits(model: Model, one: Item, number: int, index: int) -> torch.Tensor:
    """Logits of one slot's rows, by the engine's transformer and its key/value caches."""
    t, hole = model.transformer, one.holes[number]
    context = []
    for segment, start, stop in hole.visible:
        assert start == 0
        ids, positions = one.segments[segment].ids, one.segments[segment].positions
        store = t.new_key_values()
        group = RowGroup(0, len(ids), (), store)
        t.forward(Pass(torch.tensor(ids), torch.tensor(positions), len(ids), (group,)))
        context.append((store, stop))
    ids = hole.slots[index].ids
    group = RowGroup(0, len(ids), tuple(context), t.new_key_values(), skip=1, causal=False)
    step = Pass(torch.tensor(ids), torch.tensor(hole.positions), 0, (group,))
    return t.logits(t.forward(step), RowKind.CANVAS)


def test_forward_equals_the_engines(folder: Path) -> None:
    model = load(folder, torch.float32, torch.device("cpu"))
    network = make_network(folder, model.config)
    load_adapters(network, folder, model.config)
    one = item(model.config.layout)
    hidden, _ = trainer_hidden(network, [one])
    logits = hidden @ network.base.embedding.T
    logits[:, network.special_ids] = hidden @ network.special_rows.T
    plain = Item(one.segments, one.holes[:2])
    packed = pack([plain])
    rows = _by_slot(plain)
    assert len(packed.loss_rows) == len(rows)
    expected = {key: engine_logits(model, plain, *key) for key in {(h, s) for h, s, _ in rows}}
    got = dict(zip(_order(plain), logits, strict=False))
    for hole, slot, row in rows:
        torch.testing.assert_close(
            got[hole, slot, row], expected[hole, slot][row], atol=2e-4, rtol=2e-4
        )


def test_causal_rows_equal_the_engines(tmp_path: Path) -> None:
    """Trained causal slots, padded to one length, are the engine's causal rows."""
    model = tiny_model(tmp_path, causal_rank=3)
    network = make_network(tmp_path, model.config, rank=3)
    load_adapters(network, tmp_path, model.config, "causal")
    spans = [
        HeldSpan("a.py", [40, 41, 42], [60, 61, 62], [50, 51]),
        HeldSpan("b.py", [43, 44], [70, 71, 72, 73, 74], []),
    ]
    wanted = causal_nll(network, spans, model.config)
    found = causal_figures(model.transformer, spans)
    assert wanted.tokens == 8
    assert wanted.nll["causal"] == pytest.approx(found["causal"], rel=1e-4)
    assert wanted.nll["tail"] == pytest.approx(found["causal end"], rel=1e-4)


def _by_slot(one: Item) -> list[tuple[int, int, int]]:
    return [
        (h, s, row)
        for h, hole in enumerate(one.holes)
        for s, slot in enumerate(hole.slots)
        for row, *_ in slot.losses
    ]


def _order(one: Item) -> list[tuple[int, int, int]]:
    """Loss rows in the order of the pack: chunks are sorted by rows of a slot."""
    holes = sorted(
        range(len(one.holes)), key=lambda h: (len(one.holes[h].positions), len(one.holes[h].slots))
    )
    return [key for h in holes for key in _by_slot(one) if key[0] == h]


def reference_loss(network: Network, one: Item) -> torch.Tensor:
    """The same loss by plain autograd through W + b a, slot by slot, with explicit masks."""
    config, total = network.config, torch.zeros(())
    packed = pack([one])
    kept = network.context(packed)
    starts = _starts(one)
    for hole in one.holes:
        seen = [starts[s] + i for s, a, b in hole.visible for i in range(a, b)]
        for slot in hole.slots:
            hidden = _plain(network, slot.ids, hole, [(k[:, seen], v[:, seen]) for k, v in kept])
            logits = hidden @ network.base.embedding.T
            logits = logits.index_copy(1, network.special_ids, hidden @ network.special_rows.T)
            for row, target, weight, _ in slot.losses:
                total = total + weight * torch.nn.functional.cross_entropy(
                    logits[row : row + 1], torch.tensor([target])
                )
    assert config.layers
    return total


def _starts(one: Item) -> dict[int, int]:
    return _context(needed(one))[0]


def _plain(
    network: Network, ids: list[int], hole: Hole, kept: list[tuple[torch.Tensor, torch.Tensor]]
) -> torch.Tensor:
    c = network.config
    turns = angles(torch.tensor(hole.positions), c.head_dim, c.rope_theta)
    x = torch.stack(
        [
            network.special_rows[c.special_rows.index(i)]
            if i in c.special_rows
            else network.base.embedding[i]
            for i in ids
        ]
    )

    def norm(y: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.rms_norm(y, (c.hidden,), weight, c.norm_eps)

    def linear(name: str, y: torch.Tensor, layer: int) -> torch.Tensor:
        adapter, frozen = network.adapters[layer][name], getattr(network.base.layers[layer], name)  # type: ignore[index]
        delta = torch.cat(
            [
                b @ a
                for b, a in zip(
                    adapter.b.split(adapter.split), adapter.a.chunk(len(adapter.split)), strict=True
                )
            ]
        )
        out: torch.Tensor = y @ (frozen + delta).T
        return out

    own = [row for row in range(len(ids)) if row not in hole.anchors]
    for index, layer in enumerate(network.base.layers):
        qkv = (
            linear("qkv", norm(x, layer.attention_norm), index)
            .view(len(ids), -1, c.head_dim)
            .transpose(0, 1)
        )
        q, k = rotate(qkv[: c.heads], *turns), rotate(qkv[c.heads : -c.kv_heads], *turns)
        keys = torch.cat([kept[index][0], k[:, own]], 1).repeat_interleave(c.heads // c.kv_heads, 0)
        values = torch.cat([kept[index][1], qkv[-c.kv_heads :][:, own]], 1).repeat_interleave(
            c.heads // c.kv_heads, 0
        )
        weights = (q @ keys.transpose(1, 2) * c.head_dim**-0.5).softmax(-1)
        x = x + linear("output", (weights @ values).transpose(0, 1).reshape(len(ids), -1), index)
        gate, up = linear("gate_up", norm(x, layer.mlp_norm), index).chunk(2, -1)
        x = x + linear("down", torch.nn.functional.silu(gate) * up, index)
    out: torch.Tensor = norm(x, network.base.norm) * network.norm_scale
    return out


def test_gradients_equal_autograds(folder: Path) -> None:
    model = load(folder, torch.float32, torch.device("cpu"))
    network = make_network(folder, model.config)
    load_adapters(network, folder, model.config)
    one = item(model.config.layout)
    packed = pack([one])
    hidden = network.canvas(packed, network.context(packed))
    head = (network.base.embedding, network.special_ids)
    total, _ = applied(HeadLoss, hidden, network.special_rows, head, packed.targets, packed.weights)
    total.backward()
    mine = {name: p.grad.clone() for name, p in network.named_parameters() if p.grad is not None}
    network.zero_grad()
    reference = reference_loss(network, one)
    reference.backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(total, reference, rtol=1e-5, atol=1e-5)
    for name, parameter in network.named_parameters():
        assert parameter.grad is not None
        torch.testing.assert_close(mine[name], parameter.grad, rtol=2e-3, atol=1e-4, msg=name)


def test_expected_tokens_share_the_target_of_their_row() -> None:
    """Loss and gradients equal those of a cross entropy with soft targets."""
    made = torch.Generator().manual_seed(1)
    hidden = torch.randn(5, 8, generator=made, requires_grad=True)
    special = torch.randn(2, 8, generator=made, requires_grad=True)
    embedding, at = torch.randn(11, 8, generator=made), torch.tensor([3, 7])
    targets, weights = torch.tensor([0, 3, 7, 2, 2]), torch.rand(5, generator=made)
    ids, chances = torch.tensor([[3, 2], [5, 7], [7, 1], [0, 0], [4, 2]]), torch.zeros(5, 2)
    chances[:3], chances[4] = torch.tensor([0.5, 0.2]), torch.tensor([0.1, 0.9])
    learn = (targets, weights, (ids, chances))
    total, each = applied(HeadLoss, hidden, special, (embedding, at), *learn)
    total.backward()
    mine = [hidden.grad, special.grad]
    hidden.grad = special.grad = None
    wanted = torch.zeros(5, 11).scatter_add_(1, ids, chances)
    wanted.scatter_add_(1, targets[:, None], 1 - chances.sum(1, keepdim=True))
    logits = hidden @ embedding.index_copy(0, at, special).T
    reference = torch.nn.functional.cross_entropy(logits, wanted, reduction="none") @ weights
    reference.backward()  # type: ignore[no-untyped-call]
    torch.testing.assert_close(total, reference)
    torch.testing.assert_close(mine, [hidden.grad, special.grad])
    alone = torch.nn.functional.cross_entropy(logits, targets, reduction="none")
    torch.testing.assert_close(each, alone)
