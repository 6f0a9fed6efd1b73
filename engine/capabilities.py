"""What this engine can do beyond filling a hole: told to clients, checked at every request."""

CAPABILITIES: frozenset[str] = frozenset(
    {
        "alternatives",
        "context",
        "holes",
        "instruction",
        "old_text",
        "revise:pin",
        "revise_text",
        "score",
    }
)
"""Names as in protocol.capabilities."""
