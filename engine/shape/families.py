"""Owns what the lexer is told of each language: quotes, comments, brackets, block words."""

from engine.shape.lexis import Lexis, Quote

DOUBLE = Quote('"', '"')
SINGLE = Quote("'", "'")
RAW_SINGLE = Quote("'", "'", escape=False)
HASH = Quote("#", "\n", comment=True, escape=False)
WORD_HASH = Quote(r"(?<!\S)#", "\n", comment=True, escape=False, first="#")
SLASHES = Quote("//", "\n", comment=True, escape=False)
SLASH_STAR = Quote(r"/\*", "*/", comment=True, escape=False, lines=True)
BACKTICK = Quote("`", "`", escape=False, lines=True)
TEMPLATE = Quote("`", "`", lines=True, inner=("${", "}"))
LONG_DOUBLE = Quote('"""', '"""', lines=True)
LONG_SINGLE = Quote("'''", "'''", lines=True)
REGEX = Quote(
    r"(?<=[=(,:\[!&|?{};\n])/(?![/*])|(?<=[=(,:\[!&|?{};] )/(?![/*])|(?<=return )/(?![/*])",
    "/",
    first="/",
)
HEREDOC = Quote(
    # a shift, as in `$((1 << N))`, is none
    r"(?<!<)<<-?(?:[ \t]+(?=['\"A-Z_]))?['\"]?([A-Za-z_]\w*)['\"]?(?!\w*[ \t]*\))",
    "\n{}",
    escape=False,
    lines=True,
    first="<",
)

PLAIN = Lexis()
PROSE = Lexis(brackets=())
PYTHON = Lexis((LONG_DOUBLE, LONG_SINGLE, DOUBLE, SINGLE, HASH), docstrings=True)
SCRIPT = Lexis((SLASHES, SLASH_STAR, DOUBLE, SINGLE, TEMPLATE, REGEX))
GO = Lexis((SLASHES, SLASH_STAR, DOUBLE, SINGLE, BACKTICK))
RUST = Lexis(
    (
        SLASHES,
        SLASH_STAR,
        Quote(r'\bb?r(#*)"', '"{}', escape=False, lines=True, first="br"),
        Quote('"', '"', lines=True),
        Quote(r"'(?=\\|[^\\'\n]')", "'"),
    ),
    undecided=r"'.?\Z",
)
JAVA = Lexis((SLASHES, SLASH_STAR, LONG_DOUBLE, DOUBLE, SINGLE))
C = Lexis((SLASHES, SLASH_STAR, DOUBLE, Quote(r"(?<![0-9a-fA-F])'", "'", first="'")))
CPP = Lexis((SLASHES, SLASH_STAR, Quote(r'R"(\w*)\(', '){}"', lines=True), *C.quotes[2:]))
JSON = Lexis((DOUBLE, SLASHES, SLASH_STAR))
YAML = Lexis(
    (
        WORD_HASH,
        Quote(r'(?<=[\s\[{,])"', '"', lines=True, first='"'),
        Quote(r"(?<=[\s\[{,])'", "'", escape=False, lines=True, first="'"),
    ),
    brackets=(("[", "]"), ("{", "}")),
)
TOML = Lexis((LONG_DOUBLE, Quote("'''", "'''", escape=False, lines=True), DOUBLE, RAW_SINGLE, HASH))
BASH = Lexis(
    (
        WORD_HASH,
        HEREDOC,
        Quote('"', '"', lines=True, inner=("$(", ")")),
        Quote("'", "'", escape=False, lines=True),
    ),
    words=(("if", "fi"), ("case", "esac"), ("do", "done")),
    loose=")",
)
HTML = Lexis(
    (
        Quote("<!--", "-->", comment=True, escape=False, lines=True),
        Quote(r'(?<==)"', '"', escape=False, lines=True, first='"'),
        Quote(r"(?<==)'", "'", escape=False, lines=True, first="'"),
    ),
    brackets=(),
    tags=True,
)
CSS = Lexis((SLASH_STAR, DOUBLE, SINGLE))
LUA = Lexis(
    (
        Quote(r"--\[(=*)\[", "]{}]", comment=True, escape=False, lines=True),
        Quote("--", "\n", comment=True, escape=False),
        Quote(r"\[(=*)\[", "]{}]", escape=False, lines=True),
        DOUBLE,
        SINGLE,
    ),
    words=(("function", "end"), ("do", "end"), ("if", "end"), ("repeat", "until")),
)
