"""The sections' results as one table in Markdown. Reads JSON-able results; draws nothing."""

from collections.abc import Iterable, Sequence
from typing import Any

Results = dict[str, Any]


def markdown(results: Results) -> str:
    """Every section that has results, in a fixed order."""
    parts = ["# Fill: quality, NFE and time", *_origin(results)]
    for name, render in SECTIONS.items():
        if name in results:
            parts += ["", *render(results[name])]
    return "\n".join(parts) + "\n"


def _origin(results: Results) -> list[str]:
    """When and where each section was made: sections may come from different runs."""
    rows = []
    for name, section in results.items():
        p = section["provenance"]
        packages = ", ".join(f"{key} {value}" for key, value in p["packages"].items())
        after = " ".join(map(str, p["load_after"] or ("?",)))
        rows.append(
            (
                name,
                p["commit"],
                p["date"],
                f"{p['processor']}, {p['cores']} cores, {p['threads']} threads",
                f"{' '.join(map(str, p['load_before']))} / {after}",
                str(p["seed"]),
                p.get("weights", "?"),
                p["dtype"],
                packages,
            )
        )
    head = ("section", "commit", "date", "machine", "load before / after", "seed", "weights")
    return ["", *_table((*head, "type", "with"), rows)]


def _quality(section: Results) -> list[str]:
    lines = ["## Quality", f"Sandbox: {section['isolation']}. " + _skipped(section)]
    for benchmark, rows in section["benchmarks"].items():
        lines += ["", f"### {benchmark}", ""]
        pairs = dict.fromkeys(key for row in rows for key in row if key.startswith("against "))
        controls = [key.removeprefix("against ") for key in pairs]
        head = ("arm", "length", "pass@1", "95%", "exact", *(f"vs {c}" for c in controls))
        head = (*head, "NFE", "tokens/NFE", "s/fill (in flight)")
        lines += _table(head, [_quality_row(row, controls) for row in rows])
    return lines


def _quality_row(row: Results, controls: Sequence[str]) -> tuple[str, ...]:
    low, high = row["interval"]
    total = row["problems"]
    refused = f" ({row['errors']} refused)" if row["errors"] else ""
    return (
        row["arm"],
        row["length"],
        f"{row['passed']}/{total} = {100 * row['passed'] / max(1, total):.1f}%{refused}",
        f"{100 * low:.1f} to {100 * high:.1f}",
        str(row["exact"]),
        *(_versus(row.get(f"against {control}")) for control in controls),
        f"{row['nfe']:.2f}",
        f"{row['tokens_per_nfe']:.2f}",
        f"{row['seconds_per_fill']:.3f} ({row['in_flight']})",
    )


def _versus(pair: Results | None) -> str:
    if pair is None:
        return ""
    return (
        f"{100 * pair['difference']:+.1f} [{100 * pair['low']:+.1f}, {100 * pair['high']:+.1f}], "
        f"+{pair['only_ours']}/-{pair['only_theirs']}, p={pair['p_value']:.3f}"
    )


def _speed(section: Results) -> list[str]:
    lines = [
        "## Time to a finished line",
        "Cold: nothing cached. Warm: the line has grown by one character. Peers see the text "
        "before the hole alone and keep their caches too. " + _skipped(section),
        "",
    ]
    head = ("contestant", "precision", "context", "state", "p50 ms", "p95 ms", "tokens/s")
    rows = [
        (
            row["name"],
            row["precision"],
            str(row["context"]),
            row["state"],
            f"{row['p50_ms']:.0f}",
            f"{row['p95_ms']:.0f}",
            f"{row['tokens_per_second']:.1f}",
            f"{row['tokens']:.1f}",
            f"{row['nfe']:.1f}",
            str(row["n"]),
        )
        for row in section["rows"]
    ]
    lines += _table((*head, "tokens", "NFE", "n"), rows)
    lines += ["", "### One step, everything included, context cached", ""]
    steps = [
        (row["reading"], str(row["context"]), f"{row['step_ms']:.1f}", f"{row['ratio']:.2f}")
        for row in section["steps"]
    ]
    return lines + _table(("reading", "context", "ms a step", "ratio to the shortest"), steps)


