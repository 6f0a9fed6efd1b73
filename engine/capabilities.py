"""What this engine can do beyond filling a hole: told to clients, checked at every request."""

CONSTRAINTS = ("choices", "ebnf", "json_schema", "lark", "lengths", "regex", "syntax")
"""Kinds of languages that an answer can be held to."""
CAPABILITIES: frozenset[str] = frozenset(
    {"alternatives", "context", "holes", "instruction", "old_text", "revise:pin", "revise_text"}
) | {f"constraint:{kind}" for kind in CONSTRAINTS}
"""Names as in protocol.capabilities."""
