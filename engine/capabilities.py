"""What this engine can do beyond filling a hole: told to clients, checked at every request."""

CAPABILITIES: frozenset[str] = frozenset(
    {
        "alternatives",
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
)
"""Names as in protocol.capabilities."""
