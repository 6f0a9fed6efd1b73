"""Command line options as frozen dataclasses, and the step from a function that takes one to a
typer command with all its flags.
"""

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar, get_type_hints

import typer

from clients.cli.constraint_options import ConstraintOptions
from clients.cli.errors import HungUp, Interrupted, Unforeseen
from clients.cli.program import Program
from clients.cli.settings import Setting, table
from clients.cli.settings_sources import Resolved, resolve
from clients.cli.show_options import OUTPUT

_WHERE: dict[str, Any] = {"rich_help_panel": "Where"}
_TOLD: dict[str, Any] = {"rich_help_panel": "Instruction"}
FileName = Annotated[
    str, typer.Argument(metavar="FILE", help="A source file, or - for standard input.")
]
"""No Path: that would make the file ./- the same as standard input."""
_REVISION: dict[str, Any] = {"rich_help_panel": "Revision"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanOptions(ConstraintOptions):
    """Which span of which file, and where the result goes."""

    diff: Annotated[
        bool, typer.Option("--diff", help="Print only the diff, for `patch`.", **OUTPUT)
    ] = False
    json: Annotated[
        bool,
        typer.Option(
            "--json", help="Print one JSON object: text, tokens, steps, NFE, times.", **OUTPUT
        ),
    ] = False
    file: FileName
    lines: Annotated[
        list[str] | None,
        typer.Option(
            "--lines",
            metavar="A:B",
            help="Whole lines, both included; repeat it for several spans at once.",
            **_WHERE,
        ),
    ] = None
    range: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="L1:C1-L2:C2",
            help="From the first place up to the second.",
            **_WHERE,
        ),
    ] = None
    in_place: Annotated[
        bool,
        typer.Option("--in-place", "-i", help="Write the result into FILE, atomically.", **OUTPUT),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToldOptions(SpanOptions):
    """What the work is for, in words."""

    instruction: Annotated[
        str | None,
        typer.Option("--instruction", metavar="TEXT", help="What the change is for.", **_TOLD),
    ] = None
    guidance: Annotated[
        float | None,
        typer.Option(
            "--guidance",
            metavar="W",
            help="How much the instruction counts: 1 is plain, more exaggerates it, 0 ignores it; "
            "all but 1 cost a second forward pass each step.",
            min=0.0,
            max=10.0,
            **_TOLD,
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RewriteOptions(ToldOptions):
    """A span, and what is missing there."""

    shape: Annotated[
        str | None,
        typer.Option(
            "--shape",
            metavar="NAME",
            help="What is missing: auto, line, block, span.",
            **_WHERE,
            autocompletion=lambda: ["auto", "line", "block", "span"],
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FillOptions(RewriteOptions):
    """As for a rewrite; the hole may be a single place too."""

    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="L:C", help="Before the character at line L, column C.", **_WHERE
        ),
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviseOptions(ToldOptions):
    """A span that stands, and what may become of it."""

    strength: Annotated[
        float,
        typer.Option(
            "--strength",
            metavar="SHARE",
            help="Largest share of the tokens that may change; 0 only scores them.",
            min=0.0,
            max=1.0,
            **_REVISION,
        ),
    ] = 0.3
    lock: Annotated[
        list[str] | None,
        typer.Option(
            "--lock",
            metavar="PATTERN",
            help="Text that must not change, as a regular expression; may be repeated.",
            **_REVISION,
        ),
    ] = None
    keep: Annotated[
        list[str] | None,
        typer.Option(
            "--keep",
            metavar="KIND",
            help="What must not change: identifiers, literals, comments; may be repeated.",
            autocompletion=lambda: ["identifiers", "literals", "comments"],
            **_REVISION,
        ),
    ] = None
    method: Annotated[
        str | None,
        typer.Option(
            "--method",
            metavar="NAME",
            help="How weak tokens are found and replaced; the model's best by default.",
            **_REVISION,
        ),
    ] = None
    explain: Annotated[
        bool,
        typer.Option(
            "--explain", help="Show every token: how likely it was and is, and why.", **OUTPUT
        ),
    ] = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingOptions:
    """Options of the commands that only tell."""

    json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False


Options = TypeVar("Options")
Body = Callable[[Program, Options, Resolved], int]


@dataclass(frozen=True, slots=True)
class Command(Generic[Options]):
    """A command: its flags are the fields of `options`, the settings of its panels, and `extra`.

    The body's return value is the exit code.
    """

    name: str
    options: type[Options]
    body: Body[Options]
    help: str
    examples: str
    panels: tuple[str, ...]
    extra: tuple[str, ...] = ()
    """Single settings of other panels."""


def add_command(app: typer.Typer, command: Command[Options]) -> None:
    """Register a command with typer."""
    names = [field.name for field in dataclasses.fields(command.options)]  # type: ignore[arg-type]

    def run(ctx: typer.Context, **given: Any) -> None:
        program: Program = ctx.obj
        options = command.options(**{key: given.pop(key) for key in names})
        if getattr(options, "no_color", False):
            given["color"] = "never"
        try:
            code = command.body(program, options, resolve(given, program.environ))
        except KeyboardInterrupt:
            raise Interrupted("interrupted") from None
        except BrokenPipeError:
            raise HungUp("the reader of standard output has gone") from None
        except OSError as error:
            raise Unforeseen from error
        raise typer.Exit(code)

    context = inspect.Parameter(
        "ctx", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context
    )
    rows = [row for row in table() if row.panel in command.panels or row.name in command.extra]
    _pretend(run, [context, *_fields(command.options), *map(_setting, rows)])
    app.command(command.name, help=command.help, epilog=command.examples)(run)


def _fields(kind: type[Any]) -> list[inspect.Parameter]:
    """The fields of an options class as parameters: file, then place, then output."""
    hints = get_type_hints(kind, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field.default),
            annotation=hints[field.name],
        )
        for field in sorted(dataclasses.fields(kind), key=lambda field: _rank(hints[field.name]))
    ]


def _rank(annotation: Any) -> int:
    """0 for an argument, 1 for an option of the panel `Where`, 2 for the others."""
    about = annotation.__metadata__[0]
    if isinstance(about, typer.models.ArgumentInfo):
        return 0
    return 1 if about.rich_help_panel == _WHERE["rich_help_panel"] else 2


def _default(value: Any) -> Any:
    return inspect.Parameter.empty if value is dataclasses.MISSING else value


def _setting(setting: Setting) -> inspect.Parameter:
    """The flag of one setting. Its value stays text; the settings table checks it."""
    is_switch = setting.type.__origin__ is bool
    option = typer.Option(
        setting.flag,
        metavar=None if is_switch else setting.metavar,
        help=setting.about,
        rich_help_panel=setting.panel,
        show_default=False,
        autocompletion=None if is_switch else _completer(setting.choices()),
    )
    kind: Any = bool | None if is_switch else str | None
    return inspect.Parameter(
        setting.name,
        inspect.Parameter.KEYWORD_ONLY,
        default=None,
        annotation=Annotated[kind, option],
    )


def _completer(words: tuple[str, ...]) -> Callable[[str], list[str]] | None:
    if not words:
        return None

    def complete(incomplete: str) -> list[str]:
        return [word for word in words if word.startswith(incomplete)]

    return complete


def _pretend(function: Callable[..., None], parameters: list[inspect.Parameter]) -> None:
    """Give a function the signature that typer shall read."""
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {item.name: item.annotation for item in parameters}
