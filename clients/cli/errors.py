"""What the command line reports and exits with; every message says what is wrong and what to do."""

CHANGED, UNCHANGED, BAD_INPUT, ENGINE_FAILED, INTERRUPTED, HUNG_UP = 0, 1, 2, 3, 130, 141


class CliError(Exception):
    """A clean end with a message for the person. `exit_code` is the program's exit status."""

    exit_code = BAD_INPUT
    code = "bad_input"


class BadInput(CliError):
    """The command line, the settings or the file can't be used as they are."""


class EngineFailure(CliError):
    """The input was fine, but the engine could not be started or broke off."""

    exit_code = ENGINE_FAILED
    code = "engine_failed"


class Unwritable(CliError):
    """Standard output takes nothing more, as on a full disk."""

    code = "output_failed"

    def __init__(self, error: OSError) -> None:
        super().__init__(f"standard output can't be written ({error.strerror})")


class Interrupted(CliError):
    """The person pressed Ctrl-C."""

    exit_code = INTERRUPTED
    code = "interrupted"


class Unforeseen(Exception):
    """Around an OSError of a command's own, which is a bug; one of typer's own output is none."""


class HungUp(CliError):
    """Whoever read standard output has gone."""

    exit_code = HUNG_UP
    code = "hung_up"
