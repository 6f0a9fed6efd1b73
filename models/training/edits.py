"""Instruction pairs made by program: a piece of real code, a changed piece, words for both.

A kind takes lines of code and gives the changed lines with phrasings for real -> changed and for
changed -> real, or None where it does not apply. Kinds are data:
`KINDS` here and in `more_edits`, some of them from `signatures`.
"""

import ast
import keyword
import random
import re
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from textwrap import dedent


@dataclass(frozen=True, slots=True)
class Change:
    """Changed text; how to ask for it, and how to ask for the way back."""

    text: str
    there: tuple[str, ...]
    back: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Pair:
    """One rewrite: `old` becomes `new` when told `instruction`."""

    old: str
    new: str
    instruction: str


Kind = Callable[[str, random.Random], Change | None]
WORD = re.compile(r"\b[a-z_][a-z0-9_]{2,24}\b")
STRING = re.compile(r"(?<![\w\"'])([\"'])([^\"'\\\n{}]{1,40})\1(?![\"'])")


def make_pair(text: str, kinds: Sequence[Kind], rng: random.Random) -> Pair | None:
    """A pair from real code `text` by one of `kinds`, in a random direction; or None."""
    for kind in rng.sample(kinds, min(6, len(kinds))):
        change = change_of(kind, text, rng)
        if change is None:
            continue
        if rng.random() < 0.6:
            return Pair(change.text, text, _phrase(change.back, rng))
        return Pair(text, change.text, _phrase(change.there, rng))
    return None


def change_of(kind: Kind, text: str, rng: random.Random) -> Change | None:
    """What a kind makes of `text`; None if that is nothing else, or no code where `text` is."""
    change = kind(text, rng)
    if change is None or change.text == text or not change.text.strip():
        return None
    return None if parsed(text) and not parsed(change.text) else change