def _context(section: Results) -> list[str]:
    rows = [
        (
            str(row["tokens"]),
            f"{row['nll']:.4f}",
            f"{row['rise']:+.4f}",
            f"{row['standard_error']:.4f}",
        )
        for row in section["rows"]
    ]
    head = ("context tokens", "hole NLL", "rise over the best shorter one", "standard error")
    title = f"## Hole NLL by context, causal reading, {section['places']} held-out lines"
    return [title, "", *_table(head, rows)]


def _curve(section: Results) -> list[str]:
    rows = [
        (
            row["arm"],
            f"{row['nfe']:.2f}",
            f"{row['tokens_per_nfe']:.2f}",
            f"{100 * row['exact']:.1f}%",
            f"{100 * row['exact_interval'][0]:.1f} to {100 * row['exact_interval'][1]:.1f}",
            f"{row['agreement']:.3f}",
            f"{row['seconds_per_fill']:.3f}",
        )
        for row in section["points"]
    ]
    head = ("arm", "NFE", "tokens/NFE", "exact", "95%", "token agreement", "s/fill")
    places = section["points"][0]["places"]
    title = f"## NFE and quality on {places} held-out lines, length unknown"
    return [title, "", "![curve](picture.png)", "", *_table(head, rows)]


def _batch(section: Results) -> list[str]:
    rows = [
        (
            row["arm"],
            f"{row['flips']}/{row['places']}",
            f"{100 * row['interval'][0]:.1f} to {100 * row['interval'][1]:.1f}%",
        )
        for row in section["rows"]
    ]
    return [
        "## Texts that change between alone and in a batch of eight",
        "",
        *_table(("arm", "flips", "95%"), rows),
    ]


def _twins(section: Results) -> list[str]:
    rows = [
        (
            row["arm"],
            row["where"],
            f"{row['right']}/{row['places']} = {100 * row['right'] / row['places']:.0f}%",
            f"{100 * row['interval'][0]:.0f} to {100 * row['interval'][1]:.0f}",
            str(row["copied"]),
        )
        for row in section["rows"]
    ]
    head = ("arm", "the twin stands", "its own line", "95%", "the twin's line")
    return ["## Lines of functions beside a twin", "", *_table(head, rows)]


def _compile(section: Results) -> list[str]:
    head = ("pass", "plain ms", "compiled ms", "first passes s")
    rows = [
        (
            row["pass"],
            f"{row['plain_ms']:.1f}",
            row["error"] if "error" in row else f"{row['compiled_ms']:.1f}",
            f"{row['first_s']:.0f}",
        )
        for row in section["rows"]
    ]
    return ["## torch.compile", "", *_table(head, rows)]


def _forms(section: Results) -> list[str]:
    counts = list(section["rows"][0]["ms"])
    rows = [
        (
            row["form"],
            f"{row['mib']:.0f}",
            f"{row['nll']:.4f}",
            *(f"{row['ms'][count]:.1f}" for count in counts),
        )
        for row in section["rows"]
    ]
    head = ("form", "MiB", "nats a token", *(f"ms, {count} rows" for count in counts))
    title = f"## Forms of the weights, base reading, {section['places']} held-out lines"
    return [title, "", *_table(head, rows)]


def _memory(section: Results) -> list[str]:
    rows = [
        (row["dtype"], row["error"], "", "", "")
        if "error" in row
        else (
            row["dtype"],
            f"{row['imports_mib']:.0f}",
            f"{row['engine_mib']:.0f}",
            f"{row['after_fill_mib']:.0f}",
            f"{row['peak_mib']:.0f}",
        )
        for row in section["rows"]
    ]
    head = ("type", "torch imported", "engine open", "after a fill", "peak")
    return ["## Resident memory, MiB", "", *_table(head, rows)]


def _skipped(section: Results) -> str:
    missing = section.get("missing") or []
    return f"Not measured: {'; '.join(missing)}." if missing else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows]


SECTIONS = {
    "quality": _quality,
    "speed": _speed,
    "context": _context,
    "curve": _curve,
    "batch": _batch,
    "twins": _twins,
    "compile": _compile,
    "forms": _forms,
    "memory": _memory,
}
