"""The wording of reference segments: header, context file, old text, instruction.

The words a model was trained with are part of its layout; whoever asks it must use the same.
"""


def header(path: str, language: str) -> str:
    """What is said about the file being edited."""
    return f"File: {path}\nLanguage: {language}\n"


def context_file(path: str, text: str) -> str:
    """A piece of another file."""
    return f"File: {path}\n\n{text}"


def old_text(text: str) -> str:
    """What stood in the span before a rewrite."""
    return f"Old text:\n{text}\n"


def instruction(text: str) -> str:
    """What is to be done to the old text."""
    return f"Instruction: {text}\n"


def recent_edit(before: str, after: str) -> str:
    """A change made elsewhere a moment ago, which may be due here too."""
    return f"Recent edit:\n- {before.strip()}\n+ {after.strip()}\n"