def parsed(text: str) -> ast.Module | None:
    """A piece of Python at any indent, with a body if it ends in a colon; None if it is none."""
    code = dedent(text).rstrip()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what the code escapes in its strings
        try:
            return ast.parse(f"{code} pass" if code.endswith(":") else code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None


def _phrase(choices: tuple[str, ...], rng: random.Random) -> str:
    words = rng.choice(choices)
    style = rng.random()
    if style < 0.25:
        words = words[0].lower() + words[1:]
    elif style < 0.35:
        words = f"Please {words[0].lower()}{words[1:]}"
    return words if rng.random() < 0.6 else f"{words}."


def names(text: str) -> list[str]:
    """Names in code, sorted, without keywords and `self`."""
    return sorted({w for w in WORD.findall(text) if not keyword.iskeyword(w) and w != "self"})


def other_name(old: str, rng: random.Random) -> str:
    """Another name that someone might give the same thing; it may be the same one."""
    parts = old.strip("_").split("_")
    new = rng.choice(
        [
            f"{old}_{rng.choice(['value', 'name', 'list', 'item', 'data', 'new'])}",
            f"{rng.choice(['new', 'my', 'the', 'current', 'raw'])}_{old.strip('_')}",
            parts[0] if len(parts) > 1 else old[:3],
            "".join([parts[0], *(p.title() for p in parts[1:])]) if len(parts) > 1 else f"{old}s",
            rng.choice(["result", "value", "entry", "key", "node", "total", "index", "config"]),
        ]
    )
    return new if new.isidentifier() and not keyword.iskeyword(new) else old


def rename(text: str, rng: random.Random) -> Change | None:
    """Another name for a variable, function or argument."""
    found = names(STRING.sub("", text))
    if not found:
        return None
    old = rng.choice(found)
    new = other_name(old, rng)
    if new == old or new in found:
        return None
    changed = re.sub(rf"\b{re.escape(old)}\b", new, text)

    def phrases(a: str, b: str) -> tuple[str, ...]:
        return (f"Rename {a} to {b}", f"Rename `{a}` to `{b}`", f"Use the name {b} instead of {a}",
                f"{a} -> {b}", f"Call it {b}, not {a}", f"Change the name {a} to {b}")  # fmt: skip

    return Change(changed, phrases(old, new), phrases(new, old))


def quotes(text: str, rng: random.Random) -> Change | None:
    """Double for single quotes and the other way round."""
    used = {match.group(1) for match in STRING.finditer(text)}
    if len(used) != 1:
        return None
    old, new = ('"', "'") if used == {'"'} else ("'", '"')
    words = {'"': "double", "'": "single"}

    def phrases(name: str) -> tuple[str, ...]:
        return (
            f"Use {name} quotes",
            f"Change the strings to {name} quotes",
            f"{name.title()} quotes",
        )

    changed = STRING.sub(lambda m: f"{new}{m.group(2)}{new}", text)
    return Change(changed, phrases(words[new]), phrases(words[old]))


def compound(text: str, rng: random.Random) -> Change | None:
    """x += y and x = x + y."""
    short = re.compile(r"^(\s*)([\w.\[\]]+) ([+\-*/|&])= (.+)$", re.M)
    changed = short.sub(lambda m: f"{m[1]}{m[2]} = {m[2]} {m[3]} {m[4]}", text)
    return Change(
        changed,
        (
            "Write the augmented assignment out",
            "Expand the += into a full assignment",
            "Don't use +=",
        ),
        ("Use augmented assignment", "Use += where possible", "Shorten x = x + y to x += y"),
    )


def negate(text: str, rng: random.Random) -> Change | None:
    """The opposite of the first condition."""
    swaps = [(" == ", " != "), (" is not None", " is None"), (" not in ", " in "), (" < ", " >= "),
             (" > ", " <= "), ("if not ", "if "), (" and ", " or ")]  # fmt: skip
    rng.shuffle(swaps)
    first = r"^\s*(?=(?:if|elif|while|assert|return) )"
    for a, b in swaps:
        match = re.search(rf"{first}.*?{re.escape(a)}", text, re.M)
        if match:
            cut = match.end() - len(a)
            changed = text[:cut] + b + text[cut + len(a) :]
            if a.strip() in ("and", "or"):
                return Change(changed, ("Use or instead of and", "Either condition is enough"),
                              ("Use and instead of or", "Require both conditions"))  # fmt: skip
            words = ("Negate the condition", "Invert the check", "Flip the condition")
            exact = (f"Use `{b.strip()}` instead of `{a.strip()}`",)
            return Change(
                changed, words + exact, (*words, f"Use `{a.strip()}` instead of `{b.strip()}`")
            )
    return None


def number(text: str, rng: random.Random) -> Change | None:
    """Another constant."""
    found = list(re.finditer(r"(?<![\w.])\d{1,4}(?![\w.])", text))
    if not found:
        return None
    match = rng.choice(found)
    old = match.group()
    new = str(rng.choice([int(old) + 1, int(old) * 2, max(0, int(old) - 1), 10, 100, 3]))
    if new == old:
        return None
    changed = text[: match.start()] + new + text[match.end() :]

    def phrases(a: str, b: str) -> tuple[str, ...]:
        return (f"Change {a} to {b}", f"Use {b} instead of {a}", f"Set it to {b}", f"Make it {b}")

    return Change(changed, phrases(old, new), phrases(new, old))


def string(text: str, rng: random.Random) -> Change | None:
    """Another word in a string."""
    found = list(STRING.finditer(text))
    words = [w for w in re.findall(r"[a-z]{4,}", text)]
    if not found or not words:
        return None
    match, word = rng.choice(found), rng.choice(words)
    if word == match.group(2):
        return None
    changed = text[: match.start(2)] + word + text[match.end(2) :]

    def phrases(a: str, b: str) -> tuple[str, ...]:
        return (
            f'Change "{a}" to "{b}"',
            f"Replace the string '{a}' with '{b}'",
            f'Say "{b}" there',
        )

    return Change(changed, phrases(match.group(2), word), phrases(word, match.group(2)))


def swap_arguments(text: str, rng: random.Random) -> Change | None:
    """Two arguments the other way round."""
    found = list(re.finditer(r"\((\w+), (\w+)\)", text))
    if not found:
        return None
    match = rng.choice(found)
    changed = f"{text[: match.start()]}({match[2]}, {match[1]}){text[match.end() :]}"
    words = ("Swap the arguments", f"Swap {match[1]} and {match[2]}", "Exchange the two arguments")
    return Change(changed, words, words)


KINDS: list[Kind] = [rename, quotes, compound, negate, number, string, swap_arguments]
