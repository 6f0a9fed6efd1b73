"""Records of revisions -> one row of figures for each method, and the table as Markdown."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.bench.common.stats import mean, percentile, wilson

Records = Sequence[Mapping[str, Any]]
COLUMNS = (
    "method",
    "bugs",
    "fixed",
    "95%",
    "restored",
    "clean",
    "harmed",
    "95% ",
    "changed",
    "net",
    "AUC",
    "NFE",
    "s",
)


def row(method: str, bugs: Records, clean: Records) -> dict[str, Any]:
    """Figures of one method. `passed` of a record: its program passes its tests afterwards.

    Where there are no tests (held-out files), only the old text itself counts as right.
    """
    fixed = [bool(one["passed"]) for one in bugs]
    harmed = [not one["passed"] for one in clean]
    everything = [*bugs, *clean]
    found = [one["auc"] for one in bugs if one["auc"] is not None]
    return {
        "method": method,
        "bugs": len(bugs),
        "fixed": mean(fixed),
        "fixed_interval": wilson(sum(fixed), len(fixed)),
        "restored": mean([one["text"] == one["item"]["gold"] for one in bugs]),
        "clean": len(clean),
        "harmed": mean(harmed),
        "harmed_interval": wilson(sum(harmed), len(harmed)),
        "changed": mean([one["text"] != one["item"]["text"] for one in clean]),
        "net": sum(fixed) - sum(harmed),
        "auc": mean(found),
        "forwards": mean([one["forwards"] for one in everything]),
        "seconds": percentile([one["ms"] / 1000 for one in everything], 0.5),
    }


def markdown(rows: Sequence[Mapping[str, Any]]) -> str:
    """The table; `s` is the median time of a revision."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for one in rows:
        cells = (
            one["method"],
            one["bugs"],
            _percent(one["fixed"]),
            _interval(one["fixed_interval"]),
            _percent(one["restored"]),
            one["clean"],
            _percent(one["harmed"]),
            _interval(one["harmed_interval"]),
            _percent(one["changed"]),
            one["net"],
            f"{one['auc']:.3f}",
            f"{one['forwards']:.1f}",
            f"{one['seconds']:.2f}",
        )
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}%"


def _interval(bounds: Sequence[float]) -> str:
    return f"{100 * bounds[0]:.1f}-{100 * bounds[1]:.1f}%"
