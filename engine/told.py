"""What a request tells beside the text: the words of its reference segments."""

from models.references import context_file, header, instruction, old_text
from protocol.errors import ProtocolError
from protocol.messages import Fill, ReviseText

CONTEXT_FILES = 3


def told(fill: Fill | ReviseText, with_header: bool) -> list[str]:
    """Header, the first context files, old text and instruction, in the order of training.

    The header is left out, silently, where the model has no place for it or was not trained on
    it: it is only told to canvas rows.
    """
    words = []
    if fill.path is not None and with_header:
        words.append(header(fill.path, _language(fill)))
    words += [context_file(file.path, file.text) for file in fill.context[:CONTEXT_FILES]]
    if isinstance(fill, Fill) and fill.old_text is not None:
        words.append(old_text(fill.old_text))
    if fill.instruction is not None:
        words.append(instruction(fill.instruction))
    return words


def guidance(fill: Fill | ReviseText) -> float:
    """How much the instruction counts; ProtocolError if there is none to weigh."""
    if fill.guidance is not None and fill.instruction is None:
        raise ProtocolError("invalid_message", "Guidance needs an `instruction`.", "guidance")
    return 1.0 if fill.guidance is None else fill.guidance


def _language(fill: Fill | ReviseText) -> str:
    """The language's name, else the path's ending."""
    if fill.doc is not None and fill.doc.language:
        return fill.doc.language
    return (fill.path or "").rpartition(".")[2]
