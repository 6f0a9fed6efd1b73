"""Owns the syntax checks of whole documents: `ast.parse` for Python, strict JSON, tree-sitter.

tree-sitter repairs what it can't parse and lets wrong programs pass, so it only judges languages
without a better judge, by the number of its error nodes.
"""

import ast
import importlib
import json
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import tree_sitter

from engine.constraints.data import refuse
from engine.constraints.errors import UnsupportedError

MAX_DOCUMENT = 1_048_576  # bytes
_MOST_ERRORS = 1000
# Language name -> (module of its grammar, function in it that returns the language).
_GRAMMARS = {
    "bash": ("tree_sitter_bash", "language"),
    "c": ("tree_sitter_c", "language"),
    "cpp": ("tree_sitter_cpp", "language"),
    "css": ("tree_sitter_css", "language"),
    "go": ("tree_sitter_go", "language"),
    "html": ("tree_sitter_html", "language"),
    "java": ("tree_sitter_java", "language"),
    "javascript": ("tree_sitter_javascript", "language"),
    "lua": ("tree_sitter_lua", "language"),
    "rust": ("tree_sitter_rust", "language"),
    "toml": ("tree_sitter_toml", "language"),
    "tsx": ("tree_sitter_typescript", "language_tsx"),
    "typescript": ("tree_sitter_typescript", "language_typescript"),
    "yaml": ("tree_sitter_yaml", "language"),
}

Count = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class SyntaxJudge:
    """Counts the errors of a document; `exact` says whether zero means that it parses."""

    language: str
    exact: bool
    count: Count

    def accepts(self, document: str) -> bool:
        """Whether the document is free of errors."""
        return self.count(document) == 0

    def no_new_errors(self, before: str, after: str) -> bool:
        """Whether an edit adds no error: the test for live buffers, which rarely parse."""
        found = self.count(after)
        return found == 0 or found <= self.count(before)


def judge_of(language: str) -> SyntaxJudge:
    """The judge of a language. Raises UnsupportedError, with the known names, if there is none."""
    if language == "python":
        return SyntaxJudge(language, True, _bounded(_python_errors))
    if language == "json":
        return SyntaxJudge(language, True, _bounded(_json_errors))
    if language not in _GRAMMARS:
        known = ", ".join(sorted({"python", "json", *_GRAMMARS}))
        raise UnsupportedError(f"no syntax check for {language!r}; there are {known}")
    return SyntaxJudge(language, False, _bounded(_tree_sitter_errors(language)))


def _bounded(count: Count) -> Count:
    def within(document: str) -> int:
        if len(document) > MAX_DOCUMENT:
            return _MOST_ERRORS
        return count(document)

    return within


def _python_errors(document: str) -> int:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(document)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return 1
    return 0


def _json_errors(document: str) -> int:
    try:
        json.loads(document, parse_constant=refuse)
    except (ValueError, RecursionError):
        return 1
    return 0


def _tree_sitter_errors(language: str) -> Count:
    module_name, function = _GRAMMARS[language]
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        package = module_name.replace("_", "-")
        raise UnsupportedError(f"the syntax of {language} needs the package {package}") from error
    parser = tree_sitter.Parser(tree_sitter.Language(getattr(module, function)()))

    def count(document: str) -> int:
        tree = parser.parse(document.encode(errors="replace"))
        return _errors_below(tree.root_node) if tree.root_node.has_error else 0

    return count


def _errors_below(root: tree_sitter.Node) -> int:
    """Error and missing nodes, counted up to a bound."""
    found, stack = 0, [root]
    while stack and found < _MOST_ERRORS:
        node = stack.pop()
        found += node.is_error or node.is_missing
        stack.extend(child for child in node.children if child.has_error or child.is_missing)
    return found
