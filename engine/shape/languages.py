"""Owns the table of languages: names, file suffixes, grammars, what opens a block."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

from engine.shape import families
from engine.shape.lexis import Lexis

BRACKET_OPENER = r"[(\[{]\s*$"
NAMESPACE = r"\b(?:namespace\b[^;{}()]*|extern\s*\"+\s*)\{\s*$"
PYTHON_HEADER = r"(?:async|def|class|if|elif|else|for|while|with|try|except|finally|match|case)\b"
Layout = Literal["offside", "free", "none"]


@dataclass(frozen=True, slots=True)
class Language:
    """A language a hole can be in.

    Attributes:
        grammar: module and function of the tree-sitter grammar, or None.
        opener: regular expression of a line (comments taken away) that opens a block.
        header: regular expression of what an opener that ends in a colon begins with.
        flat: regular expression of an opener whose block often stands in the opener's own column.
        layout: whether indentation is syntax (`offside`), habit (`free`) or not ours to touch.
        unit: one level of indentation where the file shows none.
    """

    name: str
    lexis: Lexis
    suffixes: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    grammar: tuple[str, str] | None = None
    opener: str = BRACKET_OPENER
    header: str = ""
    flat: str = r"(?!)"
    layout: Layout = "free"
    unit: str = "    "


PLAIN = Language("text", families.PLAIN, layout="none")

LANGUAGES = (
    Language(
        "python",
        families.PYTHON,
        (".py", ".pyi", ".pyw"),
        ("py",),
        ("tree_sitter_python", "language"),
        opener=rf":\s*$|{BRACKET_OPENER}",
        header=PYTHON_HEADER,
        layout="offside",
    ),
    Language(
        "javascript",
        families.SCRIPT,
        (".js", ".jsx", ".mjs", ".cjs"),
        ("js", "jsx", "javascriptreact"),
        ("tree_sitter_javascript", "language"),
        unit="  ",
    ),
    Language(
        "typescript",
        families.SCRIPT,
        (".ts", ".mts", ".cts"),
        ("ts",),
        ("tree_sitter_typescript", "language_typescript"),
        unit="  ",
    ),
    Language(
        "tsx",
        families.SCRIPT,
        (".tsx",),
        ("typescriptreact",),
        ("tree_sitter_typescript", "language_tsx"),
        unit="  ",
    ),
    Language("go", families.GO, (".go",), ("golang",), ("tree_sitter_go", "language"), unit="\t"),
    Language("rust", families.RUST, (".rs",), ("rs",), ("tree_sitter_rust", "language")),
    Language("java", families.JAVA, (".java",), (), ("tree_sitter_java", "language")),
    Language("c", families.C, (".c", ".h"), (), ("tree_sitter_c", "language"), flat=NAMESPACE),
    Language(
        "cpp",
        families.CPP,
        (".cpp", ".cc", ".cxx", ".hpp", ".hh", ".hxx", ".ipp"),
        ("c++",),
        ("tree_sitter_cpp", "language"),
        flat=NAMESPACE,
    ),
    Language(
        "json",
        families.JSON,
        (".json", ".jsonc"),
        ("jsonc",),
        ("tree_sitter_json", "language"),
        unit="  ",
    ),
    Language(
        "yaml",
        families.YAML,
        (".yaml", ".yml"),
        ("yml",),
        ("tree_sitter_yaml", "language"),
        opener=rf":\s*$|{BRACKET_OPENER}",
        layout="offside",
        unit="  ",
    ),
    Language("toml", families.TOML, (".toml",), (), ("tree_sitter_toml", "language")),
    Language(
        "bash",
        families.BASH,
        (".sh", ".bash", ".zsh"),
        ("sh", "shell", "shellscript", "zsh"),
        ("tree_sitter_bash", "language"),
        opener=rf"\b(?:then|do|else|in)\s*$|{BRACKET_OPENER}",
        unit="  ",
    ),
    Language(
        "html",
        families.HTML,
        (".html", ".htm"),
        (),
        ("tree_sitter_html", "language"),
        opener=r"<(?!(?:br|hr|img|input|link|meta)\b)[A-Za-z][^<>]*(?<!/)>\s*$",
        layout="none",
    ),
    Language("css", families.CSS, (".css",), (), ("tree_sitter_css", "language"), unit="  "),
    Language(
        "markdown",
        families.PROSE,
        (".md", ".markdown"),
        ("md",),
        ("tree_sitter_markdown", "language"),
        opener=r"(?!)",
        layout="none",
    ),
    Language(
        "lua",
        families.LUA,
        (".lua",),
        (),
        ("tree_sitter_lua", "language"),
        opener=rf"\b(?:then|do|else|repeat)\s*$|\bfunction\b[^()]*\([^()]*\)\s*$|{BRACKET_OPENER}",
        unit="  ",
    ),
)


def language_of(path: str | None, name: str | None) -> Language:
    """The language by its name, else by the suffix of the path, else plain text."""
    wanted = (name or "").strip().lower()
    for language in LANGUAGES:
        if wanted and (wanted == language.name or wanted in language.aliases):
            return language
    suffix = PurePosixPath((path or "").replace("\\", "/")).suffix.lower()
    for language in LANGUAGES:
        if suffix and suffix in language.suffixes:
            return language
    return PLAIN
