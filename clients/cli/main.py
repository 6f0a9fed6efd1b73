"""The console script: the table of commands, and the one place where errors become exit codes."""

import logging
import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from types import FrameType
from typing import Annotated, Any

import typer

from clients.cli import help_texts as texts
from clients.cli.commands import fill, rewrite
from clients.cli.config_command import config
from clients.cli.demo import demo
from clients.cli.doctor import doctor
from clients.cli.errors import (
    BAD_INPUT,
    ENGINE_FAILED,
    HUNG_UP,
    BadInput,
    CliError,
    HungUp,
    Unforeseen,
    Unwritable,
)
from clients.cli.glyphs import safe
from clients.cli.language_server import LSP_COMMAND
from clients.cli.logs import log_path, start_log, stop_log
from clients.cli.options import (
    Command,
    FillOptions,
    ListingOptions,
    ReviseOptions,
    RewriteOptions,
    add_command,
)
from clients.cli.program import Program, this_program
from clients.cli.report import Failure, as_json
from clients.cli.revise_command import revise
from clients.cli.score_command import SCORE_COMMAND
from clients.cli.serve import SERVE_COMMANDS
from clients.cli.show_options import ShowOptions

_LOG = logging.getLogger("retouch.cli")


_WORK = ("Sampling", "Engine", "Server", "Output")
COMMANDS: tuple[Command[Any], ...] = (
    Command("fill", FillOptions, fill, texts.FILL, texts.FILL_EXAMPLES, ("Where", *_WORK)),
    Command("rewrite", RewriteOptions, rewrite, texts.REWRITE, texts.REWRITE_EXAMPLES, _WORK),
    Command(
        "revise",
        ReviseOptions,
        revise,
        texts.REVISE,
        texts.REVISE_EXAMPLES,
        ("Engine", "Server", "Output"),
        ("temperature", "top_p", "seed", "timeout_ms"),
    ),
    SCORE_COMMAND,
    Command("demo", ShowOptions, demo, texts.DEMO, texts.DEMO_EXAMPLES, _WORK),
    Command("doctor", ListingOptions, doctor, texts.DOCTOR, texts.DOCTOR_EXAMPLES, ("Engine",)),
    Command(
        "config", ListingOptions, config, texts.CONFIG, texts.CONFIG_EXAMPLES, ("Where", *_WORK)
    ),
    *SERVE_COMMANDS,
    LSP_COMMAND,
)


def build_app() -> typer.Typer:
    """All commands."""
    app = typer.Typer(
        name="retouch",
        help=texts.MAIN,
        epilog=texts.files(),
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    for command in COMMANDS:
        add_command(app, command)
    app.callback()(_main_options)
    return app


def main(arguments: Sequence[str], program: Program) -> int:
    """Run one command line; the exit code."""
    as_object = "--json" in arguments
    try:
        build_app()(args=list(arguments), prog_name="retouch", obj=program)
    except (SystemExit, OSError) as end:
        return _ended(end, program, as_object)
    except HungUp as error:
        _drop_output(program)
        return error.exit_code
    except Unwritable as error:
        _drop_output(program)
        return _tell(error, program, as_object=False)
    except CliError as error:
        return _tell(error, program, as_object)
    except Unforeseen as error:
        return _own_up(error.__cause__ or error, program, as_object)
    except Exception as error:  # noqa: BLE001 - the outermost boundary: a bug ends cleanly too
        return _own_up(error, program, as_object)
    return 0


def run() -> None:
    """The `retouch` console script."""
    signal.signal(signal.SIGTERM, terminate)
    start_log(log_path())
    try:
        code = main(sys.argv[1:], this_program(os.environ))
    finally:
        stop_log()
    sys.exit(code)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(f"retouch {version('retouch')}")
        except PackageNotFoundError:
            typer.echo("retouch, run from its sources")
        raise typer.Exit(0)


def _main_options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version.", is_eager=True, callback=_print_version
        ),
    ] = False,
) -> None:
    """Options of the program itself."""


def _tell(error: CliError, program: Program, as_object: bool) -> int:
    """The error for a person, and as JSON on standard output for a program that waits for it."""
    _LOG.info("ended with %s", error.code)
    _complain(program, f"retouch: {error}\n")
    if as_object:
        _hand_over(Failure({"code": error.code, "message": str(error)}), program)
    return error.exit_code


def _ended(end: SystemExit | OSError, program: Program, as_object: bool) -> int:
    """The exit code where typer ends: as asked, by misuse, or as its own text can't be written."""
    chain = list(_behind(end))
    wrong = [told() for error in chain if (told := getattr(error, "format_message", None))]
    if wrong:  # typer has told a person, if standard error takes it
        if as_object:
            _hand_over(Failure({"code": BadInput.code, "message": wrong[0]}), program)
        return BAD_INPUT
    if any(isinstance(error, BrokenPipeError) for error in chain):
        _drop_output(program)
        return HUNG_UP
    if isinstance(end, OSError):
        _drop_output(program)
        return _tell(Unwritable(end), program, as_object=False)
    return end.code if isinstance(end.code, int) else ENGINE_FAILED


def _behind(error: BaseException | None) -> Iterator[BaseException]:
    """The error and those that it came from."""
    while error is not None:
        yield error
        error = error.__context__


def _hand_over(failure: Failure, program: Program) -> None:
    """The failure on standard output, if that takes it."""
    try:
        program.put(as_json(failure))
    except (BrokenPipeError, Unwritable) as error:
        _drop_output(program)
        if isinstance(error, Unwritable):
            _complain(program, f"retouch: {error}\n")


def _complain(program: Program, text: str) -> None:
    """Say so on standard error, if that takes it."""
    with suppress(OSError):
        program.stderr.write(text)
        program.stderr.flush()


def _own_up(error: BaseException, program: Program, as_object: bool) -> int:
    """Report a bug; only the kind of error and its place are logged: messages may quote files."""
    frame = error.__traceback__
    while frame and frame.tb_next:
        frame = frame.tb_next
    place = "?"
    if frame:
        place = f"{frame.tb_frame.f_code.co_filename}:{frame.tb_lineno}"
    _LOG.error("internal error: %s at %s", type(error).__name__, place)
    detail = safe(str(error))[:500]
    told = f"internal error: {type(error).__name__} at {place}: {detail}"
    _complain(program, f"retouch: {told}\n")
    if as_object:
        _hand_over(Failure({"code": "internal_error", "message": told}), program)
    return ENGINE_FAILED


def _drop_output(program: Program) -> None:
    """Keep the interpreter from flushing into a pipe that nobody reads."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, program.stdout.fileno())
    os.close(sink)


def terminate(number: int, _: FrameType | None) -> None:
    """End by exception, so that the terminal is given back and temporary files go."""
    raise SystemExit(128 + number)


if __name__ == "__main__":
    run()
