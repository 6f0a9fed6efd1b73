"""Owns the verdict on a finished text: does the document still parse with it in the hole?

For Python the compiler's own parser judges: tree-sitter lets a header without a body pass.
"""

import ast
import warnings

from engine.shape.site import Site

PYTHON_LIMIT = 100_000


def flaws(site: Site, document: tuple[str, str], text: str) -> int:
    """How broken the document is with `text` between the two sides; only fit to be compared.

    0 where nothing can be told: no grammar, or a text too large to judge.
    """
    before, after = document
    if site.language.name == "python" and len(before) + len(after) < PYTHON_LIMIT:
        return int(not _parses(before + text + after))
    errors = site.surroundings.errors(text)
    return 0 if errors is None else errors.nodes


def _parses(source: str) -> bool:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(source)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True
