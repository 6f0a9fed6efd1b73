"""The numbers as tables for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

Results = Mapping[str, Any]


def markdown(results: Results) -> str:
    """All sections that have been measured."""
    parts = [_titled(name, results[name]) for name in TABLES if results.get(name)]
    return "\n\n".join(parts) + "\n"


def _titled(name: str, found: Any) -> str:
    about = found["provenance"]
    quick = ", quick run" if found["quick"] else ""
    facts = (
        f"commit {about['commit']}, {about['date']}, {about['processor']}, "
        f"{about['cores']} cores, {about['threads']} threads, load {about['load_before'][0]} "
        f"to {about['load_after'][0]}{quick}"
    )
    return f"## {name}\n\n{facts}\n\n{TABLES[name](found['result'])}"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def _loopback(result: Any) -> str:
    names = ("p50_ms", "p95_ms", "p99_ms", "samples")
    rows = [
        (where, what, *(numbers[name] for name in names))
        for where, pair in result["rows"].items()
        for what, numbers in pair.items()
    ]
    cancel = result["cancel_to_end"]
    rows.append(("1 connection", "cancel to end", *(cancel[name] for name in names)))
    steps = f"Cancel to end: p99 {cancel['p99_steps']} steps of {cancel['step_ms']} ms."
    return _table(("", "", *names), rows) + "\n\n" + steps


def _memory(result: Any) -> str:
    marks = [("before", result["before"])]
    total = len(result["after_each_quarter"])
    for number, mark in enumerate(result["after_each_quarter"], 1):
        marks.append((f"after {number * result['fills'] // total} fills", mark))
    if slow := result.get("client_that_never_reads"):
        marks.append(("more with a client that never reads", slow))
    rows = [(name, mark["server_mib"], mark["engine_mib"]) for name, mark in marks]
    return _table(("", "server MiB", "engine MiB"), rows)


def _throughput(result: Any) -> str:
    rows = [(name, row["apart"], row["together"], row["gain"]) for name, row in result.items()]
    return _table(("text tokens a second", "one after another", "together", "gain"), rows)


def _fairness(result: Any) -> str:
    rows = [
        (name, result[name]["p95_turns"], result[name]["p95_ms"])
        for name in ("alone", "beside_crowd")
    ]
    crowd, turns = result["crowd"], result["p95_moved_by_turns"]
    moved = f"{crowd} batch fills of another client move the p95 by {turns} steps."
    return _table(("automatic fill", "p95 steps", "p95 ms"), rows) + "\n\n" + moved


def _cancel(result: Any) -> str:
    names = ("cancels", "p50_turns", "p99_turns", "worst_turns")
    return _table(names, [[result[name] for name in names]])


TABLES = {
    "loopback": _loopback,
    "memory": _memory,
    "memory_real": _memory,
    "throughput": _throughput,
    "fairness": _fairness,
    "cancel": _cancel,
}
