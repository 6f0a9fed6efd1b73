"""The sections of the table: each takes the options, measures, and returns a JSON-able result."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from models.checkpoint import fingerprint
from models.loader import DEFAULT_MODEL
from tests.bench.common.provenance import load, provenance, stamp
from tests.bench.common.records import Stamped
from tests.bench.common.sandbox import available_isolation
from tests.bench.fill import batching, context, curve, memory, speed, twins
from tests.bench.fill.apart import peers
from tests.bench.fill.arms import Arm, curve_arms, quality_arms, sampling
from tests.bench.fill.compiling import compiled
from tests.bench.fill.data import MissingData, read_problems, subset
from tests.bench.fill.engines import Bench, open_bench
from tests.bench.fill.forms import forms
from tests.bench.fill.heldout import HeldOut, files, wheels
from tests.bench.fill.lengths import OracleLength
from tests.bench.fill.quality import CONTROLS, Quality, summary
from tests.bench.fill.twins import twin_places

NLL_CONTEXTS = (200, 500, 1000, 1500, 2000, 3000, 4000)
LONG_PREFIX = 4352  # more than the longest context, so that nothing is trimmed
CURVE_CONTEXT = 300
Result = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Options:
    """What a run measures, with which model, how much of it, and where results go."""

    out: Path
    model: Path | None
    dtype: str
    threads: int
    seed: int
    benchmarks: tuple[str, ...]
    problems: int
    lines: int
    repetitions: int
    policies: tuple[str, ...]
    branches: int
    deadlines: tuple[int, ...]
    extra: tuple[Arm, ...]
    contexts: tuple[int, ...]
    gguf: Path | None
    say: Callable[[str], None]


def run_section(name: str, options: Options) -> Result:
    """Measure one section; MissingData if this machine lacks what it needs."""
    record = provenance(options.threads)
    bench = None if name == "memory" else _open(name, options)
    record |= {"seed": options.seed, "dtype": bench.dtype if bench else "each"}
    record["weights"] = fingerprint(options.model or DEFAULT_MODEL)
    result = SECTIONS[name](options, bench) if bench else _memory(options)
    return {**result, "provenance": {**record, "load_after": load()}}


def _open(name: str, options: Options) -> Bench:
    prefix = LONG_PREFIX if name == "speed" else 2048
    return open_bench(options.model, options.dtype, options.threads, prefix)


def _quality(options: Options, bench: Bench) -> Result:
    records = Stamped(options.out / "quality.jsonl", stamp(bench.model))
    oracle = OracleLength(bench.model.config, bench.model.tokenizer)
    quality = Quality(bench.engine(), oracle, records)
    arms = quality_arms(options.policies, options.branches, options.deadlines, options.extra)
    benchmarks, missing = {}, []
    for name in options.benchmarks:
        try:
            problems = subset(read_problems(name), options.problems, options.seed)
        except MissingData as error:
            missing.append(str(error))
            continue
        found = {}
        for arm in arms:
            found[arm.name] = quality.run(arm, name, problems)
            passed = sum(record["passed"] for record in found[arm.name])
            options.say(f"quality: {name}: {arm.name}: {passed}/{len(problems)}")
        controls = {control: found[control] for control in CONTROLS}
        benchmarks[name] = [summary(arm, found[arm.name], controls) for arm in arms]
    return {"isolation": available_isolation(), "benchmarks": benchmarks, "missing": missing}


def _speed(options: Options, bench: Bench) -> Result:
    held_out = _held_out(options, bench)
    found = {n: held_out.places(options.repetitions, n, options.seed) for n in options.contexts}
    others, missing = peers(options.model, options.threads, options.out / "downloads", options.gguf)
    names = [name for name in options.policies if name != "causal"]
    arms = [Arm("default"), Arm("causal", sampling(policy="causal"))]
    arms += [Arm(name, sampling(policy=name)) for name in names] + list(options.extra)
    field = speed.contestants(bench, arms, others)
    rows = speed.race(field, found, options.repetitions, options.say)
    return {"rows": rows, "steps": speed.step_ratio(bench, found), "missing": missing}


def _context(options: Options, bench: Bench) -> Result:
    found = _held_out(options, bench).places(
        max(4, options.lines // 4), max(NLL_CONTEXTS), options.seed
    )
    return context.nll_by_context(bench.model, found, NLL_CONTEXTS)


def _curve(options: Options, bench: Bench) -> Result:
    found = _held_out(options, bench).places(options.lines, CURVE_CONTEXT, options.seed)
    records, points = Stamped(options.out / "curve.jsonl", stamp(bench.model)), []
    for arm in [*curve_arms(options.policies), *options.extra]:
        key = records.key(options.seed, options.lines, arm.name, arm.settings())
        known = records.get(key)
        points.append(
            known
            or records.add(key, **curve.measure(bench.engine(), bench.model.tokenizer, arm, found))
        )
        options.say(f"curve: {arm.name}: {points[-1]['exact']:.3f} at {points[-1]['nfe']:.1f} NFE")
    return {"points": points}


def _batch(options: Options, bench: Bench) -> Result:
    found = _held_out(options, bench).places(options.lines, CURVE_CONTEXT, options.seed)
    arms = [Arm("default"), *(Arm(name, sampling(policy=name)) for name in options.policies)]
    rows = []
    for arm in arms:
        rows.append(batching.flips(bench, arm, found))
        options.say(f"batch: {arm.name}: {rows[-1]['flips']} flips")
    return {"rows": rows}


def _twins(options: Options, bench: Bench) -> Result:
    texts = files(wheels(options.out / "downloads"))
    found, rows = twin_places(texts, options.lines, options.seed), []
    arms = [Arm("default"), *(Arm(name, sampling(policy=name)) for name in options.policies)]
    for arm in [*arms, *options.extra]:
        rows += twins.measure(bench.engine(), arm, found)
        options.say(f"twins: {arm.name}: {sum(row['right'] for row in rows[-2:])}/{len(found)}")
    return {"rows": rows}


def _compile(options: Options, bench: Bench) -> Result:
    return {"rows": compiled(bench.model, options.say)}


def _forms(options: Options, bench: Bench) -> Result:
    found = _held_out(options, bench).places(options.lines, CURVE_CONTEXT, options.seed)
    return {"places": len(found), "rows": forms(bench.model, found, options.say)}


def _memory(options: Options) -> Result:
    return {"rows": [memory.resident(dtype, options.model) for dtype in memory.DTYPES]}


def _held_out(options: Options, bench: Bench) -> HeldOut:
    return HeldOut(wheels(options.out / "downloads"), bench.model.tokenizer)


SECTIONS: dict[str, Callable[[Options, Bench], Result]] = {
    "quality": _quality,
    "speed": _speed,
    "context": _context,
    "curve": _curve,
    "batch": _batch,
    "twins": _twins,
    "compile": _compile,
    "forms": _forms,
}
NAMES = (*SECTIONS, "memory")
