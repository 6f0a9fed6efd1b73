"""What this engine can do beyond filling a hole: told to clients, checked at every request."""

CONSTRAINTS = ("choices", "ebnf", "json_schema", "lark", "lengths", "regex", "syntax")
"""Kinds of languages that an answer can be held to."""
CAPABILITIES: frozenset[str] = frozenset(
    {
        "alternatives",
        "constraint:syntax_schema",
        "context",
        "guidance",
        "holes",
        "init",
        "instruction",
        "old_text",
        "revise:advance",
        "revise:context",
        "revise:pin",
        "revise:remask",
        "revise:remask_below",
        "revise:resize",
        "revise_text",
        "score",
        "stop",
    }
) | {f"constraint:{kind}" for kind in CONSTRAINTS}
"""Names as in protocol.capabilities."""
