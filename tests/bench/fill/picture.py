"""The NFE-quality curve and the times to a finished line as one PNG."""

import io
from collections import defaultdict
from typing import Any

Results = dict[str, Any]


def png(results: Results) -> bytes | None:
    """The picture of the sections `curve` and `speed`; None without them or without matplotlib."""
    drawn = [(name, draw) for name, draw in DRAWINGS.items() if name in results]
    if not drawn:
        return None
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError:
        return None
    figure = Figure(figsize=(15, 5.5 * len(drawn)))
    FigureCanvasAgg(figure)
    grid = figure.subplots(len(drawn), 2, squeeze=False)
    for row, (name, draw) in zip(grid, drawn, strict=True):
        for axes, panel in zip(row, PANELS[name], strict=True):
            draw(axes, results[name], panel)
    figure.tight_layout()
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=110)
    return out.getvalue()


def _curve(axes: Any, section: Results, quality: str) -> None:
    """One line for each policy over its settings; a star for the default."""
    series: dict[str, list[Results]] = defaultdict(list)
    for point in section["points"]:
        if point["arm"] != "default":
            series[point["policy"]].append(point)
    for policy, points in series.items():
        axes.plot([p["nfe"] for p in points], [p[quality] for p in points], "o-", label=policy)
    for point in section["points"]:
        if point["arm"] == "default":
            axes.plot(point["nfe"], point[quality], "k*", markersize=16, label="default")
    axes.set_xlabel("forward passes a fill (NFE)")
    axes.set_ylabel(QUALITIES[quality])
    axes.set_title(f"{section['points'][0]['places']} held-out lines, length unknown")
    axes.set_ylim(bottom=0)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=8)


def _speed(axes: Any, section: Results, state: str) -> None:
    """Median time by context length, one line for each contestant."""
    series: dict[str, list[Results]] = defaultdict(list)
    for row in section["rows"]:
        if row["state"] == state:
            series[row["name"]].append(row)
    for name, rows in series.items():
        style = "o-" if name.startswith("retouch") else "s--"
        axes.plot([r["context"] for r in rows], [r["p50_ms"] for r in rows], style, label=name)
    axes.set_xlabel("tokens of context")
    axes.set_ylabel(f"ms to a finished line, {state}, p50")
    axes.set_yscale("log")
    axes.grid(alpha=0.3, which="both")
    axes.legend(fontsize=8)


QUALITIES = {"exact": "lines that match exactly", "agreement": "token agreement"}
PANELS: dict[str, tuple[str, str]] = {"curve": tuple(QUALITIES), "speed": ("warm", "cold")}
DRAWINGS = {"curve": _curve, "speed": _speed}
