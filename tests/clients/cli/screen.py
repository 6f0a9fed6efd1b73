"""Just enough of a terminal to see what a person sees: cursor moves, erasing, colours ignored."""

import re

_TOKEN = re.compile(r"\x1b\[(\??[\d;]*)([A-Za-z])|(.)", re.DOTALL)


class Screen:
    """The lines a terminal shows after some output; unknown sequences are an error."""

    def __init__(self) -> None:
        self.lines: list[str] = [""]
        self.cursor_shown = True
        self._row = self._column = 0

    def feed(self, output: str) -> None:
        """Take in output."""
        for found in _TOKEN.finditer(output):
            if found[3] is not None:
                self._character(found[3])
            else:
                self._sequence(found[1], found[2])

    def text(self) -> list[str]:
        """All lines, without blanks at their ends."""
        return [line.rstrip() for line in self.lines]

    def _character(self, char: str) -> None:
        if char == "\r":
            self._column = 0
        elif char == "\n":
            self._row, self._column = self._row + 1, 0
            self.lines.extend([""] * (self._row + 1 - len(self.lines)))
        else:
            assert char >= " ", f"a control character reached the terminal: {char!r}"
            line = self.lines[self._row].ljust(self._column)
            self.lines[self._row] = line[: self._column] + char + line[self._column + 1 :]
            self._column += 1

    def _sequence(self, numbers: str, kind: str) -> None:
        match (numbers, kind):
            case ("?25", "l" | "h"):
                self.cursor_shown = kind == "h"
            case (_, "A"):
                self._row -= int(numbers or 1)
            case ("2", "K"):
                self.lines[self._row] = ""
            case (_, "m"):
                pass
            case _:
                raise AssertionError(f"unknown sequence {numbers}{kind}")
