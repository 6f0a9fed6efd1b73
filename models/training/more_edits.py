"""More kinds of instruction pairs: comments, documentation, statements around statements."""

import random
import re

from models.training import signatures
from models.training.edits import STRING, Change, names, parsed


def comment(text: str, rng: random.Random) -> Change | None:
    """Comments taken out."""
    changed = re.sub(r"^\s*#.*\n?|  # .*$", "", text, flags=re.M)
    return Change(
        changed,
        ("Remove the comments", "Delete the comment", "Strip comments", "No comments"),
        ("Add a comment", "Comment this code", "Explain the code in a comment", "Add comments"),
    )


def docstring(text: str, rng: random.Random) -> Change | None:
    """The docstring taken out."""
    changed = re.sub(r'^\s*[rf]?"""(?:[^"]|"(?!""))*"""\n?', "", text, count=1, flags=re.M)
    return Change(
        changed,
        ("Remove the docstring", "Delete the docstring", "Drop the documentation"),
        ("Add a docstring", "Document this function", "Write a docstring", "Add documentation"),
    )


def guard(text: str, rng: random.Random) -> Change | None:
    """Lines put into try/except, if or with."""
    lines = text.split("\n")
    if (
        len(lines) > 4
        or not lines[0].strip()
        or lines[0].strip().endswith((":", "(", ",", "[", "{"))
    ):
        return None
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
    if any(line.strip() and not line.startswith(indent) for line in lines):
        return None
    inner = "\n".join(f"    {line}" if line.strip() else line for line in lines)
    error = rng.choice(["ValueError", "KeyError", "OSError", "TypeError", "Exception"])
    name = rng.choice(names(STRING.sub("", text)) or ["value"])
    if rng.random() < 0.5:
        action = rng.choice(["pass", "return None", "raise", "continue"])
        changed = f"{indent}try:\n{inner}\n{indent}except {error}:\n{indent}    {action}"
        return Change(
            changed,
            (f"Catch {error} and {action}", f"Wrap this in try/except {error} with {action}"),
            ("Remove the try/except", f"Don't catch {error}", "Let the error through"),
        )
    changed = f"{indent}if {name}:\n{inner}"
    return Change(
        changed,
        (f"Only do this if {name}", f"Put this under `if {name}`", f"Guard it with if {name}"),
        ("Remove the if", "Do this always", "Remove the condition"),
    )


def trace(text: str, rng: random.Random) -> Change | None:
    """A print or log line in front."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    line = lines[at]
    if not line.strip() or (at and lines[at - 1].rstrip().endswith((",", "(", "[", "{", "\\"))):
        return None
    found = names(STRING.sub("", line))
    if not found or line.strip().startswith((")", "]", "}", "else", "elif", "except", '"""')):
        return None
    name, indent = rng.choice(found), line[: len(line) - len(line.lstrip())]
    added = rng.choice(
        [f'print("{name}", {name})', f"print({name})", f'logger.debug("{name}: %s", {name})']
    )
    changed = "\n".join([*lines[:at], indent + added, *lines[at:]])
    word = "Print" if added.startswith("print") else "Log"
    return Change(
        changed,
        (f"{word} {name} first", f"{word} the value of {name}", f"Add a {word.lower()} of {name}"),
        (f"Remove the {word.lower()}", "Remove the debug output", f"Don't {word.lower()} {name}"),
    )


def formatting(text: str, rng: random.Random) -> Change | None:
    """f-strings as str.format calls."""
    pattern = re.compile(r"\bf([\"'])((?:[^\"'{}\\\n]|\{\w+\})*)\1")
    if pattern.search(text) is None:
        return None

    def plain(match: re.Match[str]) -> str:
        given = re.findall(r"\{(\w+)\}", match[2])
        body = re.sub(r"\{\w+\}", "{}", match[2])
        quoted = f"{match[1]}{body}{match[1]}"
        return f"{quoted}.format({', '.join(given)})" if given else quoted

    return Change(
        pattern.sub(plain, text),
        ("Use str.format instead of an f-string", "Don't use f-strings", "Use .format"),
        ("Use an f-string", "Convert to an f-string", "Make it an f-string", "Use f-strings"),
    )


def delete_line(text: str, rng: random.Random) -> Change | None:
    """One line less."""
    lines = text.split("\n")
    if len(lines) < 3:
        return None
    at = rng.randrange(1, len(lines))
    gone = lines[at].strip()
    if not 4 < len(gone) < 60:
        return None
    changed = "\n".join(lines[:at] + lines[at + 1 :])
    return Change(
        changed,
        (f"Remove the line `{gone}`", f"Delete `{gone}`", f"Remove {gone}"),
        (f"Add `{gone}`", f"Add the line `{gone}`", f"Insert {gone}"),
    )


def call(text: str, rng: random.Random) -> Change | None:
    """A returned or assigned value put into a call."""
    match = re.search(r"^(\s*(?:return|\w+ =) )([^\n(=#]{2,50}?|[\w.]+\([^()\n]*\))$", text, re.M)
    if match is None or parsed(match[2]) is None:
        return None
    name = rng.choice(["str", "list", "int", "sorted", "tuple", "set", "len", "bool", "float"])
    changed = f"{text[: match.start(2)]}{name}({match[2]}){text[match.end(2) :]}"
    return Change(
        changed,
        (f"Convert the result with {name}", f"Wrap it in {name}()", f"Apply {name} to it"),
        (f"Remove the call of {name}", f"Drop the {name}()", f"Don't convert with {name}"),
    )


def none_check(text: str, rng: random.Random) -> Change | None:
    """`is None` and truth tests."""
    changed = re.sub(r"\bif (\w[\w.]*) is not None\b", r"if \1", text)
    changed = re.sub(r"\bif (\w[\w.]*) is None\b", r"if not \1", changed)
    return Change(
        changed,
        ("Test the truth of it instead of comparing with None", "Simplify the None check"),
        ("Compare with None explicitly", "Check for None, not for truth", "Use `is None`"),
    )


KINDS = [
    comment,
    docstring,
    *signatures.KINDS,
    guard,
    trace,
    formatting,
    delete_line,
    call,
    none_check,
]
