"""What this engine can do beyond filling a hole: told to clients, checked at every request."""

CAPABILITIES: frozenset[str] = frozenset(
    {
        "alternatives",
        "context",
        "guidance",
        "holes",
        "instruction",
        "old_text",
        "revise:pin",
        "revise_text",
    }
)
"""Names as in protocol.capabilities."""
