"""Help texts with worked examples. Help is reflowed: a paragraph ends at a blank line."""

from clients.cli.logs import log_path
from clients.cli.settings_sources import config_path

MAIN = "Fills holes in code and rewrites spans with a masked-diffusion language model."

ENDS = (
    "2 bad usage or input, 3 engine failure, 130 Ctrl-C, 141 the output's reader left, 143 SIGTERM."
)
_EXITS = f"Exit codes: 0 changed, 1 no change, {ENDS}"

FILL = (
    "Put text into a hole of FILE and show the diff; only --in-place writes the file.\n\n"
    "The hole is a place (--at), whole lines (--lines) or a range (--range) whose old text is "
    "dropped, or a marker in the text, <FILL> unless --marker names another. A marker that stands "
    "in several places makes a hole of each, and all are filled. Lines and columns "
    "count from 1; a column is a character, and a tab is one. From standard input (-) the whole "
    f"filled text is printed.\n\n{_EXITS}"
)

REWRITE = (
    "Write a span of FILE anew and show the diff; only --in-place writes the file.\n\n"
    "The span is whole lines (--lines, repeated for several spans) or a range (--range). Its old "
    "text is masked; what stands before and behind it stays as it is, byte for byte. With "
    "--instruction the model is told that and, of a single span, the old text; --guidance says how "
    f"much the instruction counts.\n\n{_EXITS}"
)

REVISE = (
    "Look for the weakest tokens of a span of FILE, denoise them again and show the diff.\n\n"
    "The span is whole lines (--lines, repeated for several spans) or a range (--range); all else "
    "stays as it is, byte for byte. A change is kept only if the model finds the whole text "
    f"clearly better with it; else the span stays as it is.\n\n{_EXITS}"
)

DEMO = (
    "Fill a line and rewrite a block of the example files, live, and show the diffs.\n\n"
    "Nothing is written. The commands that would do the same from here are shown."
)

DOCTOR = (
    "Tell what retouch runs on, whether the model is whole, what is slow and why.\n\n"
    "Exit codes: 0 all well, 3 something keeps retouch from working."
)

CONFIG = (
    "Print every setting, its value and where that came from.\n\n"
    "Precedence: flag, then environment (RETOUCH_NAME), then the config file, then the default."
)


def examples(*pairs: tuple[str, str]) -> str:
    """Examples as they would be typed, each with a comment on what it does."""
    lines = [f"  {command}  [dim]# {meaning}[/dim]" for command, meaning in pairs]
    return "[bold]Examples[/bold]\n\n" + "\n\n".join(lines)


FILL_EXAMPLES = examples(
    ("retouch fill orders.py --at 48:16", "before column 16 of line 48"),
    ("retouch fill orders.py --lines 21 -i", "line 21, written"),
    ("retouch fill orders.py --range 53:16-53:34 --diff", "a part of a line"),
    ("echo 'two = 1 + <FILL>' | retouch fill -", "at the marker"),
    ("retouch fill orders.py --marker 'raise NotImplementedError' --json", "as JSON"),
)
REWRITE_EXAMPLES = examples(
    ("retouch rewrite orders.py --lines 64:67 --shape line", "as one line"),
    ("retouch rewrite orders.py --lines 64:67 --temperature 0.7 -i", "a freer one"),
    ("retouch rewrite orders.py --range 53:16-53:34 --seed 7", "a part of a line"),
    ("retouch rewrite orders.py --lines 64 --instruction 'round up' --guidance 2", "as asked"),
)
REVISE_EXAMPLES = examples(
    ("retouch revise orders.py --lines 64:67 --explain", "and why"),
    ("retouch revise orders.py --lines 64:67 --strength 0 --explain", "only the scores"),
    ("retouch revise orders.py --lines 64:67 --keep identifiers -i", "names stay"),
    ("retouch revise orders.py --lines 12 --lines 64:67 -i", "two spans together"),
)
DEMO_EXAMPLES = examples(
    ("retouch demo", "watch it"),
    ("retouch demo --policy threshold --threshold 0.8", "many tokens a step"),
    ("retouch demo --reduced-motion", "without animation"),
)
DOCTOR_EXAMPLES = examples(
    ("retouch doctor", "for a person"),
    ("retouch doctor --json", "for a bug report"),
    ("retouch doctor --model ~/models/mine", "another model"),
)
CONFIG_EXAMPLES = examples(
    ("retouch config", "as TOML, good as a config file"),
    ("RETOUCH_SEED=7 retouch config --json", "as JSON, with sources"),
)


def files() -> str:
    """Where settings and log are, for the end of the main help."""
    return f"Config file: {config_path({})} (RETOUCH_CONFIG names another).\n\nLog: {log_path()}"
