"""A console that leaves it to the program what a reader's going means."""

from typing import NoReturn

from rich.console import Console


class HonestConsole(Console):
    """Rich would end the process with 1 there, which says "no change" in our exit codes."""

    def on_broken_pipe(self) -> NoReturn:
        """Nobody reads this stream any more."""
        raise BrokenPipeError
